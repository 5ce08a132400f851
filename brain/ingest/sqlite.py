"""SQLite files of other programs: read while they are in use, never written, never locked against their owner.

A file with a write-ahead log is read beside its writer, one that has none as if nobody wrote to it. Where neither
will do (a log without its shared memory, a broken-off transaction, a disk that takes no writes) a copy is read.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

MAGIC = b"SQLite format 3\0"
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' ORDER BY name"
"""Tables and nothing else: a view could hold a query that never ends."""
_BESIDE = ("-wal", "-shm", "-journal")


def is_sqlite(data: bytes) -> bool:
    """Whether a file begins as SQLite's do."""
    return data.startswith(MAGIC)


def refusal(head: bytes, *names: str) -> str:
    """ "" where a file's head (see Input.head) has these tables, else why it is not taken."""
    if not is_sqlite(head):
        return "it is no SQLite file"
    if not head.startswith(MAGIC + b"\n"):
        return "SQLite finds no table in it"
    missing = [name for name in names if f"\n{name}\n".encode() not in head]
    return f"it has no table {missing[0]}" if missing else ""


def is_beside(path: Path) -> bool:
    """Whether a file is the log, the shared memory or the journal of another one that lies beside it."""
    return any(path.name.endswith(tail) and path.with_name(path.name[: -len(tail)]).is_file() for tail in _BESIDE)


def state(path: Path) -> str:
    """Changes whenever the file or its log does, and takes no reading of it."""
    seen = [str(path.resolve())]
    for tail in ("", "-wal"):
        try:
            about = Path(f"{path}{tail}").stat()
            seen.append(f"{about.st_ino} {about.st_size} {about.st_mtime_ns}")
        except OSError:
            seen.append("none")
    return hashlib.sha256("\n".join(seen).encode("utf-8", "surrogateescape")).hexdigest()


@contextmanager
def opened(path: Path | None, data: bytes = b"") -> Iterator[sqlite3.Connection]:
    """One view of the file for as long as it is open, whatever its owner writes. Raises: sqlite3.Error, OSError."""
    with ExitStack() as stack:
        connection = _beside_its_owner(path) if path else None
        if connection is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="brain-")))
            connection = _checked(sqlite3.connect(_copied(path, data, folder), isolation_level=None))
        yield stack.enter_context(closing(connection))


def tables(path: Path | None, data: bytes = b"") -> tuple[str, ...]:
    """The names of its tables, sorted; none where SQLite cannot read it."""
    try:
        with opened(path, data) as database:
            return tuple(str(row[0]) for row in database.execute(_TABLES))
    except (sqlite3.Error, UnicodeError):
        return ()


def _beside_its_owner(path: Path) -> sqlite3.Connection | None:
    """None: only a copy can be read."""
    if _size(path, "-journal"):
        return None
    has_log = _size(path, "-wal") > 0
    if has_log and not _size(path, "-shm"):
        # SQLite would make the shared memory anew, in the owner's folder.
        return None
    how = "mode=ro" if has_log else "mode=ro&immutable=1"
    try:
        return _checked(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None))
    except sqlite3.OperationalError:
        return None


def _checked(connection: sqlite3.Connection) -> sqlite3.Connection:
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _copied(path: Path | None, data: bytes, folder: Path) -> Path:
    copy = folder / "copy.db"
    if path is None:
        copy.write_bytes(data)
        return copy
    for tail in ("", "-wal", "-journal"):
        if tail == "" or _size(path, tail):
            shutil.copyfile(f"{path}{tail}", f"{copy}{tail}")
    return copy


def _size(path: Path, tail: str) -> int:
    try:
        return Path(f"{path}{tail}").stat().st_size
    except OSError:
        return 0
