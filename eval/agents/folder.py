"""The files of a view in a folder of their own, for agents that read with a shell."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from brain.eval.agents import View
from brain.files import make_folder, replace

_State = Mapping[str, tuple[int, int, int]]


class Folders:
    """Lays the files of views down, once for all questions that have the same; again when somebody changed them."""

    def __init__(self) -> None:
        self._laid: dict[Path, tuple[str, _State]] = {}

    def of(self, view: View) -> Path:
        folder = view.home / "files"
        tree = hashlib.sha256(repr(sorted(view.tree.blobs.items())).encode()).hexdigest()
        if self._laid.get(folder) != (tree, _state(folder)):
            _lay(view, folder)
            self._laid[folder] = (tree, _state(folder))
        return folder

    def is_changed(self, view: View) -> bool:
        """Whether the files are no longer as they were laid down."""
        folder = view.home / "files"
        return folder in self._laid and self._laid[folder][1] != _state(folder)


def _state(folder: Path) -> _State:
    """Inode, size and time of change of every file and folder in it."""
    found = {}
    for path in folder.rglob("*"):
        about = path.lstat()
        found[str(path)] = (about.st_ino, about.st_size, about.st_mtime_ns)
    return found


def _lay(view: View, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(folder)
    for path in view.tree.paths:
        make_folder((folder / path).parent)
        replace(folder / path, view.tree.bytes(path))
