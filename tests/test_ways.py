"""What a person does again and again, or has given up, is a preference of theirs, though nobody called it one."""

from __future__ import annotations

import pytest
from talks import Line, dreamt, known

from brain.page import claims

AT = "2026-05-04T10:00:00+00:00"


def types(text: str) -> list[str]:
    return [line.type for line in known(dreamt(Line("Odile", text, AT)))]


@pytest.mark.parametrize(
    "text",
    [
        "Took the ferry again, the bridge be damned.",
        "My move, as ever: close the valve first, ask questions after.",
        "Fennel soup is out, I make barley stew these days, that's what I eat now.",
        "I've switched to paper maps for my tours.",
        "Снова взяла билет на паром, хотя мост быстрее.",
        "Как всегда: окно настежь и чайник рядом.",
        "Городские автобусы больше не для меня.",
    ],
)
def test_a_habit_and_a_change_of_taste_are_preferences(text: str) -> None:
    assert "preference" in types(text)


@pytest.mark.parametrize(
    "text",
    [
        "Did you take the ferry again?",
        "Bram took the ferry again.",
        "He always takes the ferry to Harlingen.",
        "The boat lies at berth 12 now.",
        "Please run the tests once more.",
        "Брам снова взял билет на паром.",
    ],
)
def test_what_others_do_and_where_things_are_is_none(text: str) -> None:
    assert "preference" not in types(text)


def test_what_took_its_place_stands_with_it() -> None:
    tree = dreamt(Line("Odile", "No more paper letters for me. Urgent? Call the workshop.", AT))
    assert "Odile: “No more paper letters for me. Urgent? Call the workshop.”" in [line.text for line in known(tree)]
    page = next(page for page in tree.pages().values() if page.title == "Preferences of Odile")
    assert [claim.text for claim in claims(page) if claim.section] == [
        "Odile: “No more paper letters for me. Urgent? Call the workshop.”"
    ]
