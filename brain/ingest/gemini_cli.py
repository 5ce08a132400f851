"""Gemini CLI: a line for each message, written again when it grows; older files are one JSON object.

Other lines change what is known of the session, go back to before a message, or begin the list of messages anew.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from brain.ingest.gemini_content import asked, is_snapshot, pieces_of, speaks
from brain.ingest.hosts import About, asked_by, finished, unknown_lines
from brain.ingest.pieces import BadLine, dict_of, list_of, load_object, text_of, time_of
from brain.ingest.reading import Draft, first_objects, objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import SessionKind

NAME = "gemini-cli"
LARGEST = 256 << 20
"""Bytes of an older file: it is one JSON value and must be read as a whole."""
_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})
_ROOT_MARK = ".project_root"
_HASH = re.compile(r"[0-9a-f]{64}")


def detect(head: bytes, name: str) -> str:
    """By the session's data at its start, or by a message or a change of the data."""
    del name
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{") and b'"sessionId"' in head and b'"projectHash"' in head:
        return ""
    lines = first_objects(head)
    if any(_is_header(line) or _is_message(line) or "$rewindTo" in line or "$set" in line for line in lines):
        return ""
    return "it has neither a sessionId with a projectHash nor a message of a known type"


def _is_header(line: dict[str, object]) -> bool:
    return "sessionId" in line and "projectHash" in line


def _is_message(line: dict[str, object]) -> bool:
    return text_of(line.get("type")) in _TYPES and {"id", "timestamp", "content"} <= line.keys() and "uuid" not in line


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The one session of the file."""
    record = _Record()
    if _is_by_line(source):
        for found in objects(source):
            if isinstance(found, Skipped):
                yield found
            else:
                record.take(found[1])
    elif source.size > LARGEST:
        yield Skipped(source.name, None, f"one JSON value of more than {LARGEST >> 20} MB; it was not read")
    else:
        try:
            record.take(load_object(source.read()))
        except BadLine as error:
            yield Skipped(source.name, None, str(error))
    yield from unknown_lines(source, record.unknown)
    yield from finished(source, record.talk(source), record.about(source))


def _is_by_line(source: Input) -> bool:
    """Whether the first line is an object of its own, or no beginning of one."""
    first = next(source.lines(), None)
    if first is None:
        return True
    try:
        load_object(first.data)
    except BadLine:
        return first.data.strip().removeprefix(b"\xef\xbb\xbf") != b"{"
    return True


class _Record:
    """The messages that count, in their order, and what is known of the session."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        self._data: dict[str, object] = {}
        self._messages: dict[str, dict[str, object]] = {}
        self._given_up = 0

    def take(self, line: dict[str, object]) -> None:
        if isinstance(line.get("$rewindTo"), str):
            self._rewind(text_of(line["$rewindTo"]))
        elif isinstance(line.get("$set"), dict):
            self._set(dict_of(line["$set"]))
        elif "sessionId" in line:
            self._set(line)
        elif isinstance(line.get("id"), str) and "type" in line:
            self._add(line)
        else:
            self.unknown[text_of(line.get("type"))[:40] or "none"] += 1

    def _set(self, data: dict[str, object]) -> None:
        self._data |= {key: value for key, value in data.items() if key != "messages"}
        messages = [dict_of(message) for message in list_of(data.get("messages"))]
        if isinstance(data.get("messages"), list):
            if not any(is_snapshot(message) for message in messages):
                self._messages.clear()
            for message in messages:
                self._add(message)

    def _add(self, message: dict[str, object]) -> None:
        kind, given = text_of(message.get("type")), text_of(message.get("id"))
        if kind not in _TYPES:
            self.unknown[kind[:40] or "none"] += 1
        else:
            self._messages[given or f"place {len(self._messages)}"] = message

    def _rewind(self, given: str) -> None:
        """Takes this message away and all after it; one that is not there takes everything."""
        ids = list(self._messages)
        gone = ids[ids.index(given) :] if given in self._messages else ids
        for one in gone:
            self._given_up += speaks(self._messages.pop(one))

    # --- one session of it -------------------------------------------------------------

    @property
    def _is_helper(self) -> bool:
        return self._data.get("kind") == "subagent"

    def talk(self, source: Input) -> Conversation:
        talk = Conversation()
        origin, trust = asked_by(self._kind(source))
        for message in self._messages.values():
            time = time_of(message.get("timestamp"))
            match message.get("type"):
                case "user":
                    talk.user(asked(message), time, origin=origin, trust=trust)
                case "gemini" if not is_snapshot(message):
                    talk.assistant(pieces_of(message), time)
        if self._given_up:
            talk.notes["messages on branches that were given up"] = self._given_up
        return talk

    def _kind(self, source: Input) -> SessionKind:
        return SessionKind.SUBAGENT if self._is_helper or _parent(source) else SessionKind.MAIN

    def about(self, source: Input) -> About:
        kind, folder = self._kind(source), self._folder(source)
        return About(
            agent=NAME,
            format=NAME,
            id=text_of(self._data.get("sessionId")) or _id_of_original(source) or source.stem,
            sha256=source.sha256_of_lines if source.file_name.endswith(".jsonl") else source.sha256,
            folder=folder,
            project="" if folder else _project_name(source),
            title=text_of(self._data.get("summary")),
            kind=kind,
            parent=_parent(source),
            day=time_of(self._data.get("startTime")),
        )

    def _folder(self, source: Input) -> str:
        """The project's folder, where the host has left it."""
        given = text_of(next(iter(list_of(self._data.get("directories"))), ""))
        if self._is_helper and given:
            return given
        project = _project(source)
        try:
            with (project / _ROOT_MARK).open("rb") if project else io.BytesIO() as file:
                return file.read(4096).decode("utf-8", "replace").strip()
        except OSError:
            return ""


def _chats(source: Input) -> Path | None:
    """The folder `chats` that the file lies in, or below."""
    parents = source.path.absolute().parents if source.path else ()
    return next((folder for folder in list(parents)[:2] if folder.name == "chats"), None)


def _project(source: Input) -> Path | None:
    chats = _chats(source)
    return chats.parent if chats else None


def _id_of_original(source: Input) -> str:
    """Of a file that the host put aside because it could not read it: it wrote the session anew, under the old name."""
    name, _, aside = source.file_name.partition(".unreadable-")
    if not aside or not source.path:
        return ""
    try:
        with source.path.with_name(name).open("rb") as file:
            return text_of(load_object(file.readline(LARGEST)).get("sessionId"))
    except (OSError, BadLine):
        return ""


def _project_name(source: Input) -> str:
    """What the host calls the project: a name of its own making, or only a hash."""
    project = _project(source)
    return project.name if project and not _HASH.fullmatch(project.name) else ""


def _parent(source: Input) -> str:
    """The session that asked for this one: helpers lie in a folder with its id."""
    chats = _chats(source)
    return source.path.absolute().parent.name if chats and source.path and source.path.parent.name != "chats" else ""
