"""What statements are about: one subject for all spellings of a name, from the wiki as it is and the new sessions.

Invariants: a subject that the wiki knows keeps its title, so that names are stable from night to night; two subjects
are taken for one only where their names say so (Palle and Palle Krogh, Илье and Ilya), never because they are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from brain.language import namekeys
from brain.language.mentions import Mention
from brain.language.words import Word, fold, is_cyrillic
from brain.model import PageKind
from brain.names import title_key
from brain.tree import Tree

_HINTED = {
    "person": PageKind.PERSON,
    "project": PageKind.PROJECT,
    "organisation": PageKind.ORGANISATION,
    "tool": PageKind.TOOL,
    "place": PageKind.PLACE,
}
"""In the order that settles equal votes."""
_NAMED = frozenset({PageKind.PERSON, PageKind.ORGANISATION, PageKind.PROJECT, PageKind.PLACE})
_LONGEST = 6
NOBODY = "The user"
"""Who speaks, as long as nobody has said."""


@dataclass(eq=False, slots=True)
class Subject:
    """One thing that statements can be about."""

    names: list[str]
    """As written; the first is the title of a subject that the wiki knows."""
    page: str | None = None
    kind: PageKind | None = None
    """Of its page; None: it has none yet."""
    forms: Counter[str] = field(default_factory=Counter)
    """How often it is written in each form."""
    votes: Counter[str] = field(default_factory=Counter)
    sessions: set[str] = field(default_factory=set)
    """Folders of the new sessions that name it."""
    count: int = 0
    """How often the new sessions name it."""
    is_lower: bool = False
    """It is written in small letters, so a small letter is no reason not to know it."""
    speaks: bool = False
    """A person who says something in the new sessions."""
    short: set[str] = field(default_factory=set)
    """Names that are the beginning of a longer one: Mel."""

    @property
    def title(self) -> str:
        if self.page:
            return self.names[0]
        given = [name for name in self.names if name != NOBODY and name not in self.short] or self.names
        best = max(given, key=lambda name: (len(name.split()), name[0].isupper()))
        return self._nominative(best)

    def _nominative(self, name: str) -> str:
        """The title among the forms of a name: those in its script, of as many words."""
        forms = {n: self.forms[n] for n in self.names if _looks_like(n, name) and (n == name or n not in self.short)}
        return namekeys.nominative(forms)

    @property
    def guess(self) -> PageKind:
        """The kind of its page, or the one that most of its neighbours spoke for."""
        if self.kind:
            return self.kind
        if self.votes["animal"]:
            return PageKind.CONCEPT
        best = max(_HINTED, key=lambda hint: self.votes[hint])
        return _HINTED[best] if self.votes[best] else PageKind.CONCEPT

    @property
    def is_named(self) -> bool:
        """A person, place or the like: its name alone tells it from others."""
        return self.guess in _NAMED

    @property
    def aliases(self) -> tuple[str, ...]:
        """Its other names worth keeping: one for each script and length."""
        title = self.title
        found: dict[tuple[bool, int], str] = {}
        for name in self.names:
            form = self._nominative(name) if is_cyrillic(name) else name
            if title_key(form) != title_key(title):
                found.setdefault((form.isascii(), len(form.split())), form)
        return tuple(found.values())


class Subjects:
    """The subjects that one dream knows."""

    def __init__(self, tree: Tree) -> None:
        self._all: list[Subject] = []
        self._by_stem: dict[str, list[Subject]] = {}
        self._by_first: dict[str, list[Subject]] = {}
        self._lower: set[str] = set()
        self.user = ""
        """What the person of the brain is called, where one of their sessions or the wiki says so."""
        for path, page in sorted(tree.pages().items()):
            subject = Subject([page.title, *page.aliases], page=path, kind=page.kind)
            self._add(subject)
            if NOBODY in subject.names and page.kind is PageKind.PERSON:
                self.user = next((name for name in subject.names if name != NOBODY), "")

    def __iter__(self) -> Iterator[Subject]:
        return iter(self._all)

    def learn(self, mention: Mention, session: str) -> Subject:
        """The subject of a name in a new session; a new one where no other has that name."""
        subject = self.find(mention.name, "person" in mention.hints)
        if subject is None:
            subject = Subject([mention.name], is_lower=mention.name[0].islower())
            self._add(subject)
        elif mention.name not in subject.names:
            self._name(subject, mention.name)
        subject.count += 1
        subject.forms[mention.name] += 1
        subject.votes.update(mention.hints)
        if _is_inner_capital(mention.name):
            subject.votes["tool"] += 1
        subject.sessions.add(session)
        return subject

    def project(self, slug: str) -> Subject:
        """The project of a session; its slug is one of its names."""
        subject = self.find(slug) or self._anycase(slug)
        if subject is None:
            subject = Subject([slug], is_lower=True)
            self._add(subject)
        subject.votes["project"] += 1000
        return subject

    def person(self, name: str) -> Subject:
        """Who speaks."""
        subject = self.find(name)
        if subject is None:
            subject = Subject([name])
            self._add(subject)
        subject.votes["person"] += 1000
        return subject

    def also_called(self, name: str, short: str) -> None:
        """A person is called by a short name, too."""
        subject = self.person(name)
        subject.short.add(short)
        if short not in subject.names:
            self._name(subject, short)

    def introduce(self, name: str) -> None:
        """The user has said their name."""
        self.user = name
        subject = self.find(NOBODY) or self.person(name)
        for one in (name, NOBODY):
            if one not in subject.names:
                self._name(subject, one)

    def find(self, name: str, is_person: bool = False) -> Subject | None:
        """The subject that has this name; of several that might be meant, none."""
        candidates = self._candidates(name)
        exact = [s for s in candidates if any(namekeys.is_same(name, known) for known in s.names)]
        if exact:
            return exact[0]
        parts = [
            s for s in candidates if _may_be(s, name, is_person) and any(is_part(name, known) for known in s.names)
        ]
        return parts[0] if len(parts) == 1 else None

    def known(self, row: Sequence[Word], at: int) -> int:
        """How many words from this place on are a name that is known; 0: none."""
        word = row[at]
        if not word.is_capitalised and word.low not in self._lower:
            return 0
        begins = [s for key in namekeys.stems(_bare(word.text)) for s in self._by_first.get(key, ())]
        if not begins:
            return 0
        for size in range(min(_LONGEST, len(row) - at), 0, -1):
            name = " ".join(_bare(word.text) for word in row[at : at + size])
            if any(_stands(subject, name) for subject in begins):
                return size
        return 0

    def _candidates(self, name: str) -> list[Subject]:
        found = [s for word in name.split() for key in namekeys.stems(word) for s in self._by_stem.get(key, ())]
        return list(dict.fromkeys(found))

    def _anycase(self, slug: str) -> Subject | None:
        wanted = namekeys.latin(slug).replace("-", " ").replace("_", " ")
        return next((s for s in self._all if any(namekeys.latin(name) == wanted for name in s.names)), None)

    def _add(self, subject: Subject) -> None:
        self._all.append(subject)
        for name in subject.names:
            self._index(subject, name)

    def _name(self, subject: Subject, name: str) -> None:
        subject.names.append(name)
        self._index(subject, name)

    def _index(self, subject: Subject, name: str) -> None:
        words = name.split()
        if name[0].islower():
            self._lower.add(fold(words[0]))
        for place, word in enumerate(words):
            for key in namekeys.stems(word):
                for index in (self._by_stem, self._by_first) if not place else (self._by_stem,):
                    known = index.setdefault(key, [])
                    if subject not in known:
                        known.append(subject)


def _looks_like(one: str, other: str) -> bool:
    return len(one.split()) == len(other.split()) and is_cyrillic(one) == is_cyrillic(other)


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")


def _stands(subject: Subject, name: str) -> bool:
    """True when these very words, another case of them, or the first name of a person, are the name."""
    for known in subject.names:
        first = " " not in name and subject.guess is PageKind.PERSON and is_part(name, known)
        if first or namekeys.is_same(name, known):
            return subject.is_lower or name[0].isupper() == known[0].isupper()
    return False


def _may_be(subject: Subject, name: str, is_person: bool) -> bool:
    """People alone go by a part of their name; and a second full name is a second person."""
    if not is_person and subject.guess is not PageKind.PERSON:
        return False
    return len(name.split()) == 1 or all(len(known.split()) == 1 for known in subject.names)


def is_part(name: str, known: str) -> bool:
    """A first or last name of a longer one, or the end of it: Palle, Water Board."""
    short, long = sorted((name.split(), known.split()), key=len)
    if not 1 <= len(short) < len(long) or fold(known) == known:
        return False
    start, end = " ".join(long[: len(short)]), " ".join(long[-len(short) :])
    wanted = " ".join(short)
    return namekeys.is_same(wanted, end) if len(short) > 1 else namekeys.is_same(wanted, start)


def _is_inner_capital(name: str) -> bool:
    return any(c.isupper() for c in name[1:]) and any(c.islower() for c in name) and " " not in name
