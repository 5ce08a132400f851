"""What a format gives back: sessions that may be kept, and what it had to leave out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path

from brain.ingest.pieces import BadLine, load_object
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Talk
from brain.model import Session

UNFINISHED = "the last line is not finished; it is left for later"


@dataclass(frozen=True, slots=True)
class Draft:
    """One session as its source tells it now; the tree decides what of it is new."""

    session: Session
    attachments: Mapping[str, bytes] = field(default_factory=dict)
    day: date | datetime | None = None
    """The day that the source gives for the whole, for a session whose turns have no time."""
    notes: Mapping[str, int] = field(default_factory=dict)
    """What was cut or left out, in words, and how often."""
    folder: str = ""
    """The working folder, for settings that leave projects out; it is not kept."""
    remote: str = ""
    """Address of the repository worked in, where the source tells it."""
    key: str = ""
    """Of the source that it was read from, set by the run."""
    is_incognito: bool = False
    """The source marks it as not to be remembered: it is read, and left out unless somebody asks for it."""


Rows = Callable[[sqlite3.Connection], Iterator[Draft | Skipped]]
Read = Callable[[Input], Iterator[Draft | Skipped]]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write transcripts down; a line of `FORMATS`."""

    name: str
    detect: Callable[[bytes, str], str]
    """(first bytes, file name) -> "" where it is this format, else why not, in a few words."""
    read: Read
    by_line: bool = False
    """True: a file grows by whole lines, and what stands behind the last line end waits."""
    state: Callable[[Input], str] | None = None
    """Changes whenever there is more to read, for a source that is more than the bytes of its file."""
    is_part: Callable[[Path], bool] | None = None
    """Whether a file belongs to another source, which is read together with it: it is no source itself."""
    place: Callable[[Input], str] | None = None
    """"" or why a source is none of it by where it lies, for what only looks like it."""

    def key(self, source: Input) -> str:
        """The name by which a source is remembered as read."""
        if self.state:
            return f"{self.name} {self.state(source)}"
        return f"{self.name} {source.sha256_of_lines if self.by_line else source.state}"


def draft(
    session: Session,
    talk: Talk,
    day: date | datetime | None = None,
    folder: str = "",
    *,
    is_incognito: bool = False,
) -> Draft:
    """A draft from a session without turns and the talk that has them."""
    whole = replace(session, turns=talk.turns, started=talk.started, ended=talk.ended)
    return Draft(whole, talk.attachments, day, talk.notes, folder, is_incognito=is_incognito)


def too_large(source: Input, most: int, what: str = "a text") -> Skipped | None:
    """What is said of a source that has to be read as a whole and has more bytes than that."""
    if source.size <= most:
        return None
    return Skipped(source.name, None, f"{what} of more than {most >> 20} MB; it was not read")


def of_database(source: Input, read: Rows) -> Iterator[Draft | Skipped]:
    """What `read` finds in a SQLite file; where SQLite gives up, that is told."""
    try:
        with source.database() as database:
            yield from read(database)
    except (sqlite3.Error, UnicodeError) as error:
        yield Skipped(source.name, None, f"SQLite could not read it: {error}")


def objects(source: Input) -> Iterator[tuple[int, dict[str, object]] | Skipped]:
    """The JSON object of every line with the line's number; a line that holds none is skipped, with the reason."""
    for line in source.lines():
        try:
            yield line.number, load_object(line.data)
        except BadLine as error:
            yield Skipped(source.name, line.number, str(error) if line.whole else UNFINISHED)


def first_objects(head: bytes, count: int = 20) -> list[dict[str, object]]:
    """What of the first whole lines are JSON objects, to know a format by."""
    found = []
    for line in head.split(b"\n")[:count]:
        try:
            found.append(load_object(line))
        except BadLine:
            continue
    return found
