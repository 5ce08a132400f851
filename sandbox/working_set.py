"""A working set: a plain folder with some of the files of one commit, under the brain's own paths.

Invariants: a path that is there stays, with the same bytes, until `refresh` is asked for; a file is laid down whole and
read-only; what a person or an agent changed is told from what Brain laid down by its bytes, and never overwritten;
whatever a kill leaves, the next command completes. No symlink is followed and nothing outside the folder is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from brain import files, layout
from brain.files import disk
from brain.files.folder import Folder, Stamp
from brain.files.locks import Lock
from brain.git.folders import Entry
from brain.model import Audience
from brain.sandbox import manifest as records
from brain.sandbox.manifest import Manifest
from brain.tree import blob_id

_SCRATCH = f"{records.FOLDER}/scratch"
READ_ONLY = 0o444
WAIT = 30.0
"""Seconds that one who lets it grow waits for another."""


class Listing(Protocol):
    """The files of one commit; asked only for what is held and for the folders above it."""

    def entries(self, folder: str) -> Mapping[str, Entry]: ...

    def count(self, folder: str) -> int: ...

    def entry(self, path: str) -> Entry | None: ...

    def read(self, path: str) -> bytes:
        """Raises: KeyError."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a move to another commit did to the files that are held."""

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    """Not in that commit any more."""
    edited: tuple[str, ...]
    """Changed here by somebody, and so left as they are."""


@dataclass(frozen=True, slots=True)
class Held:
    """What became of paths that were wanted."""

    new: tuple[str, ...]
    already: tuple[str, ...]
    missing: tuple[str, ...]
    """No files of this commit, or not for this audience."""
    blocked: tuple[str, ...]
    """Somebody's own file, folder or link stands there; it was left as it is."""


