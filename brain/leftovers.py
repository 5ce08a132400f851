"""What runs that died have left behind."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from brain.git import Git
from brain.journal import Move


def empty(folder: Path) -> None:
    """Remove everything in a folder of scratch files."""
    with contextlib.suppress(OSError):
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


def sweep_refs(git: Git, move: Move) -> None:
    """Remove the locks on refs that a git of this move has left."""
