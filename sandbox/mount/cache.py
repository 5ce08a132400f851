"""Blobs that were fetched once, on this disk: packs of many, each written whole and never changed.

A pack is a line `<id> <bytes>` for each blob, an empty line, then their bytes. Invariants: what is read from here has
the bytes its id stands for; a pack that a kill, a power cut or a disk has spoiled is removed, and its blobs are not
here; anybody may remove packs at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from brain import files
from brain.files import disk
from brain.tree import blob_id

_SUFFIX = ".pack"
_HEAD = 1 << 16


class _Place(NamedTuple):
    pack: Path
    offset: int
    size: int


class Gone(KeyError):
    """A blob is not here, or not any more."""


class Cache:
    """The packs of one folder, which must exist."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places: dict[str, _Place] = {}
        self._checked: set[Path] = set()
        self._changing = threading.RLock()
        for pack in sorted(folder.glob(f"*{_SUFFIX}")):
            with contextlib.suppress(OSError, ValueError):
                self._places |= _listed(pack, _head(pack))

    def holds(self, blob: str) -> bool:
        """Whether a blob is here; the pack it lies in is read and checked at its first use."""
        with self._changing:
            place = self._places.get(blob)
            if place is not None and place.pack not in self._checked:
                self._check(place.pack)
            return blob in self._places

    def read(self, blob: str, offset: int, size: int) -> bytes:
        """A part of a blob. Raises: Gone."""
        place = self._places.get(blob)
        if place is None:
            raise Gone(blob)
        wanted = max(0, min(size, place.size - offset))
        try:
            with disk.opened(place.pack, os.O_RDONLY | os.O_NOFOLLOW) as fd:
                data = os.pread(fd, wanted, place.offset + offset)
        except OSError:
            data = b""
        if len(data) != wanted:
            self._forget(place.pack)
            raise Gone(blob)
        return data

    def put(self, contents: Mapping[str, bytes]) -> None:
        """Keep blobs, as one pack. Raises: DiskFull and the like."""
        head = "".join(f"{blob} {len(data)}\n" for blob, data in contents.items()).encode("ascii") + b"\n"
        pack = self._folder / f"{hashlib.sha1(head).hexdigest()}{_SUFFIX}"
        files.make_folder(self._folder)
        files.replace(pack, b"".join((head, *contents.values())), sync=False)
        with self._changing:
            self._checked.add(pack)
            self._places |= _listed(pack, head)

    def _check(self, pack: Path) -> None:
        try:
            data = disk.read(pack)
        except OSError:
            data = b""
        inside = {blob: place for blob, place in self._places.items() if place.pack == pack}
        if all(blob_id(data[at.offset : at.offset + at.size]) == blob for blob, at in inside.items()):
            self._checked.add(pack)
            return
        self._forget(pack)
        with contextlib.suppress(OSError):
            pack.unlink()

    def _forget(self, pack: Path) -> None:
        with self._changing:
            self._checked.discard(pack)
            self._places = {blob: place for blob, place in self._places.items() if place.pack != pack}


def _head(pack: Path) -> bytes:
    """Raises: OSError; ValueError where it has no end."""
    data = b""
    with disk.opened(pack, os.O_RDONLY | os.O_NOFOLLOW) as fd:
        while b"\n\n" not in data:
            part = os.read(fd, _HEAD)
            if not part:
                raise ValueError(pack)
            data += part
    return data[: data.index(b"\n\n") + 2]


def _listed(pack: Path, head: bytes) -> dict[str, _Place]:
    places = {}
    offset = len(head)
    for line in head[:-2].decode("ascii").split("\n"):
        blob, _, size = line.partition(" ")
        places[blob] = _Place(pack, offset, int(size))
        offset += int(size)
    return places
