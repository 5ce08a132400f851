"""Phase 4: pages for what lasts, out of what the notes say.

A subject gets a page when two sessions name it, or when the person says what it is. Preferences, rules, decisions and
procedures have pages of their own. Invariants: a page reads alone; a claim stands on every page that it is about, and
leaves all of them when it no longer holds; what is private stays off pages that others may see.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain.dream.book import Book, Sheet
from brain.dream.distil import Placed
from brain.dream.earlier import Earlier, Remembered
from brain.dream.leads import PASSING, Offered, offered
from brain.dream.plan import Operation, Scope
from brain.dream.statements import Reader, Statement
from brain.dream.subjects import Subject
from brain.dream.topics import PERSONAL
from brain.model import ObservationType, PageKind
from brain.names import title_key

_SESSIONS = 2
_SESSIONS_OF_LOOSE = 3
_LOOSE = frozenset({PageKind.CONCEPT, PageKind.PLACE})
"""What is only named needs more sessions than a person or a tool, and to be the subject of something said."""
_COLLECTED = frozenset({ObservationType.DECISION, ObservationType.PREFERENCE, ObservationType.PROCEDURE})
"""Types that have pages of their own, which a project's page links."""
_OF_A_LIFE = frozenset(
    {ObservationType.FACT, ObservationType.EVENT, ObservationType.COMMITMENT, ObservationType.CORRECTION}
)
"""What a person tells of themselves outside of their work: it is of their own page."""
_DEFINABLE = frozenset({PageKind.PERSON, PageKind.PROJECT, PageKind.ORGANISATION, PageKind.TOOL})


def synthesise(scope: Scope, reader: Reader, placed: Sequence[Placed]) -> tuple[Operation, ...]:
    """The operations on pages."""
    named = [s for p in placed for s in _about(p.statement, reader)]
    unopened = [s for s in dict.fromkeys(named) if s.page is None]
    work = _Work(reader, Book(scope.tree, reader.subjects), Earlier(scope.tree, reader.subjects, unopened), placed)
    work.open_pages(unopened)
    for place in placed:
        work.put(place)
    return tuple(work.book.operations())


def _about(statement: Statement, reader: Reader) -> Iterator[Subject]:
    """Every subject whose page a statement belongs on."""
    yield from statement.subjects
    if statement.main is not None:
        yield statement.main
    if statement.type is ObservationType.PROFILE or (
        statement.is_own and statement.topic.domain == PERSONAL and statement.type in _OF_A_LIFE
    ):
        yield reader.subjects.person(statement.speaker)
    if statement.topic.domain != PERSONAL and statement.type in (ObservationType.DEAD_END, *_COLLECTED):
        yield reader.subjects.project(statement.topic.domain)


