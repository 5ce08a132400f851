"""The people: who they are, whom they know, and the values that are drawn for their world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from brain.eval.personas import script
from brain.eval.personas.dice import Dice
from brain.eval.personas.grammar import Value

_ROLES = ("friend", "mate", "mate2", "boss", "neighbour")
"""Everybody has these; family stands in `has`."""
_SEX = {"girl": "woman", "boy": "man"}
_OWN = ("town", "hobby", "event", "place", "gear", "gear2", "stuff", "job")


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    is_woman: bool
    langs: tuple[str, ...]
    culture: str
    zone: str
    hours: int
    summer: str
    groups: frozenset[str]
    agents: tuple[str, ...]
    tone: frozenset[str]
    has: Mapping[str, str]
    """Role -> woman or man."""
    head: Mapping[str, str]
    voice: Mapping[str, tuple[str, ...]]
    projects: tuple[tuple[str, str], ...]
    """Name and repository."""

    @property
    def is_programmer(self) -> bool:
        return "software" in self.groups

    def lines(self, mark: str, lang: str) -> tuple[str, ...]:
        """How this person opens (`o`), ends (`e`) and digresses (`s`)."""
        own = self.voice.get(f"{lang}.{mark}", ())
        return own or self.voice.get(mark, ())


@lru_cache(maxsize=1)
def everyone() -> tuple[Person, ...]:
    """Programmers and others in turn, so that any few of them are a mixture."""
    work, life = (tuple(map(_person, script.read(name))) for name in ("people_work", "people_life"))
    mixed = [one for pair in zip(life, work, strict=False) for one in pair]
    return (*mixed, *life[len(work) :])


def _person(block: script.Block) -> Person:
    head = block.head
    zone, hours, summer = head["zone"].split()
    voice = {mark: lines for part in block.parts for mark, lines in part.lines.items()}
    listed = (line.partition(" | ") for line in voice.pop("p"))
    projects = tuple((name, repo) for name, _, repo in listed)
    has = dict(pair.split("=") for pair in head.get("has", "").split())
    return Person(
        id=block.name,
        name=head["name"],
        is_woman=head["sex"] == "f",
        langs=tuple(head["lang"].split()),
        culture=head["culture"],
        zone=zone,
        hours=int(hours),
        summer=summer,
        groups=frozenset(head["groups"].split()) | {"any"},
        agents=tuple(head["agents"].split()),
        tone=frozenset(head["tone"].split()),
        has={role: _SEX.get(kind, kind) for role, kind in has.items()},
        head=head,
        voice=voice,
        projects=projects,
    )


@lru_cache(maxsize=1)
def pools() -> Mapping[str, tuple[Mapping[str, tuple[str, ...]], ...]]:
    """Pool -> entries; of each its forms by language."""
    return {block.name: tuple(_entries(block)) for block in script.read("pools")}


@lru_cache(maxsize=1)
def common_pools() -> frozenset[str]:
    """Pools of words that everybody uses: days of the week, small numbers."""
    return frozenset(block.name for block in script.read("pools") if "common" in block.head)


def _entries(block: script.Block) -> list[Mapping[str, tuple[str, ...]]]:
    more = tuple(filter(None, block.head.get("forms", "").split(";")))
    found: list[Mapping[str, tuple[str, ...]]] = []
    for line in block.lines:
        for entry in line.split(" / "):
            plain, _, russian = entry.strip().partition(" = ")
            forms = (*plain.split(";"), *more)
            found.append({"en": forms, "ru": tuple(russian.split(";")) if russian else forms})
    return found


def plain(pool: str) -> tuple[str, ...]:
    """The first forms of all entries."""
    return tuple(entry["en"][0] for entry in pools()[pool])


class Cast:
    """What one world is filled with; nothing is drawn from a pool twice."""

    def __init__(self, person: Person, dice: Dice) -> None:
        self.person = person
        self._dice = dice.child("cast")
        self._left: dict[str, list[Mapping[str, tuple[str, ...]]]] = {}
        self.drawn: set[str] = set()
        roles = {role: kind for role, kind in person.has.items()}
        for role in _ROLES:
            roles[role] = self._dice.pick(("woman", "man"))
        self._roles = {role: self._take(self._pool(kind)) for role, kind in roles.items()}

    def draw(self, pool: str, lang: str) -> tuple[str, ...]:
        """Forms of an entry that nothing else in this world has."""
        found = self._take(self._pool(pool))[lang]
        self.drawn.add(found[0])
        return found

    def draw_common(self, pool: str, lang: str, count: int, dice: Dice) -> list[tuple[str, ...]]:
        """Different entries of a pool of words that other stories may use as well."""
        return [entry[lang] for entry in dice.order(pools()[pool])[:count]]

    def slots(self, lang: str) -> dict[str, Value]:
        """What the person fills by being who it is."""
        person = self.person
        found: dict[str, Value] = {role: entry[lang] for role, entry in self._roles.items()}
        for key in _OWN:
            text = person.head.get(f"{lang}.{key}", "" if self._is_foreign(key, lang) else person.head.get(key, ""))
            if text:
                found[key] = (text,)
        found["first"] = (person.name.split()[0],)
        found["a"] = ("а" if person.is_woman else "",)
        return found

    def _is_foreign(self, key: str, lang: str) -> bool:
        """Whether a value is there in the other language only."""
        text = self.person.head.get(key, "")
        is_russian = any("а" <= char.lower() <= "я" for char in text)
        return is_russian != (lang == "ru")

    def _pool(self, name: str) -> str:
        if name == "name":
            name = self._dice.pick(("woman", "man"))
        return f"{name}.{self.person.culture}" if name in ("woman", "man") else name

    def _take(self, pool: str) -> Mapping[str, tuple[str, ...]]:
        if pool not in self._left:
            self._left[pool] = self._dice.child(pool).order(pools()[pool])
        return self._left[pool].pop()
