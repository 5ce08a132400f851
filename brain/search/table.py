"""The search table on disk: a LanceDB table under `.brain/search/` that nothing is ever stored in alone.

Invariants: whatever is missing, broken, of another model or out of date is made again from the files, and the answers
are the same; a table is built beside the one in use, synced, and switched by replacing one small file, so that a
reader sees the old or the new one; one process writes at a time, the others answer without writing.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from brain.errors import BrainError
from brain.files import make_folder, replace
from brain.files.locks import Busy, Lock
from brain.search import rows, tokens
from brain.search.background import Background, measure
from brain.search.embed import Embedder
from brain.search.passages import Corpus, Watch

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = "passages"
_POINTER = "current"
_MANIFEST = "manifest.json"
_HINT = "latest_version_hint.json"
"""LanceDB's own guess of the newest version: written in place, and not needed."""
_MOST_FILES = 24
"""Data files of a table; beyond it, it is written anew instead of added to."""


class _Broken(Exception):
    """The table on disk cannot serve; the message says why, in words for a note."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The rows of a corpus as it is now."""

    table: pa.Table
    background: Background | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Stored:
    folder: Path
    pointer: str
    table: pa.Table
    files: Mapping[str, str]
    background: Background | None


@dataclass(frozen=True, slots=True)
class _Change:
    """From what is stored to what should be."""

    old: _Stored | None
    kept: pa.Table
    fresh: pa.Table
    files: Mapping[str, str]
    made_by: Mapping[str, object]
    background: Background | None


def current(home: Path, corpus: Corpus, embedder: Embedder | None, watch: Watch = iter) -> Opened:
    """The rows of every file of the corpus; only files that changed since the last time are read and embedded."""
    made_by = _made_by(embedder)
    notes: list[str] = []
    old: _Stored | None = None
    try:
        old = _load(home, made_by)
    except _Broken as reason:
        notes.append(f"The search table is made again: {reason}.")
    files = dict(corpus.blobs)
    held = old.files if old else {}
    same = {path: blob for path, blob in files.items() if held.get(path) == blob}
    fresh = rows.make(corpus, sorted(files.keys() - same.keys()), embedder, watch)
    kept = rows.kept(old.table, same) if old else fresh.slice(0, 0)
    background = old.background if old else measure(embedder) if embedder else None
    if old is None or files != held:
        notes += _store(home, _Change(old, kept, fresh, files, made_by, background))
    return Opened(_joined(kept, fresh), background, tuple(notes))


def behind(home: Path, blobs: Mapping[str, str]) -> int | None:
    """How many files the stored table has not read as they are now; None: none is stored that could be read."""
    name, _, checksum = _pointed(home).partition(" ")
    try:
        held: Mapping[str, str] = _manifest(home / name, checksum)["files"]
    except _Broken:
        return None
    return sum(held.get(path) != blobs.get(path) for path in held.keys() | blobs.keys())


def _made_by(embedder: Embedder | None) -> dict[str, object]:
    """Everything that rows depend on besides the files."""
    return {
        "rows": rows.VERSION,
        "tokens": tokens.VERSION,
        "stemmer": version("snowballstemmer"),
        "embedder": embedder.name if embedder else None,
        "version": embedder.version if embedder else None,
        "dimension": embedder.dimension if embedder else None,
    }


def _joined(kept: pa.Table, fresh: pa.Table) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([kept, fresh])


# --- reading ------------------------------------------------------------------


def _load(home: Path, made_by: Mapping[str, object]) -> _Stored | None:
    """What is stored, whole and of this making; None: nothing yet. Raises: _Broken."""
    pointer = home / _POINTER
    if not pointer.exists():
        return None
    name, _, checksum = _pointed(home).partition(" ")
    if not name.isdecimal():
        raise _Broken("its pointer cannot be read")
    folder = home / name
    manifest = _manifest(folder, checksum)
    if manifest.get("made_by") != made_by:
        raise _Broken("the embedder or the form of the table is another one now")
    if _sums(folder) != manifest.get("sums"):
        raise _Broken("its files are damaged")
    background = manifest.get("background")
    table = _read(folder, made_by["dimension"])
    if table.num_rows != manifest.get("rows"):
        raise _Broken("rows are missing")
    return _Stored(
        folder, f"{name} {checksum}", table, manifest["files"], Background(*background) if background else None
    )


def _manifest(folder: Path, checksum: str) -> dict[str, Any]:
    try:
        data = (folder / _MANIFEST).read_bytes()
    except OSError:
        raise _Broken("it is not whole") from None
    if _checksum(io.BytesIO(data)) != checksum:
        raise _Broken("its files are damaged")
    manifest: dict[str, Any] = json.loads(data)
    return manifest


