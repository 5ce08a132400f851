"""The brain's files at one commit, as a tree reads them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from brain import layout
from brain.git import Git

FILE_MODES = ("100644", "100755")
_KINDS = {"120000": "a symlink, and none is followed", "160000": "another repository"}


class Revision:
    """The brain's files at one commit; `tree.Files`."""

    def __init__(self, git: Git, commit: str) -> None:
        self._git = git
        self._commit = commit

    @cached_property
    def _entries(self) -> Mapping[str, tuple[str, str]]:
        tracked = self._git.entries(self._commit).items()
        return {path: entry for path, entry in tracked if layout.is_tracked(path)}

    def blobs(self) -> Mapping[str, str]:
        return {path: blob for path, (mode, blob) in self._entries.items() if mode in FILE_MODES}

    def read(self, path: str) -> bytes:
        mode, blob = self._entries[path]
        if mode not in FILE_MODES:
            raise KeyError(path)
        return self._git.read(blob)

    def problems(self) -> Mapping[str, str]:
        found = self._entries.items()
        return {path: f"it is {_KINDS.get(mode, mode)}" for path, (mode, _) in found if mode not in FILE_MODES}
