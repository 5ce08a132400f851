"""Talks between people: who is spoken to is no subject, a short name is nobody new, what is told of oneself is kept."""

from __future__ import annotations

import pytest
from talks import AGENT, Line, base, dreamt, known, night, session, take

from brain.language.mentions import mentions
from brain.language.rules import rules_for
from brain.language.words import words
from brain.tree import Tree


def spoken_to(text: str) -> list[str]:
    row = words(text)
    found = mentions(text, row, rules_for(text), lambda row, at: int(row[at].text == "Fenna"))
    return [m.name for m in found if m.addressed]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Hey Fenna, long time no see!", ["Fenna"]),
        ("Thanks, Fenna!", ["Fenna"]),
        ("Hey Fenna how are things", ["Fenna"]),
        ("That is so kind, Fenna!", ["Fenna"]),
        ("Did you finish the boat, Fenna?", ["Fenna"]),
        ("Fenna, did you finish the boat?", ["Fenna"]),
        ("Привет, Марина!", ["Марина"]),
        ("Спасибо, Марина, всё дошло.", ["Марина"]),
        ("I saw Fenna at the market.", []),
        ("I went to the market with Ilse, Fenna, and Bram.", []),
        ("I moved to Utrecht, Holland!", []),
        ("My sister, Fenna, lives in Utrecht.", []),
        ("Fenna's boat is ready!", []),
        ("Fenna, my sister, lives in Utrecht.", []),
    ],
)
def test_who_is_spoken_to(text: str, names: list[str]) -> None:
    assert spoken_to(text) == names


DAY = "2026-05-{:02}T10:00:00+00:00"


def talk() -> Tree:
    """Three sessions of two friends, and the night after."""
    sessions = []
    for n, (fenna, odile) in enumerate(
        (
            ("Hey Odi, long time no see! I started a pottery class on Monday.", "Wow, Fenna, that's great!"),
            ("Odi, how are you? I finished my first bowl in the pottery class.", "I went hiking with my kids."),
            ("Thanks, Odi! I sold the bowl to my neighbour Bram.", "I painted our boat last weekend, Fenna."),
        ),
        1,
    ):
        sessions.append(session([Line("Fenna", fenna, DAY.format(n)), Line("Odile", odile, DAY.format(n))], n))
    return night(take(base(), *sessions))


def test_a_short_name_is_no_second_person_and_each_has_a_page_of_their_own() -> None:
    tree = talk()
    pages = {page.title: page for page in tree.pages().values()}
    assert "Odi" not in pages
    assert not any("Odi" in note.title.split() for note in tree.notes().values())
    assert {"Fenna", "Odile"} <= pages.keys()
    assert "Odi" in pages["Odile"].aliases


def test_what_people_tell_of_themselves_is_on_their_own_page() -> None:
    tree = talk()
    text = {page.title: tree.text(path) for path, page in tree.pages().items()}
    assert "started a pottery class" in text["Fenna"]
    assert "sold the bowl" in text["Fenna"]
    assert "hiking with my kids" in text["Odile"]
    assert "pottery" not in text["Odile"]
    assert "hiking" not in text["Fenna"]


def test_greetings_and_what_was_only_said_to_somebody_are_no_memory() -> None:
    whole = "\n".join(talk().text(path) for path in talk().paths if path.startswith("memory/notes/"))
    assert "long time no see" not in whole
    assert "how are you" not in whole
    assert "that's great" not in whole


def test_an_annotators_remark_is_not_what_the_person_said() -> None:
    tree = dreamt(
        Line("Fenna", "I built a shed behind our house in May. [image: a photo of a Porto tram]"),
        Line("Odile", "[image: a photo of a Porto tram] I repaired my bicycle yesterday."),
    )
    whole = "\n".join(tree.text(path) for path in tree.paths if path.startswith(("memory/notes/", "memory/knowledge/")))
    assert "built a shed" in whole
    assert "repaired my bicycle" in whole
    assert "Porto" not in whole


def test_an_agent_that_is_spoken_to_gets_no_page() -> None:
    sessions = [
        session([Line("", f"Hey Claude, my boat number {n} needs paint.", DAY.format(n)), Line(AGENT, "Noted.")], n)
        for n in range(1, 5)
    ]
    tree = night(take(base(), *sessions))
    assert any("boat number" in one.text for one in known(tree))
    assert not any("Claude" in page.title for page in tree.pages().values())


def test_at_work_what_somebody_did_is_the_projects_and_not_of_their_life() -> None:
    tree = dreamt(Line("Fenna", "I changed the port of the gateway to 5004 in May."), project="tidewater")
    assert not any(page.title == "Fenna" for page in tree.pages().values())
