"""Which sessions have been read to their end: a cache, so that a night costs what is new.

It names contents (blob ids of transcript and summary), never folders: a session that grows, or a
summary that changes, is looked at again. Deleting the file loses nothing.
"""

from __future__ import annotations

from pathlib import Path

from brain import files
from brain.files import disk


def load(path: Path) -> set[str]:
    """Nothing where there is no such file, or none that can be read."""
    try:
        return set(disk.read(path).decode("ascii", "replace").splitlines())
    except OSError:
        return set()


def save(path: Path, finished: set[str]) -> None:
    files.make_folder(path.parent)
    files.replace(path, "".join(f"{key}\n" for key in sorted(finished)).encode())
