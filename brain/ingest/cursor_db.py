"""Cursor's editor database: a key for each conversation, which tells the order, and one for each message of it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from brain.ingest import sqlite
from brain.ingest.cursor_content import AGENT, asked
from brain.ingest.hosts import About, asked_by, finished
from brain.ingest.pieces import BadLine, Call, Media, Piece, Result, Words, dict_of, list_of, load, text_of, time_of
from brain.ingest.reading import Draft, of_database
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import SessionKind

NAME = "cursor-db"
_RANGE = "SELECT rowid, key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"
_ONE = "SELECT rowid, key, value FROM cursorDiskKV WHERE key = ?"
_CONVERSATION = "composerData:"


def detect(head: bytes, name: str) -> str:
    """By the table of keys that only this editor has."""
    del name
    return sqlite.refusal(head, "cursorDiskKV")


def read(source: Input) -> Iterator[Draft | Skipped]:
    """Every conversation of the file; a row that cannot be read is told with its number."""

    def rows(database: sqlite3.Connection) -> Iterator[Draft | Skipped]:
        for row in database.execute(_RANGE, (_CONVERSATION, _after(_CONVERSATION))):
            yield from _Composer(source, database, row).read()

    return of_database(source, rows)


def _after(prefix: str) -> str:
    """The first key that does not begin so."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


_Row = tuple[int, object, object]


class _Composer:
    """One conversation and its messages."""

    def __init__(self, source: Input, database: sqlite3.Connection, row: _Row) -> None:
        self._source = source
        self._database = database
        self._digest = hashlib.sha256()
        self._skipped: list[Skipped] = []
        self._id = str(row[1]).removeprefix(_CONVERSATION)
        self._data = self._object(row)
        self._missing = 0

    def read(self) -> Iterator[Draft | Skipped]:
        parent = text_of(dict_of(self._data.get("subagentInfo")).get("parentComposerId"))
        kind = SessionKind.SUBAGENT if parent else SessionKind.MAIN
        talk = self._talk(kind)
        yield from self._skipped
        workspace = dict_of(dict_of(self._data.get("workspaceIdentifier")).get("uri"))
        told = About(
            agent=AGENT,
            format=NAME,
            id=self._id,
            sha256=self._digest.hexdigest(),
            folder=text_of(workspace.get("fsPath")),
            title=text_of(self._data.get("name")),
            kind=kind,
            parent=parent,
            day=time_of(self._data.get("createdAt")),
        )
        yield from finished(self._source, talk, told)

    def _talk(self, kind: SessionKind) -> Conversation:
        talk = Conversation()
        origin, trust = asked_by(kind)
        for place, bubble in enumerate(self._bubbles()):
            time = time_of(bubble.get("createdAt"))
            if bubble.get("type") in (1, "user"):
                talk.user(_asked(bubble), time, origin=origin, trust=trust)
            else:
                talk.assistant(_answered(bubble, f"place {place}"), time)
        if self._missing:
            talk.notes["messages that the database names and does not hold"] = self._missing
        return talk

    # --- rows ---------------------------------------------------------------------------

    def _bubbles(self) -> Iterator[dict[str, object]]:
        """In the order that the conversation tells; older ones hold their messages themselves."""
        headers = list_of(self._data.get("fullConversationHeadersOnly"))
        inline = [dict_of(bubble) for bubble in list_of(self._data.get("conversation"))]
        if headers:
            held = {text_of(bubble.get("bubbleId")): bubble for bubble in inline}
            held |= {key: dict_of(one) for key, one in dict_of(self._data.get("conversationMap")).items()}
            for header in headers:
                given = text_of(dict_of(header).get("bubbleId"))
                yield held.get(given) or self._bubble(given)
        elif inline:
            yield from inline
        else:
            prefix = f"bubbleId:{self._id}:"
            rows = self._database.execute(_RANGE, (prefix, _after(prefix)))
            yield from sorted(map(self._object, rows), key=lambda bubble: text_of(bubble.get("createdAt")))

    def _bubble(self, given: str) -> dict[str, object]:
        row = self._database.execute(_ONE, (f"bubbleId:{self._id}:{given}",)).fetchone()
        if row is None or row[2] is None:
            self._missing += 1
            return {}
        return self._object(row)

    def _object(self, row: _Row) -> dict[str, object]:
        number, _, value = row
        if value is None:
            return {}
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
        self._digest.update(data)
        try:
            return dict_of(load(data))
        except BadLine as error:
            self._skipped.append(Skipped(self._source.name, number, f"row {number}: {error}"))
            return {}


def _asked(bubble: dict[str, object]) -> list[Piece]:
    text = text_of(bubble.get("text")) or text_of(bubble.get("rawText"))
    pieces: list[Piece] = asked(text)[0] if "<user_query>" in text else [Words(text)]
    chosen = list_of(dict_of(bubble.get("context")).get("selectedImages"))
    return [*pieces, *[Media("image")] * max(len(chosen), len(list_of(bubble.get("images"))))]


def _answered(bubble: dict[str, object], place: str) -> Iterator[Piece]:
    if bubble.get("isThought") is not True:
        yield Words(text_of(bubble.get("text")))
    tool = dict_of(bubble.get("toolFormerData"))
    name, call_id = text_of(tool.get("name")), text_of(tool.get("toolCallId"))
    if not name and not call_id:
        return
    yield Call(call_id or place, name, _parsed(_given(tool)))
    if tool.get("result") is not None or tool.get("status") == "error":
        result = text_of(tool.get("result")) or text_of(tool.get("error"))
        yield Result(call_id or place, result, tool.get("status") == "error")


def _given(tool: dict[str, object]) -> object:
    return next((tool[key] for key in ("rawArgs", "params", "args") if tool.get(key)), {})


def _parsed(given: object) -> object:
    """Arguments are JSON in a text; where they are not, the text is what was given."""
    try:
        return load(given.encode("utf-8", "replace")) if isinstance(given, str) else given
    except BadLine:
        return given
