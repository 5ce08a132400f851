"""The reader: what recall finds, and the pages of the standing words where the asker asks of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from talks import Line, base, night, session, take

from brain.eval import arms
from brain.eval.agents import Answer, Budget, View
from brain.eval.agents.reader import OPENED, Reader
from brain.search.embed import NONE

SAID = "Took the ferry again, the bridge be damned."


def answer(question: str, arm: str, home: Path) -> Answer:
    lines = [Line("Odile", text, f"2026-05-{n:02}T10:00:00+00:00") for n, text in enumerate((SAID, "Bram sings."), 1)]
    dreamt = night(take(base(), session(lines)))
    seen = arms.view(dreamt, arms.named(arm), 6000)
    first = arms.first_message(seen, arms.named(arm), 6000)
    return Reader().answer(question, None, View(seen, arms.named(arm), first, frozenset(), home, NONE), Budget())


def opened(given: Answer) -> list[str]:
    return [one.text for one in given.shown if "/preferences/" in one.place]


def test_who_asks_of_themselves_has_their_standing_words_read(tmp_path: Path) -> None:
    given = answer("How do I like to travel?", "on", tmp_path)
    assert opened(given)[-1] == f"Odile: “{SAID}”"
    assert given.shown[-1].evidence == ("sessions/2026/05/01-00000001#t1",)
    assert sum(map(len, opened(given))) <= OPENED


@pytest.mark.parametrize(
    ("question", "arm"),
    [("How does Odile like to travel?", "on"), ("How do I like to travel?", "off"), ("I went home. " * 20, "on")],
)
def test_nothing_is_opened_for_others_nor_where_no_page_is(question: str, arm: str, tmp_path: Path) -> None:
    assert answer(question, arm, tmp_path).cost.tool_calls == 1


def test_what_is_opened_is_of_the_same_budget(tmp_path: Path) -> None:
    given = answer("How do I like to travel on the ferry with Bram?", "on", tmp_path)
    assert sum(len(one.text) for one in given.shown if one.place) <= Budget().found
    places = [one.place for one in given.shown]
    assert len(places) == len(set(places))
