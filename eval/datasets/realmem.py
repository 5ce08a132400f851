"""RealMem (2026): one person's projects over months; a query is a turn in mid-history, its evidence whole sessions.

`path` is the folder of the `*_dialogues_*.json` files, or one of them. The question is asked when the sessions before
its own have been said. The gold annotations (`extracted_memory`, `memory_used`) are not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brain.eval.datasets.talk import Said, needed, read_json, session, session_id, time
from brain.eval.task import BadDataset, Sample, World
from brain.model import Session


@dataclass(frozen=True, slots=True)
class RealMem:
    name: str = "realmem"

    def load(self, path: Path | None) -> Iterator[World]:
        given = needed(path, "RealMem")
        files = sorted(given.glob("*_dialogues_*.json")) if given.is_dir() else [given]
        if not files:
            raise BadDataset(
                f"{given} holds no *_dialogues_*.json; nothing was run.", "--path to RealMem's dataset folder"
            )
        for file in files:
            yield _world(file, read_json(file))


def _world(file: Path, data: Mapping[str, Any]) -> World:
    name = file.name.partition("_dialogues_")[0]
    dialogues = data["dialogues"]
    sessions = tuple(_session(name, file.name, dialogue) for dialogue in dialogues)
    return World(name, sessions, tuple(_samples(name, dialogues)), name.replace("_", " "))


def _session(name: str, file: str, dialogue: Mapping[str, Any]) -> Session:
    start = time(str(dialogue["current_time"]), "%Y-%m-%d (%A)")
    said = [Said(str(turn["content"]), turn["speaker"] == "User") for turn in dialogue["dialogue_turns"]]
    return session(session_id("realmem", name, dialogue["session_uuid"]), "realmem", file, said, start)


def _samples(name: str, dialogues: Sequence[Mapping[str, Any]]) -> Iterator[Sample]:
    place = {dialogue["session_uuid"]: n for n, dialogue in enumerate(dialogues)}
    for n, dialogue in enumerate(dialogues):
        turns = dialogue["dialogue_turns"]
        for turn, reply in zip(turns, [*turns[1:], {}], strict=True):
            if not turn.get("is_query"):
                continue
            before = [place[held] for held in reply.get("memory_session_uuids", ()) if place.get(held, n) < n]
            yield Sample(
                id=str(turn["query_id"]),
                question=str(turn["content"]),
                category=str(turn.get("category_name") or "other"),
                evidence=frozenset(session_id("realmem", name, dialogues[k]["session_uuid"]) for k in before),
                at=time(str(dialogue["current_time"]), "%Y-%m-%d (%A)"),
                after=n,
                distance=n - 1 - max(before) if before else None,
            )
