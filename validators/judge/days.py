"""Does the claim put things into the time that the evidence gives them?

Each expression of time means days, reckoned from when its words were said; those of the claim must be, or hold, days
that the evidence names. Words of time that mean no days (ago, decade, a season) must have been said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from brain.language import reckon
from brain.language.dates import When, resolve, show
from brain.language.patterns import load
from brain.language.reckon import Range
from brain.language.rules import rules_for
from brain.language.words import fold, words
from brain.validators.judge.case import Case, Heard, find
from brain.validators.judge.reading import Row

_YEAR = re.compile(r"(?:19|20)\d\d")
_DAY = timedelta(days=1)
_MOSTLY = 0.6
"""Share of two spans that must be common for them to be one: "last week" told on a Sunday and on a Monday."""


def days(case: Case) -> str | None:
    """What is wrong with the time of the claim."""
    at = _said_at(case)
    whens = claimed(case)
    told = list(_told(case)) if whens else []
    for when in whens:
        written = fold(case.claim.text[when.start : when.end])
        if written in {fold(said) for _, said in told}:
            continue
        if not (_is_when_said(when, case) or any(_is_borne_out(when, other) for other, _ in told)):
            meant = f" ({show(when)})" if at and not when.is_absolute else ""
            return f"the evidence gives no “{written}”{meant}"
    return _unsaid(case, [range(when.start, when.end) for when in whens])


def claimed(case: Case) -> Sequence[When]:
    """The expressions of time in the claim, reckoned as if it had been written when its evidence was said."""
    return _read(case.claim.text, _said_at(case), case.asked.zone)


def _said_at(case: Case) -> datetime | None:
    return next((heard.spoken.time for heard in case.cited if heard.spoken.time), None)


def _told(case: Case) -> Iterator[tuple[When, str]]:
    """What the cited turns say of time; before them it counts where the sentence speaks of the same."""
    cited = [found for heard in case.cited for row in heard.rows for found in _whens(heard, row, case)]
    if cited:
        return iter(cited)
    rows = ((heard, row) for heard in case.context for row in heard.rows if _speaks_of(row, case))
    return (found for heard, row in rows for found in _whens(heard, row, case))


def _speaks_of(row: Row, case: Case) -> bool:
    return any(term.key not in case.lexicon.light and find(term, row.terms, case.lexicon) for term in case.content())


def _whens(heard: Heard, row: Row, case: Case) -> Iterator[tuple[When, str]]:
    """The expressions of a sentence, and their words; read alone, as whoever writes a claim reads it."""
    for when in _read(row.text, heard.spoken.time, case.asked.zone):
        yield when, row.text[when.start : when.end]


def _read(text: str, at: datetime | None, zone: ZoneInfo) -> Sequence[When]:
    """The expressions of time in a text, whole months and years by their number among them."""
    found = resolve(text, at, zone, foreign=False)
    return sorted([*found, *_numbered(text, found)], key=lambda when: when.start)


def _numbered(text: str, known: Sequence[When]) -> Iterator[When]:
    """`September 2026` and `2026`, outside the expressions that are known."""
    months = load(rules_for(text).code).tables["month"]
    row = words(text)
    for before, word in zip((None, *row), row, strict=False):
        if _YEAR.fullmatch(word.low) and not any(when.start <= word.start < when.end for when in known):
            month = months.get(before.low) if before else None
            first = date(int(word.low), 1 if month is None else month + 1, 1)
            last = reckon.period(first, "year" if month is None else "month", 0)[0][1]
            start = word.start if month is None or before is None else before.start
            yield When(start, word.end, ((first, last),), is_absolute=True)


def _is_when_said(claimed: When, case: Case) -> bool:
    """A date that the words themselves have: "now", said in September, is September."""
    days = [heard.spoken.time.astimezone(case.asked.zone).date() for heard in case.cited if heard.spoken.time]
    return claimed.is_absolute and any(first <= day <= last for first, last in claimed.days for day in days)


def _is_borne_out(claimed: When, told: When) -> bool:
    return any(_holds(mine, theirs) for mine in claimed.days for theirs in told.days)


def _holds(claimed: Range, told: Range) -> bool:
    """True where the claim says no more than was said."""
    if claimed[0] <= told[0] and told[1] <= claimed[1]:
        return True
    common = min(claimed[1], told[1]) - max(claimed[0], told[0]) + _DAY
    whole = max(claimed[1], told[1]) - min(claimed[0], told[0]) + _DAY
    return common / whole >= _MOSTLY


def _unsaid(case: Case, resolved: Sequence[range]) -> str | None:
    """A word of time outside all days that nobody has said."""
    said = {term.key for heard in case.everything for term in heard.reading.terms}
    for term in case.claim.terms:
        is_time = term.key in case.lexicon.times and not any(term.start in place for place in resolved)
        if is_time and said.isdisjoint(case.lexicon.kin.get(term.key, frozenset()) | {term.key}):
            return f"nobody speaks of “{term.low}” in the evidence"
    return None
