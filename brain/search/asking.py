"""What a question asks for: a what, when, who, how or a preference; what holds now; the days that it names.

Invariant: a guess that is wrong moves weights and never hides a passage.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache
from importlib import resources

from brain.language.words import words

_ONE_SENTENCE = 25
"""Words beyond which somebody tells more than they ask."""


class Intent(StrEnum):
    WHAT = "what"
    WHEN = "when"
    WHO = "who"
    HOW = "how"
    PREFERS = "prefers"


@dataclass(frozen=True, slots=True)
class Asking:
    """One question, understood as far as it has to be."""

    intent: Intent = Intent.WHAT
    now: bool = False
    """It asks for what holds today."""
    days: tuple[date, date] | None = None
    """First and last day that it speaks of."""
    rest: str = ""
    """The question without the words for those days."""
    text: str = ""
    """The question as it stands."""
    own: bool = False
    """It asks, in one sentence, of the asker: I, my."""


def names_time(text: str) -> bool:
    """Whether a text may speak of a day; working that out takes time."""
    return any(c.isdigit() for c in text) or _has([word.low for word in words(text)], "time")


def asking(text: str, now: datetime | None) -> Asking:
    """`now`: what "last week" is reckoned from; without it only whole dates are understood."""
    row = [word.low for word in words(text)]
    days, rest = _days(text, now) if names_time(text) else (None, text)
    # In this order: "how long" asks when, "what does she like" asks what she prefers.
    order = (Intent.PREFERS, Intent.WHEN, Intent.WHO, Intent.HOW)
    intent = next((one for one in order if _has(row, one.value)), Intent.WHAT)
    own = len(row) <= _ONE_SENTENCE and _has(row, "own")
    return Asking(intent, _has(row, "now"), days, rest, text, own)


def _days(text: str, now: datetime | None) -> tuple[tuple[date, date] | None, str]:
    """The days from the first to the last that the text names, and what else it says."""
    from brain.language.dates import resolve

    found = [when for when in resolve(text, now, UTC, foreign=False) if when.days]
    if not found:
        return None, text
    rest, last = [], 0
    for when in found:
        rest.append(text[last : when.start])
        last = when.end
    ranges = [span for when in found for span in when.days]
    return (min(first for first, _ in ranges), max(end for _, end in ranges)), " ".join((*rest, text[last:]))


def _has(row: Sequence[str], name: str) -> bool:
    exact, beginnings = _lists()[name]
    return any(word in exact or word.startswith(beginnings) for word in row)


@lru_cache
def _lists() -> Mapping[str, tuple[frozenset[str], tuple[str, ...]]]:
    """Name -> whole words, beginnings of words."""
    read = tomllib.loads(resources.files("brain.search").joinpath("asks.toml").read_text("utf-8"))
    given = {name: text.split() for name, text in read.items()}
    return {
        name: (
            frozenset(word for word in found if not word.endswith("*")),
            tuple(word[:-1] for word in found if word.endswith("*")),
        )
        for name, found in given.items()
    }
