"""Linked worktrees of dreams that are no more: what state each is in, and taking the dead ones away.

Brain makes no linked worktrees; earlier tools did, on branches `dream/…`. An entry goes when nothing
is lost with it. One that holds unsaved changes stays, and a branch that main does not have stays too;
both are named.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from brain.errors import BrainError
from brain.git import Git
from brain.store import leftovers
from brain.tree import blob_id

_OURS = "refs/heads/dream/"


class State(StrEnum):
    GONE = "gone"
    """Its folder is not there any more, or is another's."""
    LOCKED = "locked"
    """Locked by a process that is alive, or nobody knows by whom."""
    DIRTY = "dirty"
    """Its folder holds what is in no commit."""
    DONE = "done"
    """All of it is in its branch."""


@dataclass(frozen=True, slots=True)
class Worktree:
    """One linked worktree on a branch `dream/…`."""

    entry: Path
    """Its folder in the repository's worktrees/."""
    folder: Path
    branch: str
    state: State
    commit: str | None
    merged: bool
    """Whether main has its commit."""


def maybe_any(root: Path) -> bool:
    """Whether git has linked worktrees here, as far as it can be seen without asking git."""
    return any((folder / ".git" / "worktrees").is_dir() for folder in (root, *root.parents))


def found(git: Git) -> tuple[Worktree, ...]:
    """The worktrees of dreams in this repository."""
    worktrees = []
    with contextlib.suppress(OSError):
        for entry in sorted((git.place.common_dir / "worktrees").iterdir()):
            branch = _read(entry / "HEAD").removeprefix("ref: ")
            if branch.startswith(_OURS):
                worktrees.append(_look(git, entry, branch))
    return tuple(worktrees)


def sweep(git: Git) -> list[str]:
    """Take away the worktrees that nothing is lost with; what was done and what was kept, in words."""
    notes = []
    for tree in found(git):
        name = tree.branch.removeprefix("refs/heads/")
        if tree.state in (State.DIRTY, State.LOCKED):
            why = "it holds unsaved changes" if tree.state is State.DIRTY else "it is locked"
            notes.append(f"Kept the worktree {tree.folder} of {name}: {why}.")
            continue
        if tree.state is State.DONE:
            leftovers.remove(tree.folder)
        leftovers.remove(tree.entry)
        if tree.merged and tree.commit:
            with contextlib.suppress(BrainError):
                git.drop_ref(tree.branch, tree.commit)
            notes.append(f"Removed the worktree of {name}, which main has all of.")
        else:
            notes.append(f"Removed the worktree of {name}; the branch stays: main does not have its last commit.")
    return notes


def _look(git: Git, entry: Path, branch: str) -> Worktree:
    folder = Path(_read(entry / "gitdir")).parent
    commit, head = git.resolve(branch), git.head()
    merged = commit is not None and head is not None and git.is_ancestor(commit, head)
    return Worktree(entry, folder, branch, _state(git, entry, folder, commit), commit, merged)


def _state(git: Git, entry: Path, folder: Path, commit: str | None) -> State:
    if (entry / "locked").exists() and not _is_dead_lock(git, _read(entry / "locked")):
        return State.LOCKED
    if _read(folder / ".git") != f"gitdir: {entry}":
        return State.GONE
    return State.DONE if commit is not None and _is_clean(git, folder, commit) else State.DIRTY


def _is_dead_lock(git: Git, reason: str) -> bool:
    pid = re.search(r"\bpid (\d+)\b", reason)
    if pid is None:
        # What git itself writes while it makes a worktree; it stays where that git was killed.
        return reason == "initializing" and leftovers.gits_at_work(git.place) == []
    try:
        os.kill(int(pid.group(1)), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


def _is_clean(git: Git, folder: Path, commit: str) -> bool:
    """Whether each file of the folder is in the commit as it is, and each of the commit in the folder."""
    expected = {path: blob for path, (_, blob) in git.entries(commit, whole=True).items()}
    here = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            path = Path(parent, name)
            if path == folder / ".git":
                continue
            if not stat.S_ISREG(path.lstat().st_mode):
                return False
            here[path.relative_to(folder).as_posix()] = blob_id(path.read_bytes())
    return here == expected


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""
