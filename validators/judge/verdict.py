"""The question put to a judge, and the answer.

Invariant: only `SUPPORTED` lets a claim through; a judge that cannot tell says `UNCLEAR`, and that is no yes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from zoneinfo import ZoneInfo


class Ruling(StrEnum):
    SUPPORTED = "supported"
    NOT_SUPPORTED = "not supported"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words of one turn, or of one tool result in it."""

    text: str
    speaker: str | None = None
    time: datetime | None = None
    """Aware; None: nobody knows, so words such as "yesterday" mean no day."""
    is_told: bool = False
    """Not somebody's own talk (a document, a web page, a tool result): "I" in it is nobody who is known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim and what it rests on."""

    claim: str
    cited: tuple[Spoken, ...]
    context: tuple[Spoken, ...] = ()
    """Turns shortly before the cited ones: they say what "it" and "yes" mean, and bear nothing out alone."""
    people: frozenset[str] = field(default_factory=frozenset)
    """Who else is known to take part in the talk, by name."""
    names: frozenset[str] = field(default_factory=frozenset)
    """Names by which the memory knows somebody whom the evidence names in another way: Ilya is Ilya Brandt."""
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    """Where the days of the talk begin."""

    @property
    def speakers(self) -> frozenset[str]:
        """Everybody who speaks in it, or is known to take part."""
        return self.people | named(self.cited) | named(self.context)


@dataclass(frozen=True, slots=True)
class Verdict:
    ruling: Ruling
    reason: str
    """In words, for a person; says what was missing or what spoke against it."""
    span: str | None = None
    """The words of the evidence that come nearest, exactly as they stand there."""

    @property
    def is_supported(self) -> bool:
        return self.ruling is Ruling.SUPPORTED


class Judge(Protocol):
    """Same question, same answer."""

    def judge(self, asked: Asked) -> Verdict:
        """Whether the claim follows from what it cites."""

    def contradicts(self, asked: Asked, other: str) -> str | None:
        """Why the claim and another statement about the same subject cannot both hold; None where they can."""


def named(spoken: Iterable[Spoken]) -> frozenset[str]:
    """The speakers who have a name."""
    return frozenset(one.speaker for one in spoken if one.speaker)
