"""A folder as a tree of files: nothing outside it is read or written, no symlink is followed.

Every path is walked from the folder's own descriptor, one segment at a time with O_NOFOLLOW, so
that nothing which is renamed meanwhile can lead out of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from brain.files import disk

_WALK = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from the next without reading it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@dataclass(slots=True)
class Scan:
    """The files below a folder, and what was met there that is no file."""

    stamps: dict[str, Stamp] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    """path -> why it was not read."""


class Folder:
    """The files below `root`, by paths with "/"."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def scan(self, wanted: Callable[[str], bool], under: tuple[str, ...]) -> Scan:
        """Files that `wanted` takes, in the folders `under` and, where one is a file, that file.

        Names that begin with a dot are passed over. Raises: Refused where a folder may not be read:
        what is not seen must not count as gone.
        """
        found = Scan()
        with disk.telling("was not read", self.root), disk.opened(self.root, _WALK & ~os.O_NOFOLLOW) as top:
            for name in under:
                self._entry(top, name, name, wanted, found)
        return found

    def _entry(self, at: int, name: str, path: str, wanted: Callable[[str], bool], found: Scan) -> None:
        try:
            status = os.stat(name, dir_fd=at, follow_symlinks=False)
        except FileNotFoundError:
            return
        if stat.S_ISDIR(status.st_mode):
            self._walk(at, name, path, wanted, found)
        elif stat.S_ISREG(status.st_mode):
            if wanted(path):
                found.stamps[path] = Stamp.of(status)
        else:
            kind = "a symlink, and none is followed" if stat.S_ISLNK(status.st_mode) else "no regular file"
            found.problems[path] = f"it is {kind}"

    def _walk(self, at: int, name: str, path: str, wanted: Callable[[str], bool], found: Scan) -> None:
        with disk.opened(name, _WALK, at=at) as here:
            with os.scandir(here) as entries:
                names = sorted(entry.name for entry in entries)
            for child in names:
                if child.startswith("."):
                    continue
                if _is_text(child):
                    self._entry(here, child, f"{path}/{child}", wanted, found)
                else:
                    shown = os.fsencode(child).decode("utf-8", "backslashreplace")
                    found.problems[f"{path}/{shown}"] = "its name is not UTF-8"

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None where there is none. Raises: DiskFault for a symlink or no regular file."""
        with disk.telling("was not read", self.root / path):
            try:
                with self._parent(path) as (at, name):
                    return _read(at, name)
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                return None

    def stamp(self, path: str) -> Stamp | None:
        """None where no regular file stands at the path."""
        status = self._status(path)
        return Stamp.of(status) if status is not None and stat.S_ISREG(status.st_mode) else None

    def exists(self, path: str) -> bool:
        """Whether anything at all stands at the path."""
        return self._status(path) is not None

    def _status(self, path: str) -> os.stat_result | None:
        with disk.telling("was not read", self.root / path):
            try:
                with self._parent(path) as (at, name):
                    return os.stat(name, dir_fd=at, follow_symlinks=False)
            except (FileNotFoundError, NotADirectoryError):
                return None

    def is_open(self, path: str) -> bool:
        """Whether a folder is there or could be made, with no symlink and no file in the way."""
        with disk.telling("was not read", self.root / path):
            try:
                with self._open(path):
                    return True
            except FileNotFoundError:
                return True
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                    raise
                return False

    def move_in(self, source: Path, moves: Sequence[tuple[str, str, Stamp | None]], durably: bool = True) -> list[str]:
        """Rename synced files (path, name in `source`, stamp of the file to be replaced) to their places.

        Folders that are missing are made; all that were touched are synced, if `durably`. A path whose file is not
        the one of the stamp any more is left alone, its temporary file removed; those paths are returned.
        """
        late = []
        at_once = not durably or disk.syncs_at_once(len(moves))
        with disk.opened(source, _WALK) as scratch:
            for parent, group in _by_parent(moves).items():
                with self._open(parent, make=True, sync=not at_once) as at:
                    for path, temporary, over in group:
                        name = path.rpartition("/")[2]
                        if _stamp(at, name) != over:
                            late.append(path)
                            os.unlink(temporary, dir_fd=scratch)
                            continue
                        os.rename(temporary, name, src_dir_fd=scratch, dst_dir_fd=at)
                    if not at_once:
                        os.fsync(at)
            if at_once and durably:
                disk.sync_all(scratch)
        return late

    def remove(self, path: str, over: Stamp | None) -> bool:
        """Remove a file and the folders that are empty then; False where it is not the one of the stamp any more."""
        with disk.telling("was not removed", self.root / path):
            try:
                with self._parent(path) as (at, name):
                    if _stamp(at, name) != over:
                        return False
                    os.unlink(name, dir_fd=at)
                    os.fsync(at)
            except (FileNotFoundError, NotADirectoryError):
                return True
            self._prune(path)
            return True

    def _prune(self, path: str) -> None:
        while "/" in path:
            path = path.rpartition("/")[0]
            try:
                with self._parent(path) as (at, name):
                    os.rmdir(name, dir_fd=at)
                    os.fsync(at)
            except OSError:
                return

    @contextlib.contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int, str]]:
        parent, _, name = path.rpartition("/")
        with self._open(parent) as at:
            yield at, name

    @contextlib.contextmanager
    def _open(self, path: str, make: bool = False, sync: bool = True) -> Iterator[int]:
        fd = os.open(self.root, disk.FOLDER)
        try:
            for part in path.split("/") if path else ():
                below = _step(fd, part, make, sync)
                os.close(fd)
                fd = below
            yield fd
        finally:
            os.close(fd)


def _step(at: int, part: str, make: bool, sync: bool) -> int:
    if part in ("", ".", ".."):
        raise FileNotFoundError(2, "no such path", part)
    try:
        return os.open(part, _WALK, dir_fd=at)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(part, dir_fd=at)
    if sync:
        os.fsync(at)
    return os.open(part, _WALK, dir_fd=at)


def _read(at: int, name: str) -> bytes:
    # O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    with disk.opened(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, at=at) as fd:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise IsADirectoryError
        chunks = []
        while chunk := os.read(fd, 1 << 20):
            chunks.append(chunk)
        return b"".join(chunks)


def _stamp(at: int, name: str) -> Stamp | None:
    try:
        return Stamp.of(os.stat(name, dir_fd=at, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _by_parent(moves: Sequence[tuple[str, str, Stamp | None]]) -> dict[str, list[tuple[str, str, Stamp | None]]]:
    groups: dict[str, list[tuple[str, str, Stamp | None]]] = {}
    for move in sorted(moves, key=lambda move: move[0]):
        groups.setdefault(move[0].rpartition("/")[0], []).append(move)
    return groups


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
