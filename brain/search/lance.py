"""LanceDB, asked for by nobody else: one table in one folder.

Importing it costs two seconds, so that nothing here is called where a question can do without.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.search import rows

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = "passages"
_HINT = "latest_version_hint.json"
"""LanceDB's own guess of the newest version: written in place, and not needed."""
_MOST_FILES = 24
"""Data files of a table; beyond it, it is written anew instead of added to."""


class Broken(Exception):
    """What is on disk cannot serve; the message says why, in words for a note."""


def read(folder: Path, dimension: int | None) -> pa.Table:
    """Raises: Broken."""
    with _errors():
        table: pa.Table = _database(folder).open_table(_NAME).to_arrow()
        if table.schema.names != rows.schema(dimension).names:
            raise Broken("its columns are other ones")
        table.validate(full=True)
        return table.cast(rows.schema(dimension))


def create(folder: Path, table: pa.Table) -> None:
    """Raises: Broken."""
    with _errors():
        folder.mkdir()
        _database(folder).create_table(_NAME, table)


def can_grow(folder: Path) -> bool:
    return sum(1 for _ in (folder / f"{_NAME}.lance" / "data").iterdir()) < _MOST_FILES


def grow(old: Path, new: Path, gone: Sequence[str], fresh: pa.Table) -> int:
    """A copy that shares the old files (LanceDB never writes one twice), without rows of `gone`, with the fresh.

    Gives the number of its rows. Raises: Broken.
    """
    with _errors():
        shutil.copytree(
            old / f"{_NAME}.lance", new / f"{_NAME}.lance", copy_function=_link, ignore=shutil.ignore_patterns(_HINT)
        )
        table = _database(new).open_table(_NAME)
        for start in range(0, len(gone), 100):
            listed = ", ".join("'" + path.replace("'", "''") + "'" for path in gone[start : start + 100])
            table.delete(f"path IN ({listed})")
        if fresh.num_rows:
            table.add(fresh)
        return int(table.count_rows())


def files(folder: Path) -> Iterator[Path]:
    """The files that the table consists of, sorted."""
    for path in sorted((folder / f"{_NAME}.lance").rglob("*")):
        if path.is_file() and path.name != _HINT:
            yield path


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Any failure of LanceDB as Broken: a cache is made again, whatever is wrong with it."""
    try:
        yield
    except (Broken, OSError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        # A damaged file can also end in a panic of its Rust code, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise Broken(f"LanceDB says {type(error).__name__}") from None


def _database(folder: Path) -> Any:
    # Its default prints a warning for each query.
    os.environ.setdefault("LANCE_LOG", "error")
    import lancedb

    return lancedb.connect(folder)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
