"""OpenClaw's (and Pi's) session files: a first line about the session, then entries that form a tree.

The last entry's way to the root was said. A file whose name says that a person deleted it is not read; a copy of
one that lies beside it neither.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from brain.ingest import injected
from brain.ingest.branch import way_to
from brain.ingest.hosts import taken
from brain.ingest.openclaw_content import Message, message_of
from brain.ingest.pieces import dict_of, text_of
from brain.ingest.projects import last_name
from brain.ingest.reading import Draft, draft, first_objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Origin, Role, Session, SessionKind, Source, Trust

NAME = "openclaw"
_ENTRIES = frozenset(("message", "compaction", "custom", "custom_message", "model_change", "thinking_level_change"))
_SILENT = _ENTRIES | frozenset(("branch_summary", "label", "session_info", "usage", "context_edit"))
"""Types of entries that hold the tree together, or say what needs no saying."""
_DELETED, _COPY = re.compile(r"\.deleted\b"), re.compile(r"\.bak\b")
_INDEX = "sessions.json"
_LARGEST_INDEX = 16 << 20
_ID_IN_NAME = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def detect(head: bytes, name: str) -> str:
    """By its lines: the session first, or messages that have a place in a tree."""
    del name
    lines = first_objects(head)
    if any(_is_header(line) or _is_entry(line) for line in lines):
        return ""
    return "no line is a session or an entry with a message" if lines else "no line is a JSON object"


def _is_header(line: dict[str, object]) -> bool:
    return (
        line.get("type") == "session" and "id" in line and ("version" in line or "cwd" in line or "timestamp" in line)
    )


def _is_entry(line: dict[str, object]) -> bool:
    in_tree = "id" in line and "parentId" in line
    kind = text_of(line.get("type"))
    return kind in _ENTRIES and in_tree and ("message" in line or kind != "message")


def is_part(path: Path) -> bool:
    """The index of a folder of sessions says who started which; it is no source."""
    return path.name == _INDEX and path.parent.name == "sessions"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The session of the file; one in which nobody spoke is none."""
    name = source.file_name
    if _DELETED.search(name):
        yield Skipped(source.name, None, "a person deleted this session; it was not read")
        return
    if _COPY.search(name) and source.path and (source.path.parent / f"{name.partition('.')[0]}.jsonl").is_file():
        yield Skipped(source.name, None, "a copy of a session that lies beside it; it was not read")
        return
    file = _File(source)
    yield from taken(source, file.take, file.unknown)
    yield from file.session()


@dataclass(frozen=True, slots=True)
class _Entry:
    parent: str
    message: Message | None


class _File:
    """What of a file's lines matters."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._about: dict[str, object] = {}
        self._entries: dict[str, _Entry] = {}
        self._title = ""
        self._last = ""
        self.unknown: Counter[str] = Counter()

    def take(self, number: int, line: dict[str, object]) -> None:
        kind = text_of(line.get("type"))
        if kind == "session":
            self._about = self._about or line
        elif kind in _SILENT:
            self._take_entry(number, line)
            if kind == "session_info":
                self._title = text_of(line.get("name")) or self._title
        else:
            self.unknown[kind[:40] or "none"] += 1

    def _take_entry(self, number: int, line: dict[str, object]) -> None:
        one = text_of(line.get("id")) or f"line {number}"
        parent = text_of(line.get("parentId"))
        if parent not in self._entries and (parent or "parentId" not in line):
            parent = self._last
        message = message_of(line) if line.get("type") == "message" else None
        before = self._entries.get(one)
        self._entries[one] = _Entry(before.parent if before else parent, message)
        if line.get("type") != "label":
            self._last = one

    def session(self) -> Iterator[Draft | Skipped]:
        live = way_to(self._last, {one: entry.parent for one, entry in self._entries.items()})
        said = [message for one in live if (message := self._entries[one].message)]
        folder = text_of(self._about.get("cwd"))
        if injected.is_staged(folder) or _is_dream(said):
            yield Skipped(self._source.name, None, "a dream at work is no evidence")
            return
        starter = _starter(self._source, text_of(self._about.get("id")))
        talk = _talk(said, is_helper=starter is not None)
        chosen = set(live)
        beside = [entry.message for one, entry in self._entries.items() if one not in chosen and entry.message]
        talk.results(result for message in beside for result in message.results)
        if given_up := sum(message.speaks for message in beside):
            talk.notes["messages on branches that were given up"] = given_up
        done = talk.finish()
        if done.turns:
            yield draft(self._session(talk, folder, starter), done, folder=folder)

    def _session(self, talk: Conversation, folder: str, starter: str | None) -> Session:
        own = talk.line(text_of(self._about.get("id"))) or self._source.stem.partition(".")[0]
        above = _ID_IN_NAME.search(text_of(self._about.get("parentSession")))
        kind = SessionKind.FORK if above else SessionKind.MAIN
        return Session(
            id=own,
            agent=NAME,
            source=Source(NAME, self._source.file_name, self._source.sha256_of_lines),
            turns=(),
            project=talk.line(last_name(folder)) or None,
            title=talk.line(self._title) or None,
            kind=SessionKind.SUBAGENT if starter is not None else kind,
            parent=starter or (above[0] if above else None),
        )


def _talk(said: list[Message], *, is_helper: bool) -> Conversation:
    """A person's turns and the agent's; what only answered a prompt that nobody typed is left out with it."""
    talk = Conversation()
    origin, trust = (Origin.ASSISTANT, Trust.THIRD) if is_helper else (Origin.USER, Trust.USER)
    for message in said:
        talk.results(message.results)
        if message.role is Role.USER and message.is_prompted and not is_helper:
            talk.notes["prompts that no person typed"] += 1
        elif message.role is Role.USER:
            talk.user(message.pieces, message.time, message.speaker, origin, trust)
        elif message.role is Role.ASSISTANT:
            talk.assistant(message.pieces, message.time)
    return talk


def _is_dream(said: list[Message]) -> bool:
    first = next((message for message in said if message.role is Role.USER and message.speaks), None)
    return first is not None and any(injected.is_dream(words) for words in first.words)


def _starter(source: Input, own: str) -> str | None:
    """The id of the session that started this one, "" where it is not told; None: a person did."""
    beside = source.path.parent / _INDEX if source.path else None
    if beside is None or not beside.is_file() or beside.is_symlink() or beside.stat().st_size > _LARGEST_INDEX:
        return None
    try:
        index = dict_of(json.loads(beside.read_bytes()))
    except (ValueError, RecursionError):
        return None
    keys = [key for key, about in index.items() if own and dict_of(about).get("sessionId") == own]
    helper = next((key for key in keys if ":subagent:" in key), None)
    if helper is None:
        return None
    above = text_of(dict_of(index[helper]).get("spawnedBy"))
    return text_of(dict_of(index.get(above)).get("sessionId"))
