"""Statements made false on purpose, each in one way: what a judge must refuse.

Invariants: the same statement and seed give the same corruption; nothing here knows how a judge works. A statement that
has no number, name, negation or time to change is given one, so that every kind is made of every statement.
"""

from __future__ import annotations

import calendar
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty", "thirty")
_MONTHS = tuple(calendar.month_name[1:])
_NUMBER = re.compile(rf"\b(?:\d+(?:[.,]\d+)*|{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_TIMES = (
    *("yesterday", "last week", "last month", "last year", "two days ago", "three weeks ago", "four months ago"),
    *("five years ago", "last Monday", "last Saturday", "next week", "next month", "next year", "tomorrow"),
    *("in March 2019", "on 14 August 2021", "in 2017", "last summer", "a decade ago", "this morning"),
)
_TIME = re.compile(
    rf"""\b(?:yesterday|tomorrow|today|tonight
    |(?:last|next|this|the\ previous)\ (?:week|month|year|weekend|summer|night|spring|fall|winter)
    |(?:last|next|this)\ (?:{"|".join(calendar.day_name)})
    |\w+\ (?:days?|weeks?|months?|years?)\ ago
    |(?:in|on|since)\ (?:\d{{1,2}}\ )?(?:{"|".join(_MONTHS)})(?:\ \d{{4}})?
    |(?:in|since)\ (?:19|20)\d\d)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_STRANGERS = ("Oliver", "Priya", "Henrik", "Lucia", "Tomasz", "Yasmin", "Bruno", "Keiko")
_NEGATION = re.compile(
    r"\b(?:(do|does|did|is|are|was|were|has|have|had|could|would|should|will|can)(?:n't| not)|(never|no longer|not)) ",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r"\b(is|are|was|were|has been|have been|has|have|had|will|can|could|would|should)\b")
_PLANS = re.compile(r"\b(?:plans to|is planning to|is going to|wants to|hopes to|aims to|intends to) (\w+)")
_PAST = re.compile(r"^(\w+(?:'s \w+)?) (\w+ed|went|got|made|took|met|had|found|started|won|bought|saw|gave)\b")
_NAME = re.compile(r"(?<![.!?] )\b[A-Z][a-z]{2,}\b")


@dataclass(frozen=True, slots=True)
class Told:
    """A statement, and who takes part in the talk that it is from."""

    text: str
    names: Sequence[str]


def _swap(rng: random.Random, text: str, place: re.Match[str], choices: Sequence[str]) -> str:
    old = place.group()
    new = rng.choice([choice for choice in choices if choice.casefold() != old.casefold()])
    return text[: place.start()] + new + text[place.end() :]


def number(told: Told, rng: random.Random) -> str:
    """Another number or date; of a statement without one, one more."""
    places = list(_NUMBER.finditer(told.text))
    if not places:
        added = (
            f"on {rng.randint(1, 28)} {rng.choice(_MONTHS)} {rng.randint(2005, 2021)}",
            f"{rng.randint(3, 40)} times",
        )
        return f"{told.text.rstrip('.')} {rng.choice(added)}."
    place = rng.choice(places)
    if place.group()[0].isdigit():
        digits = re.sub(r"\D", "", place.group())
        other = int(digits) + rng.choice((1, 2, 3, 5, 7, 10))
        return told.text[: place.start()] + str(other) + told.text[place.end() :]
    return _swap(rng, told.text, place, _NUMBER_WORDS)


def name(told: Told, rng: random.Random) -> str:
    """Another name: the other one of the talk, or a stranger's."""
    held = [n for n in told.names if re.search(rf"\b{n}\b", told.text)]
    others = [n for n in told.names if n not in held]
    old = rng.choice(held) if held else None
    new = rng.choice(others) if others and rng.random() < 0.5 else rng.choice(_STRANGERS)
    if old is None:
        return f"{new} says that {told.text[0].lower()}{told.text[1:]}"
    return re.sub(rf"\b{old}\b", new, told.text)


def negation(told: Told, rng: random.Random) -> str:
    """A negation taken out, or put in."""
    place = _NEGATION.search(told.text)
    if place:
        kept = f"{place[1]} " if place[1] else ""
        return told.text[: place.start()] + kept + told.text[place.end() :]
    found = _AUXILIARY.search(told.text)
    if found:
        return f"{told.text[: found.end()]} {rng.choice(('not', 'never'))}{told.text[found.end() :]}"
    first = told.text.split(" ", 1)
    after = 2 if first[0].endswith("'s") else 1
    words = told.text.split(" ")
    return " ".join([*words[:after], rng.choice(("never", "no longer")), *words[after:]])


def moved(told: Told, rng: random.Random) -> str:
    """The event at another time: another expression of time, a plan told as done or the reverse, or a time put in."""
    place = _TIME.search(told.text)
    if place:
        return _swap(rng, told.text, place, _TIMES)
    plan = _PLANS.search(told.text)
    if plan:
        return f"{told.text[: plan.start()]}already did {plan[1]}{told.text[plan.end() :]}"
    past = _PAST.match(told.text)
    if past and rng.random() < 0.3:
        return f"{past[1]} will soon have {past[2]}{told.text[past.end() :]}"
    return f"{told.text.rstrip('.')} {rng.choice(_TIMES)}."


KINDS: Mapping[str, Callable[[Told, random.Random], str]] = {
    "number": number,
    "name": name,
    "negation": negation,
    "time": moved,
}
"""Kinds that change the words; the fifth, the citation pointed elsewhere, is made by whoever holds the turns."""
