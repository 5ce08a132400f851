"""A brain -> working sets of it: opened, moved to another commit, closed. Imports neither the search nor a model."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from brain import layout
from brain.errors import UsageError
from brain.git import Git, apart
from brain.git.folders import Folders
from brain.model import Audience
from brain.sandbox import history, manual
from brain.sandbox import manifest as records
from brain.sandbox.history import Laid
from brain.sandbox.manifest import Manifest
from brain.sandbox.working_set import MANUAL, Held, Refreshed, WorkingSet
from brain.store import Store

WHOLE_MAP = 200
"""Sessions up to which the map of all is laid down; SANDBOX.md has the newest of them in any case."""


class Another(UsageError):
    """The folder is a sandbox already, of another commit or for another audience."""

    code = "another-sandbox"


class Edited(UsageError):
    """A sandbox is not removed while it holds what somebody wrote there."""

    code = "sandbox-edited"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a working set shall show."""

    audience: Audience = Audience.TRUSTED
    revision: str | None = None
    """Of the brain; None: main."""
    task: str = ""


def open_in(store: Store, folder: Path, wanted: Wanted) -> WorkingSet:
    """A working set with the maps of the brain; one that stands there already goes on at its commit.

    Raises: Another, NotASandbox, CommitGone, Busy.
    """
    if records.is_there(folder):
        working = WorkingSet.load(folder)
        _check_same(store, working.manifest, wanted)
    else:
        commit = history.commit_of(store, wanted.revision)
        made = Manifest(str(store.root.resolve()), commit, wanted.audience, wanted.task)
        working = WorkingSet.create(folder, made)
    hold(store, working, {})
    return working


def _check_same(store: Store, manifest: Manifest, wanted: Wanted) -> None:
    if manifest.audience is not wanted.audience:
        raise Another(f"Nothing was done: that sandbox is for the audience {manifest.audience}.", "name another folder")
    if wanted.revision and history.commit_of(store, wanted.revision) != manifest.commit:
        raise Another(
            f"Nothing was done: that sandbox stands on {manifest.commit[:12]}.",
            "brain sandbox refresh DIR --commit REV",
        )


def hold(store: Store, working: WorkingSet, wanted: Mapping[str, str]) -> Held:
    """Bring files of its commit into a working set; `wanted` is path -> why. Raises: CommitGone, Busy."""
    with working.locked():
        laid = _laid(store, working)
        maps = {path: "" for path in _maps(laid.listing) if path not in working.held}
        held = working.hold({**wanted, **maps}, laid.listing)
        _finish(store, working, laid)
    return held


def refresh(store: Store, working: WorkingSet, revision: str | None) -> Refreshed:
    """Move a working set to another commit; None: to main. Raises: CommitGone, Busy."""
    commit = history.commit_of(store, revision)
    with working.locked():
        laid = history.lay(working.folder, store, commit, working.audience)
        done = working.refresh(replace(working.manifest, commit=commit, head=""), laid.listing)
        _finish(store, working, laid)
    return done


def close(working: WorkingSet, *, anyway: bool = False) -> None:
    """Remove a working set from the disk. Raises: Edited where it holds what somebody wrote there, unless `anyway`."""
    with working.locked():
        edits = [path for path in working.edits() if (working.folder / path).exists()]
        if (kept := [*edits, *working.own_files()]) and not anyway:
            files = f"{len(kept)} files in {working.folder} are"
            raise Edited(
                f"Nothing was removed: {files} not as they came from the brain: {', '.join(kept[:3])}.",
                "copy what you need, then brain sandbox close --force",
            )
    shutil.rmtree(working.folder)


def _laid(store: Store, working: WorkingSet) -> Laid:
    """Git as it stands in the folder, mended where a kill, a person or a moved brain has left it otherwise."""
    manifest = working.manifest
    if manifest.audience is Audience.PUBLIC and manifest.head and manifest.is_settled:
        inside = Git(working.folder)
        if (working.folder / ".git").is_dir() and inside.resolve(manifest.head):
            return Laid(manifest.head, Folders(inside, manifest.head), history.PUBLIC_NOTE)
    return history.lay(working.folder, store, manifest.commit, manifest.audience)


def _maps(listing: Folders) -> list[str]:
    """The generated indexes; that of all sessions only where it is short."""
    found = [path for path in layout.INDEXES if listing.entry(path)]
    if layout.SESSIONS_INDEX in found and manual.count(listing) > WHOLE_MAP:
        found.remove(layout.SESSIONS_INDEX)
    return found


def _finish(store: Store, working: WorkingSet, laid: Laid) -> None:
    history.follow(working, laid.listing)
    working.finish(laid.head, str(store.root.resolve()))
    apart.put(working.folder / MANUAL, manual.render(working, laid.listing, laid.note).encode())
