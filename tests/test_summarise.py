"""Summaries: which sentences, which title, which line."""

from __future__ import annotations

import pytest
from talks import AGENT, Line, base, dreamt, night, session, take

from brain.dream.ranking import central
from brain.model import Summary
from brain.tree import Tree


def _summary(tree: Tree) -> Summary:
    (summary,) = tree.summaries().values()
    return summary


def _texts(tree: Tree) -> list[str]:
    return [text for text, _ in _summary(tree).sentences]


def test_its_sentences_are_said_in_the_session_in_their_order_with_who() -> None:
    tree = dreamt(
        Line("Nadia", "The causeway floods at 1.85 m above DVR90. Thanks!"),
        Line(AGENT, "The threshold stands at 1.85 m now."),
        Line("Nadia", "We decided to use Postgres for the readings."),
    )
    assert _texts(tree) == [
        "Nadia: “The causeway floods at 1.85 m above DVR90.”",
        "The agent: “The threshold stands at 1.85 m now.”",
        "Nadia: “We decided to use Postgres for the readings.”",
    ]
    assert _summary(tree).line == "We decided to use Postgres for the readings."


def test_the_line_says_what_came_out_and_fits() -> None:
    long = (
        "We decided to use Postgres for the readings, because " + "the office wants to query them, and " * 6 + "so on."
    )
    tree = dreamt(Line("Nadia", "The causeway floods at 1.85 m. " + long))
    assert _summary(tree).line.startswith("We decided to use Postgres")
    assert len(_summary(tree).line) <= 160
    assert _summary(tree).line.endswith("…")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hi! Can you check why the gauge is late?", "Can you check why the gauge is late?"),
        ("Fix the flaky test in tests/test_gauge.py. Then push.", "Fix the flaky test in tests/test_gauge.py"),
        ("Почему датчик опаздывает на час?", "Почему датчик опаздывает на час?"),
        ("ok", "ok"),
    ],
)
def test_without_a_title_of_its_own_the_first_request_is_it(text: str, title: str) -> None:
    assert _summary(dreamt(Line("Nadia", text))).title == title


def test_a_session_that_says_nothing_is_still_marked_as_read() -> None:
    tree = dreamt(Line("Nadia", "```\ncode\n```"), Line(AGENT, "Done."))
    summary = _summary(tree)
    assert (summary.dreamt_turn, summary.sentences) == (2, ())
    assert summary.title


def test_what_repeats_the_memory_is_passed_over() -> None:
    tree = dreamt(
        Line("Nadia", "The mill opens at 10 in the morning.", derived=True), Line("Nadia", "The mill closes at 6.")
    )
    assert _texts(tree) == ["Nadia: “The mill closes at 6.”"]


def test_a_session_that_grew_gets_the_sentences_of_its_new_turns() -> None:
    lines = [Line("Nadia", "The causeway floods at 1.85 m above DVR90.")]
    tree = night(take(base(), session(lines)))
    lines.append(Line("Nadia", "The dike gate closes at 2.40 m above DVR90."))
    tree = night(take(tree, session(lines)))
    assert [text[8:20] for text in _texts(tree)] == ["The causeway", "The dike gat"]
    assert _summary(tree).dreamt_turn == 2


def test_ranking_takes_the_central_and_leaves_the_double() -> None:
    bags = [{"a": 1, "b": 1}, {"a": 1, "b": 1}, {"c": 1, "d": 1}, {"a": 1, "c": 1}, {"x": 1}]
    chosen = central(bags, [1.0] * 5, 2)
    assert len(chosen) == 2
    assert not {0, 1} <= set(chosen)
    assert central(bags, [1.0] * 5, 9) == [0, 1, 2, 3, 4]
    assert central([], [], 3) == []
    assert central([{}], [1.0], 1) == [0]
