"""OpenCode's files: one for each session, message and part, read from that of the session; or an export of one.

storage/session/<project>/<session>.json   storage/message/<session>/<message>.json
storage/part/<message>/<part>.json         and, in older versions, all of them below storage/session
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from brain.ingest.hosts import finished
from brain.ingest.opencode_content import NAME, Message, about, in_order, message, talk_of
from brain.ingest.pieces import BadLine, dict_of, json_kind, list_of, load_object, text_of
from brain.ingest.reading import Draft
from brain.ingest.source import Input, Skipped, shown

LARGEST = 256 << 20
"""Bytes of one file."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
_EXPORT = re.compile(r'\{\s*"info"\s*:\s*\{(?=[^{}]{0,4000}"(?:directory|projectID)"\s*:)')
_BEFORE = re.compile(r"(?:[^\n{]{0,500}\n){0,5}\s*")
"""What the command prints before an export."""


def detect(head: bytes, name: str) -> str:
    """By the keys of a session, a message, a part or an export."""
    del name
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    start = _start(text)
    if _EXPORT.match(text, start):
        return ""
    value = dict_of(_decoded(text, start))
    if _is_export(value) or _is_session(value) or _is_message(value) or _is_part(value):
        return ""
    return "it is no session, message, part or export of OpenCode"


def _start(text: str) -> int:
    before = _BEFORE.match(text)
    return before.end() if before and text.startswith("{", before.end()) else 0


def _decoded(text: str, start: int) -> object:
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _is_export(value: dict[str, object]) -> bool:
    return isinstance(value.get("messages"), list) and _is_session(dict_of(value.get("info")))


def _is_session(value: dict[str, object]) -> bool:
    named = "directory" in value or "projectID" in value
    return named and {"id", "title", "time"} <= value.keys() and "sessionID" not in value and "role" not in value


def _is_message(value: dict[str, object]) -> bool:
    return {"id", "sessionID", "role", "time"} <= value.keys()


def _is_part(value: dict[str, object]) -> bool:
    return {"id", "sessionID", "messageID", "type"} <= value.keys()


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The session of the file with what lies beside it; a message or a part alone is told and is none."""
    if source.size > LARGEST:
        yield Skipped(source.name, None, f"one JSON value of more than {LARGEST >> 20} MB; it was not read")
        return
    text = source.read().decode("utf-8", "replace").removeprefix("\ufeff")
    value = _decoded(text, _start(text))
    if not isinstance(value, dict):
        why = f"a JSON {json_kind(value)}, not an object" if value is not None else "not JSON, or not to its end"
        yield Skipped(source.name, None, why)
    elif isinstance(value.get("messages"), list):
        yield from _export(source, value)
    elif _is_session(value):
        yield from _Tree(source, value).session()
    else:
        owner = text_of(value.get("sessionID")) or "a session"
        yield Skipped(source.name, None, f"it belongs to {owner}, whose own file is not there")


def _export(source: Input, value: dict[str, object]) -> Iterator[Draft | Skipped]:
    info = dict_of(value.get("info"))
    given = [dict_of(one) for one in list_of(value["messages"])]
    messages = [message(dict_of(one.get("info")), map(dict_of, list_of(one.get("parts")))) for one in given]
    told = about(info, source.stem, source.sha256)
    yield from finished(source, talk_of(info, messages, told.kind), told)


# --- the tree of files --------------------------------------------------------------------


class _Tree:
    """The files of one session."""

    def __init__(self, source: Input, info: dict[str, object]) -> None:
        self._source = source
        self._info = info
        self._digest = hashlib.sha256(source.read())
        self._skipped: list[Skipped] = []

    def session(self) -> Iterator[Draft | Skipped]:
        messages = in_order(self._messages())
        yield from self._skipped
        told = about(self._info, self._source.stem, self._digest.hexdigest())
        yield from finished(self._source, talk_of(self._info, messages, told.kind), told)

    def _messages(self) -> Iterator[Message]:
        for path in _files(_messages_folder(self._source.path)):
            info = self._object(path)
            if info is not None:
                info.setdefault("id", path.stem)
                parts = map(self._object, _files(_parts_folder(path)))
                yield message(info, (part for part in parts if part is not None))

    def _object(self, path: Path) -> dict[str, object] | None:
        """What a file holds; one that cannot be read is told, and the others count."""
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST)
            self._digest.update(data)
            return load_object(data)
        except BadLine as error:
            self._skipped.append(Skipped(shown(path), None, str(error)))
        except OSError as error:
            self._skipped.append(Skipped(shown(path), None, f"not read: {error.strerror or error}"))
        return None


def _files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    try:
        with os.scandir(folder) as entries:
            found = [e.name for e in entries if e.name.endswith(".json") and e.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return [folder / name for name in sorted(found)]


def _messages_folder(path: Path | None) -> Path | None:
    """Where the messages of a session lie, by the place of its own file."""
    if path is None or not _ID.fullmatch(path.stem):
        return None
    above = path.parent.parent
    root = above if path.parent.name == "info" else above.parent
    return root / "message" / path.stem if above.name == "session" else None


def _parts_folder(path: Path) -> Path:
    """Where the parts of a message lie, by the place of its own file."""
    root = path.parent.parent.parent
    older = root / "part" / path.parent.name / path.stem
    return older if older.is_dir() else root / "part" / path.stem


def state(source: Input) -> str:
    """Changes with any file of the session."""
    digest = hashlib.sha256(source.sha256.encode())
    for path in _files(_messages_folder(source.path)):
        for file in (path, *_files(_parts_folder(path))):
            try:
                seen = file.stat()
            except OSError:
                continue
            digest.update(f"{shown(file)} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def is_part(path: Path) -> bool:
    """Whether a file of the tree is read from that of its session, or is none that holds a talk.

    Of the messages whose session is not there the first stands for all, so that they are told once.
    """
    if path.suffix != ".json":
        return False
    above = path.parent.parent
    if above.name == "message" and (above.parent / "part").is_dir():
        return _has_session(above.parent, path.parent.name) or path.name != _files(path.parent)[0].name
    if "part" in (above.name, above.parent.name):
        root = above.parent if above.name == "part" else above.parent.parent
        return (root / "message").is_dir()
    return path.parent.name != "session" and (above / "message").is_dir() and (above / "session").is_dir()


def _has_session(root: Path, session: str) -> bool:
    try:
        with os.scandir(root / "info" if root.name == "session" else root / "session") as entries:
            found = [entry.name for entry in entries]
    except OSError:
        return False
    file = f"{session}.json"
    return file in found or any((root / "session" / folder / file).is_file() for folder in found)


__all__ = ["NAME", "detect", "is_part", "read", "state"]
