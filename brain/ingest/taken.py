"""What a run of ingest has seen and taken in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brain.ingest.catalogue import Known
from brain.ingest.reading import Format
from brain.ingest.source import Skipped


@dataclass(frozen=True, slots=True)
class Taken:
    """A session that a source of this run holds."""

    known: Known
    format: str
    new_turns: int
    """That no transcript held before this run."""
    is_new: bool
    has_changed: bool


@dataclass(frozen=True, slots=True)
class IngestResult:
    sessions: tuple[Taken, ...]
    skipped: tuple[Skipped, ...]
    secrets: Mapping[str, int]
    """Kind -> how many were taken out of what came in."""
    commits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look at a source has shown."""

    format_: Format | None = None
    """None: no format takes it."""
    key: str = ""
    stored: list[Known] | None = None
    """Its sessions, where it has been read before."""
    is_empty: bool = False
    error: OSError | None = None
