"""The journal: one small file that says which move of main is under way.

It is on the disk before anything moves and gone when all of it is done; where it is found, a run
died in between, and what it says is enough to finish or to drop the move.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from brain import files

NAME = "journal"


@dataclass(frozen=True, slots=True)
class Move:
    """main from one commit to the next."""

    ref: str
    old: str | None
    new: str
    run_id: str


def begin(folder: Path, move: Move) -> None:
    files.replace(folder / NAME, json.dumps(asdict(move)).encode("utf-8"))


def end(folder: Path) -> None:
    files.remove(folder / NAME)


def exists(folder: Path) -> bool:
    return (folder / NAME).exists()


def pending(folder: Path) -> Move | None:
    """The move that was under way; None where there is none, or where the file says nothing.

    It is written whole or not at all, so one that cannot be read was never Brain's.
    """
    try:
        return Move(**json.loads((folder / NAME).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
