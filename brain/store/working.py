"""The brain's files as they lie in the folder: their blob ids without git's filters, kept by a stat cache.

A file is the same as a blob when its bytes are, or when only its line ends differ. The cache is
never trusted where a change could hide: an entry whose file was touched close to the time it was
read is read again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from brain import files, layout
from brain.errors import BrainError
from brain.files.folder import Folder, Scan, Stamp
from brain.tree import OnDisk, blob_id

_VERSION = 1
_SLACK_NS = 100_000_000
"""Longer than one tick of any file system's clock that is used on Linux or macOS."""


class Working:
    """What lies in the folder now."""

    def __init__(self, root: Folder, cache: Path, read_blob: Callable[[str], bytes] | None = None) -> None:
        self.root = root
        self._read_blob = read_blob
        self._cache = cache
        self._entries = _load(cache)
        self._unix: dict[str, str] = {}

    def scan(self) -> OnDisk:
        """The files as they are now. Raises: Refused, DiskFault where one cannot be read."""
        began = time.time_ns()
        found = self.root.scan(layout.is_tracked, layout.TOP)
        known = self._known(found)
        fresh = {path: known.get(path) or self._read(path, stamp) for path, stamp in found.stamps.items()}
        entries = {path: ids for path, ids in fresh.items() if ids is not None}
        self._keep(found, entries, began)
        self._unix = {path: ids[1] for path, ids in entries.items()}
        ids = {path: entry[0] for path, entry in entries.items()}
        return OnDisk(self.root, ids, found.problems, self._read_blob)

    def changed(self, blobs: Mapping[str, str], read_blob: Callable[[str], bytes]) -> dict[str, bytes | None]:
        """What a person made of the files of a commit: path -> bytes, None where the file is gone.

        Line ends follow the commit's: an editor that changes them all has changed nothing, and one
        line that differs is one line. What cannot be read as a file (a symlink) counts as unchanged.
        """
        now = self.scan()
        here = now.blobs()
        found: dict[str, bytes | None] = {}
        for path in sorted(here.keys() | blobs.keys()):
            before, after = blobs.get(path), here.get(path)
            if before in (after, self._unix.get(path)) or _hidden(path, now.problems()):
                continue
            if after is None:
                found[path] = None
                continue
            data = now.read(path)
            base = read_blob(before) if before else None
            if base is None or not same_words(data, base):
                found[path] = like(data, base)
        return found

    def _known(self, found: Scan) -> dict[str, tuple[str, str]]:
        return {
            path: (entry[1], entry[2])
            for path, stamp in found.stamps.items()
            if (entry := self._entries.get(path)) is not None and entry[0] == stamp
        }

    def _read(self, path: str, stamp: Stamp) -> tuple[str, str] | None:
        data = self.root.read(path)
        return None if data is None else (blob_id(data), blob_id(unix(data)))

    def _keep(self, found: Scan, ids: Mapping[str, tuple[str, str]], began: int) -> None:
        # Touched after this limit, a file could change once more and carry the same stamp.
        limit = began - _SLACK_NS
        entries = {
            path: (stamp, *ids[path])
            for path, stamp in found.stamps.items()
            if path in ids and max(stamp.mtime_ns, stamp.ctime_ns) < limit
        }
        if entries != self._entries:
            self._entries = entries
            _save(self._cache, entries)


_Entries = dict[str, tuple[Stamp, str, str]]


def _load(cache: Path) -> _Entries:
    try:
        held = json.loads(cache.read_bytes())
        if held["version"] != _VERSION:
            return {}
        return {path: (Stamp(*stamp), blob, lf) for path, (stamp, blob, lf) in held["files"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return {}


def _save(cache: Path, entries: _Entries) -> None:
    rows = {path: (list(asdict(stamp).values()), blob, lf) for path, (stamp, blob, lf) in entries.items()}
    try:
        files.make_folder(cache.parent)
        files.replace(cache, json.dumps({"version": _VERSION, "files": rows}).encode())
    except BrainError:
        # A cache that cannot be written costs time and nothing else.
        return


def _hidden(path: str, problems: Mapping[str, str]) -> bool:
    return any(path == problem or path.startswith(f"{problem}/") for problem in problems)


def unix(data: bytes) -> bytes:
    """With "\\n" line ends."""
    return data.replace(b"\r\n", b"\n")


def same_words(one: bytes, other: bytes) -> bool:
    """Whether two files differ in their line ends at most."""
    return unix(one) == unix(other)


def like(data: bytes, model: bytes | None) -> bytes:
    """`data` with the line ends of `model`, where that has one kind only; a new file stays as it is."""
    if model is None or b"\n" not in model:
        return data
    windows = model.count(b"\r\n")
    if windows == 0:
        return unix(data)
    if windows == model.count(b"\n"):
        return unix(data).replace(b"\n", b"\r\n")
    return data
