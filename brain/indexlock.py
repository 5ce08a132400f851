"""git's own index: held by its lock while Brain moves main, and put in place by one rename.

The lock file carries a mark of ours, so that a later run can tell the lock of a Brain that died from
that of any other git: only the first is ever removed without a person.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from brain import disk, files
from brain.git import Git
from brain.gitline import locked

MARK = b"held by brain\n"
_NEXT = "brain.index"
_POLL = 0.05


@contextlib.contextmanager
def held(git: Git, patience: float) -> Iterator[None]:
    """Hold git's index lock. Raises: Locked, after `patience` seconds, where somebody else does."""
    lock = git.place.index_lock
    until = time.monotonic() + patience
    with disk.telling("was not written", lock):
        while not _take(lock):
            if time.monotonic() >= until:
                raise locked(lock)
            time.sleep(_POLL)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()


def _take(lock: Path) -> bool:
    # Linked, not created and then written: the mark is there as soon as the lock is.
    with disk.opened(lock.parent, disk.FOLDER) as at:
        name = files.write_new(at, MARK)
        try:
            os.link(name, lock.name, src_dir_fd=at, dst_dir_fd=at)
        except FileExistsError:
            return False
        finally:
            os.unlink(name, dir_fd=at)
    return True


def prepare(git: Git, changes: Mapping[str, str | None]) -> Path:
    """A copy of git's index with these entries set; all others (what a person has staged) are as they were."""
    place = git.place
    copy = place.git_dir / _NEXT
    with contextlib.suppress(FileNotFoundError):
        files.replace(copy, disk.read(place.index))
    git.update_index(changes, copy)
    return copy


def put(git: Git, copy: Path) -> None:
    """Make a prepared copy git's index; for the one who holds the lock."""
    place = git.place
    with disk.telling("was not written", place.index), disk.opened(place.git_dir, disk.FOLDER) as at:
        os.rename(copy.name, place.index.name, src_dir_fd=at, dst_dir_fd=at)
        os.fsync(at)


def sweep(git: Git) -> None:
    """Remove what a run that died here has left: its lock and its copy of the index."""
    place = git.place
    with contextlib.suppress(OSError):
        if place.index_lock.stat().st_size == len(MARK) and place.index_lock.read_bytes() == MARK:
            place.index_lock.unlink()
    for left in (_NEXT, f"{_NEXT}.lock"):
        with contextlib.suppress(OSError):
            (place.git_dir / left).unlink()
    for name in place.git_dir.glob(f"{files.TEMPORARY}*"):
        with contextlib.suppress(OSError):
            name.unlink()


@dataclass(frozen=True, slots=True)
class LockFile:
    """A lock of git's index that somebody else holds, or left behind."""

    path: Path
    age: int
    """Seconds."""
    inode: int


def found(git: Git) -> LockFile | None:
    """git's index lock as it stands there, for a doctor to name."""
    path = git.place.index_lock
    try:
        status = path.stat()
    except OSError:
        return None
    return LockFile(path, max(0, int(time.time() - status.st_mtime)), status.st_ino)
