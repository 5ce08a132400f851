"""Durable writes: the only module that opens a file for writing.

A page is written to a temporary file, synced, renamed over the old one, and its folder is synced:
a reader, a kill or a power cut sees the old bytes or the new ones. Where the disk refuses, the error
is one line (`disk.DiskFull`, `disk.ReadOnly`, …) and the temporary file is gone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from brain.files.disk import FOLDER, opened, telling

TEMPORARY = ".brain-tmp-"
"""Start of every temporary name; `<TEMPORARY><pid>-<random>`."""


def write_all(fd: int, data: bytes) -> None:
    """Write every byte: a disk that fills up and a limit on file size both end in short writes first."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_new(at: int, data: bytes, sync: bool = True, mode: int = 0o666) -> str:
    """A temporary file in the folder `at`; its name. On an error nothing is left of it."""
    name = f"{TEMPORARY}{os.getpid()}-{secrets.token_hex(6)}"
    try:
        with opened(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, at=at) as fd:
            write_all(fd, data)
            if sync:
                os.fsync(fd)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=at)
        raise
    return name


def is_dead(name: str) -> bool:
    """Whether a temporary file's maker is no more; True for this process, which keeps none for long."""
    pid = name.removeprefix(TEMPORARY).partition("-")[0]
    if not name.startswith(TEMPORARY) or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return int(pid) == os.getpid()


def replace(path: Path, data: bytes, *, sync: bool = True, mode: int = 0o666) -> None:
    """Put `data` at `path`, durably and all at once; the folder must exist.

    Without `sync` all at once only: for what a power cut may take and a command gives again.
    Raises: DiskFull, ReadOnly, Refused, DiskFault; the old file is untouched then.
    """
    with telling("was not written", path), opened(path.parent, FOLDER) as folder:
        name = write_new(folder, data, sync, mode)
        move(folder, name, folder, path.name)
        if sync:
            os.fsync(folder)


def append(path: Path, data: bytes) -> None:
    """Put `data` at the end of a file, which is made where there is none; it is on the disk then.

    Raises: DiskFull, ReadOnly, Refused, DiskFault; a part of `data` may be there then.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    with telling("was not written to its end", path), opened(path, flags) as fd:
        write_all(fd, data)
        os.fsync(fd)


def move(source: int, name: str, target: int, new_name: str) -> None:
    """Rename a temporary file to its place; where that fails the temporary file goes."""
    try:
        os.rename(name, new_name, src_dir_fd=source, dst_dir_fd=target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=source)
        raise


def remove(path: Path) -> None:
    """Remove a file durably; one that is not there is fine."""
    with telling("was not removed", path), contextlib.suppress(FileNotFoundError):
        path.unlink()
        with opened(path.parent, FOLDER) as folder:
            os.fsync(folder)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, durably; one that is there is fine."""
    if path.is_dir():
        return
    make_folder(path.parent)
    with telling("was not made", path), contextlib.suppress(FileExistsError):
        path.mkdir()
        with opened(path.parent, FOLDER) as folder:
            os.fsync(folder)
