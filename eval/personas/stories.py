"""Stories: what is said over months (beats), and what may be asked of it then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from brain.eval.personas import grammar, script

FILES = tuple(
    f"stories_{name}"
    for name in ("preference", "time", "chain", "update", "how", "source", "fact", "none", "twins", "ru", "more")
)
CATEGORIES = {
    "preference-stated": 53,
    "preference-implied": 53,
    "preference-changed": 53,
    "temporal": 54,
    "multi-hop": 54,
    "knowledge-update": 54,
    "procedure": 53,
    "dead-end": 53,
    "source-reliability": 53,
    "fact": 53,
    "abstention": 54,
    "look-alike": 53,
}
"""What is asked, and how often over all people."""
MADE = frozenset({"module", "module2"})
"""Slots that a story need not declare: drawn for it where it uses them."""
NOISE = {"word": "word", "topic1": "topic", "stranger": "stranger", "прохожий": "прохожий"}
"""Slots that are drawn anew each time they are said, and the pools they come from."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One exchange of a story: what the person says, what the agent does and says."""

    user: tuple[str, ...]
    calls: tuple[str, ...]
    agent: tuple[str, ...]
    gap: tuple[int, int]
    """Sessions after the beat before; (0, 0): the next exchange of the same session."""
    is_passing: bool
    """Said within words about something else."""
    is_near: bool
    """Somebody else's, much like it: evidence of nothing."""
    where: str
    truth: str
    """What is true from here on, where the story has a truth that changes; else ""."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question about a story."""

    category: str
    evidence: tuple[tuple[int, bool], ...]
    """(beat, whether it is the agent's turn of it), from 0."""
    until: int | None
    """Asked after so many beats and before the next; None: after all."""
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    name: str
    lang: str
    groups: frozenset[str]
    where: str
    slots: tuple[tuple[tuple[str, ...], str], ...]
    """Names, and how they are drawn."""
    beats: tuple[Beat, ...]
    """Near ones last, so that the numbers of the others are those of the file."""
    asks: tuple[Ask, ...]
    never: tuple[tuple[str, str], ...]
    """No turn of the world holds both."""
    checks: tuple[tuple[str, ...], ...]
    """Days (of a beat by number, of a slot by name) that stand in this order."""
    needs: frozenset[str]
    """Slots that the person must fill."""

    def asked(self, category: str) -> tuple[Ask, ...]:
        return tuple(ask for ask in self.asks if ask.category == category)


@lru_cache(maxsize=1)
def stories() -> tuple[Story, ...]:
    return tuple(_story(block) for block in script.read(*FILES))


_HEAD = frozenset({"for", "where", "lang", "check"})


def _story(block: script.Block) -> Story:
    slots = tuple((_names(key), rule) for key, rule in block.head.items() if key not in _HEAD)
    where = block.head.get("where", "any")
    said = [_beat(part, where) for part in block.parts if part.kind == "beat"]
    near = [_beat(part, where) for part in block.parts if part.kind == "near"]
    asks = tuple(_ask(part) for part in block.parts if part.kind == "ask")
    never = tuple(pair for part in block.parts for line in part.all("x") for pair in [_pair(line)])
    own = {name for names, _ in slots for name in names} | MADE
    used = {slot for line in _lines(block) for slot in grammar.slots(line)}
    return Story(
        name=block.name,
        lang=block.head.get("lang", "en"),
        groups=frozenset(block.head["for"].split()),
        where=where,
        slots=(*((((name,), "module")) for name in sorted(used & MADE)), *slots),
        beats=(*said, *near),
        asks=asks,
        never=never,
        checks=tuple(tuple(one.split(" < ")) for one in block.head.get("check", "").split("; ") if one),
        needs=frozenset(used - own - NOISE.keys()),
    )


def _names(key: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in key.split(","))


def _pair(line: str) -> tuple[str, str]:
    first, _, second = line.partition(" & ")
    return first.strip(), second.strip()


def _lines(block: script.Block) -> Iterator[str]:
    for part in block.parts:
        for mark in "utaq=~!":
            yield from part.all(mark)
    yield from (rule[1:] for rule in block.head.values() if rule.startswith("="))


_GAP = {True: (1, 25), False: (3, 30)}


def _beat(part: script.Part, where: str) -> Beat:
    low, _, high = part.options.get("gap", "").partition("-")
    gap = (int(low), int(high or low)) if low else _GAP[part.kind == "near"]
    return Beat(
        user=part.all("u"),
        calls=part.all("t"),
        agent=part.all("a"),
        gap=gap,
        is_passing="pass" in part.words,
        is_near=part.kind == "near",
        where=part.options.get("in", where),
        truth=next(iter(part.all("!")), ""),
    )


def _ask(part: script.Part) -> Ask:
    evidence = re.findall(r"(\d+)(a?)", part.options.get("ev", ""))
    until = part.options.get("until")
    return Ask(
        category=part.words[0],
        evidence=tuple((int(n) - 1, bool(agent)) for n, agent in evidence),
        until=int(until) if until else None,
        questions=part.all("q"),
        answers=part.all("="),
        stale=part.all("~"),
    )