class _Work:
    def __init__(self, reader: Reader, book: Book, earlier: Earlier, placed: Sequence[Placed]) -> None:
        self.reader, self.book, self.earlier = reader, book, earlier
        self._new: dict[Subject, list[Placed]] = {}
        for place in placed:
            for subject in dict.fromkeys(_about(place.statement, reader)):
                self._new.setdefault(subject, []).append(place)

    def open_pages(self, subjects: Sequence[Subject]) -> None:
        for subject in subjects:
            before, new = self.earlier.of(subject), self._new[subject]
            if self._is_lasting(subject, before, new):
                subject.names[:0] = self.reader.topics.titles_of(subject)[:1]
                speaks = any(subject is self._speaker(p.statement) for p in new)
                private = all([*(m.is_private for m in before), *(p.statement.is_private for p in new), not speaks])
                sheet = self.book.open(subject, private)
                for memory in before:
                    self._take_over(sheet, memory, subject)

    def _is_lasting(self, subject: Subject, before: Sequence[Remembered], new: Sequence[Placed]) -> bool:
        sessions = {s for memory in before for s in memory.sessions} | {p.statement.session for p in new}
        sessions |= subject.sessions if subject.guess is PageKind.PROJECT else set()
        statements = [p.statement for p in new]
        defined = any(s.main is subject and s.is_defining for s in statements)
        profile = any(s.type is ObservationType.PROFILE and subject is self._speaker(s) for s in statements)
        if subject.guess is PageKind.PROJECT and any(s.type in _COLLECTED for s in statements):
            return True
        if profile or (defined and subject.guess in _DEFINABLE):
            return True
        if subject.guess in _LOOSE:
            return len(sessions) >= _SESSIONS_OF_LOOSE and self._is_main_somewhere(subject, before, statements)
        return len(sessions) >= _SESSIONS

    @staticmethod
    def _is_main_somewhere(subject: Subject, before: Sequence[Remembered], new: Sequence[Statement]) -> bool:
        return any(memory.main is subject for memory in before) or any(s.main is subject for s in new)

    def _speaker(self, statement: Statement) -> Subject | None:
        return self.reader.subjects.find(statement.speaker)

    def _take_over(self, sheet: Sheet, memory: Remembered, subject: Subject) -> None:
        if memory.is_private and not sheet.is_private:
            return
        sheet.state(memory.text, memory.type, memory.day, memory.evidence, "known before the page was")
        if memory.main is subject:
            is_passing = memory.type in PASSING
            sheet.offer(Offered(memory.text, memory.day, memory.evidence, memory.defining, is_passing))

    def put(self, place: Placed) -> None:
        """One statement on every page that it belongs on; and off the pages where what it replaces stands."""
        statement = place.statement
        sheets = [sheet for s in self._on(statement) if (sheet := self.book.sheet(s))]
        sheets += self._collections(statement)
        for sheet in dict.fromkeys(sheets):
            if statement.is_private and not sheet.is_private:
                continue
            self._state(sheet, place)
        for old in place.replaced:
            for sheet in self.book.holding(old):
                sheet.supersede(old, place.text, statement, place.until)
        self.book.relate(sheets, statement)

    def _on(self, statement: Statement) -> list[Subject]:
        """The subjects whose pages carry it; a project's page only links what has pages of its own."""
        about = dict.fromkeys(_about(statement, self.reader))
        if statement.type in _COLLECTED and statement.topic.domain != PERSONAL:
            about.pop(self.reader.subjects.project(statement.topic.domain), None)
        return list(about)

    def _state(self, sheet: Sheet, place: Placed) -> None:
        statement = place.statement
        if place.replaced_by:
            return
        sheet.state(place.text, statement.type, statement.day, statement.evidence, f"new: {statement.type.value}")
        if statement.main is not None and sheet.subject is statement.main and place.text == statement.text:
            sheet.offer(offered(statement, place.text))

    def _collections(self, statement: Statement) -> Iterator[Sheet]:
        """Pages of preferences, rules, decisions and procedures."""
        domain, speaker = statement.topic.domain, statement.speaker
        project = self.reader.subjects.project(domain).title if domain != PERSONAL else ""
        match statement.type:
            case ObservationType.PREFERENCE if "standing" in statement.cues and project:
                yield self.book.collection(PageKind.POLICY, f"Rules for {project}", self._project(domain))
            case ObservationType.PREFERENCE:
                yield self.book.collection(PageKind.PREFERENCE, f"Preferences of {speaker}", None)
            case ObservationType.DECISION:
                title = f"Decisions on {project}" if project else f"Decisions of {speaker}"
                yield self.book.collection(PageKind.DECISION, title, self._project(domain))
            case ObservationType.PROCEDURE:
                title = statement.topic.title
                title = f"Procedures of {project}" if title_key(title) == title_key(project) else title
                yield self.book.collection(PageKind.PROCEDURE, title, self._project(domain))
            case _:
                return

    def _project(self, domain: str) -> Subject | None:
        return self.reader.subjects.project(domain) if domain != PERSONAL else None
