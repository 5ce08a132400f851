"""OpenCode's database, which took the place of its files: rows hold as JSON what a file held, without the ids."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from brain.ingest import sqlite
from brain.ingest.hosts import finished
from brain.ingest.opencode_content import Message, about, in_order, message, talk_of
from brain.ingest.pieces import BadLine, load_object
from brain.ingest.reading import Draft, of_database
from brain.ingest.source import Input, Skipped

NAME = "opencode-db"
_MESSAGES = "SELECT rowid, id, data FROM message WHERE session_id = ? ORDER BY id"
_PARTS = "SELECT rowid, id, data FROM part WHERE message_id = ? ORDER BY id"


def detect(head: bytes, name: str) -> str:
    """By the tables of sessions, messages and parts."""
    del name
    return sqlite.refusal(head, "message", "part", "session")


def read(source: Input) -> Iterator[Draft | Skipped]:
    """Every session of the file; a row that cannot be read is told with its number."""

    def rows(database: sqlite3.Connection) -> Iterator[Draft | Skipped]:
        sessions = database.execute("SELECT * FROM session ORDER BY id")
        names = [column[0] for column in sessions.description]
        for row in sessions:
            yield from _Session(source, database, dict(zip(names, row, strict=True))).read()

    return of_database(source, rows)


class _Session:
    def __init__(self, source: Input, database: sqlite3.Connection, row: dict[str, object]) -> None:
        self._source = source
        self._database = database
        self._digest = hashlib.sha256()
        self._skipped: list[Skipped] = []
        self._id = row.get("id")
        self._info = row | (self._object(0, row["data"]) or {} if row.get("data") is not None else {})
        self._info["id"] = str(self._id)
        if isinstance(row.get("revert"), str):
            self._info["revert"] = self._object(0, row["revert"])

    def read(self) -> Iterator[Draft | Skipped]:
        messages = in_order(self._messages())
        told = about(self._info, self._source.stem, self._digest.hexdigest())
        yield from self._skipped
        yield from finished(self._source, talk_of(self._info, messages, told.kind), told)

    def _messages(self) -> Iterator[Message]:
        for info in list(self._rows(_MESSAGES, self._id)):
            yield message(info, self._rows(_PARTS, info["id"]))

    def _rows(self, query: str, owner: object) -> Iterator[dict[str, object]]:
        for number, given, data in self._database.execute(query, (owner,)):
            found = self._object(number, data)
            if found is not None:
                yield found | {"id": given if isinstance(given, str) else str(given)}

    def _object(self, number: int, data: object) -> dict[str, object] | None:
        raw = data if isinstance(data, bytes) else str(data).encode("utf-8", "replace")
        self._digest.update(raw)
        try:
            return load_object(raw)
        except BadLine as error:
            self._skipped.append(Skipped(self._source.name, number or None, f"row {number}: {error}"))
            return None
