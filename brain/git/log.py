"""What a log says of a commit, and how it is asked for and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_TRAILER = "%(trailers:key={},valueonly,separator=%x20)"
_FIELDS = ("%H", "%P", "%aI", "%an", "%s", _TRAILER.format("Brain-Command"), _TRAILER.format("Brain-Id"))
FORMAT = "%x00".join(_FIELDS)


@dataclass(frozen=True, slots=True)
class Entry:
    """One commit of a log."""

    commit: str
    parents: tuple[str, ...]
    date: datetime
    author: str
    subject: str
    command: str
    """Of its Brain-Command trailer; "" where a person committed by hand."""
    run_id: str


def parse(out: bytes) -> list[Entry]:
    """The entries of `git log -z --format=FORMAT`."""
    values, size = out.decode("utf-8", "replace").split("\0"), len(_FIELDS)
    return [_entry(values[at : at + size]) for at in range(0, len(values) - size + 1, size)]


def _entry(values: Sequence[str]) -> Entry:
    commit, parents, date, author, subject, command, run_id = values
    time = datetime.fromisoformat(date)
    return Entry(commit, tuple(parents.split()), time, author, subject, command.strip(), run_id.strip())
