"""What runs that died have left behind, and taking it away: for the one who holds the store's lock.

Only what is Brain's own goes: scratch files, staged trees that nobody holds, locks that carry what
the journal says was to be written, and temporary objects while no git is at work here.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from brain import files
from brain.files.locks import is_free
from brain.git import Git, Place, pack
from brain.git.line import locked
from brain.store import indexlock
from brain.store.journal import Move

SCRATCH = "tmp"
STAGED = "staged"
ALIVE = ".alive"
"""In a staged tree: the file that its dream holds locked."""

_PATIENT = 60.0
"""Seconds after which a lock is dead where the processes of the machine cannot be seen."""


def dead_staged(home: Path) -> tuple[Path, ...]:
    """Staged trees whose dream is gone."""
    folder = home / STAGED
    with contextlib.suppress(OSError):
        return tuple(sorted(entry for entry in folder.iterdir() if is_free(entry / ALIVE)))
    return ()


def has_scratch(home: Path) -> bool:
    with contextlib.suppress(OSError):
        return any((home / SCRATCH).iterdir())
    return False


def dead_files(home: Path) -> list[Path]:
    """Temporary files that were to become one of Brain's own, in .brain/ and the folders in it."""
    found: list[Path] = []
    with contextlib.suppress(OSError):
        folders = [home, *(entry for entry in home.iterdir() if entry.is_dir() and not entry.is_symlink())]
        for folder in folders:
            found += (path for path in folder.glob(f"{files.TEMPORARY}*") if files.is_dead(path.name))
    return found


def sweep(home: Path) -> list[str]:
    """Remove scratch files and dead staged trees; what went, in words."""
    notes = []
    dead = dead_files(home)
    if dead or has_scratch(home):
        empty(home / SCRATCH)
        for path in dead:
            remove(path)
        notes.append("Removed the scratch files of a run that died.")
    for folder in dead_staged(home):
        remove(folder)
        notes.append(f"Removed the staged tree of {folder.name}, a run that died; nothing of it was in main.")
    return notes


def empty(folder: Path) -> None:
    """Remove everything in a folder of scratch files."""
    with contextlib.suppress(OSError):
        for entry in folder.iterdir():
            remove(entry)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it; a symlink goes itself."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def sweep_git(git: Git, move: Move | None) -> None:
    """Remove what a git that died here has left: locks of this move, our index lock, temporary objects.

    Raises: Locked where a lock may be one of this move's while a git is at work that may hold it.
    """
    place = git.place
    indexlock.sweep(git)
    busy = gits_at_work(place)
    for lock in _locks(place, move) if move is not None else ():
        if busy or (busy is None and _age(lock) < _PATIENT):
            raise locked(lock)
        files.remove(lock)
    if not busy:
        for pattern in ("objects/??/tmp_obj_*", "objects/tmp_obj_*", "objects/pack/tmp_*", "fast_import_crash_*"):
            for left in place.common_dir.glob(pattern):
                remove(left)
        for kept in (place.common_dir / "objects" / "pack").glob("*.keep"):
            if pack.KEPT_BY.startswith(kept.read_bytes()):
                remove(kept)


def _locks(place: Place, move: Move) -> Iterator[Path]:
    """Locks that a git of this move may have left: they hold what was to be written, or the start of it."""
    for lock in (place.common_dir / f"{move.ref}.lock", place.git_dir / "HEAD.lock"):
        with contextlib.suppress(OSError):
            if f"{move.new}\n".encode().startswith(lock.read_bytes()):
                yield lock


def _age(lock: Path) -> float:
    try:
        return time.time() - lock.stat().st_mtime
    except OSError:
        return _PATIENT


def gits_at_work(place: Place) -> list[int] | None:
    """Process ids of gits that may be writing in this repository; None where they cannot be seen."""
    if not Path("/proc/self/cwd").exists():
        return None
    homes = tuple(f"{os.path.realpath(folder)}/" for folder in {place.work_tree, place.git_dir, place.common_dir})
    return [pid for pid in _processes() if _is_writer(pid, homes)]


def _processes() -> Iterable[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _is_writer(pid: int, homes: tuple[str, ...]) -> bool:
    process = Path("/proc", str(pid))
    try:
        name = (process / "comm").read_text(encoding="utf-8", errors="replace")
        if not name.startswith("git"):
            return False
        # Brain's own readers stay for as long as their command runs, and write nothing.
        line = (process / "cmdline").read_bytes().split(b"\0")
        return b"cat-file" not in line and f"{(process / 'cwd').readlink()}/".startswith(homes)
    except OSError:
        return False
