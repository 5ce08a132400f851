"""What a dream takes on: new words, in order, within its limits, at its time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from nights import DAY, NOW, START, folder, scope, session, tree

from brain import layout, summary, transcript
from brain.config import DreamSettings, Settings
from brain.dream.orient import new_turns, orient
from brain.evidence import fingerprint
from brain.model import SessionKind, Summary
from brain.tree import Tree, tree_of


def folders(base: Tree, **given: object) -> list[str]:
    return [new.folder for new in scope(base, **given).sessions]  # type: ignore[arg-type]


def read_up_to(turn: int, chars: int, number: int = 1) -> dict[str, bytes]:
    mark = Summary(folder(number).removeprefix("memory/"), "A session", "a line", turn, chars)
    return {layout.summary_path(folder(number)): summary.render(mark).encode()}


def test_an_empty_brain_has_nothing_to_dream_of() -> None:
    found = orient(tree_of({}), NOW, Settings())
    assert (found.sessions, found.instructions, found.skipped) == ((), "", ())


def test_sessions_come_oldest_first_and_those_without_a_time_before_all() -> None:
    early = session(2, start=START - timedelta(days=1))
    undated = session(3)
    undated = replace(
        undated, started=None, ended=None, turns=tuple(replace(turn, time=None) for turn in undated.turns)
    )
    base = tree(session(), early, undated)
    assert folders(base) == [layout.session_folder(undated.id, None), folder(2, DAY - timedelta(days=1)), folder()]


def test_a_session_whose_turns_have_no_time_is_as_old_as_its_folder() -> None:
    dated = session(3)
    dated = replace(dated, started=None, ended=None, turns=tuple(replace(turn, time=None) for turn in dated.turns))
    later = layout.session_folder(dated.id, DAY + timedelta(days=1))
    base = tree(session(), extra={layout.transcript_path(later): transcript.render(dated).encode()})
    assert folders(base) == [folder(), later]
    assert folders(base, now=NOW - timedelta(days=1, hours=4)) == []
    assert len(folders(base, now=NOW - timedelta(hours=4))) == 1


def test_a_session_that_was_read_to_its_end_is_not_taken_on() -> None:
    assert folders(tree(extra=read_up_to(5, 28))) == []


def test_a_session_whose_last_turn_grew_is_taken_on() -> None:
    (new,) = scope(tree(extra=read_up_to(5, 10))).sessions
    assert [turn.n for turn in new.turns] == [5]


def test_a_mark_that_cannot_be_read_counts_as_nothing_read() -> None:
    (new,) = scope(tree(extra={layout.summary_path(folder()): b"---\ndreamt: yesterday\n---\n"})).sessions
    assert (new.after_turn, len(new.turns)) == (0, 5)


def test_a_session_that_is_known_to_be_read_is_not_opened_again_until_it_changes() -> None:
    known: set[str] = set()
    read, grown = tree(extra=read_up_to(5, 28)), tree(extra=read_up_to(5, 10))
    assert list(new_turns(read, known)) == []
    assert len(known) == 1
    again = tree(extra=read_up_to(5, 28))
    assert list(new_turns(again, known)) == []
    assert not [key for key in again.cache if key[0] == "transcript"]
    assert len(list(new_turns(grown, known))) == 1


def test_edits_by_hand_are_dreamt_of_like_any_session() -> None:
    assert folders(tree(replace(session(), kind=SessionKind.HAND_EDIT))) == [folder()]


def test_a_session_that_had_not_ended_waits_and_is_counted() -> None:
    before = scope(now=START + timedelta(minutes=3))
    assert before.sessions == ()
    assert [one.why for one in before.skipped] == ["1 session had not ended by the time of this dream"]
    assert len(scope(now=START + timedelta(minutes=5)).sessions) == 1


def test_what_is_over_the_limit_waits_and_is_named() -> None:
    base = tree(session(1), session(2, start=START + timedelta(hours=1)))
    found = scope(base, settings=Settings(dream=DreamSettings(max_sessions=1)))
    assert [new.folder for new in found.sessions] == [folder(1)]
    assert [(one.path, one.why) for one in found.skipped] == [
        (folder(2), "waits for the next dream: dream.max_sessions is reached")
    ]


def test_the_persons_instructions_and_the_deletion_log_are_read() -> None:
    mark = fingerprint("Ilya keeps bees")
    log = f"# Deletion log\n\n- 2026-11-29T10:00:00Z · {mark} · claim · asked\n"
    base = tree(extra={layout.INSTRUCTIONS: b"Mind the clock.\n", layout.DELETIONS: log.encode()})
    assert scope(base).instructions == "Mind the clock.\n"
    assert scope(base).forgotten == {mark}


@pytest.mark.parametrize(
    ("folder", "day"),
    [
        ("memory/sessions/2026/11/29-1f2e3d4c", date(2026, 11, 29)),
        ("memory/sessions/undated/1f2e3d4c", None),
        ("memory/sessions/2026/13/45-1f2e3d4c", None),
        ("elsewhere/2026/11/29-1f2e3d4c", None),
    ],
)
def test_a_sessions_folder_names_its_day(folder: str, day: date | None) -> None:
    assert layout.session_day(folder) == day
