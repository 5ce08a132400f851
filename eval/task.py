"""What is asked of whom: samples, and the worlds in which their answers were said.

A world is one person's (or one pair's) history, and the unit that statistics resample. Nothing of a sample's gold
(answers, evidence, tags) ever reaches an agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from brain.errors import UsageError
from brain.model import Session

LABEL_ERROR = "label-error"
"""Tag of the samples whose gold is known to be wrong."""
ABSTAIN = "abstention"
"""Category of the questions whose right answer is that the memory does not hold it."""


class UnknownName(UsageError):
    """No data set, arm, agent or score is called so."""

    code = "eval-name"

    @classmethod
    def among(cls, what: str, name: str, known: Iterable[str]) -> UnknownName:
        return cls(f"no {what} is called {name!r}; nothing was run", "known: " + ", ".join(known))


class BadDataset(UsageError):
    """The files of a data set are not there, or not what they should be."""

    code = "eval-data"


@dataclass(frozen=True, slots=True)
class Sample:
    """One question with what is known of its answer."""

    id: str
    """Unique in its data set, and the same in every run."""
    question: str
    category: str
    answers: tuple[str, ...] = ()
    """Each of them is right; (): nothing right can be said (`ABSTAIN`), or the data set gives no short answer."""
    evidence: frozenset[str] = frozenset()
    """`<session id>#t3`, or `<session id>` where the data set names no turns."""
    stale: tuple[str, ...] = ()
    """What would have been right once and is no longer."""
    at: datetime | None = None
    """When it is asked; None: after everything."""
    after: int | None = None
    """So many of the world's sessions came before it; None: all."""
    distance: int | None = None
    """Sessions between the newest evidence and the question."""
    cluster: str = ""
    """What it stands or falls with, where that is less than the whole world."""
    tags: frozenset[str] = field(default_factory=frozenset)
    """`LABEL_ERROR`, and what else a data set marks."""


@dataclass(frozen=True, slots=True)
class World:
    """One history and what is asked of it."""

    id: str
    sessions: tuple[Session, ...]
    """In the order in which they happened."""
    samples: tuple[Sample, ...]
    person: str | None = None
    """Whose agent this is, where the data set has one."""
    timezone: str = "UTC"


class Dataset(Protocol):
    """A source of worlds; one file each under `datasets/`."""

    @property
    def name(self) -> str: ...
    def load(self, path: Path | None) -> Iterator[World]:
        """`path` is where its published files lie; None for what is generated. Raises: BadDataset."""
