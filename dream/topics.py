"""What a statement is filed under: its strongest subject, else what its session talks about most.

Invariants: a topic that the notes know keeps its note, so that two sessions about one thing meet; a name beats a noun,
a noun beats nothing; words too general to be a topic (thing, time, plan) never stand alone in a title.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from brain import layout
from brain.dream.hearing import Heard
from brain.dream.subjects import Subject, is_part
from brain.language import chunks, namekeys
from brain.language.titles import title_of, title_words
from brain.language.words import Word, stem, words
from brain.model import Role
from brain.names import choose_path
from brain.names import stem as file_stem

PERSONAL = "personal"
_REPEATED = 2
_OFTEN = 3
_OPENINGS = 2


@dataclass(frozen=True, slots=True)
class Topic:
    """One note: where it stands and what it is about."""

    title: str
    domain: str
    subject: Subject | None = None


def key_of(title: str) -> tuple[str, ...]:
    """Stems of the words of a topic: `Short answers` and `short answer` are one."""
    return tuple(stem(word.low) for word in words(title))


class Topics:
    """The notes there are, and those that this dream opens."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._titles: dict[str, str] = {}
        self._by_key: dict[tuple[str, tuple[str, ...]], str] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(paths):
            if layout.is_note(path):
                self._index(path, file_stem(path))

    def path(self, topic: Topic) -> str:
        """The note of a topic; a new one where there is none."""
        return self.find(topic) or self._new(topic)

    def find(self, topic: Topic) -> str | None:
        """The note of a topic; one of the same subject in another domain where that is a person or place."""
        found = self._by_key.get((topic.domain, key_of(topic.title)))
        if found or topic.subject is None:
            return found
        named = self._named(topic.subject)
        here = [path for path in named if _domain(path) == topic.domain]
        return next(iter(here or (named if topic.subject.is_named else ())), None)

    def alike(self, title: str) -> list[str]:
        """The notes of all domains on what the title ends in: short answers, long answers."""
        last = key_of(title)[-1:]
        return [path for (_, known), path in self._by_key.items() if known[-1:] == last]

    def titles_of(self, subject: Subject) -> list[str]:
        """The titles of the notes that bear one of its names."""
        return [self._titles[path] for path in self._named(subject)]

    def title(self, path: str) -> str:
        return self._titles[path]

    def knows(self, domain: str, title: str) -> bool:
        return (domain, key_of(title)) in self._by_key

    def _named(self, subject: Subject) -> list[str]:
        """Notes that bear one of its names, in any script, in the order of their paths."""
        keys = {key for name in subject.names for key in namekeys.stems(name.split()[0])}
        near = sorted({path for key in keys for path in self._by_name.get(key, ())})
        exact = [path for path in near if any(namekeys.is_same(self._titles[path], name) for name in subject.names)]
        return exact or [p for p in near if any(is_part(self._titles[p], name) for name in subject.names)]

    def _new(self, topic: Topic) -> str:
        path = choose_path(f"{layout.NOTES}/{topic.domain}", topic.title, self._titles)
        self._index(path, topic.title)
        return path

    def _index(self, path: str, title: str) -> None:
        self._titles[path] = title
        self._by_key.setdefault((_domain(path), key_of(title)), path)
        for key in namekeys.stems(title.split(maxsplit=1)[0]):
            self._by_name.setdefault(key, []).append(path)


def _domain(path: str) -> str:
    return path.removeprefix(f"{layout.NOTES}/").rsplit("/", 1)[0]


class Talk:
    """What a session talks about: the phrases that it comes back to, its person's words and its agent's."""

    def __init__(self, turns: Sequence[Sequence[Heard]], domain: str, topics: Topics) -> None:
        self.domain = domain
        self._topics = topics
        self._turns: Counter[str] = Counter()
        """Phrase -> turns that hold it."""
        self._shown: dict[str, str] = {}
        self._things: set[str] = set()
        """Phrases that are names, or stand somewhere behind `the`, `my`…: a chance word does not."""
        self._openings = 0
        self._opening: set[str] = set()
        """Phrases of the first words of its person: what was wanted stands there."""
        for turn in turns:
            self._count(turn)

    def _count(self, turn: Sequence[Heard]) -> None:
        seen: dict[str, str] = {}
        for heard in turn:
            for phrase in phrases(heard):
                title = title_of(phrase)
                seen.setdefault(" ".join(key_of(title)), title)
                if is_thing(heard, phrase):
                    self._things.add(" ".join(key_of(title)))
            for name in (m.name for m in heard.mentions if "person" not in m.hints):
                seen.setdefault(" ".join(key_of(name)), name)
                self._things.add(" ".join(key_of(name)))
        self._turns.update(seen.keys())
        if turn and turn[0].turn.role is Role.USER and self._openings < _OPENINGS:
            self._openings += 1
            self._opening |= seen.keys()
        for key, title in seen.items():
            self._shown.setdefault(key, title)

    def best_phrase(self, heard: Heard) -> str:
        """The phrase of a sentence that a note is about, or that the session comes back to; "" where none does."""
        found = [title_of(phrase) for phrase in phrases(heard)]
        known = [title for title in found if self._topics.knows(self.domain, title)]
        if known:
            return known[0]
        often = [title for title in found if self._turns[" ".join(key_of(title))] >= _OFTEN and self.has_thing(title)]
        return max(often, key=lambda title: (self._weight(" ".join(key_of(title))), -found.index(title)), default="")

    def comes_back_to(self, title: str) -> bool:
        """A note is about it, or more than one turn names it."""
        often = self._turns[" ".join(key_of(title))] >= _REPEATED and self.has_thing(title)
        return bool(title) and (often or self._topics.knows(self.domain, title))

    def has_thing(self, title: str) -> bool:
        """The session uses it as the name of a thing, at least once."""
        return " ".join(key_of(title)) in self._things

    def main(self, often: bool = False) -> str:
        """What the session is about as a whole; "" where nothing stands out, or does `often`."""
        fewest = _OFTEN if often else _REPEATED
        often_named = [key for key in self._opening if self._turns[key] >= fewest and key in self._things]
        known = [key for key in often_named if self._topics.knows(self.domain, self._shown[key])]
        best = max(known or often_named, key=lambda key: (self._weight(key), key), default="")
        return self._shown[best] if best else ""

    def _weight(self, key: str) -> float:
        """Turns that hold it; two words say more than one."""
        return self._turns[key] * (1 + 0.5 * (" " in key))


def phrases(heard: Heard) -> list[tuple[Word, ...]]:
    """The noun phrases of a sentence that could be the title of a note."""
    spans = [(m.start, m.end) for m in heard.mentions]
    found = []
    for chunk in chunks.phrases(heard.text, heard.row, heard.rules, spans):
        if heard.inside(chunk) or _is_oblique(heard, chunk):
            continue
        named = title_words(heard.row[chunk.start : chunk.end], heard.rules)
        if named:
            found.append(named)
    return found


def is_thing(heard: Heard, phrase: Sequence[Word]) -> bool:
    """A noun as far as can be told: behind a determiner, or two words of which the last is a plural."""
    if heard.rules.has_cases:
        return True
    before = next((word.low for word in reversed(heard.row) if word.end < phrase[0].start), "")
    return heard.rules.has("determiners", before) or (len(phrase) > 1 and phrase[-1].low.endswith("s"))


def _is_oblique(heard: Heard, chunk: chunks.Chunk) -> bool:
    """A Russian noun behind a preposition has a case that no title has."""
    before = heard.row[chunk.start - 1].low if chunk.start else ""
    return heard.rules.has_cases and heard.rules.has("prepositions", before)
