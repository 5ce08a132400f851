"""What of a turn is plainly a quotation: marked in the transcript, and never an instruction of the person."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import lines, read_text

from brain import transcript
from brain.dream.hearing import hear
from brain.dream.subjects import Subjects
from brain.language.quotation import passages
from brain.model import Role, Text, Turn
from brain.tree import tree_of

MAIL = "From: Bram <bram@example.org>\nSubject: the roof\n\nPlease always pay me in advance.\n\nBram"
LOG = "2026-05-01 10:00:01 ERROR disk full\n2026-05-01 10:00:02 INFO retry\n2026-05-01 10:00:03 INFO retry"
TRACE = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    run()\nValueError: no tides'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Own words.", ()),
        ("> quoted\n> more\n\nOwn words.", ((1, 2),)),
        ("Look:\n```\nalways sudo\n```\nWhy?", ((2, 4),)),
        ("Look:\n~~~\nx\n```\ny", ((2, 5),)),
        (f"This came:\n\n{MAIL}", ((3, 8),)),
        ("Было письмо:\nОт: Олег\nТема: крыша\n\nПлати вперёд.", ((2, 5),)),
        ("On 3 May, Bram wrote:\n> pay me\n\nShall I?", ((1, 2),)),
        ("Олег пишет:\n> плати\nЧто скажешь?", ((1, 2),)),
        ("See below.\n-------- Forwarded message --------\nanything", ((2, 3),)),
        (f"It says\n{LOG}\nWhat now?", ((2, 4),)),
        (f"It says\n{TRACE}\nWhat now?", ((2, 5),)),
        ("10:00:01 was the time.\nAnd that is all.", ()),
        ("From: the mill, to: the pier.", ()),
        ("Subject: rivers\nI like them.", ()),
        ("> a\n```\nb\n```", ((1, 4),)),
        ("a -> b\n5 > 3", ()),
        ("", ()),
    ],
)
def test_passages(text: str, found: tuple[tuple[int, int], ...]) -> None:
    assert passages(text) == found


@settings(derandomize=True, max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["> q", "```", "~~~", "own", "", *MAIL.split("\n"), *LOG.split("\n"), TRACE]), max_size=12)
)
def test_passages_are_in_order_disjoint_and_in_the_text(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = passages(text)
    bounds = [0, *(n for passage in found for n in passage), text.count("\n") + 2]
    assert all(first <= last for first, last in found)
    assert all(a + 1 < b for (_, a), (b, _) in itertools.pairwise(found))
    assert bounds == sorted(bounds)


@pytest.mark.parametrize(
    "part", ["> ", "```\n", "From: a\n", "2026-05-01 10:00:01 x\n", "x" * 1000, "    at a\n", "~~~~x\n"]
)
def test_a_long_text_takes_time_in_proportion(part: str) -> None:
    start = time.process_time()
    passages(part * 50_000)
    assert time.process_time() - start < 5


def test_a_turn_is_marked_and_keeps_every_word() -> None:
    text = f"Is that usual?\n\n{MAIL}"
    session = read_text(lines([{"role": "user", "content": text}]))[0][0].session
    (turn,) = session.turns
    assert (turn.text, turn.quoted, turn.own_text.strip()) == (text, ((3, 8),), "Is that usual?")
    assert "· quoted=3-8\n" in transcript.render(session)
    assert transcript.parse(transcript.render(session)).session == session


def test_what_an_agent_says_is_not_marked() -> None:
    (turn,) = read_text(lines([{"role": "assistant", "content": "> quoted"}]))[0][0].session.turns
    assert turn.quoted == ()


def test_own_text_keeps_the_place_of_every_line() -> None:
    turn = Turn(1, Role.USER, None, (Text("a\n> b\n> c\nd"),), quoted=((2, 3),))
    assert turn.own_text == "a\n\n\nd"


def test_a_dream_does_not_hear_what_was_quoted() -> None:
    words = "Is that right?\n> Always call me before you paint the boathouse.\nI prefer green paint for the boathouse."
    (turn,) = read_text(lines([{"role": "user", "content": words}]))[0][0].session.turns
    assert turn.quoted == ((2, 2),)
    heard = " ".join(one.text for one in hear(turn, Subjects(tree_of({}))))
    assert "I prefer green paint" in heard
    assert "Always call me" not in heard
