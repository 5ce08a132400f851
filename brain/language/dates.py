"""Expressions of time in a text, and the days they mean.

Invariants: everything is reckoned from the time the words were said, in the zone of the memory, never from now; without
that time nothing is invented; words that fit two days keep both. English and Russian are read by the patterns of the
data files, absolute dates of other languages by dateparser, on spans that hold a number and a name alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from brain.language import reckon
from brain.language.patterns import Pattern, load
from brain.language.reckon import Range, Tense
from brain.language.rules import Rules, is_known, rules_for
from brain.language.words import fold, words

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d\d)-(\d\d)(?![\d-])")
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d\d)(?![\d./-])")
_FOREIGN = re.compile(r"(?<!\w)\d{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,12}\.?(?:\s+(?:de\s+)?\d{4})?(?!\w)")
_CLAUSE_LENGTH = 120
_LITTLE = 3
_CLAUSE = re.compile(r"[,;:—–]|\band\b|\bbut\b|\bи\b|\bа\b")


@dataclass(frozen=True, slots=True)
class When:
    """One expression of time; offsets into the text it stands in."""

    start: int
    end: int
    days: tuple[Range, ...]
    """First and last day of what it may mean; empty: unknown, for want of a time to reckon from."""
    is_absolute: bool = False
    """The words give the whole date themselves."""


def resolve(text: str, at: datetime | None, zone: tzinfo, *, foreign: bool = True) -> tuple[When, ...]:
    """The expressions of time in a text said at `at`, in order, none within another.

    Those of languages without a data file of their own cost half a second for each new one; `foreign` False leaves
    them out.
    """
    day = None if at is None else at.astimezone(zone).date()
    rules = rules_for(text)
    found = [*_absolute(text)]
    if load(rules.code).is_triggered(words(text)):
        found += _relative(text, day, rules)
    if foreign and not is_known(text):
        found += _foreign(text, day)
    return tuple(_longest(found))


def annotate(text: str, at: datetime | None, zone: ZoneInfo) -> str:
    """The text with the day worked out beside each expression: `next Friday (2026-09-18)`."""
    pieces, last = [], 0
    for when in resolve(text, at, zone):
        if not when.is_absolute:
            pieces += [text[last : when.end], f" ({show(when)})"]
            last = when.end
    return "".join([*pieces, text[last:]])


def show(when: When) -> str:
    """`2026-09-18`, `2026-09-07 – 2026-09-13`, `2026-08`, `2026-09-18 or 2026-09-25`, `date unknown`."""
    return " or ".join(_shown(r) for r in when.days) or "date unknown"


def _shown(found: Range) -> str:
    first, last = found
    if first == last:
        return first.isoformat()
    if first.day == 1 and reckon.is_month_end(last):
        if (first.month, last.month, first.year) == (1, 12, last.year):
            return f"{first.year:04d}"
        whole = f"{first:%Y-%m}"
        return whole if first.month == last.month and first.year == last.year else f"{whole} – {last:%Y-%m}"
    return f"{first.isoformat()} – {last.isoformat()}"


def _longest(found: list[When]) -> Iterator[When]:
    """Of overlapping expressions the longest, then the first."""
    taken: list[When] = []
    covered = bytearray(max((when.end for when in found), default=0))
    for when in sorted(found, key=lambda w: (w.start - w.end, w.start)):
        if not any(covered[when.start : when.end]):
            taken.append(when)
            covered[when.start : when.end] = b"\1" * (when.end - when.start)
    return iter(sorted(taken, key=lambda w: w.start))


def _absolute(text: str) -> Iterator[When]:
    for match in _ISO.finditer(text):
        if found := _day(*(int(part) for part in match.groups())):
            yield When(*match.span(), ((found, found),), is_absolute=True)
    for match in _NUMERIC.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        year += 2000 if year < 100 else 0
        readings = {_day(year, second, first), _day(year, first, second) if match[2] == "/" else None}
        days = tuple((d, d) for d in sorted(d for d in readings if d))
        if days:
            yield When(*match.span(), days, is_absolute=len(days) == 1)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _relative(text: str, at: date | None, rules: Rules) -> Iterator[When]:
    folded = fold(text)
    cues = rules.cues(words(text))
    for pattern in load(rules.code).patterns:
        for match in pattern.expression.finditer(folded):
            if match.groupdict().get("year"):
                yield from _dated(match, load(rules.code).tables)
            elif "recurring" not in cues:
                tense = _tense(folded, match, rules, cues) or "open"
                days = _reckoned(pattern, match, load(rules.code).tables, at, tense)
                if days is not None:
                    yield When(*match.span(), days)


def _dated(match: re.Match[str], tables: Mapping[str, Mapping[str, int]]) -> Iterator[When]:
    found = _day(int(match["year"]), tables["month"][match["month"]] + 1, int(match["day"]))
    if found:
        yield When(*match.span(), ((found, found),), is_absolute=True)


def _tense(text: str, match: re.Match[str], rules: Rules, cues: frozenset[str]) -> Tense | None:
    """Of the clause that holds the expression; of the sentence where that clause holds little else."""
    begin, end = max(0, match.start() - _CLAUSE_LENGTH), min(len(text), match.end() + _CLAUSE_LENGTH)
    first = max((m.end() for m in _CLAUSE.finditer(text, begin, match.start())), default=begin)
    after = _CLAUSE.search(text, match.end(), end)
    row = words(text[first : after.start() if after else end])
    little = len(row) - len(words(match.group())) < _LITTLE
    return _tense_of(rules.phrases.find(row, 0)) or (_tense_of(cues) if little else None)


def _tense_of(cues: frozenset[str]) -> Tense | None:
    if ("past" in cues) == ("future" in cues):
        return None
    return "past" if "past" in cues else "future"


def _reckoned(
    pattern: Pattern, match: re.Match[str], tables: Mapping[str, Mapping[str, int]], at: date | None, tense: Tense
) -> tuple[Range, ...] | None:
    """The days; () without a day to reckon from; None where the words mean no day after all."""
    if at is None:
        return ()
    try:
        return _KINDS[pattern.kind](_Asked(pattern, match, tables), at, tense) or None
    except (OverflowError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A match, with its words looked up in the tables of its language."""

    pattern: Pattern
    match: re.Match[str]
    tables: Mapping[str, Mapping[str, int]]

    def number(self, name: str) -> int:
        word = self.match[name]
        return int(word) if word.isdigit() else self.tables[name][word]

    @property
    def unit(self) -> str:
        return _UNITS[self.tables["unit"][self.match["unit"]]]


