"""Where transcripts are read from: files, folders, standard input. Nothing here is written or locked.

A file may be written to meanwhile: what is read ends where the file ended when it was opened.
"""

from __future__ import annotations

import hashlib
import io
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from brain.errors import UsageError
from brain.ingest import sqlite
from brain.ingest.pieces import BadLine, load_object
from brain.text.counted import counted

HEAD = 262_144
_CHUNK = 1 << 20
STDIN = "-"


class NoSource(UsageError):
    """There is nothing to read where the command was pointed to, or nothing there is a transcript."""

    code = "no-source"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not taken in, and why."""

    source: str
    line: int | None
    """1-based; None: it is about the whole source."""
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    data: bytes
    """Without its line end."""
    whole: bool
    """False of a last line without a line end: it may still be written."""


class Input:
    """One file (or the bytes of standard input) as it was when it was opened."""

    def __init__(self, name: str, path: Path | None = None, data: bytes = b"") -> None:
        self.name = name
        """As the person gave it; for messages."""
        self.path = path
        self.below: tuple[str, ...] = ()
        """Where it lies below the folder that was walked, its own name last; (): it was named itself."""
        self._data = data
        self.size = path.stat().st_size if path else len(data)

    @property
    def file_name(self) -> str:
        """What a transcript keeps of the name: never a folder."""
        return shown(self.path.name) if self.path else "stdin"

    @property
    def stem(self) -> str:
        return Path(self.file_name).stem or self.file_name

    def _open(self) -> BinaryIO:
        return self.path.open("rb") if self.path else io.BytesIO(self._data)

    def begins_with(self, magic: tuple[bytes, ...]) -> bool:
        with self._open() as file:
            return file.read(max(map(len, magic))).startswith(magic)

    @cached_property
    def head(self) -> bytes:
        """What it begins with, to know a format by; of a SQLite file the names of its tables, one a line."""
        with self._open() as file:
            head = file.read(min(HEAD, self.size))
        names = sqlite.tables(self.path, b"" if self.path else self.read()) if sqlite.is_sqlite(head) else ()
        return "\n".join((sqlite.MAGIC.decode(), *names, "")).encode("utf-8", "replace") if names else head

    @contextmanager
    def database(self) -> Iterator[sqlite3.Connection]:
        """The file as SQLite reads it, never written. Raises: sqlite3.Error, OSError."""
        with sqlite.opened(self.path, b"" if self.path else self.read()) as connection:
            yield connection

    @property
    def state(self) -> str:
        """Changes with the file; of one that SQLite keeps with its log too, and without reading it."""
        return sqlite.state(self.path) if self.path and sqlite.is_sqlite(self.head) else self.sha256

    def read(self) -> bytes:
        with self._open() as file:
            return file.read(self.size)

    def chunks(self) -> Iterator[bytes]:
        """Everything, a million bytes at a time."""
        left = self.size
        with self._open() as file:
            while left > 0 and (chunk := file.read(min(_CHUNK, left))):
                left -= len(chunk)
                yield chunk

    def lines(self) -> Iterator[Line]:
        """Every line that holds something; numbers count all of them."""
        left, number = self.size, 0
        with self._open() as file:
            while left > 0 and (data := file.readline(left)):
                left -= len(data)
                number += 1
                if data.strip():
                    yield Line(number, data.rstrip(b"\r\n"), data.endswith(b"\n"))

    @cached_property
    def _digests(self) -> tuple[str, str, bytes]:
        """SHA-256 of everything, of everything up to the last line end, and the start of what stands behind that."""
        done, lines, tail = hashlib.sha256(), hashlib.sha256(), b""
        for chunk in self.chunks():
            end = chunk.rfind(b"\n") + 1
            if end:
                done.update(chunk[:end])
                lines, tail = done.copy(), chunk[end:]
            else:
                tail += chunk if len(tail) < HEAD else b""
            done.update(chunk[end:])
        return done.hexdigest(), lines.hexdigest(), tail

    @property
    def sha256(self) -> str:
        return self._digests[0]

    @property
    def sha256_of_lines(self) -> str:
        """Without a last line that has no end and is no whole JSON object: that one is read when it is whole."""
        return self._digests[1] if self.has_open_line else self._digests[0]

    @property
    def has_open_line(self) -> bool:
        tail = self._digests[2]
        if not tail.strip():
            return False
        try:
            load_object(tail)
        except BadLine:
            return True
        return False


@dataclass(frozen=True, slots=True)
class Found:
    path: Path
    folder: str | None
    """The folder it was found in, as the person gave it; None: the file was named itself."""


def walk(sources: Sequence[str | Path]) -> Iterator[Found | Skipped]:
    """Every file of the sources, sorted, each once; symlinks in a folder are told, not followed. Raises: NoSource.

    Files that are named themselves come first: what is named is wanted, whatever its folder is searched for.
    """
    seen: set[Path] = set()
    for source in sorted(sources, key=lambda source: Path(source).is_dir()):
        path = Path(source)
        if not str(source):
            raise NoSource("Nothing was taken in: an empty PATH names nothing.", "brain ingest PATH")
        if not path.exists():
            raise NoSource(f"Nothing was taken in: {shown(source)} does not exist.", "brain ingest PATH")
        folder = shown(source) if path.is_dir() else None
        for file in _files(path) if folder else iter([path]):
            if isinstance(file, Skipped):
                yield file
            elif (key := file.resolve()) not in seen:
                seen.add(key)
                yield Found(file, folder)


def _files(folder: Path) -> Iterator[Path | Skipped]:
    waiting, links = [folder], 0
    while waiting:
        path = waiting.pop()
        if not path.is_dir():
            yield path
            continue
        try:
            with os.scandir(path) as entries:
                found = list(entries)
        except OSError as error:
            yield Skipped(shown(path), None, f"the folder was not read: {error.strerror}")
            continue
        links += sum(entry.is_symlink() for entry in found)
        kept = [e for e in found if e.is_dir(follow_symlinks=False) or e.is_file(follow_symlinks=False)]
        waiting += [Path(entry.path) for entry in sorted(kept, key=lambda entry: place(entry.name), reverse=True)]
    if links:
        yield Skipped(shown(folder), None, f"{counted(links, 'link')} not followed; name what they lead to")


def place(name: str) -> tuple[str, bool, str]:
    """By name; what was said in a session before it was reset comes before what was said after that."""
    base, is_reset, when = name.partition(".jsonl.reset.")
    return (f"{base}.jsonl", False, when) if is_reset else (name, True, "")


def shown(path: str | Path) -> str:
    """A path as it can be printed, whatever bytes its name has; two paths never look alike for want of a letter."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


_OWN = frozenset({"memory", "dreams", "conflicts", ".brain", "DREAM.md", "deletions.md", "brain.toml"})


def lies_in_a_brain(path: Path) -> bool:
    """Whether a file is part of some brain, whose memory is no evidence for itself."""
    parts = path.resolve().parts
    return any(parts[n] in _OWN and Path(*parts[:n], "brain.toml").is_file() for n in range(len(parts) - 1, 0, -1))


def opened(path: Path, name: str) -> Input:
    """The file, unpacked where its host has packed it; a pipe is read to its end first. Raises: OSError."""
    if stat.S_ISREG(path.stat().st_mode):
        if path.suffix == ".zst":
            from brain.ingest.compressed import Unpacked  # which is an Input itself

            return Unpacked(name, path)
        return Input(name, path)
    return Input(name, None, path.read_bytes())
