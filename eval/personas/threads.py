"""Threads of talk that carry nothing anybody asks about: most of what people say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain.eval.personas import script
from brain.eval.personas.dice import Dice
from brain.eval.personas.people import Person
from brain.eval.personas.schedule import Meeting

_FILES = ("frames_work", "frames_trade", "frames_life", "frames_ru")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Alternatives of one exchange."""

    user: tuple[str, ...]
    calls: tuple[str, ...]
    agent: tuple[str, ...]
    more: tuple[str, ...]
    """Paragraphs that the agent adds, or does not."""
    is_needed: bool = True


@dataclass(frozen=True, slots=True)
class Thread:
    name: str
    lang: str
    groups: frozenset[str]
    where: str
    titles: tuple[str, ...]
    exchanges: tuple[Exchange, ...]


@lru_cache(maxsize=1)
def threads() -> tuple[Thread, ...]:
    return tuple(_thread(block) for block in script.read(*_FILES))


@lru_cache(maxsize=2)
def asides(lang: str) -> tuple[Exchange, ...]:
    """Questions in between, of one exchange each."""
    return tuple(_exchange(part) for block in script.read(f"side_{lang}") for part in block.parts)


def _thread(block: script.Block) -> Thread:
    return Thread(
        name=block.name,
        lang=block.head.get("lang", "en"),
        groups=frozenset(block.head["for"].split()),
        where=block.head["where"],
        titles=tuple(block.head["title"].split(" / ")),
        exchanges=tuple(map(_exchange, block.parts)),
    )


def _exchange(part: script.Part) -> Exchange:
    return Exchange(part.all("u"), part.all("t"), part.all("a"), part.all("+"), "maybe" not in part.words)


class Threads:
    """Hands out threads to one person, the least used first."""

    def __init__(self, person: Person, dice: Dice) -> None:
        self._groups = person.groups
        self._dice = dice
        self._used: Counter[str] = Counter()
        self._sides: dict[str, list[Exchange]] = {}

    def thread(self, meeting: Meeting) -> Thread:
        fits = [one for one in threads() if one.lang == meeting.lang and self._suits(one, meeting)]
        fewest = min(self._used[one.name] for one in fits)
        found = self._dice.pick([one for one in fits if self._used[one.name] == fewest])
        self._used[found.name] += 1
        return found

    def _suits(self, thread: Thread, meeting: Meeting) -> bool:
        if meeting.where == "helper":
            return "helper" in thread.groups
        return bool(thread.groups & self._groups) and thread.where in ("any", meeting.where)

    def side(self, lang: str) -> Exchange:
        if not self._sides.get(lang):
            self._sides[lang] = self._dice.order(asides(lang))
        return self._sides[lang].pop()

    def exchanges(self, thread: Thread) -> Sequence[Exchange]:
        return [one for one in thread.exchanges if one.is_needed or self._dice.chance(55)]