_UNITS = ("day", "week", "fortnight", "month", "quarter", "year")


def _fixed(asked: _Asked, at: date, tense: Tense) -> tuple[Range, ...]:
    return reckon.date_without_year(at, asked.pattern.month, asked.pattern.day, tense)


_KINDS: Mapping[str, Callable[[_Asked, date, Tense], tuple[Range, ...]]] = {
    "offset": lambda a, at, _: reckon.day(at, a.pattern.days),
    "count": lambda a, at, _: reckon.count(at, a.unit, a.pattern.sign * a.number("n")),
    "one": lambda a, at, _: reckon.count(at, a.unit, a.pattern.sign),
    "span": lambda a, at, _: reckon.span(at, a.unit, a.pattern.sign * a.number("n")),
    "weekday": lambda a, at, tense: reckon.weekday(at, a.number("weekday"), a.pattern.which, tense),
    "weekdays ago": lambda a, at, _: reckon.day(
        reckon.weekday(at, a.number("weekday"), "plain", "past")[0][0], -7 * (a.number("n") - 1)
    ),
    "weekend": lambda a, at, tense: reckon.weekend(at, a.pattern.which, tense),
    "period": lambda a, at, _: reckon.period(at, a.unit, a.pattern.step),
    "end of period": lambda a, at, _: reckon.last_day(reckon.period(at, a.unit, a.pattern.step)),
    "season": lambda a, at, tense: reckon.season(at, a.number("season"), a.pattern.step, tense),
    "month": lambda a, at, tense: reckon.month(at, a.number("month") + 1, a.pattern.which, tense),
    "end of month": lambda a, at, tense: reckon.last_day(reckon.month(at, a.number("month") + 1, "plain", tense)),
    "date": lambda a, at, tense: reckon.date_without_year(at, a.number("month") + 1, a.number("day"), tense),
    "day of month": lambda a, at, tense: reckon.day_of_month(at, a.number("day"), tense),
    "fixed": _fixed,
}


def _foreign(text: str, at: date | None) -> Iterator[When]:
    for match in _FOREIGN.finditer(text):
        found = _parsed(match.group(), at)
        if found:
            is_absolute = match.group()[-1].isdigit()
            yield When(*match.span(), ((found, found),), is_absolute)


@lru_cache(maxsize=1024)
def _parsed(words_: str, at: date | None) -> date | None:
    import dateparser

    base = datetime(2000, 1, 1) if at is None else datetime(at.year, at.month, at.day)
    settings: Any = {"RELATIVE_BASE": base, "STRICT_PARSING": at is None, "REQUIRE_PARTS": ["day", "month"]}
    found = dateparser.parse(words_, settings=settings)
    return found.date() if found else None
