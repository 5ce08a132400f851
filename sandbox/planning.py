"""A need in words -> what to search for: the whole of it, its parts, the names, literal words and dates in it.

The same need gives the same queries. A planner is any function of this form; one that asks a model would be another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from textwrap import shorten
from zoneinfo import ZoneInfo

from brain.language import dates, mentions, sentences
from brain.language.rules import rules_for
from brain.language.words import words
from brain.model import Audience

BUDGET = 100_000
"""Characters that one need may bring: they lie on the disk, and are read with `grep`."""

_JOINTS = re.compile(r"[;:?!]\s|,\s+(?:and|or|but|и|или|а|но)\s|\s(?:and|as well as|и|а также)\s", re.IGNORECASE)
_LITERAL = re.compile(
    r"`([^`\n]{2,80})`|“([^“”\n]{2,80})”|«([^«»\n]{2,80})»|\"([^\"\n]{2,80})\""
    r"|(?<!\S)(--?[A-Za-z][\w-]+)|(?<!\w)([\w.-]+/[\w./-]+|\w+_\w+|[A-Za-zА-Яа-я]+-?\d[\w.-]*|\w+\.[a-z]{1,4})(?!\w)"
)
NAMED = 0.6
"""What a hit of a name alone counts beside one of the whole need."""
_UTC = ZoneInfo("UTC")
_LEAST_WORDS = 3
_MOST = 16


@dataclass(frozen=True, slots=True)
class Need:
    """What somebody wants to know or do, in their words."""

    text: str
    budget: int = BUDGET
    audience: Audience = Audience.TRUSTED
    now: datetime | None = None
    """What "last week" is reckoned from; None: such words count as words alone."""
    zone: ZoneInfo = _UTC


@dataclass(frozen=True, slots=True)
class Query:
    """One search."""

    text: str
    why: str = ""
    """Of what it finds, in words; "" for the whole need."""
    weight: float = 1.0
    """What a hit of it counts beside one of the whole need."""
    since: date | None = None
    until: date | None = None


Planner = Callable[[Need], tuple[Query, ...]]


def plan(need: Need) -> tuple[Query, ...]:
    """The queries, the whole need first; none twice."""
    whole = Query(need.text)
    found = [whole, *_parts(need.text), *_literals(need.text), *_names(need.text), *_times(need)]
    once: dict[tuple[str, date | None], Query] = {}
    for query in found:
        once.setdefault((query.text.casefold(), query.since), query)
    return tuple(once.values())[:_MOST]


def _parts(text: str) -> Iterator[Query]:
    for sentence in sentences.sentences(text):
        pieces = [piece.strip() for piece in _JOINTS.split(sentence.text)]
        for piece in {sentence.text: None, **dict.fromkeys(pieces)}:
            if len(words(piece)) >= _LEAST_WORDS:
                yield Query(piece, f"answers “{shorten(piece, 60, placeholder=' …')}”", 0.8)


def _literals(text: str) -> Iterator[Query]:
    for match in _LITERAL.finditer(text):
        literal = next(group for group in match.groups() if group)
        yield Query(literal, f"holds `{literal}`", 0.8)


def _names(text: str) -> Iterator[Query]:
    return (Query(name, f"names {name}", NAMED) for name in names(text))


def names(text: str) -> Iterator[str]:
    """The names in a text, as they are written there."""
    rules = rules_for(text)
    for sentence in sentences.sentences(text):
        row = words(sentence.text)
        for mention in mentions.mentions(sentence.text, row, rules, lambda _row, _at: 0):
            yield mention.name


def _times(need: Need) -> Iterator[Query]:
    for when in dates.resolve(need.text, need.now, need.zone):
        for first, last in when.days:
            words_ = need.text[when.start : when.end]
            yield Query(need.text, f"of “{words_}”", 0.7, first, last)
