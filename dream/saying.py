"""Statements into a page or note, many at once: each once, with all its evidence.

The same words in the same file are one statement; said again they bring their evidence and nothing
else. A statement of the past that is said again on its own old evidence stays in the past.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from brain.dream.evidence import Evidence, NotApplicable
from brain.dream.records import D, Item, Numbers, add, cite, items, rate, support
from brain.evidence import fingerprint
from brain.model import Claim, Observation, ObservationType
from brain.text.claims import one_line


@dataclass(frozen=True, slots=True)
class Saying:
    """One statement that is to stand in a file."""

    said: Claim | Observation
    sources: tuple[str, ...]
    section: str = ""
    """Of a page."""


@dataclass(slots=True)
class _New:
    said: Claim | Observation
    section: str
    numbers: dict[int, None]


@dataclass(slots=True)
class _Book:
    """What a file says, by words, and what is to be written into it."""

    known: dict[str, list[Item]] = field(default_factory=dict)
    more: dict[str | int, tuple[int, ...]] = field(default_factory=dict)
    """Citations for statements that are there."""
    new: dict[str, list[_New]] = field(default_factory=dict)
    sure: dict[str, float] = field(default_factory=dict)
    """Words of observations that are there, said again with more confidence."""

    def enter(self, saying: Saying, numbers: tuple[int, ...]) -> None:
        words = fingerprint(saying.said.text)
        item = next(_standing(self.known.get(words, ()), saying.said, numbers), None)
        if item is not None:
            if isinstance(saying.said, Observation):
                self.sure[words] = max(saying.said.confidence, self.sure.get(words, 0.0))
            self.more[item.which] = (*self.more.get(item.which, ()), *numbers)
            return
        pending = self.new.setdefault(words, [])
        for one in pending:
            if _is_same_day(one.said.date, saying.said):
                one.numbers |= dict.fromkeys(numbers)
                return
        pending.append(_New(saying.said, saying.section, dict.fromkeys(numbers)))


def say(document: D, sayings: Sequence[Saying], evidence: Evidence) -> tuple[D, list[NotApplicable | None]]:
    """The record with all this said; for each saying the reason why it could not be, or None."""
    document, cited = cite(document, [saying.sources for saying in sayings], evidence)
    book = _Book()
    for item in items(document):
        book.known.setdefault(fingerprint(item.text), []).append(item)
    problems = [_enter(book, saying, numbers) for saying, numbers in zip(sayings, cited, strict=True)]
    document = rate(support(document, _lacking(book)), book.sure)
    for section, said in _by_section(book).items():
        document = add(document, section, said)
    return document, problems


def standing(document: D, saying: Saying, evidence: Evidence) -> Item:
    """Where a statement that has been said stands. Raises: NotApplicable where it does not."""
    numbers = cite(document, [saying.sources], evidence)[1][0]
    words = fingerprint(saying.said.text)
    same = [item for item in items(document) if fingerprint(item.text) == words]
    found = next(_standing(same, saying.said, numbers if isinstance(numbers, tuple) else ()), None)
    if found is None or found.claim.id is None:
        raise NotApplicable("it does not stand where it was said")
    return found


def _enter(book: _Book, saying: Saying, numbers: Numbers) -> NotApplicable | None:
    if isinstance(numbers, NotApplicable):
        return numbers
    if not one_line(saying.said.text):
        return NotApplicable("it says nothing")
    book.enter(saying, numbers)
    return None


def _standing(same: Sequence[Item], said: Claim | Observation, numbers: tuple[int, ...]) -> Iterator[Item]:
    for item in same:
        if _is_same_day(item.claim.date, said) and (not item.is_past or set(numbers) <= set(item.claim.cites)):
            yield item


def _is_same_day(day: str | None, said: Claim | Observation) -> bool:
    """Whether the same words mean the same: who ran on Monday and on Friday ran twice."""
    is_event = isinstance(said, Observation) and said.type is ObservationType.EVENT
    return not is_event or None in (day, said.date) or day == said.date


def _lacking(book: _Book) -> dict[str | int, tuple[int, ...]]:
    """The citations that statements do not have yet; a name for those that have none."""
    there = {item.which: item.claim for same in book.known.values() for item in same}
    return {
        which: numbers
        for which, numbers in book.more.items()
        if there[which].id is None or not set(numbers) <= set(there[which].cites)
    }


def _by_section(book: _Book) -> dict[str, list[Claim | Observation]]:
    found: dict[str, list[Claim | Observation]] = {}
    for new in (one for same in book.new.values() for one in same):
        said = replace(new.said, text=one_line(new.said.text), cites=tuple(new.numbers), id=None, until=None, line=0)
        found.setdefault(new.section, []).append(said)
    return found
