"""The search table on disk: a LanceDB table under `.brain/search/` that nothing is ever stored in alone.

Beside each table stand its columns (columns.py): a question asked of files that have not changed reads those and never
opens LanceDB; files that changed are read and embedded anew, and the table grows by them.

Invariants: whatever is missing, broken, of another model or out of date is made again from the files, and the answers
are the same; a table is built beside the one in use, synced, and switched by replacing one small file, so that a
reader sees the old or the new one; one process writes at a time, the others answer without writing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from brain.errors import BrainError
from brain.files import make_folder, replace
from brain.files.locks import Busy, Lock
from brain.search import columns, lance, rows, tokens
from brain.search.background import Background, measure
from brain.search.embed import Embedder
from brain.search.lance import Broken
from brain.search.passages import Corpus, Watch
from brain.search.rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa

_POINTER = "current"
_MANIFEST = "manifest.json"
_COLUMNS = "columns.npz"


@dataclass(frozen=True, slots=True)
class Opened:
    """The rows of a corpus as it is now."""

    rows: Rows
    background: Background | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Stored:
    """A table that stands on disk; its files have not been read yet."""

    folder: Path
    pointer: str
    manifest: Mapping[str, Any]

    @property
    def files(self) -> Mapping[str, str]:
        """path -> blob id."""
        held: Mapping[str, str] = self.manifest["files"]
        return held

    @property
    def background(self) -> Background | None:
        points = self.manifest["background"]
        return Background(*points) if points else None


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
    files = dict(corpus.blobs)
    notes: tuple[str, ...] = ()
    try:
        old = _load(home, made_by)
        if old and old.files == files:
            return Opened(_columns(old), old.background, ())
        stored = _table(old, made_by["dimension"]) if old else None
    except Broken as reason:
        old = stored = None
        notes = (f"The search table is made again: {reason}.",)
    same = {path: blob for path, blob in files.items() if old and old.files.get(path) == blob}
    fresh = rows.make(corpus, sorted(files.keys() - same.keys()), embedder, watch)
    kept = fresh.slice(0, 0) if stored is None else rows.kept(stored, same)
    background = old.background if old else measure(embedder) if embedder else None
    arranged = rows.arrange(_joined(kept, fresh))
    more = _store(home, _Change(old, kept, fresh, files, made_by, background), arranged)
    return Opened(arranged, background, notes + more)


def behind(home: Path, blobs: Mapping[str, str]) -> int | None:
    """How many files the stored table has not read as they are now; None: none is stored that could be read."""
    name, _, checksum = _pointed(home).partition(" ")
    try:
        held: Mapping[str, str] = _manifest(home / name, checksum)["files"]
    except Broken:
        return None
    return sum(held.get(path) != blobs.get(path) for path in held.keys() | blobs.keys())


def _made_by(embedder: Embedder | None) -> dict[str, Any]:
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
    """What is stored, of this making; None: nothing yet. Raises: Broken."""
    if not (home / _POINTER).exists():
        return None
    pointer = _pointed(home)
    name, _, checksum = pointer.partition(" ")
    if not name.isdecimal():
        raise Broken("its pointer cannot be read")
    manifest = _manifest(home / name, checksum)
    if manifest.get("made_by") != made_by:
        raise Broken("the embedder or the form of the table is another one now")
    return _Stored(home / name, pointer, manifest)


def _manifest(folder: Path, checksum: str) -> dict[str, Any]:
    try:
        data = (folder / _MANIFEST).read_bytes()
    except OSError:
        raise Broken("it is not whole") from None
    if _checksum(io.BytesIO(data)) != checksum:
        raise Broken("its files are damaged")
    manifest: dict[str, Any] = json.loads(data)
    return manifest


def _columns(stored: _Stored) -> Rows:
    try:
        data = (stored.folder / _COLUMNS).read_bytes()
    except OSError:
        raise Broken("it is not whole") from None
    if _checksum(io.BytesIO(data)) != stored.manifest["sums"].get(_COLUMNS):
        raise Broken("its files are damaged")
    return columns.unpack(data)


def _table(stored: _Stored, dimension: int | None) -> pa.Table:
    if _sums(stored.folder) != stored.manifest["sums"]:
        raise Broken("its files are damaged")
    table = lance.read(stored.folder, dimension)
    if table.num_rows != stored.manifest["rows"]:
        raise Broken("rows are missing")
    return table


def _sums(folder: Path) -> dict[str, str]:
    """A checksum of each file: LanceDB keeps none, and gives a flipped bit back as a number like any other."""
    sums = {}
    for path in (*lance.files(folder), folder / _COLUMNS):
        try:
            with path.open("rb") as file:
                sums[str(path.relative_to(folder))] = _checksum(file)
        except OSError:
            raise Broken("it is not whole") from None
    return sums


def _checksum(file: BinaryIO) -> str:
    return hashlib.file_digest(file, "blake2b").hexdigest()[:32]  # type: ignore[arg-type]


def _pointed(home: Path) -> str:
    """The folder in use and the checksum of its manifest; "" where nothing can be read."""
    try:
        return (home / _POINTER).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


# --- writing ------------------------------------------------------------------


def _store(home: Path, change: _Change, arranged: Rows) -> tuple[str, ...]:
    """Write what changed; a note instead where that is not possible: the answer does not depend on it."""
    try:
        make_folder(home)
        with Lock(home / "lock", "search", wait=0):
            # Another process may have stored meanwhile; then its table serves, and grows at the next question.
            if change.old is None or _pointed(home) == change.old.pointer:
                _build(home, change, arranged)
    except Busy:
        return ()
    except (BrainError, OSError, Broken) as error:
        return (f"The search table was not stored ({error}); the answer is whole, the next one takes as long.",)
    return ()


def _build(home: Path, change: _Change, arranged: Rows) -> None:
    number = 1 + max((int(path.name) for path in home.iterdir() if path.name.isdecimal()), default=0)
    beside = home / f"{number}.tmp"
    shutil.rmtree(beside, ignore_errors=True)
    old = change.old
    if old and lance.can_grow(old.folder) and change.kept.num_rows * 2 > old.manifest["rows"]:
        gone = sorted(path for path, blob in old.files.items() if change.files.get(path) != blob)
        if lance.grow(old.folder, beside, gone, change.fresh) != len(arranged):
            raise Broken("rows are missing")
    else:
        lance.create(beside, _joined(change.kept, change.fresh))
    replace(beside / _COLUMNS, columns.pack(arranged))
    manifest = {
        "made_by": dict(change.made_by),
        "background": [change.background.median, change.background.stranger] if change.background else None,
        "rows": len(arranged),
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
