"""One process at a time: flock on a file that is never deleted.

The kernel frees the lock when its holder dies, so no stale lock can exist; the text in the file
is only for the message that names the holder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from brain.errors import BrainError
from brain.files import disk

POLL = 0.05
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "davfs", "fuse.sshfs", "fuse.rclone"})


class Busy(BrainError):
    """Another process holds the lock."""

    code = "busy"


class NetworkDisk(BrainError):
    """The folder lies on a disk where a lock holds nobody back."""

    code = "network-disk"


class Lock:
    """A lock for the length of a `with`; may be entered again by its holder.

    Raises (on entering): Busy after `wait` seconds; ReadOnly, DiskFull; NetworkDisk.
    """

    def __init__(self, path: Path, purpose: str, wait: float = 10.0) -> None:
        self.path = path
        self.purpose = purpose
        self.wait = wait
        self._fd: int | None = None
        self._depth = 0

    @property
    def fd(self) -> int | None:
        """The open lock file while it is held; a child that inherits it keeps the lock until it ends."""
        return self._fd

    def acquire(self) -> None:
        if self._fd is None:
            self._fd = self._open()
        self._depth += 1

    def release(self) -> None:
        self._depth -= 1
        if self._depth == 0 and self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _open(self) -> int:
        kind = file_system(self.path.parent)
        if kind in _NETWORK:
            raise NetworkDisk(
                f"{self.path.parent} lies on a network disk ({kind}), where two writers are not kept apart; "
                "nothing was done.",
                "keep the brain on a local disk and share it by git",
            )
        with disk.telling("was not locked", self.path):
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            self._wait(fd)
            self._sign(fd)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _wait(self, fd: int) -> None:
        until = time.monotonic() + self.wait
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise Busy(
                        f"Nothing was done: {holder(self.path) or 'another process'} is writing to this brain.",
                        "run the same command again when it has ended",
                    ) from None
            except OSError as error:
                raise disk.told(error, "was not locked", self.path) from error
            time.sleep(POLL)

    def _sign(self, fd: int) -> None:
        # For people only: a full disk must not keep a reader from taking the lock.
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{self.purpose} (pid {os.getpid()}, {_started()})\n".encode(), 0)


def holder(path: Path) -> str:
    """Who signed the lock last, and since when, in words; "" where nobody did."""
    try:
        with disk.opened(path, os.O_RDONLY | os.O_NOFOLLOW) as fd:
            text = os.pread(fd, 300, 0).decode("utf-8", "replace").strip()
            since = datetime.fromtimestamp(os.fstat(fd).st_mtime, UTC)
    except OSError:
        return ""
    return f"{text} since {since:%Y-%m-%dT%H:%M:%SZ}" if text else ""


def is_free(path: Path) -> bool:
    """Whether nobody holds a flock on this file or folder; what is not there is free."""
    try:
        with disk.opened(path, os.O_RDONLY | os.O_NOFOLLOW) as fd:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def file_system(path: Path) -> str:
    """The kernel's name of the file system that holds `path`; "" where it cannot be known."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        device = path.stat().st_dev
    except OSError:
        return ""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if before.split(" ")[2] == number:
            return after.split(" ")[0]
    return ""


def _started() -> str:
    """When this process began, in the kernel's ticks: tells a reused pid from the one that signed."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return "start unknown"
    return f"start {fields[19]}"
