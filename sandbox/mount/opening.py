"""A brain -> what is shown of it at one commit: the names, and where the bytes come from."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from brain import files, layout
from brain.errors import BrainError
from brain.model import Audience
from brain.sandbox.history import commit_of
from brain.sandbox.mount import names, sources
from brain.sandbox.mount.cache import Cache
from brain.sandbox.mount.names import Blob, Names
from brain.sandbox.mount.sources import Source
from brain.store import Store
from brain.tree import blob_id

LIMIT = 60.0
"""Seconds after which a git that hangs is ended; those who wait for it are told long before."""
_NOT_SHOWN = (layout.SETTINGS, layout.INSTRUCTIONS)
"""A folder with the first would be taken for a brain; the second holds orders to dreams."""


@dataclass(frozen=True, slots=True)
class View:
    """One commit, as an audience may see it."""

    commit: str
    names: Names
    source: Source


def view(store: Store, revision: str | None, audience: Audience) -> View:
    """What is shown of a commit; None: of main. Raises: CommitGone."""
    commit = commit_of(store, revision)
    blobs, source = _public(store, commit) if audience is Audience.PUBLIC else _all(store, commit)
    date = store.git.log(commit, limit=1)[0].date
    return View(commit, names.build(blobs, int(date.timestamp()) * 1_000_000_000), source)


def _all(store: Store, commit: str) -> tuple[dict[str, Blob], Source]:
    found = {path: Blob(*entry) for path, entry in store.git.sized(commit).items() if _is_shown(path)}
    return found, sources.OfGit(store.root, LIMIT)


def _is_shown(path: str) -> bool:
    return layout.is_tracked(path) and path not in _NOT_SHOWN


def _public(store: Store, commit: str) -> tuple[dict[str, Blob], Source]:
    # Parses every page and renders the maps: what the user alone reads has them made already.
    from brain.sandbox import public

    part = public.part(store.tree(commit), store.settings.index.budget)
    ids = {path: blob_id(data) for path, data in part.items()}
    blobs = {path: Blob("100644", ids[path], len(data)) for path, data in part.items()}
    return blobs, sources.OfMemory({ids[path]: data for path, data in part.items()})


def cache(store: Store, note: Callable[[str], None]) -> Cache:
    """Below .brain/; where nothing can be written there, one that goes with this process."""
    folder = store.local("mount", "packs")
    try:
        files.make_folder(folder)
    except BrainError as error:
        beside = tempfile.TemporaryDirectory(prefix="brain-mount-")
        atexit.register(beside.cleanup)
        note(f"brain: what is fetched is kept in {beside.name} until the mount ends: {error.message}")
        return Cache(Path(beside.name))
    return Cache(folder)