class WorkingSet:
    """One folder. What it holds is read anew at each change: others may have let it grow meanwhile."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self._files = Folder(folder)

    @classmethod
    def create(cls, folder: Path, manifest: Manifest) -> WorkingSet:
        """An empty one. Raises: NotASandbox where the folder holds anything, which is left as it is."""
        if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
            raise records.NotASandbox(
                f"{folder} is not empty and no sandbox; nothing was written there.", "name a new folder"
            )
        files.make_folder(folder / records.FOLDER)
        records.save(folder, manifest)
        return cls(folder, manifest)

    @classmethod
    def load(cls, folder: Path) -> WorkingSet:
        """Raises: NotASandbox."""
        return cls(folder, records.load(folder))

    @property
    def commit(self) -> str:
        return self.manifest.commit

    @property
    def audience(self) -> Audience:
        return self.manifest.audience

    @property
    def held(self) -> frozenset[str]:
        return frozenset(self.manifest.held)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One writer at a time. Raises: Busy, NotASandbox."""
        with Lock(self.folder / records.FOLDER / "lock", "sandbox", WAIT):
            self.manifest = records.load(self.folder)
            yield

    def hold(self, wanted: Mapping[str, str], listing: Listing) -> Held:
        """Lay down files of the commit; `wanted` is path -> why. Under `locked`. Nothing is removed or renamed."""
        before = self.manifest
        entries = {path: entry for path in wanted if (entry := listing.entry(path)) and _may_hold(path, entry)}
        new = [path for path in entries if path not in before.held]
        held = {**before.held, **{path: (entries[path].id,) for path in new}}
        # What a kill left unfinished is finished first; else only what is new is looked at.
        paths = new if before.is_settled else list(held)
        blocked = self._settle(replace(before, held=held, why={**wanted, **before.why}), paths, listing)
        return Held(
            tuple(path for path in new if path not in blocked),
            tuple(path for path in wanted if path in before.held),
            tuple(path for path in wanted if path not in entries),
            tuple(path for path in blocked if path in new),
        )

    def refresh(self, manifest: Manifest, listing: Listing) -> Refreshed:
        """Move what is held to the commit of `manifest`. Under `locked`."""
        before = self.manifest.held
        held = {path: _ids(listing.entry(path), ids) for path, ids in before.items()}
        edited = self._settle(replace(manifest, held=held, why=self.manifest.why), list(held), listing)
        return Refreshed(
            tuple(path for path, ids in held.items() if ids[0] and ids[0] != before[path][0] and path not in edited),
            tuple(path for path, ids in held.items() if not ids[0] and path not in edited),
            edited,
        )

    def edits(self) -> tuple[str, ...]:
        """Files that are not what Brain laid down: changed, or removed."""
        return tuple(path for path, ids in self.manifest.held.items() if self._lying(path) not in ids)

    def own_files(self) -> tuple[str, ...]:
        """Files that somebody put here beside those that are held; git's and the manifest's apart."""
        found = []
        for top, folders, names in os.walk(self.folder):
            at = Path(top).relative_to(self.folder)
            folders[:] = [name for name in folders if (at / name).as_posix() not in (records.FOLDER, ".git")]
            links = [name for name in folders if (Path(top) / name).is_symlink()]
            found += [(at / name).as_posix() for name in (*names, *links)]
        return tuple(sorted(set(found) - self.held - {MANUAL}))

    def statuses(self) -> dict[str, os.stat_result | None]:
        """For git's index: of each file that is held its status; None where its bytes are not those of the commit."""
        found: dict[str, os.stat_result | None] = {}
        for path, ids in self.manifest.held.items():
            found[path] = os.lstat(self.folder / path) if self._lying(path) == ids[0] else None
        return found

    # --- making the folder what the manifest says --------------------------------------

    def _settle(self, manifest: Manifest, paths: Iterable[str], listing: Listing) -> tuple[str, ...]:
        """Lay down, replace and remove until these paths are as they should be; those where somebody's own stand."""
        self.manifest = replace(manifest, is_settled=False)
        records.save(self.folder, self.manifest)
        scratch = self._empty_scratch()
        moves: list[tuple[str, str, Stamp | None]] = []
        kept = []
        with disk.opened(scratch, disk.FOLDER) as at:
            for path in paths:
                if not self._is_ours(path):
                    kept.append(path)
                elif wanted := manifest.held[path][0]:
                    if self._lying(path) != wanted:
                        name = files.write_new(at, listing.read(path), sync=False, mode=READ_ONLY)
                        moves.append((path, name, self._files.stamp(path)))
                else:
                    self._files.remove(path, self._files.stamp(path))
        kept += self._files.move_in(scratch, moves, durably=False)
        return tuple(kept)

    def finish(self, head: str, brain: str) -> None:
        """Say that everything is in its place, git inside too; `brain`: where the brain is now."""
        held = {path: ids[:1] for path, ids in self.manifest.held.items() if ids[0] or self._files.exists(path)}
        why = {path: words for path, words in self.manifest.why.items() if path in held}
        self.manifest = replace(self.manifest, brain=brain, head=head, held=held, why=why, is_settled=True)
        records.save(self.folder, self.manifest)

    def _empty_scratch(self) -> Path:
        """For this change alone; what a killed one has left there and beside goes."""
        scratch = self.folder / _SCRATCH
        files.make_folder(scratch)
        for at in (scratch, scratch.parent, self.folder, self.folder / ".git", self.folder / ".git" / "info"):
            for left in at.glob(f"{files.TEMPORARY}*"):
                left.unlink()
        return scratch

    def _is_ours(self, path: str) -> bool:
        """Whether Brain may write at a path: nothing stands there, or bytes that it laid down itself."""
        if not self._files.is_open(path.rpartition("/")[0]):
            return False
        if self._files.stamp(path) is None:
            return not self._files.exists(path)
        lying = self._lying(path)
        # A power cut may leave an empty file where one was laid down.
        return lying in self.manifest.held[path] or lying == _EMPTY

    def _lying(self, path: str) -> str | None:
        """The id of the bytes that lie at a path; None where no regular file does."""
        if self._files.stamp(path) is None:
            return None
        data = self._files.read(path)
        return None if data is None else blob_id(data)


MANUAL = "SANDBOX.md"
"""The page that tells a reader what the folder is."""

_EMPTY = blob_id(b"")


def _may_hold(path: str, entry: Entry) -> bool:
    """Not the settings: a folder with brain.toml would be taken for a brain."""
    return entry.is_file and layout.is_tracked(path) and path != layout.SETTINGS


def _ids(entry: Entry | None, before: tuple[str, ...]) -> tuple[str, ...]:
    wanted = entry.id if entry and entry.is_file else ""
    return (wanted, *(blob for blob in before if blob != wanted))
