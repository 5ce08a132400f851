"""What the notes have said of a subject before this night: for the page that is opened only now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain.dream import wording
from brain.dream.hearing import Heard, hear
from brain.dream.statements import MAX_PER_SESSION
from brain.dream.subjects import Subject, Subjects
from brain.language import namekeys
from brain.language.mentions import Mention
from brain.model import Observation, ObservationType, Role, Text, Turn
from brain.note import Note
from brain.tree import Tree

_WORD = re.compile(r"\w+(?:-\w+)*")
_MOST = MAX_PER_SESSION
"""Statements that a new page takes over."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One observation that holds, as a statement about subjects."""

    text: str
    type: ObservationType
    day: str | None
    evidence: tuple[str, ...]
    sessions: frozenset[str]
    subjects: tuple[Subject, ...]
    mentions: tuple[Mention, ...]
    main: Subject | None
    defining: bool
    is_private: bool


class Earlier:
    """Observations of the base tree by subject, looked up once for all that a night asks for."""

    def __init__(self, tree: Tree, subjects: Subjects, wanted: Sequence[Subject]) -> None:
        self._found: dict[Subject, list[Remembered]] = {subject: [] for subject in wanted}
        self._keys = {key for s in wanted for name in s.names for key in namekeys.stems(name.split()[0])}
        if wanted:
            self._look_up(tree, subjects)

    def of(self, subject: Subject) -> Sequence[Remembered]:
        return self._found.get(subject, ())[:_MOST]

    def _look_up(self, tree: Tree, subjects: Subjects) -> None:
        for path, note in tree.notes().items():
            if self._may_name(tree.text(path)):
                for observation in note.observations:
                    if self._may_name(observation.text):
                        self._keep(remembered(observation, note, subjects), subjects)

    def _may_name(self, text: str) -> bool:
        """A quick look, by stems, in both scripts; what it lets through is heard properly."""
        return any(not self._keys.isdisjoint(_stems(word)) for word in set(_WORD.findall(text)))

    def _keep(self, found: Remembered, subjects: Subjects) -> None:
        for subject in found.subjects:
            if subject in self._found:
                self._found[subject].append(found)
        for mention in found.mentions:
            named = subjects.find(mention.name)
            if named is not None and named in self._found:
                named.votes.update(mention.hints)
                named.forms[mention.name] += 1


def remembered(observation: Observation, note: Note, subjects: Subjects) -> Remembered:
    heard = rehear(observation.text, subjects)
    about = tuple(dict.fromkeys(s for h in heard for m in h.mentions if (s := subjects.find(m.name))))
    sources = tuple(note.citations[n].source for n in observation.cites if n in note.citations)
    first = heard[0] if heard else None
    main = next(iter(s for m in first.inside(first.subject) if (s := subjects.find(m.name))), None) if first else None
    return Remembered(
        text=observation.text,
        type=observation.type,
        day=observation.date,
        evidence=sources,
        sessions=frozenset(source.partition("#")[0] for source in sources),
        subjects=about,
        mentions=tuple(m for h in heard for m in h.mentions),
        main=main or explained(observation.text, subjects),
        defining=first is not None and first.is_defining and "hedge" not in first.cues,
        is_private=any("private" in h.cues for h in heard),
    )


def rehear(text: str, subjects: Subjects) -> tuple[Heard, ...]:
    """The sentences of a statement, heard again."""
    words = wording.bare(wording.read(text)[1])
    return hear(Turn(1, Role.USER, None, (Text(words),)), subjects)


def explained(text: str, subjects: Subjects) -> Subject | None:
    """Whom the pronoun at the start of a statement stands for: `He (Ilya Maslov) gave …`."""
    match = re.match(r"\W*\w+ \(([^()\d]{1,60})\)", wording.read(text)[1])
    return subjects.find(match[1]) if match else None


@lru_cache(maxsize=1 << 15)
def _stems(word: str) -> frozenset[str]:
    return frozenset(namekeys.stems(word))
