"""What is true in a world, from when until when, and which turn says so: the key against which tests hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Statement:
    """A beat as it was said."""

    story: str
    beat: int
    place: str
    """`<session id>#t3`: the person's turn."""
    reply: str
    """The agent's."""
    at: datetime
    is_near: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """One state of something that changes."""

    story: str
    forms: tuple[str, ...]
    since: datetime
    until: datetime | None
    place: str


@dataclass(frozen=True, slots=True)
class Gold:
    """How the answer of one sample is known."""

    story: str
    parts: tuple[tuple[str, ...] | date, ...]
    """What it is made of: words in one of these forms, days; each is said in the evidence."""
    never: tuple[tuple[str, str], ...]
    """Of an abstention: no turn holds both."""
    is_changing: bool
    """Whether a `Fact` of the story is its answer."""


@dataclass(frozen=True, slots=True)
class Ledger:
    statements: tuple[Statement, ...]
    facts: tuple[Fact, ...]
    gold: Mapping[str, Gold]
    """By sample."""
    drawn: Mapping[str, frozenset[str]]
    """Story -> values that nothing else in the world has."""

    def truth(self, story: str, at: datetime) -> Fact | None:
        """What of a changing thing was true then."""
        held = [fact for fact in self.facts if fact.story == story and fact.since <= at]
        return next((fact for fact in held if fact.until is None or at < fact.until), None)
