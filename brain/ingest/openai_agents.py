"""The SQLite file in which the OpenAI Agents SDK keeps its sessions: one item a row, times in UTC."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby

from brain.ingest import sqlite
from brain.ingest.openai_items import Reader
from brain.ingest.pieces import BadLine, load_object, time_of
from brain.ingest.reading import Draft, draft, of_database
from brain.ingest.source import Input, Skipped
from brain.model import Session, Source

NAME = "openai-agents"
_BRANCHES = "message_structure"
"""Table of sessions that may branch: which message stands on which branch."""
_PLACES = f"SELECT session_id, message_id, branch_id FROM {_BRANCHES} ORDER BY id"  # noqa: S608
_ENCRYPTED = "__enc__"
_ROWS = "SELECT session_id, id, message_data, created_at FROM agent_messages ORDER BY session_id, id"


def detect(head: bytes, name: str) -> str:
    """By SQLite's own first bytes and the name of the table."""
    del name
    return sqlite.refusal(head, "agent_messages")


def read(source: Input) -> Iterator[Draft | Skipped]:
    """Every session of the file; a row that cannot be read is told with its number."""

    def rows(database: sqlite3.Connection) -> Iterator[Draft | Skipped]:
        given_up = _given_up(database) if _BRANCHES in source.head.decode("utf-8", "replace").split("\n") else set()
        for session_id, own in groupby(database.execute(_ROWS), key=lambda row: str(row[0])):
            yield from _session(source, session_id, own, given_up)

    return of_database(source, rows)


def _given_up(database: sqlite3.Connection) -> set[object]:
    """Ids of the messages that are not on the newest branch of their session, which is that of its last message."""
    try:
        places = database.execute(_PLACES).fetchall()
    except sqlite3.Error:
        return set()
    newest: dict[object, tuple[int, object]] = {}
    for session, message, branch in places:
        if isinstance(message, int) and message >= newest.get(session, (0, None))[0]:
            newest[session] = message, branch
    live = {message for session, message, branch in places if newest.get(session, (0, None))[1] == branch}
    return {message for _, message, _ in places} - live


def _session(
    source: Input, session_id: str, rows: Iterator[tuple[object, ...]], given_up: set[object]
) -> Iterator[Draft | Skipped]:
    reader = Reader()
    for _, number, data, created in rows:
        try:
            item = load_object(data if isinstance(data, bytes) else str(data).encode("utf-8", "replace"))
        except BadLine as error:
            yield Skipped(source.name, number if isinstance(number, int) else None, f"row {number}: {error}")
            continue
        if _ENCRYPTED in item:
            reader.talk.notes["messages that are encrypted"] += 1
        elif number in given_up:
            reader.talk.notes["messages on branches that were given up"] += 1
        else:
            reader.take(item, time_of(created))
    if reader.talk.notes["messages that are encrypted"] and not reader.talk.has_turns:
        yield Skipped(source.name, None, f"{session_id}: its messages are encrypted")
    talk = reader.talk.finish()
    if talk.turns:
        given = Source(NAME, source.file_name, source.sha256)
        yield draft(Session(reader.talk.line(session_id) or source.stem, NAME, given, ()), talk)
