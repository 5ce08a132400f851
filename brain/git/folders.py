"""One commit, a folder at a time: what a file costs is the folders above it, whatever else the commit holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from brain.git import Git

FOLDER = "40000"
EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree of nothing, which every git knows: the brain's folder was not there yet."""
_FILES = ("100644", "100755")


class Entry(NamedTuple):
    """What a folder holds under one name."""

    mode: str
    id: str

    @property
    def is_folder(self) -> bool:
        return self.mode == FOLDER

    @property
    def is_file(self) -> bool:
        """False for a symlink and for another repository too."""
        return self.mode in _FILES


class Folders:
    """The brain's files at one commit, read from git when they are asked for."""

    def __init__(self, git: Git, commit: str) -> None:
        """Raises: Corrupt where the commit is not there."""
        self._git = git
        self.tree = git.read(commit).split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")
        """The id of the brain's own folder."""
        for part in filter(None, git.place.prefix.split("/")):
            found = parse(git.read(self.tree)).get(part)
            self.tree = found.id if found and found.is_folder else EMPTY
        self._raw: dict[str, bytes] = {}
        self._counts: dict[str, int] = {}
        self._read: dict[str, Mapping[str, Entry]] = {}

    def entries(self, folder: str) -> Mapping[str, Entry]:
        """By name; "" is the brain itself. Of what is no folder: nothing."""
        if folder not in self._read:
            self._read[folder] = parse(self._object(folder))
        return self._read[folder]

    def count(self, folder: str) -> int:
        """How many names there are in a folder."""
        if folder not in self._counts:
            self._counts[folder] = len(_ENTRY.findall(self._object(folder)))
        return self._counts[folder]

    def _object(self, folder: str) -> bytes:
        if folder not in self._raw:
            found = self.entry(folder) if folder else Entry(FOLDER, self.tree)
            self._raw[folder] = self._git.read(found.id) if found and found.is_folder else b""
        return self._raw[folder]

    def entry(self, path: str) -> Entry | None:
        above, _, name = path.rpartition("/")
        return self.entries(above).get(name)

    def read(self, path: str) -> bytes:
        """Raises: KeyError where no file stands there."""
        found = self.entry(path)
        if found is None or not found.is_file:
            raise KeyError(path)
        return self._git.read(found.id)


_ENTRY = re.compile(rb"(\d+) ([^\0]+)\0(.{20})", re.DOTALL)


def parse(data: bytes) -> dict[str, Entry]:
    """The entries of a tree object as git stores it."""
    found = _ENTRY.findall(data)
    return {name.decode("utf-8", "surrogateescape"): Entry(mode.decode(), raw.hex()) for mode, name, raw in found}
