"""Does the claim put things into the time that the evidence gives them?

Each expression of time means days, reckoned from when its words were said; those of the claim must be, or hold, days
that the evidence names. Words of time that mean no days (ago, decade, a season) must have been said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from brain.language.dates import When, resolve, show
from brain.language.reckon import Range
from brain.language.words import fold
from brain.validators.judge.case import Case, Heard, find
from brain.validators.judge.reading import Term

_DAY = timedelta(days=1)
_MOSTLY = 0.6
"""Share of two spans that must be common for them to be one: "last week" told on a Sunday and on a Monday."""


def days(case: Case) -> str | None:
    """What is wrong with the time of the claim."""
    at = _said_at(case)
    whens = claimed(case)
    told = list(_told(case)) if whens else []
    for when in whens:
        words = fold(case.claim.text[when.start : when.end])
        if words in {fold(said) for _, said in told}:
            continue
        if not any(_is_borne_out(when, other) for other, _ in told):
            meant = f" ({show(when)})" if at and not when.is_absolute else ""
            return f"the evidence gives no “{words}”{meant}"
    return _unsaid(case, [range(when.start, when.end) for when in whens])


def claimed(case: Case) -> Sequence[When]:
    """The expressions of time in the claim, reckoned as if it had been written when its evidence was said."""
    return resolve(case.claim.text, _said_at(case), case.asked.zone, foreign=False)


def _said_at(case: Case) -> datetime | None:
    return next((heard.spoken.time for heard in case.cited if heard.spoken.time), None)


def _told(case: Case) -> Iterator[tuple[When, str]]:
    """What the cited turns say of time; before them it counts where the sentence speaks of the same."""
    cited = [(when, heard) for heard in case.cited for when in _whens(heard, case)]
    before = [] if cited else [(when, heard) for heard in case.context for when in _whens(heard, case)]
    for when, heard in cited:
        yield when, heard.reading.text[when.start : when.end]
    for when, heard in before:
        if any(_speaks_of(heard, term, case) for term in case.content()):
            yield when, heard.reading.text[when.start : when.end]


def _speaks_of(heard: Heard, term: Term, case: Case) -> bool:
    return term.key not in case.lexicon.light and bool(find(term, heard.reading.terms, case.lexicon))


def _whens(heard: Heard, case: Case) -> Sequence[When]:
    return resolve(heard.reading.text, heard.spoken.time, case.asked.zone, foreign=False)


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
