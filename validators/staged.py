"""A staged tree by its name: what a dream proposed, what the gate rejected, or a folder."""

from __future__ import annotations

from pathlib import Path

from brain import layout
from brain.errors import UsageError
from brain.files.folder import Folder
from brain.store import Store
from brain.tree import OnDisk, Tree, overlay

_FOLDERS = ("staged", "rejected")
"""Below .brain/: of the dream that is at work, of the last one that was rejected."""
_REFS = ("refs/brain/proposed", "refs/brain/unmerged")


def find(store: Store, name: str) -> Tree:
    """The tree that `name` means: a folder, a run of a dream, or a commit.

    Raises: UsageError where it means none.
    """
    folders = [Path(name)]
    if "/" not in name and name not in ("", ".", ".."):
        folders += [store.local(kind, name) for kind in _FOLDERS]
    for folder in folders:
        if folder.is_dir():
            return _in_folder(store, folder)
    for revision in (*(f"{ref}/{name}" for ref in _REFS), name):
        if commit := store.git.resolve(revision):
            return store.tree(commit)
    raise UsageError(
        f"Nothing was validated: {name!r} is no folder, no run with a staged tree, and no commit.",
        "take the run that `brain dream` printed, or a folder",
    )


def _in_folder(store: Store, folder: Path) -> Tree:
    """A whole brain as it lies there; a folder without brain.toml holds what changed, over main."""
    found = Tree(OnDisk.scan(Folder(folder)), store.tree().cache)
    if layout.SETTINGS in found:
        return found
    return overlay(store.tree(), {path: found.bytes(path) for path in found.paths})
