"""The patterns of time of one language, read from its data file and compiled."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from brain.language.words import Word, fold


@dataclass(frozen=True, slots=True)
class Pattern:
    expression: re.Pattern[str]
    """Over folded text; its groups are named after the tables."""
    kind: str
    which: str = ""
    days: int = 0
    sign: int = 1
    step: int = 0
    month: int = 0
    day: int = 0


@dataclass(frozen=True, slots=True)
class Patterns:
    patterns: tuple[Pattern, ...]
    tables: Mapping[str, Mapping[str, int]]
    """Word -> its place: weekday (Monday 0), month (January 0), season (spring 0), unit, n (counted from 1)."""
    triggers: frozenset[str]

    def is_triggered(self, row: Sequence[Word]) -> bool:
        """False when no pattern can match: none of its words is there."""
        return not self.triggers.isdisjoint(word.low for word in row)


@lru_cache
def load(code: str) -> Patterns:
    """The patterns of a language by its code."""
    dates = tomllib.loads(resources.files(__package__).joinpath(f"{code}.toml").read_text("utf-8"))["dates"]
    tables = {
        "weekday": _places(dates["weekdays"]),
        "month": _places(dates["months"]),
        "season": _places(dates["seasons"]),
        "unit": _places(
            dates["units"].get(name, "") for name in ("day", "week", "fortnight", "month", "quarter", "year")
        ),
        "n": {word: place + 1 for word, place in _places(dates["numbers"]).items()},
    }
    spans = {name: f"(?P<{name}>{_any(words)})" for name, words in tables.items()}
    spans |= {"day": r"(?P<day>[12]?\d|3[01])", "year": r"(?P<year>[12]\d{3})"}
    spans["n"] = rf"(?P<n>\d{{1,4}}|{_any(tables['n'])})"
    triggers = {word for name in ("weekday", "month", "season", "unit") for word in tables[name]}
    return Patterns(
        patterns=tuple(pattern for entry in dates["patterns"] for pattern in _compiled(entry, spans)),
        tables=tables,
        triggers=frozenset(triggers | set(dates["triggers"].split())) | _ordinals(),
    )


def _ordinals() -> frozenset[str]:
    ends = ("st", "nd", "rd", "th", "-го", "-му")
    return frozenset(f"{number}{end}" for number in range(1, 32) for end in ends)


def _places(rows: Any) -> dict[str, int]:
    return {fold(word): place for place, row in enumerate(rows) for word in row.split("|") if word}


def _any(words: Mapping[str, int]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w)))


def _compiled(entry: Mapping[str, Any], spans: Mapping[str, str]) -> Iterator[Pattern]:
    settings = {key: value for key, value in entry.items() if key != "match"}
    for row in entry["match"]:
        filled = row
        for name, span in spans.items():
            filled = filled.replace(f"{{{name}}}", span)
        yield Pattern(re.compile(rf"(?<![\w-])(?:{filled})(?!\w)"), **settings)
