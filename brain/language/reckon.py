"""Reckoning with days: what "next Friday" or "last summer" is, seen from a day.

Pure arithmetic. An answer is a tuple of ranges: one where the words leave no doubt, two where they do.
Weeks begin on Monday, seasons are those of the northern half of the earth.
"""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import Literal

Range = tuple[date, date]
Tense = Literal["past", "future", "open"]
_WEEK = timedelta(days=7)


def day(at: date, days: int) -> tuple[Range, ...]:
    """A single day so many days from `at`."""
    found = at + timedelta(days=days)
    return ((found, found),)


def count(at: date, unit: str, number: int) -> tuple[Range, ...]:
    """`number` units from `at`: a day for days and weeks; the month or year for months and years."""
    match unit:
        case "day":
            return day(at, number)
        case "week":
            return day(at, 7 * number)
        case "fortnight":
            return day(at, 14 * number)
        case _:
            return period(at, unit, number)


def span(at: date, unit: str, number: int) -> tuple[Range, ...]:
    """From `at` to `number` units away, or from there to `at` where that lies behind."""
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    if days is None:
        months = {"month": 1, "quarter": 3, "year": 12}[unit] * number
        first = _month(at, months)
        there = first.replace(day=min(at.day, _length(first)))
    else:
        there = at + timedelta(days=days * number)
    return ((min(at, there), max(at, there)),)


def weekday(at: date, wanted: int, which: str, tense: Tense) -> tuple[Range, ...]:
    """A day of the week; `which` as the patterns of the data files name it."""
    monday = at - timedelta(days=at.weekday())
    coming = at + timedelta(days=(wanted - at.weekday() - 1) % 7 + 1)
    recent = coming - _WEEK if coming - _WEEK < at else coming - 2 * _WEEK
    match which:
        case "next":
            days = [coming, coming + _WEEK] if wanted > at.weekday() else [coming]
        case "last":
            days = [recent, recent - _WEEK] if wanted < at.weekday() else [recent]
        case "next week" | "last week" | "this week":
            shift = {"next week": 7, "last week": -7, "this week": 0}[which]
            days = [monday + timedelta(days=shift + wanted)]
        case "week after":
            days = [coming + _WEEK]
        case "this":
            days = [recent if tense == "past" else at if wanted == at.weekday() else coming]
        case _:
            days = {"past": [recent], "future": [coming], "open": [recent, coming]}[tense]
    return tuple((d, d) for d in sorted(days))


def weekend(at: date, which: str, tense: Tense) -> tuple[Range, ...]:
    """Saturday and Sunday."""
    this = at - timedelta(days=at.weekday()) + timedelta(days=5)
    within = at.weekday() >= 5
    match which:
        case "last":
            starts = [this - _WEEK]
        case "next":
            starts = [this + _WEEK] if within else [this, this + _WEEK]
        case "next week":
            starts = [this + _WEEK]
        case "plain" | "this" if tense == "past" and not within:
            starts = [this - _WEEK]
        case _:
            starts = [this]
    return tuple((start, start + timedelta(days=1)) for start in starts)


def period(at: date, unit: str, step: int) -> tuple[Range, ...]:
    """The whole week, month, quarter or year that lies `step` of its kind from the one that holds `at`."""
    match unit:
        case "day":
            return day(at, step)
        case "week" | "fortnight":
            monday = at - timedelta(days=at.weekday()) + step * _WEEK
            return ((monday, monday + timedelta(days=6)),)
        case "month":
            return (_whole(_month(at, step), 1),)
        case "quarter":
            return (_whole(_month(at.replace(month=(at.month - 1) // 3 * 3 + 1, day=1), 3 * step), 3),)
        case _:
            return (_whole(date(at.year + step, 1, 1), 12),)


def season(at: date, index: int, step: int, tense: Tense) -> tuple[Range, ...]:
    """A season (0 spring … 3 winter): the last that is over, the next that has not begun, or this year's."""
    starts = [date(at.year + shift, 3 + 3 * index, 1) for shift in (-2, -1, 0, 1, 2)]
    seasons = [_whole(start, 3) for start in starts]
    if step < 0:
        return (next(s for s in reversed(seasons) if s[1] < at),)
    if step > 0:
        return (next(s for s in seasons if s[0] > at),)
    return (_nearest(at, seasons, tense),)


def month(at: date, number: int, which: str, tense: Tense) -> tuple[Range, ...]:
    """A month by its name alone."""
    months = [_whole(date(at.year + shift, number, 1), 1) for shift in (-1, 0, 1)]
    if which == "last":
        return (next(m for m in reversed(months) if m[1] < at),)
    if which == "next":
        return (next(m for m in months if m[0] > at),)
    return (_nearest(at, months, tense),)


def date_without_year(at: date, number: int, day_of_month: int, tense: Tense) -> tuple[Range, ...]:
    """A day and a month, in the year that fits; none where no year has that day near."""
    days = []
    for shift in (-1, 0, 1):
        year = at.year + shift
        if day_of_month <= calendar.monthrange(year, number)[1]:
            days.append((date(year, number, day_of_month),) * 2)
    return (_nearest(at, days, tense),) if days else ()


def day_of_month(at: date, number: int, tense: Tense) -> tuple[Range, ...]:
    """ "On the 9th": of this month or the one that fits."""
    firsts = [_month(at, shift) for shift in (-2, -1, 0, 1, 2)]
    days = [(first.replace(day=number),) * 2 for first in firsts if number <= _length(first)]
    return (_nearest(at, days, "future" if tense == "open" else tense),) if days else ()


def last_day(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """The end of each range."""
    return tuple((end, end) for _, end in ranges)


def _nearest(at: date, ranges: list[Range], tense: Tense) -> Range:
    if tense == "past":
        ranges = [r for r in ranges if r[0] <= at] or ranges
    elif tense == "future":
        ranges = [r for r in ranges if r[1] >= at] or ranges
    return min(ranges, key=lambda r: (_distance(at, r), r[0]))


def _distance(at: date, found: Range) -> timedelta:
    if found[0] <= at <= found[1]:
        return timedelta()
    return min(abs(found[0] - at), abs(found[1] - at))


def _month(at: date, step: int) -> date:
    """The first day of the month `step` months away."""
    months = at.year * 12 + at.month - 1 + step
    return date(months // 12, months % 12 + 1, 1)


def _whole(first: date, months: int) -> Range:
    return first, _month(first, months) - timedelta(days=1)


def _length(first: date) -> int:
    return calendar.monthrange(first.year, first.month)[1]


def is_month_end(day: date) -> bool:
    """True for the last day of a month."""
    return day.day == _length(day)
