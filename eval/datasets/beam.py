"""BEAM (Tavakoli et al., ICLR 2026): one long chat, cut where its batches are; ten abilities, two questions each.

`path` is a tier's folder (`chats/100K`) or one chat's. Of two files the truncated one counts, as in the authors' code.
Answers there are rubrics for a judge; the short ones alone are compared as text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from brain.eval.datasets.talk import Said, needed, read_json, session, session_id, time
from brain.eval.task import ABSTAIN, BadDataset, Sample, World
from brain.model import Session

QUESTIONS = "probing_questions.json"
CHATS = ("chat_trunecated.json", "chat.json")
_MARK = re.compile(r"\s*->->\s*[\d,\s]*\Z")
_SHORT = 60
"""Characters up to which an answer can be looked for as it stands."""


@dataclass(frozen=True, slots=True)
class Beam:
    name: str = "beam"

    def load(self, path: Path | None) -> Iterator[World]:
        given = needed(path, "BEAM")
        folders = [given] if (given / QUESTIONS).exists() else [file.parent for file in given.glob(f"*/{QUESTIONS}")]
        if not folders:
            raise BadDataset(f"{given} holds no {QUESTIONS}; nothing was run.", "--path to BEAM's chats/100K")
        for folder in sorted(folders, key=lambda one: (len(one.name), one.name)):
            yield _world(folder)


def _world(folder: Path) -> World:
    file = next((folder / name for name in CHATS if (folder / name).exists()), folder / CHATS[-1])
    sessions, messages = _sessions(folder.name, file)
    samples = tuple(_samples(read_json(folder / QUESTIONS), messages))
    return World(f"beam-{folder.name}", sessions, samples)


def _sessions(name: str, file: Path) -> tuple[tuple[Session, ...], dict[int, str]]:
    """The batches as sessions, and where each message went."""
    sessions: list[Session] = []
    messages: dict[int, str] = {}
    for batch in read_json(file):
        id_ = session_id("beam", name, batch["batch_number"])
        said = [message for turns in batch["turns"] for message in turns]
        messages |= {int(message["id"]): f"{id_}#t{n}" for n, message in enumerate(said, 1)}
        words = [Said(_MARK.sub("", str(m["content"])), m["role"] == "user") for m in said]
        sessions.append(session(id_, "beam", file.name, words, _start(said)))
    return tuple(sessions), messages


def _start(said: Iterable[Mapping[str, Any]]) -> datetime | None:
    anchors = (time(str(message["time_anchor"]), "%B-%d-%Y") for message in said if message.get("time_anchor"))
    return next((anchor for anchor in anchors if anchor), None)


def _samples(asked: Mapping[str, Sequence[Mapping[str, Any]]], messages: Mapping[int, str]) -> Iterator[Sample]:
    for category, items in asked.items():
        for n, item in enumerate(items, 1):
            answer = str(item.get("answer") or "")
            yield Sample(
                id=f"{category}-{n}",
                question=str(item["question"]),
                category=ABSTAIN if category == "abstention" else category,
                answers=(answer,) if 0 < len(answer) <= _SHORT else (),
                evidence=frozenset(messages[i] for i in _ids(item.get("source_chat_ids")) if i in messages),
            )


def _ids(given: object) -> Iterator[int]:
    """A list, a dict of lists, or either of them written as text."""
    if isinstance(given, Mapping):
        given = [
            number for numbers in given.values() for number in (numbers if isinstance(numbers, list) else [numbers])
        ]
    if isinstance(given, str):
        given = ast.literal_eval(given)
    for number in given if isinstance(given, list) else ():
        if isinstance(number, list):
            yield from _ids(number)
        else:
            yield int(number)
