"""What the notes say, as the operations of this dream will leave them: the place to look for repetitions and changes.

A note is read when a statement comes near it and not before, so that a night costs what is new; which notes a change
may concern is told by their words alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from brain import layout
from brain.dream.frames import Frame, frame
from brain.dream.replacing import is_change, is_lasting, is_rescheduled, repeats, replaces
from brain.dream.topics import PERSONAL
from brain.language.namekeys import key
from brain.language.words import fold
from brain.model import Observation, ObservationType
from brain.tree import Tree

_PLANS = frozenset({ObservationType.COMMITMENT, ObservationType.OPINION})
"""No fact until it is said to have happened: they take the place of nothing but their like, or of a date."""
_WORD = re.compile(r"[^\W\d_]+(?:-\w+)*")
_COMMON = 40
"""Notes beyond which a word says nothing about which one is meant."""
_NEAREST = 8


@dataclass(slots=True)
class Entry:
    """One observation of a note."""

    path: str
    text: str
    type: ObservationType
    confidence: float
    said: str
    """When, in an order that days and times share."""
    day: str | None
    evidence: list[str] = field(default_factory=list)
    is_past: bool = False

    @property
    def frame(self) -> Frame:
        return frame(self.text)


class Ledger:
    """Entries by note."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._notes: dict[str, list[Entry]] = {}

    def entries(self, path: str) -> Sequence[Entry]:
        if path not in self._notes:
            self._notes[path] = list(self._read(path)) if path in self._tree else []
        return self._notes[path]

    def add(self, entry: Entry) -> None:
        self.entries(entry.path)
        self._notes[entry.path].append(entry)
        self._learn(self._by_word, entry.path, entry.text)

    def holding(self, path: str) -> Iterator[Entry]:
        """Those of a note that hold."""
        return (entry for entry in self.entries(path) if not entry.is_past)

    def near(self, new: Entry) -> list[str]:
        """The notes that a change may concern: those that share the most of what it is about, the nearest first."""
        if not is_change(new.frame):
            return []
        shared: Counter[str] = Counter()
        for word in sorted(new.frame.matter | new.frame.subject | new.frame.over | new.frame.departed):
            paths = self._by_word.get(word, ())
            if len(paths) <= _COMMON:
                shared.update(
                    {path: 1 for path in paths if self._is_within_reach(path, new.path, word in new.frame.names)}
                )
        return sorted(shared, key=lambda path: (-shared[path], path))[:_NEAREST]

    def _is_within_reach(self, path: str, other: str, by_name: bool) -> bool:
        """One project's port is not another's; what has a name may be talked of anywhere."""
        one, two = (p.removeprefix(layout.NOTES).split("/")[1] for p in (path, other))
        return one == two or (by_name and PERSONAL in (one, two))

    @cached_property
    def _by_word(self) -> dict[str, set[str]]:
        """Key of a word -> the notes that hold it."""
        found: dict[str, set[str]] = {}
        for path in filter(layout.is_note, self._tree.paths):
            self._learn(found, path, self._tree.text(path))
        return found

    @staticmethod
    def _learn(found: dict[str, set[str]], path: str, text: str) -> None:
        for word in set(_WORD.findall(fold(text))):
            found.setdefault(key(word), set()).add(path)

    def touched(self) -> Iterator[Entry]:
        """Those of every note that this dream came near, the latest said first."""
        found = [entry for path in self._notes for entry in self.holding(path)]
        return iter(sorted(found, key=lambda entry: entry.said, reverse=True))

    def same(self, new: Entry, paths: Sequence[str]) -> Entry | None:
        """What says the same already."""
        for entry in self._near(paths):
            if entry.text == new.text or (_alike(new, entry) and repeats(new.frame, entry.frame)):
                return entry
        return None

    def replaced(self, new: Entry, paths: Sequence[str], others: Sequence[Frame] = ()) -> tuple[Entry, ...]:
        """What a statement takes the place of, the surest first; `others` of the same turn may do it more surely."""
        scores = [(replaces(new.frame, entry.frame), entry) for entry in self._near(paths) if _may_replace(new, entry)]
        sure = [(s, e) for s, e in scores if s and all(replaces(other, e.frame) <= s for other in others)]
        return tuple(entry for _, entry in sorted(sure, key=lambda found: -found[0]))

    def replacing(self, old: Entry, paths: Sequence[str]) -> Entry | None:
        """What was said later and has taken the place of a statement that comes in only now."""
        later = (e for e in self._near(paths) if _may_replace(e, old) and replaces(e.frame, old.frame))
        return min(later, key=lambda entry: entry.said, default=None)

    def _near(self, paths: Sequence[str]) -> Iterator[Entry]:
        return (entry for path in dict.fromkeys(paths) for entry in self.holding(path))

    def _read(self, path: str) -> Iterator[Entry]:
        note = self._tree.notes()[path]
        for observation in note.observations:
            cited = [note.citations[n] for n in observation.cites if n in note.citations]
            days = sorted(c.date for c in cited if c.date)
            yield _entry(path, observation, days[-1] if days else observation.date or "", [c.source for c in cited])


def _entry(path: str, observation: Observation, said: str, sources: list[str]) -> Entry:
    return Entry(path, observation.text, observation.type, observation.confidence, said, observation.date, sources)


def _alike(new: Entry, old: Entry) -> bool:
    """Two events of two days are two events; a plan and a fact are two things."""
    if ObservationType.EVENT in (new.type, old.type):
        return new.type is old.type and new.day == old.day
    return (new.type in _PLANS) == (old.type in _PLANS)


def _may_replace(new: Entry, old: Entry) -> bool:
    if new.type in _PLANS and new.type is not old.type and not is_rescheduled(new.frame, old.frame):
        return False
    if old.type is ObservationType.EVENT and not is_lasting(old.frame):
        return False
    return bool(new.said and old.said) and _later(new.said, old.said)


def _later(new: str, old: str) -> bool:
    """Of two times with a day alone in one of them, the days count; the same day is later where it is said later."""
    size = 10 if min(len(new), len(old)) <= 10 else None
    return new[:size] > old[:size] or (size is not None and new[:size] == old[:size] and len(new) > len(old))
