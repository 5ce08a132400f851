"""What the disk says, in one line, and descriptors that are closed in time."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from brain.errors import BrainError

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class DiskFull(BrainError):
    """No room, or the quota is used up."""

    code = "disk-full"


class ReadOnly(BrainError):
    """The file system takes no writes."""

    code = "read-only"


class Refused(BrainError):
    """The person who runs this may not do that here."""

    code = "permission"


class DiskFault(BrainError):
    """The disk answered with an error of its own, or something stands where a file should be."""

    code = "io"


_ERRORS: dict[int, tuple[type[BrainError], str, str]] = {
    errno.ENOSPC: (DiskFull, "the disk is full", "free some space and run the same command again"),
    errno.EDQUOT: (DiskFull, "the disk quota is used up", "free some space and run the same command again"),
    errno.EFBIG: (DiskFull, "the file is larger than is allowed here", "raise the limit and run it again"),
    errno.EROFS: (ReadOnly, "the file system is read-only", "mount it writable, or copy the brain elsewhere"),
    errno.EACCES: (Refused, "permission was refused", "look at the owner and the rights of the file and its folder"),
    errno.EPERM: (Refused, "permission was refused", "look at the owner and the rights of the file and its folder"),
    errno.EIO: (DiskFault, "the disk gave an input/output error", "look at the disk before anything else"),
    errno.ELOOP: (DiskFault, "a symlink stands in the way, and none is followed", "replace it by the file itself"),
}


def told(error: OSError, action: str, path: str | Path) -> BrainError:
    """The error of one line for what the system said; `action` is what did not happen, "was not written"."""
    kind, cause, hint = _ERRORS.get(error.errno or 0, (DiskFault, error.strerror or type(error).__name__, ""))
    return kind(f"{path} {action}: {cause}.", hint)


@contextlib.contextmanager
def telling(action: str, path: str | Path) -> Iterator[None]:
    """Turn an OSError of the body into a BrainError of one line."""
    try:
        yield
    except OSError as error:
        raise told(error, action, path) from error


@contextlib.contextmanager
def opened(path: str | Path, flags: int, mode: int = 0o666, *, at: int | None = None) -> Iterator[int]:
    """A file descriptor that is closed at the end; `at` is the folder that `path` is relative to."""
    fd = os.open(path, flags | os.O_CLOEXEC, mode, dir_fd=at)
    try:
        yield fd
    finally:
        os.close(fd)


MANY = 64
"""From so many files on, one sync of the whole file system is quicker than one of each."""


def syncs_at_once(files: int) -> bool:
    """Whether so many files are synced together; elsewhere than on Linux that is not to be had."""
    return files >= MANY and sys.platform == "linux"


def sync_all(fd: int) -> None:
    """Make durable all that was written to the file system of `fd`. Raises: OSError."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syncfs(fd) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def read(path: Path) -> bytes:
    """The bytes of a file. Raises: OSError."""
    with opened(path, os.O_RDONLY | os.O_NOFOLLOW) as fd:
        chunks = []
        while chunk := os.read(fd, 1 << 20):
            chunks.append(chunk)
        return b"".join(chunks)
