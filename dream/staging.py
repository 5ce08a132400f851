"""The staged tree: what a dream wants to lay down, as files to look at and as a tree to judge.

`.brain/staged/<run>/` holds the changed files alone, beside a marker that is locked as long as the
dream lives; no git worktree, so a kill leaves a folder and nothing that git would stumble over.
A staged tree goes when the dream ends; a rejected one is kept under `.brain/rejected/`, the last only.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from brain import files
from brain.files import disk
from brain.files.locks import Lock
from brain.store import Store, leftovers
from brain.tree import Tree, overlay

REJECTED = "rejected"

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW


class StagedTree:
    """A folder for the time of one dream: `with StagedTree(store, run) as staged`."""

    def __init__(self, store: Store, run_id: str) -> None:
        self.folder = store.local(leftovers.STAGED, run_id)
        self._rejected = store.local(REJECTED, run_id)
        self._lock = Lock(self.folder / leftovers.ALIVE, f"dream {run_id}", wait=0)
        self._laid: dict[str, bytes | None] = {}

    def __enter__(self) -> StagedTree:
        with disk.telling("was not made", self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
        self._lock.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def lay(self, base: Tree, changes: Mapping[str, bytes | None]) -> Tree:
        """Make the folder hold exactly these changes; the tree that `base` becomes with them.

        Not synced: a staged tree that a power cut damages is one that nobody needs.
        """
        for path in self._laid.keys() - changes.keys():
            (self.folder / path).unlink(missing_ok=True)
        for path, data in changes.items():
            if data is not None and self._laid.get(path) != data:
                self._write(self.folder / path, data)
        self._laid = dict(changes)
        return overlay(base, changes)

    def keep(self) -> Path:
        """Put what lies here aside as the last rejected tree; where it is."""
        with disk.telling("was not kept", self._rejected):
            shutil.rmtree(self._rejected.parent, ignore_errors=True)
            shutil.copytree(self.folder, self._rejected, ignore=shutil.ignore_patterns(leftovers.ALIVE))
        return self._rejected

    def _write(self, path: Path, data: bytes) -> None:
        with disk.telling("was not written", path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with disk.opened(path, _WRITE) as fd:
                files.write_all(fd, data)
