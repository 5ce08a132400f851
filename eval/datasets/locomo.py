"""LoCoMo (Maharana et al., ACL 2024): two friends over months, both people and no agent; questions name the turns that
answer them.

`path` is locomo10.json or a part of it; an `audit_errors*.json` beside it marks the questions whose gold is known to be
wrong. Derived text (observations, summaries, the annotators' image queries) is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.eval.datasets.talk import Said, needed, read_json, session, session_id, time
from brain.eval.task import ABSTAIN, LABEL_ERROR, Sample, World
from brain.model import Session

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ABSTAIN}

_SESSION = re.compile(r"session_(\d+)")
# The evidence was typed by hand: several in one string, colons doubled or displaced, numbers padded with zeros.
_EVIDENCE = re.compile(r"D:?(\d+)\s*:+\s*(\d+)")


@dataclass(frozen=True, slots=True)
class LoCoMo:
    name: str = "locomo"

    def load(self, path: Path | None) -> Iterator[World]:
        file = needed(path, "LoCoMo")
        wrong = {str(entry["question_id"]) for audit in _audits(file) for entry in read_json(audit)}
        for number, item in enumerate(read_json(file)):
            yield _world(number, item, wrong)


def _audits(file: Path) -> Sequence[Path]:
    return sorted(file.parent.glob("audit_errors*.json"))


def _world(number: int, item: Mapping[str, Any], wrong: Iterable[str]) -> World:
    name = str(item["sample_id"])
    sessions = {n: _session(name, n, item["conversation"]) for n in _numbers(item["conversation"])}
    samples = tuple(_samples(number, item["qa"], sessions, frozenset(wrong)))
    return World(name, tuple(sessions.values()), samples, str(item["conversation"]["speaker_a"]))


def _numbers(conversation: Mapping[str, Any]) -> list[int]:
    """Of the sessions that have turns; some have a date alone."""
    return sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)) and conversation[key])


def _session(name: str, number: int, conversation: Mapping[str, Any]) -> Session:
    turns = conversation[f"session_{number}"]
    start = time(str(conversation.get(f"session_{number}_date_time", "")), "%I:%M %p on %d %B, %Y")
    said = [Said(_words(turn), is_user=True, speaker=turn["speaker"]) for turn in turns]
    return session(session_id("locomo", name, number), "locomo", "locomo10.json", said, start)


def _words(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return str(turn["text"]) + (f" [shares image: {caption}]" if caption else "")


def _samples(
    number: int, items: Sequence[Mapping[str, Any]], sessions: Mapping[int, Session], wrong: frozenset[str]
) -> Iterator[Sample]:
    order = list(sessions)
    for n, item in enumerate(items):
        named = [(int(m[1]), int(m[2])) for e in item.get("evidence", ()) for m in _EVIDENCE.finditer(e)]
        held = [(s, t) for s, t in named if s in sessions and 1 <= t <= len(sessions[s].turns)]
        category = CATEGORIES[item["category"]]
        yield Sample(
            id=f"qa{n:03}",
            question=str(item["question"]),
            category=category,
            answers=() if category == ABSTAIN else (str(item["answer"]),),
            evidence=frozenset() if category == ABSTAIN else frozenset(f"{sessions[s].id}#t{t}" for s, t in held),
            distance=len(order) - 1 - max(order.index(s) for s, _ in held) if held and category != ABSTAIN else None,
            tags=frozenset({LABEL_ERROR} if f"locomo_{number}_qa{n}" in wrong else ()),
        )
