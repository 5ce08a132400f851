"""git's own index: held by its lock while Brain moves main, and put in place by one rename.

The lock file carries a mark of ours, so that a later run can tell the lock of a Brain that died from
that of any other git: only the first is ever removed without a person.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from brain import files
from brain.files import disk
from brain.files.folder import Stamp
from brain.git import Git
from brain.git.line import locked

_POLL = 0.05
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)


@contextlib.contextmanager
def held(git: Git, patience: float) -> Iterator[None]:
    """Hold git's index lock; for the one who holds the store's.

    Raises: Locked, after `patience` seconds, where another git holds it; DiskFull and the like.
    """
    lock = git.place.index_lock
    until = time.monotonic() + patience
    with disk.telling("was not written", lock):
        while not _take(git):
            if time.monotonic() >= until:
                raise locked(lock)
            time.sleep(_POLL)
    try:
        yield
    finally:
        files.remove(lock)


def _mark(git: Git) -> bytes:
    """What our lock holds: the folder too, since a repository may hold two brains."""
    return f"held by brain: {git.place.prefix or '.'}\n".encode("utf-8", "surrogateescape")


def _take(git: Git) -> bool:
    lock, mark = git.place.index_lock, _mark(git)
    with contextlib.suppress(FileNotFoundError):
        # Whoever holds the store's lock knows that the run which left this one is dead.
        if disk.read(lock) == mark:
            lock.unlink()
    with disk.opened(lock.parent, disk.FOLDER) as at:
        name = files.write_new(at, mark)
        try:
            # Linked, not created and then written: the mark is there as soon as the lock is.
            os.link(name, lock.name, src_dir_fd=at, dst_dir_fd=at)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return _create(at, lock.name, mark)
        finally:
            os.unlink(name, dir_fd=at)
    return True


def _create(at: int, name: str, mark: bytes) -> bool:
    """On a disk without hard links."""
    try:
        with disk.opened(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, at=at) as fd:
            files.write_all(fd, mark)
    except FileExistsError:
        return False
    return True


def prepare(git: Git, changes: Mapping[str, str | None], folder: Path) -> Path:
    """A copy of git's index with these entries set, in an empty folder; all others (what is staged) stay."""
    copy, index = folder / "index", git.place.index
    with disk.telling("was not read", index):
        status = index.stat() if index.exists() else None
        data = disk.read(index) if status else None
    if data is not None:
        files.replace(copy, data)
    git.update_index(changes, copy)
    if status is not None:
        # git takes a file that is as old as its index for one that may have changed since: this must stay so.
        with disk.telling("was not written", copy):
            os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
    return copy


def put(git: Git, copy: Path) -> None:
    """Make a prepared copy git's index; for the one who holds the lock."""
    index = git.place.index
    with disk.telling("was not written", index):
        try:
            copy.rename(index)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            files.replace(index, disk.read(copy))
        with disk.opened(index.parent, disk.FOLDER) as at:
            os.fsync(at)


def sweep(git: Git) -> None:
    """Remove what a run that died here has left of its lock."""
    place = git.place
    with contextlib.suppress(OSError):
        if disk.read(place.index_lock) == _mark(git):
            place.index_lock.unlink()
    for left in place.git_dir.glob(f"{files.TEMPORARY}*"):
        if files.is_dead(left.name):
            with contextlib.suppress(OSError):
                left.unlink()


@dataclass(frozen=True, slots=True)
class LockFile:
    """A lock of git's index that somebody else holds, or left behind."""

    path: Path
    age: int
    """Seconds."""
    stamp: Stamp
    holders: tuple[int, ...] | None
    """Processes that have it open; None where that cannot be known."""


def found(git: Git) -> LockFile | None:
    """git's index lock as it stands there, for a doctor to name."""
    path = git.place.index_lock
    try:
        status = path.stat()
    except OSError:
        return None
    return LockFile(path, max(0, int(time.time() - status.st_mtime)), Stamp.of(status), _holders(path))


def remove(git: Git, seen: LockFile) -> None:
    """Remove a lock that a person has been told of and wants gone; looked at again first.

    Raises: Locked where it is another by now, or where a process has it open.
    """
    now = found(git)
    if now is not None:
        if now.stamp != seen.stamp or now.holders:
            raise locked(now.path)
        files.remove(now.path)


def _holders(path: Path) -> tuple[int, ...] | None:
    if not Path("/proc/self/fd").is_dir():
        return None
    pids = []
    for process in Path("/proc").iterdir():
        # A process of somebody else's, or one that has just ended, cannot be looked into.
        with contextlib.suppress(OSError):
            if process.name.isdigit() and any(fd.samefile(path) for fd in (process / "fd").iterdir() if fd.exists()):
                pids.append(int(process.name))
    return tuple(sorted(pids))
