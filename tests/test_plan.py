"""Operations as data: what they name, what they say, what is left of them."""

from __future__ import annotations

import pytest
from nights import CLOCK, ILYA, attached, folder, opened, scope, session, source, stated, summarised, tree

from brain import layout, summary
from brain.dream.plan import (
    Archive,
    Describe,
    NewTurns,
    Operation,
    Relate,
    Sentence,
    Supersede,
    evidence,
    labels,
    statements,
    target,
    without,
)
from brain.model import Claim, Summary

ONE = Sentence("One thing.", (source(1),))
TWO = Sentence("Another thing.", (source(3), source(5)))
LINKED = Relate(ILYA, "Tide clock", "he built it", "said so")
GONE = Supersede(ILYA, "k3f9", None, "2026-11-28", (source(1),), "it ended")
REPLACED = Supersede(ILYA, "k3f9", Claim("Something new."), None, (source(3),), "it changed")


@pytest.mark.parametrize(
    ("operation", "path"),
    [
        (summarised(), f"{folder()}/summary.md"),
        (attached(), CLOCK),
        (opened(), ILYA),
        (stated(), ILYA),
        (GONE, ILYA),
        (LINKED, ILYA),
        (Archive(CLOCK, "old"), CLOCK),
    ],
)
def test_every_operation_changes_one_file(operation: Operation, path: str) -> None:
    assert target(operation) == path


@pytest.mark.parametrize(
    ("operation", "sources"),
    [
        (summarised(ONE, TWO), [source(1), source(3), source(5)]),
        (opened(lead=(TWO,)), [source(3), source(5)]),
        (attached(), [source(5)]),
        (stated(), [source(1)]),
        (REPLACED, [source(3)]),
        (LINKED, []),
    ],
)
def test_evidence_is_what_an_operation_names(operation: Operation, sources: list[str]) -> None:
    assert list(evidence(operation)) == sources


def test_statements_are_the_words_that_would_be_said() -> None:
    assert list(statements(summarised(ONE, TWO))) == ["One thing.", "Another thing."]
    assert list(statements(REPLACED)) == ["Something new."]
    assert list(statements(GONE)) == []
    assert list(statements(attached("So it is."))) == ["So it is."]


def test_labels_are_the_other_words() -> None:
    assert list(labels(opened())) == ["Ilya Brandt", "Sound engineer at Kestrel Audio.", "Ilya"]
    assert list(labels(LINKED)) == ["Tide clock", "he built it"]
    assert list(labels(GONE)) == []


def is_one(text: str) -> bool:
    return text == "One thing."


def test_without_cuts_sentences_and_keeps_the_rest() -> None:
    assert without(summarised(ONE, TWO), is_one) == summarised(TWO)
    assert without(opened(lead=(ONE, TWO)), is_one) == opened(lead=(TWO,))
    described = Describe(ILYA, "", (ONE, TWO), "stale")
    assert without(described, is_one) == Describe(ILYA, "", (TWO,), "stale")


def test_without_keeps_a_summary_that_says_nothing_any_more() -> None:
    """It is still the mark that the session has been read."""
    left = without(summarised(ONE), is_one)
    assert left is not None
    assert list(statements(left)) == []


@pytest.mark.parametrize("operation", [opened(lead=(ONE,)), stated("One thing."), attached("One thing.")])
def test_without_leaves_nothing_of_an_operation_that_says_one_thing(operation: Operation) -> None:
    assert without(operation, is_one) is None


def test_without_leaves_alone_what_says_nothing_bad() -> None:
    assert without(LINKED, is_one) is LINKED
    assert without(stated(), is_one) == stated()


def test_all_turns_of_a_session_are_new_at_first() -> None:
    new = scope().sessions[0]
    assert [turn.n for turn in new.turns] == [1, 2, 3, 4, 5]
    assert new.mark == (5, len("The tide clock has 48 teeth."))


def test_a_turn_that_grew_is_new_again() -> None:
    one = session()
    read = NewTurns(folder(), one, 5, 10)
    assert [turn.n for turn in read.turns] == [5]
    assert NewTurns(folder(), one, *read.mark).turns == ()


def test_a_dreamt_session_is_in_scope_again_with_its_new_turns_alone() -> None:
    mark = Summary(folder().removeprefix("memory/"), "Session 1", "a line", 3, 100)
    base = tree(extra={layout.summary_path(folder()): summary.render(mark).encode()})
    (new,) = scope(base).sessions
    assert (new.after_turn, new.after_chars) == (3, 100)
    assert [turn.n for turn in new.turns] == [4, 5]
