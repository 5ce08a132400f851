"""Talks as sessions, and nights of the extractive dreamer over them, without a disk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from brain import layout, transcript
from brain.config import Person, Settings, default_toml
from brain.dream.apply import apply
from brain.dream.dreamers.extractive import ExtractiveDreamer
from brain.dream.orient import orient
from brain.model import Origin, Role, Session, SessionKind, Source, Text, ToolCall, Trust, Turn
from brain.tree import Tree, overlay, tree_of

LATER = datetime(2030, 1, 1, tzinfo=UTC)
AGENT = "assistant"


@dataclass(frozen=True)
class Line:
    """One turn of a talk; `time` as ISO 8601."""

    speaker: str
    text: str
    time: str | None = "2026-05-02T10:00:00+00:00"
    calls: tuple[ToolCall, ...] = ()
    derived: bool = False


def session(lines: Sequence[Line], number: int = 1, project: str | None = None, day: str | None = None) -> Session:
    """The session of a talk; `day` is that of its folder where the lines have no time."""
    turns = tuple(_turn(n, line) for n, line in enumerate(lines, 1))
    times = [turn.time for turn in turns if turn.time]
    return Session(
        id=f"{number:08x}-0000-4000-8000-000000000000",
        agent="talk",
        source=Source("talk", f"{day or number}.jsonl", "0" * 64),
        turns=turns,
        project=project,
        started=times[0] if times else None,
        ended=times[-1] if times else None,
        kind=SessionKind.MAIN,
    )


def _turn(n: int, line: Line) -> Turn:
    time = datetime.fromisoformat(line.time) if line.time else None
    blocks: tuple[Text | ToolCall, ...] = (*line.calls, Text(line.text)) if line.text else line.calls
    if line.speaker == AGENT:
        trust = min([Trust.AGENT, *(call.trust for call in line.calls)])
        return Turn(n, Role.ASSISTANT, time, blocks, Origin.ASSISTANT, trust, derived=line.derived)
    return Turn(n, Role.USER, time, blocks, speaker=line.speaker or None, derived=line.derived)


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a talk.jsonl of tests/cases/bugs; what was injected is dropped, as ingest does."""
    calls: list[ToolCall] = []
    for entry in map(json.loads, path.read_text("utf-8").splitlines()):
        match entry.get("kind"):
            case "injected":
                continue
            case "tool":
                is_memory = "search_memory" in entry["text"]
                calls.append(ToolCall("search_memory" if is_memory else "Read", "{}", entry["text"], derived=is_memory))
            case _:
                agent = entry["speaker"] == AGENT
                yield Line(entry["speaker"], entry["text"], entry["time"], tuple(calls) if agent else ())
                calls = [] if agent else calls
    if calls:
        yield Line(AGENT, "", None, tuple(calls))


def settings(zone: str = "UTC", person: str = "") -> Settings:
    return Settings(timezone=zone, person=Person(name=person))


def base(zone: str = "UTC") -> Tree:
    return tree_of({layout.SETTINGS: default_toml(zone, "").encode(), layout.DELETIONS: b"# Deletion log\n"})


def take(tree: Tree, *sessions: Session, zone: str = "UTC", day: str | None = None) -> Tree:
    """The tree with these sessions in it, as ingest would put them."""
    changes: dict[str, bytes | None] = {}
    for one in sessions:
        at = one.started.astimezone(ZoneInfo(zone)).date() if one.started else None
        at = datetime.fromisoformat(day).date() if day else at
        path = layout.transcript_path(layout.session_folder(one.id, at))
        changes[path] = transcript.render(one).encode()
    return overlay(tree, changes)


def night(tree: Tree, zone: str = "UTC", person: str = "", now: datetime = LATER) -> Tree:
    """The tree after a night; every operation of the plan could be applied."""
    scope = orient(tree, now, settings(zone, person))
    applied = apply(ExtractiveDreamer().dream(scope).operations, scope)
    assert not applied.dropped
    return overlay(tree, applied.changes)


def dreamt(*lines: Line, zone: str = "UTC", person: str = "", project: str | None = None) -> Tree:
    """One session, one night."""
    return night(take(base(zone), session(lines, project=project), zone=zone), zone, person)


@dataclass(frozen=True)
class Known:
    """One line of a note."""

    text: str
    type: str
    confidence: float
    day: str | None
    until: str | None
    holds: bool
    sources: tuple[str, ...]
    note: str


def known(tree: Tree) -> list[Known]:
    """All observations, those of the past too, in the order of the files."""
    found = []
    for path, note in tree.notes().items():
        held = [(o, True) for o in note.observations] + [(p.observation, False) for p in note.history]
        for o, holds in held:
            sources = tuple(note.citations[n].source for n in o.cites)
            found.append(Known(o.text, o.type.value, o.confidence, o.date, o.until, holds, sources, path))
    return found


def saying(tree: Tree, words: str) -> Known:
    """The one observation that holds these words."""
    (found,) = [line for line in known(tree) if words in line.text]
    return found
