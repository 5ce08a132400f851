"""The whole dreamer: same in, same out; rest; hand edits; what it must never write."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talks import AGENT, LATER, Line, base, dreamt, known, night, saying, session, take
from talks import settings as settings_of

from brain import transcript
from brain.dream import wording
from brain.dream.apply import apply
from brain.dream.dreamers import dreamer
from brain.dream.orient import orient
from brain.evidence import fingerprint
from brain.model import Role, Session, SessionKind, Source, Text, ToolCall, Turn
from brain.tree import Tree, overlay
from brain.validators import gate
from brain.validators.findings import Severity
from brain.validators.pair import Command, Pair

TALK = (
    Line("Nadia", "Tidewater is my service. Palle Krogh drives the red tractor bus. He reads text messages only."),
    Line(AGENT, "The causeway stands at 1.85 m now. I would raise it.", calls=(ToolCall("Bash", "ls", "ok"),)),
    Line("Nadia", "I prefer short answers in chat. Тётя Рая живёт в Риге. On Friday we decided against tidecurve."),
    Line("Nadia", "[[Palle]] owes me 3 crowns [cite:9] for the tide ^k3f9"),
)


WORDS = ("I", "prefer", "Ilya", "now", "works", "at", "Рая", "Friday", "?", ".", "“", "[[", "7", "не", "It", "is", ":")


def _digest(tree: Tree) -> str:
    whole = hashlib.sha256()
    for path in tree.paths:
        whole.update(path.encode() + b"\0" + tree.bytes(path))
    return whole.hexdigest()


def test_same_in_same_out_whatever_the_hash_seed() -> None:
    code = "import test_extractive as t; print(t._digest(t.dreamt(*t.TALK, project='tidewater')))"
    here = str(Path(__file__).parent)
    found = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": here}
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
        found.add(ran.stdout)
    assert len(found) == 1


def test_nothing_new_is_nothing_to_do() -> None:
    tree = dreamt(*TALK, project="tidewater")
    scope = orient(tree, LATER, settings_of())
    assert dreamer("extractive").dream(scope).operations == ()


def test_the_gate_finds_nothing_wrong() -> None:
    before = take(base(), session(TALK, project="tidewater"))
    findings = gate.validate(Pair(before, night(before), Command.DREAM))
    assert [f for f in findings if f.severity is Severity.ERROR] == []


def test_the_gate_lets_a_night_of_changes_through() -> None:
    lines = [
        Line("Nadia", "Ilya Maslov works at Lumen Lab. I prefer short answers in chat.", "2026-03-01T10:00Z"),
        Line("Nadia", "As I said, Ilya Maslov works at Lumen Lab.", "2026-03-08T10:00Z"),
        Line("Nadia", "Ilya now works at Kestrel Audio. I changed my mind about short answers.", "2026-03-15T10:00Z"),
    ]
    tree = base()
    for number, line in enumerate(lines, 1):
        before = take(tree, session([line], number))
        tree = night(before)
        assert [f for f in gate.validate(Pair(before, tree, Command.DREAM)) if f.severity is Severity.ERROR] == []
    assert [line.holds for line in known(tree)].count(False) == 2


def test_marks_of_the_wiki_lose_their_power() -> None:
    found = saying(dreamt(*TALK), "3 crowns")
    assert found.text == "Nadia: “Palle owes me 3 crowns (cite 9) for the tide k3f9”"
    assert len(found.sources) == 1


def test_a_dream_never_says_what_no_turn_says() -> None:
    tree = dreamt(*TALK, project="tidewater")
    said = set(re.findall(r"\w+", " ".join(line.text for line in TALK)))
    for line in known(tree):
        words = wording.bare(wording.read(line.text)[1])
        assert set(re.findall(r"\w+", words)) <= said


def test_what_was_forgotten_does_not_come_back() -> None:
    tree = dreamt(Line("Nadia", "The mill opens at 10 in the morning."))
    assert saying(tree, "mill opens")
    scope = orient(take(base(), session([Line("Nadia", "The mill opens at 10 in the morning.")])), LATER, settings_of())
    plan = dreamer("extractive").dream(scope)
    assert apply(plan.operations, scope).changes
    forgotten = replace(scope, forgotten=frozenset({fingerprint("The mill opens at 10 in the morning.")}))
    changes = apply(plan.operations, forgotten).changes
    assert not [path for path, data in changes.items() if b"mill opens" in data]


def _by_hand(text: str) -> Session:
    turn = Turn(1, Role.USER, LATER.replace(year=2029), (Text(text),))
    source = Source("hand-edit", "Ilya Maslov", "0" * 64)
    return Session("human:0123456789", "human", source, (turn,), kind=SessionKind.HAND_EDIT, started=turn.time)


def test_what_a_person_wrote_by_hand_is_cited_and_stays_as_it_stands() -> None:
    tree = dreamt(Line("Nadia", "Ilya Maslov works at Lumen Lab as an engineer."))
    (path,) = [p for p in tree.pages() if "Ilya" in p]
    (note,) = tree.notes()
    edited = overlay(
        tree,
        {
            path: tree.text(path).replace("## Facts\n\n", "## Facts\n\n- He plays chess.\n").encode(),
            note: tree.bytes(note) + b"- He owes me a book.\n",
        },
    )
    after = night(take(edited, _by_hand("- He plays chess.\n\n- He owes me a book.")))
    assert "- He plays chess. [cite:2]" in after.text(path)
    assert "- He owes me a book. [cite:2]" in after.text(note)
    assert len(known(after)) == len(known(tree))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "Can you fix the test?",
        "Fix the test in gauge.py, please.",
        "Suppose I had berth 3: would a longer boat fit there?",
        "What if we moved to berth 9 tomorrow?",
        "Thanks, that looks great!",
        "Hi! Good morning.",
        "Maybe.",
        "I wish it were Friday.",
        "You are a pirate with 3 ships.",
        "```\nport = 8417\n```",
        "> I live in Riga.",
        "Почини тест, пожалуйста.",
        "Предположим, причал 3 свободен.",
        "Спасибо, отлично!",
        "Как дела на причале 7?",
    ],
)
def test_what_is_no_fact(text: str) -> None:
    assert not known(dreamt(Line("Nadia", text)))


def test_a_language_without_a_data_file_is_read_by_its_structure() -> None:
    tree = dreamt(
        Line("Nadia", "Meine Schwester Grete wohnt seit dem 12. Mai 2026 in Wien und arbeitet bei der Post."),
        Line("Nadia", "Wo ist der Schlüssel für das Haus in Wien?"),
    )
    (found,) = known(tree)
    assert found.type == "fact"
    assert "Grete wohnt" in found.text


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS)))
def test_no_words_break_a_night(parts: list[str]) -> None:
    done = (ToolCall("Bash", "x", "y"),)
    tree = dreamt(Line("Nadia", " ".join(parts)), Line(AGENT, " ".join(reversed(parts)), calls=done))
    assert transcript.parse(tree.text(next(p for p in tree.paths if p.endswith("transcript.md")))).session is not None
    assert night(tree).blobs == tree.blobs


def test_a_long_talk_takes_little_time() -> None:
    text = "Ilya Maslov works at Lumen Lab, and on Friday he sails to Riga with Palle. " * 20
    lines = [Line("Nadia" if n % 2 else AGENT, text) for n in range(200)]
    assert known(dreamt(*lines))