def _sums(folder: Path) -> dict[str, str]:
    """A checksum of each file: LanceDB keeps none, and gives a flipped bit back as a number like any other."""
    sums = {}
    for path in sorted((folder / f"{_NAME}.lance").rglob("*")):
        if path.is_file() and path.name != _HINT:
            with path.open("rb") as file:
                sums[str(path.relative_to(folder))] = _checksum(file)
    return sums


def _checksum(file: BinaryIO) -> str:
    return hashlib.file_digest(file, "blake2b").hexdigest()[:32]  # type: ignore[arg-type]


def _read(folder: Path, dimension: Any) -> pa.Table:
    with _lance_errors():
        table: pa.Table = _database(folder).open_table(_NAME).to_arrow()
        if table.schema.names != rows.schema(dimension).names:
            raise _Broken("its columns are other ones")
        table.validate(full=True)
        return table.cast(rows.schema(dimension))


@contextlib.contextmanager
def _lance_errors() -> Iterator[None]:
    """Any failure of LanceDB as _Broken: a cache is made again, whatever is wrong with it."""
    try:
        yield
    except (_Broken, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        # A damaged file can also end in a panic of its Rust code, which is no Exception.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise _Broken(f"LanceDB says {type(error).__name__}") from None


def _database(folder: Path) -> Any:
    # Its default prints a warning for each query.
    os.environ.setdefault("LANCE_LOG", "error")
    import lancedb

    return lancedb.connect(folder)


# --- writing ------------------------------------------------------------------


def _store(home: Path, change: _Change) -> list[str]:
    """Write what changed; a note instead where that is not possible: the answer does not depend on it."""
    try:
        make_folder(home)
        with Lock(home / "lock", "search", wait=0):
            # Another process may have stored meanwhile; then its table serves, and grows at the next question.
            if change.old is None or _pointed(home) == change.old.pointer:
                _build(home, change)
    except Busy:
        return []
    except (BrainError, OSError, _Broken) as error:
        return [f"The search table was not stored ({error}); the answer is whole, the next one takes as long."]
    return []


def _pointed(home: Path) -> str:
    """The folder in use and the checksum of its manifest; "" where nothing can be read."""
    try:
        return (home / _POINTER).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _build(home: Path, change: _Change) -> None:
    number = 1 + max((int(path.name) for path in home.iterdir() if path.name.isdecimal()), default=0)
    beside = home / f"{number}.tmp"
    shutil.rmtree(beside, ignore_errors=True)
    with _lance_errors():
        if change.old and _can_grow(change.old, change):
            _grow(beside, change.old, change)
        else:
            beside.mkdir()
            _database(beside).create_table(_NAME, _joined(change.kept, change.fresh))
    manifest = {
        "made_by": dict(change.made_by),
        "background": [change.background.median, change.background.stranger] if change.background else None,
        "rows": change.kept.num_rows + change.fresh.num_rows,
        "files": dict(change.files),
        "sums": _sums(beside),
    }
    data = json.dumps(manifest).encode()
    replace(beside / _MANIFEST, data)
    # LanceDB syncs nothing: without this a power cut leaves a table that does not open.
    _sync(beside)
    beside.rename(home / str(number))
    replace(home / _POINTER, f"{number} {_checksum(io.BytesIO(data))}\n".encode())
    _sweep(home, number)


def _can_grow(old: _Stored, change: _Change) -> bool:
    parts = sum(1 for _ in (old.folder / f"{_NAME}.lance" / "data").iterdir())
    return parts < _MOST_FILES and change.kept.num_rows * 2 > old.table.num_rows


def _grow(beside: Path, old: _Stored, change: _Change) -> None:
    """A copy that shares the old files (LanceDB never writes one twice), without the stale rows, with the fresh."""
    shutil.copytree(old.folder, beside, copy_function=_link, ignore=shutil.ignore_patterns(_MANIFEST, _HINT))
    table = _database(beside).open_table(_NAME)
    gone = sorted(path for path, blob in old.files.items() if change.files.get(path) != blob)
    for start in range(0, len(gone), 100):
        listed = ", ".join("'" + path.replace("'", "''") + "'" for path in gone[start : start + 100])
        table.delete(f"path IN ({listed})")
    if change.fresh.num_rows:
        table.add(change.fresh)
    if table.count_rows() != change.kept.num_rows + change.fresh.num_rows:
        raise _Broken("rows are missing")


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _sync(folder: Path) -> None:
    import ctypes

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        if syncfs is None or syncfs(descriptor) != 0:
            os.sync()
    finally:
        os.close(descriptor)


def _sweep(home: Path, newest: int) -> None:
    """Keep the table in use and the one before it, which somebody may still be reading."""
    for path in home.iterdir():
        if path.suffix == ".tmp" or (path.name.isdecimal() and int(path.name) < newest - 1):
            shutil.rmtree(path, ignore_errors=True)
