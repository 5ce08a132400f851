"""A git index of a few files of a commit: all else stands in it as whole folders, or as files that are not laid out.

`git status` is clean over it and its size follows what is held, not what there is. The form is that of git's
index-format, version 4, with the extension `sdir` (git 2.37 or later reads it).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Mapping
from os import stat_result

from brain.git.folders import FOLDER, Entry, Folders

_EXTENDED = 0x4000
_NOT_LAID_OUT = 0x4000
_LONGEST_NAME = 0xFFF
_MASK = 0xFFFFFFFF


def open_folders(paths: Iterable[str]) -> list[str]:
    """The folders that these files stand in, and those above; "" is the first."""
    found = {""}
    for path in paths:
        parts = path.split("/")
        found.update("/".join(parts[:n]) for n in range(1, len(parts)))
    return sorted(found)


def patterns(folders: Iterable[str]) -> bytes:
    """What `info/sparse-checkout` says of an index with these folders open, as cone mode wants it."""
    lines = ["/*", "!/*/"]
    for folder in filter(None, folders):
        name = "".join(f"\\{c}" if c in "*?[]\\" else c for c in folder)
        lines += [f"/{name}/", f"!/{name}/*/"]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def index(folders: Folders, held: Mapping[str, stat_result | None]) -> bytes:
    """The bytes of an index in which `held` are laid out, each with the status of its file.

    None: whether the file is what the commit says is not known; git reads it when it is asked.
    """
    entries = sorted(_entries(folders, held))
    body = b"DIRC" + struct.pack(">2L", 4, len(entries))
    before = b""
    for name, fixed in entries:
        same = _common(before, name)
        body += fixed + _number(len(before) - same) + name[same:] + b"\0"
        before = name
    body += b"sdir" + struct.pack(">L", 0)
    return body + hashlib.sha1(body, usedforsecurity=False).digest()


def _entries(folders: Folders, held: Mapping[str, stat_result | None]) -> Iterator[tuple[bytes, bytes]]:
    """(name, all before it) of every entry."""
    opened = open_folders(held)
    for folder in opened:
        for name, entry in folders.entries(folder).items():
            path = f"{folder}/{name}" if folder else name
            if entry.mode == FOLDER and path in opened:
                continue
            raw = f"{path}/" if entry.mode == FOLDER else path
            yield _entry(raw.encode("utf-8", "surrogateescape"), entry, path in held, held.get(path))


def _entry(name: bytes, entry: Entry, is_held: bool, status: stat_result | None) -> tuple[bytes, bytes]:
    before, after = _of(status) if status else ((0,) * 6, (0,) * 3)
    flags = (_EXTENDED | min(len(name), _LONGEST_NAME), 0 if is_held else _NOT_LAID_OUT)
    fixed = struct.pack(">10L", *before, int(entry.mode, 8), *after) + bytes.fromhex(entry.id)
    return name, fixed + struct.pack(">2H", *flags)


def _of(status: stat_result) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What git compares to see whether a file changed, in its order: before the mode, and after it."""
    times = (*divmod(status.st_ctime_ns, 10**9), *divmod(status.st_mtime_ns, 10**9))
    before = (*times, status.st_dev, status.st_ino)
    after = (status.st_uid, status.st_gid, status.st_size)
    return tuple(n & _MASK for n in before), tuple(n & _MASK for n in after)


def _common(one: bytes, other: bytes) -> int:
    """How many bytes the two begin with alike."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _number(value: int) -> bytes:
    """As git writes the count of bytes to drop: seven bits a byte, the last one without its top bit."""
    out = bytes([value & 0x7F])
    while value := value >> 7:
        value -= 1
        out = bytes([0x80 | (value & 0x7F)]) + out
    return out
