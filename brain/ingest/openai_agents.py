"""The SQLite file in which the OpenAI Agents SDK keeps its sessions: one item a row, times in UTC.

The file may be in use: a copy is read, together with what its write-ahead log holds, and it is never locked.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path

from brain.ingest.openai_items import Reader
from brain.ingest.pieces import BadLine, load_object, time_of
from brain.ingest.reading import Draft, draft
from brain.ingest.source import Input, Skipped
from brain.model import Session, Source

NAME = "openai-agents"
_IS_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'agent_messages' AND type = 'table'"
_ROWS = "SELECT session_id, id, message_data, created_at FROM agent_messages ORDER BY session_id, id"


def detect(head: bytes, name: str) -> str:
    """By SQLite's own first bytes and the name of the table."""
    del name
    if not head.startswith(b"SQLite format 3\0"):
        return "it is no SQLite file"
    return "" if b"agent_messages" in head else "it has no table agent_messages"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """Every session of the file; a row that cannot be read is told with its number."""
    with tempfile.TemporaryDirectory(prefix="brain-") as folder:
        copy = Path(folder) / "copy.db"
        if source.path:
            for tail in ("", "-wal"):
                if Path(f"{source.path}{tail}").is_file():
                    shutil.copyfile(f"{source.path}{tail}", f"{copy}{tail}")
        else:
            copy.write_bytes(source.read())
        try:
            with closing(sqlite3.connect(copy)) as database:
                database.text_factory = lambda data: data.decode("utf-8", "replace")
                database.execute("PRAGMA trusted_schema = OFF")
                if not database.execute(_IS_TABLE).fetchone():
                    # A view could hold a query that never ends.
                    raise sqlite3.DatabaseError("agent_messages is no table")
                for session_id, rows in groupby(database.execute(_ROWS), key=lambda row: str(row[0])):
                    yield from _session(source, session_id, rows)
        except (sqlite3.Error, UnicodeError) as error:
            yield Skipped(source.name, None, f"SQLite could not read it: {error}")


def _session(source: Input, session_id: str, rows: Iterator[tuple[object, ...]]) -> Iterator[Draft | Skipped]:
    reader = Reader()
    for _, number, data, created in rows:
        try:
            item = load_object(data if isinstance(data, bytes) else str(data).encode("utf-8", "replace"))
        except BadLine as error:
            yield Skipped(source.name, number if isinstance(number, int) else None, f"row {number}: {error}")
            continue
        reader.take(item, time_of(created))
    talk = reader.talk.finish()
    if talk.turns:
        given = Source(NAME, source.file_name, source.sha256)
        yield draft(Session(reader.talk.line(session_id) or source.stem, NAME, given, ()), talk)
