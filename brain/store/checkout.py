"""Laying a new main down in the folder, beside whatever a person wrote there meanwhile.

Everything that needs room on the disk is written before main moves (`prepare`); what is left for
afterwards are renames (`lay`). A person's words win: where both changed a file the two are merged
when git can do so, else the person's bytes stay and the other version goes to `conflicts/<run>/`.
Both steps may be done again after a kill, with the same result.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from brain import files, layout
from brain.errors import BrainError
from brain.files import disk
from brain.files.folder import Folder, Stamp
from brain.git import Git
from brain.store.journal import Move
from brain.store.working import like, same_words, unix


class Unsafe(BrainError):
    """Something lies in the folder that would lead a write elsewhere."""

    code = "unsafe-path"


@dataclass(frozen=True, slots=True)
class Step:
    """What is to be done with one path."""

    path: str
    """Where the bytes go."""
    data: bytes | None
    """None: the file goes."""
    over: Stamp | None
    """The file that was there when this was decided."""


Prepared = list[tuple[Step, str]]
"""A checkout that only renames are missing from: each step with its temporary file, "" where there is none."""

_TRIES = 5


class Checkout:
    """One move of main, laid down in the folder."""

    def __init__(self, git: Git, folder: Folder, scratch: Path, move: Move) -> None:
        self._git = git
        self._folder = folder
        self._scratch = scratch
        self._move = move
        self._aside = f"{layout.CONFLICTS}/{re.sub(r'[^A-Za-z0-9_-]', '-', move.run_id)}"
        self._changes = self._changed()
        self._notes: list[str] = []

    @property
    def blobs(self) -> dict[str, str | None]:
        """path -> blob id in the new main; None where the file is gone."""
        return {path: after for path, (_, after) in self._changes.items()}

    def prepare(self) -> Prepared:
        """Write every file that the new main brings to the scratch folder. Raises: DiskFull, Unsafe, …"""
        for parent in sorted({path.rpartition("/")[0] for path in self._changes} | {self._aside}):
            if not self._folder.is_open(parent):
                raise Unsafe(
                    f"Nothing was written: {self._folder.root / parent} leads through a symlink or a file.",
                    "put a folder there, or take it away",
                )
        at_once = disk.syncs_at_once(len(self._changes))
        steps = (step for path in sorted(self._changes) for step in self._decide(path))
        prepared = [(step, self._spill(step, sync=not at_once)) for step in steps]
        if at_once:
            with disk.telling("was not written", self._scratch), disk.opened(self._scratch, disk.FOLDER) as at:
                disk.sync_all(at)
        return prepared

    def lay(self, prepared: Prepared) -> tuple[str, ...]:
        """Put everything in its place; what had to be said about it, in words."""
        for _ in range(_TRIES):
            late = self._lay(prepared)
            if not late:
                break
            # A person wrote there between the decision and the rename: decide anew, on what is there now.
            paths = sorted(path for path in self._changes if path in late)
            prepared = [(step, self._spill(step)) for path in paths for step in self._decide(path)]
        return tuple(dict.fromkeys(self._notes))

    def _lay(self, prepared: Prepared) -> set[str]:
        moves = [(step.path, name, step.over) for step, name in prepared if name]
        with disk.telling("was not written", self._folder.root):
            late = set(self._folder.move_in(self._scratch, moves))
        gone = (step for step, name in prepared if not name)
        return late | {step.path for step in gone if not self._folder.remove(step.path, step.over)}

    def _changed(self) -> dict[str, tuple[str | None, str | None]]:
        if self._move.old is not None:
            return self._git.changed(self._move.old, self._move.new)
        entries = self._git.entries(self._move.new)
        return {path: (None, blob) for path, (_, blob) in entries.items() if layout.is_tracked(path)}

    def _decide(self, path: str) -> list[Step]:
        before, after = self._changes[path]
        stamp = self._folder.stamp(path)
        mine = self._folder.read(path) if stamp is not None else None
        if stamp is None and self._folder.exists(path):
            return self._conflict(path, after, "what lies there is no file")
        base = self._git.read(before) if before else None
        theirs = self._git.read(after) if after else None
        if _same(mine, theirs):
            return []
        if _same(mine, base):
            return [Step(path, like(theirs, mine) if theirs is not None else None, stamp)]
        if theirs is None:
            self._notes.append(f"{path} is gone from main; the file that was edited stays")
            return []
        merged = self._merge(mine, base, theirs) if mine is not None and base is not None else None
        if merged is None or mine is None:
            why = "it was edited" if mine is not None else "it was removed"
            return self._conflict(path, after, why + " in the folder meanwhile")
        self._notes.append(f"{path}: an edit made meanwhile was kept, merged with the new version")
        return [Step(path, like(merged, mine), stamp)]

    def _conflict(self, path: str, after: str | None, why: str) -> list[Step]:
        if after is None:
            return []
        aside = f"{self._aside}/{path}"
        self._notes.append(f"{path}: {why}; the other version is in {aside}")
        data = self._git.read(after)
        if self._folder.read(aside) == data:
            return []
        return [Step(aside, data, self._folder.stamp(aside))]

    def _merge(self, mine: bytes, base: bytes, theirs: bytes) -> bytes | None:
        with disk.telling("was not written", self._scratch), disk.opened(self._scratch, disk.FOLDER) as at:
            names = [files.write_new(at, unix(data), sync=False) for data in (mine, base, theirs)]
            try:
                ours, old, other = (self._scratch / name for name in names)
                return self._git.merge_file(ours, old, other)
            finally:
                for name in names:
                    with contextlib.suppress(OSError):
                        os.unlink(name, dir_fd=at)

    def _spill(self, step: Step, sync: bool = True) -> str:
        if step.data is None:
            return ""
        with disk.telling("was not written", self._scratch), disk.opened(self._scratch, disk.FOLDER) as at:
            return files.write_new(at, step.data, sync)


def _same(one: bytes | None, other: bytes | None) -> bool:
    return one is other if one is None or other is None else same_words(one, other)
