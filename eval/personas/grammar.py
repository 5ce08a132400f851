"""Lines of the data files -> what is said: `{this|that}` is drawn, `{slot}` is filled in.

{port}        the value of a slot           {who.1}       its second form (`she` of a name)
{d1:rel}      a day as one says it today    {d1:date}     with its month    {d1:wd} {d1:month} {d1:iso}
{d1..d2}      how long that was             {#3} {%8}     three digits, eight hex digits: noise
{clock}       the time in a log, going on
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from brain.eval.personas import days
from brain.eval.personas.dice import Dice

Value = tuple[str, ...] | date
"""Forms of a word, the plain one first; or a day."""


class UnknownSlot(KeyError):
    """A line asks for a slot that nothing fills."""


@dataclass(frozen=True, slots=True)
class Slot:
    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of these is said."""

    ways: tuple[tuple[str | Slot | Choice, ...], ...]


@dataclass(slots=True)
class Scope:
    """What lines are filled from."""

    values: Mapping[str, Value]
    dice: Dice
    lang: str = "en"
    today: date | None = None
    loose: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Slots that are drawn anew each time they are said."""
    taken: frozenset[str] = frozenset()
    """Values that noise must not hit upon."""
    seconds: int = field(default=0)

    def said(self, line: str) -> str:
        """One way to say a line."""
        return "".join(self._spoken(compiled(line)))

    def forms(self, line: str) -> tuple[str, ...]:
        """The forms of an answer: `a // b`, a lone day or span in each of its own."""
        found: list[str] = []
        for part in line.split(" // "):
            found += self._each(part.strip())
        return tuple(dict.fromkeys(found))

    def _each(self, part: str) -> tuple[str, ...]:
        slot = part[1:-1]
        if _DAY.fullmatch(part) and isinstance(day := self.values.get(slot), date):
            return days.forms(day, self.lang)
        if span := _SPAN.fullmatch(slot):
            return days.span_forms(self._day(span[1]), self._day(span[2]), self.lang)
        return (self.said(part),)

    def _spoken(self, nodes: tuple[str | Slot | Choice, ...]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, str):
                yield node
            elif isinstance(node, Slot):
                yield self._slot(node.name)
            else:
                yield from self._spoken(self.dice.pick(node.ways))

    def _slot(self, text: str) -> str:
        if text[0] in _NOISE:
            return self._noise(text)
        if text == "clock":
            return self._clock()
        if span := _SPAN.fullmatch(text):
            return self.dice.pick(days.span_forms(self._day(span[1]), self._day(span[2]), self.lang))
        name, _, way = text.partition(":")
        name, _, form = name.partition(".")
        if name not in self.values:
            return self._loose(name)
        value = self.values[name]
        if isinstance(value, date):
            return self._day_said(value, way)
        return value[int(form)] if form and int(form) < len(value) else value[0]

    def _loose(self, name: str) -> str:
        if name not in self.loose:
            raise UnknownSlot(name)
        return self.dice.pick(self.loose[name])

    def _day(self, name: str) -> date:
        value = self.values[name]
        assert isinstance(value, date), name
        return value

    def _day_said(self, day: date, way: str) -> str:
        assert self.today is not None
        ways: Mapping[str, Callable[[], str]] = {
            "": lambda: days.written(day, self.lang, self.dice),
            "date": lambda: days.written(day, self.lang, self.dice),
            "rel": lambda: days.relative(day, self.today or day, self.lang, self.dice),
            "wd": lambda: days.weekday(day, self.lang),
            "month": lambda: days.month(day, self.lang),
            "iso": day.isoformat,
        }
        return ways[way]()

    def _noise(self, text: str) -> str:
        while True:
            count = int(text[1:])
            low, alphabet = ("123456789", "0123456789") if text[0] == "#" else ("0123456789abcdef",) * 2
            found = self.dice.pick(low) + "".join(self.dice.pick(alphabet) for _ in range(count - 1))
            if found not in self.taken:
                return found

    def _clock(self) -> str:
        self.seconds = (self.seconds or self.dice.between(20_000, 70_000)) + self.dice.below(41)
        while f"{self.seconds // 3600 % 24}:{self.seconds // 60 % 60:02d}" in self.taken:
            self.seconds += 60
        return f"{self.seconds // 3600 % 24:02d}:{self.seconds // 60 % 60:02d}:{self.seconds % 60:02d}"


_NOISE = "#%"
_DAY = re.compile(r"\{[a-z]\w*\}")
_SPAN = re.compile(r"(\w+)\.\.(\w+)")


@cache
def compiled(line: str) -> tuple[str | Slot | Choice, ...]:
    """Raises: ValueError where a brace has no partner."""
    nodes, end = _nodes(line, 0, top=True)
    if end != len(line):
        raise ValueError(f"a brace too many: {line!r}")
    return nodes


def _nodes(line: str, at: int, top: bool = False) -> tuple[tuple[str | Slot | Choice, ...], int]:
    found: list[str | Slot | Choice] = []
    text = at
    stops = "" if top else "|}"
    while at < len(line) and (line[at] == "{" or line[at] not in stops):
        if line[at] != "{":
            at += 1
            continue
        found += [line[text:at]] if at > text else []
        node, at = _braced(line, at + 1)
        found.append(node)
        text = at
    return tuple([*found, line[text:at]] if at > text else found), at


def _braced(line: str, at: int) -> tuple[Slot | Choice, int]:
    start = at
    ways: list[tuple[str | Slot | Choice, ...]] = []
    while True:
        way, at = _nodes(line, at)
        ways.append(way)
        if at >= len(line):
            raise ValueError(f"a brace is not closed: {line!r}")
        at += 1
        if line[at - 1] == "}":
            return (Choice(tuple(ways)) if len(ways) > 1 else Slot(line[start : at - 1])), at


def slots(line: str) -> Iterator[str]:
    """The names that a line needs, however it is drawn."""
    yield from _slots(compiled(line))


def _slots(nodes: tuple[str | Slot | Choice, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Choice):
            for way in node.ways:
                yield from _slots(way)
        elif isinstance(node, Slot) and node.name[0] not in _NOISE and node.name != "clock":
            if span := _SPAN.fullmatch(node.name):
                yield from span.groups()
            else:
                yield node.name.partition(":")[0].partition(".")[0]
