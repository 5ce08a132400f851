"""The pages of one dream: those that are there, those that it opens, and what it does to each."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from brain import layout
from brain.dream import leads, wording
from brain.dream.leads import Offered, offered
from brain.dream.plan import Describe, Open, Operation, Relate, State, Supersede
from brain.dream.statements import Statement
from brain.dream.subjects import Subject
from brain.evidence import fingerprint
from brain.model import Claim, ObservationType, PageKind, Privacy
from brain.names import choose_path, title_key
from brain.page import HISTORY, Page, claims
from brain.tree import Tree

SECTIONS = {
    ObservationType.FACT: "Facts",
    ObservationType.CORRECTION: "Facts",
    ObservationType.PROFILE: "Facts",
    ObservationType.PREFERENCE: "Preferences",
    ObservationType.OPINION: "Opinions",
    ObservationType.DECISION: "Decisions",
    ObservationType.PROCEDURE: "Procedures",
    ObservationType.DEAD_END: "What failed",
    ObservationType.EVENT: "Events",
    ObservationType.COMMITMENT: "Commitments",
}
COLLECTIONS = frozenset({PageKind.PREFERENCE, PageKind.POLICY, PageKind.DECISION, PageKind.PROCEDURE})
"""Kinds of pages that gather statements of one type and are about no single name."""
_ORDER = tuple(dict.fromkeys(SECTIONS.values()))
_IMPORTANCE = {
    PageKind.POLICY: 5,
    PageKind.PREFERENCE: 5,
    PageKind.PROJECT: 4,
    PageKind.DECISION: 4,
    PageKind.PROCEDURE: 4,
    PageKind.PERSON: 3,
    PageKind.ORGANISATION: 3,
    PageKind.TOOL: 3,
    PageKind.PLACE: 2,
    PageKind.CONCEPT: 2,
}
_MAX_LEAD = 2
_MAX_RELATED = 8
_MAX_CLAIMS = 60
"""Claims that hold beyond which a page takes no more events: the note has them."""


@dataclass(eq=False, slots=True)
class Sheet:
    """One page, as the operations of this dream will leave it."""

    path: str
    title: str
    kind: PageKind
    subject: Subject | None = None
    known: Page | None = None
    is_private: bool = False
    operations: list[Operation] = field(default_factory=list)
    offers: list[Offered] = field(default_factory=list)
    related: list[tuple[str, str]] = field(default_factory=list)
    stated: dict[str, str] = field(default_factory=dict)
    """Fingerprint -> text of the claims that hold."""
    is_changed: bool = False
    """What its lead says may no longer hold."""

    def state(self, text: str, kind: ObservationType, day: str | None, evidence: Sequence[str], why: str) -> None:
        if kind is ObservationType.EVENT and len(self.stated) >= _MAX_CLAIMS:
            return
        self.stated[fingerprint(text)] = text
        self.operations.append(
            State(self.path, SECTIONS[kind], Claim(text, date=day), tuple(dict.fromkeys(evidence)), why)
        )

    def holds(self, text: str) -> bool:
        return fingerprint(text) in self.stated

    def supersede(self, old: str, new: str, statement: Statement, until: str | None) -> None:
        """`new` takes the place of `old`, where that stands here."""
        if self.stated.pop(fingerprint(old), None) is None:
            return
        if self.known is not None and any(fingerprint(c.text) == fingerprint(old) for c in self.known.lead):
            self.is_changed = True
        by = Claim(new, date=statement.day) if self._is_about(statement) or not self.stated else None
        if by is not None:
            self.stated[fingerprint(new)] = new
            self.offer(offered(statement, new))
        self.operations.append(Supersede(self.path, old, by, until, statement.evidence, "a later statement differs"))
        self.offers = [offer for offer in self.offers if offer.text != old]

    def _is_about(self, statement: Statement) -> bool:
        """False where the new statement speaks of somebody else: here the old one only ended, if something is left."""
        if self.kind in COLLECTIONS or self.subject is None:
            return True
        return self.subject in (*statement.named, statement.main, *statement.subjects)

    def offer(self, offered: Offered) -> None:
        self.offers.append(offered)

    @property
    def will_stand(self) -> bool:
        """False for a page that was to be opened and found nothing to say."""
        return self.known is not None or bool(self._lead())

    def all_operations(self, titles: Container[str]) -> Iterator[Operation]:
        """What this dream does to the page, the opening first; `titles` are the pages that may be linked."""
        lead = self._lead()
        if self.known is None:
            if not lead:
                return
            yield self._open(lead)
        elif lead and (self.is_changed or self._is_better(lead)):
            yield Describe(
                self.path, leads.summary(lead), leads.sentences(lead), "its lead said less, or no longer held"
            )
        elif fresh := self._fresh_aliases():
            yield Describe(self.path, "", (), "another name for it was used", aliases=fresh)
        yield from sorted(self.operations, key=_rank) if self.known is None else self.operations
        for title, words in [(t, w) for t, w in self.related if t in titles][:_MAX_RELATED]:
            yield Relate(self.path, title, words, "named together")

    def _fresh_aliases(self) -> tuple[str, ...]:
        known = {title_key(name) for name in (self.title, *(self.known.aliases if self.known else ()))}
        return tuple(a for a in (self.subject.aliases if self.subject else ()) if title_key(a) not in known)

    def _lead(self) -> list[Offered]:
        """The best defining sentences; else the first that has the subject; else the first claim."""
        holding = [offer for offer in self.offers if self.holds(offer.text)]
        holding.sort(key=lambda offer: (offer.text.startswith(wording.AGENT), offer.is_passing))
        defining = [offer for offer in holding if offer.defining]
        best = sorted(defining, key=lambda o: (o.day or "", o.text), reverse=True)[:_MAX_LEAD]
        if best:
            return sorted(best, key=lambda o: o.day or "")
        return (holding[-1:] if self.is_changed else holding[:1]) or self._first_claim()

    def _first_claim(self) -> list[Offered]:
        """A fact before an event: what is lasting says more of what a page is about."""
        stated = [o for o in self.operations if isinstance(o, State) and self.holds(o.claim.text)]
        first = sorted(stated, key=lambda o: (o.claim.text.startswith(wording.AGENT), *_rank(o)))[:1]
        found = [Offered(o.claim.text, o.claim.date, o.evidence, False) for o in first]
        return found or (list(self._still_known())[-1:] if self.is_changed else [])

    def _still_known(self) -> Iterator[Offered]:
        """What the page said before this dream and still holds."""
        for claim in _holding(self.known) if self.known else ():
            if self.known and claim.cites and self.holds(claim.text):
                sources = tuple(self.known.citations[n].source for n in claim.cites)
                yield Offered(claim.text, claim.date, sources, False)

    def _is_better(self, lead: Sequence[Offered]) -> bool:
        """A page that began with any sentence gets one that says what it is about."""
        assert self.known is not None
        return lead[0].defining and self.known.summary != leads.summary(lead) and not self._was_defined()

    def _was_defined(self) -> bool:
        assert self.known is not None
        return any(" is " in c.text or " — " in c.text or " works " in c.text for c in self.known.lead)

    def _open(self, lead: Sequence[Offered]) -> Open:
        return Open(
            page=self.path,
            title=self.title,
            kind=self.kind,
            aliases=self.subject.aliases if self.subject else (),
            summary=leads.summary(lead),
            lead=leads.sentences(lead),
            why="two sessions name it, or it was said what it is",
            importance=_IMPORTANCE[self.kind],
            privacy=Privacy.PRIVATE if self.is_private else Privacy.SHARED,
        )


def _rank(operation: Operation) -> tuple[int, str]:
    """Where a statement stands on a page that is new: by section, then by day."""
    if not isinstance(operation, State):
        return len(_ORDER), ""
    return _ORDER.index(operation.section), operation.claim.date or ""


class Book:
    """All pages of one dream."""

    def __init__(self, tree: Tree, subjects: Iterable[Subject]) -> None:
        self._tree = tree
        self._subjects = {subject.page: subject for subject in subjects if subject.page}
        self._sheets: dict[str, Sheet] = {}
        self._titles = {path: page.title for path, page in tree.pages().items()}

    def sheet(self, subject: Subject) -> Sheet | None:
        """The page of a subject; None: it has none."""
        if subject.page is None:
            return None
        return self._sheets.get(subject.page) or self._existing(subject.page)

    def open(self, subject: Subject, is_private: bool) -> Sheet:
        kind, title = subject.guess, subject.title
        path = self._path(kind, title)
        subject.page, subject.kind = path, kind
        subject.names.insert(0, title)
        return self._add(Sheet(path, title, kind, subject, is_private=is_private))

    def collection(self, kind: PageKind, title: str, project: Subject | None) -> Sheet:
        """The page of this title, opened where it is missing; a project's page and it are linked."""
        path = self._path(kind, title)
        sheet = self._sheets.get(path)
        if sheet is None:
            sheet = self._existing(path) if path in self._tree else self._add(Sheet(path, title, kind))
        if project is not None and (page := self.sheet(project)):
            _link(page, sheet.title, f"{kind.value}s of the project" if kind is not PageKind.POLICY else "its rules")
            _link(sheet, page.title, "the project")
        return sheet

    def holding(self, text: str) -> list[Sheet]:
        """Every page where a claim of these words holds."""
        key = fingerprint(text)
        for path in self._stating.get(key, ()):
            if path not in self._sheets:
                self._existing(path)
        return [sheet for _, sheet in sorted(self._sheets.items()) if key in sheet.stated]

    @cached_property
    def _stating(self) -> dict[str, list[str]]:
        """Fingerprint of a claim -> the pages of base that state it."""
        found: dict[str, list[str]] = {}
        for path, page in self._tree.pages().items():
            for claim in _holding(page):
                found.setdefault(fingerprint(claim.text), []).append(path)
        return found

    def relate(self, sheets: Sequence[Sheet], statement: Statement) -> None:
        """Link the pages of subjects that one statement names."""
        named = [sheet for sheet in dict.fromkeys(sheets) if sheet.subject is not None]
        for sheet in named:
            for other in named:
                if other is not sheet and (not other.is_private or sheet.is_private):
                    day = f" on {statement.day}" if statement.day else ""
                    _link(sheet, other.title, f"{other.kind.value}, named together{day}")

    def operations(self) -> Iterator[Operation]:
        missing = {path for path, sheet in self._sheets.items() if not sheet.will_stand}
        titles = {title for path, title in self._titles.items() if path not in missing}
        for path in sorted(self._sheets):
            yield from self._sheets[path].all_operations(titles)

    def _path(self, kind: PageKind, title: str) -> str:
        return choose_path(f"{layout.KNOWLEDGE}/{kind.folder}", title, self._titles)

    def _add(self, sheet: Sheet) -> Sheet:
        self._titles[sheet.path] = sheet.title
        self._sheets[sheet.path] = sheet
        return sheet

    def _existing(self, path: str) -> Sheet:
        page = self._tree.pages()[path]
        sheet = Sheet(path, page.title, page.kind or PageKind.CONCEPT, self._subjects.get(path), page)
        sheet.is_private = page.privacy is Privacy.PRIVATE
        sheet.stated = {fingerprint(claim.text): claim.text for claim in _holding(page)}
        return self._add(sheet)


def _holding(page: Page) -> list[Claim]:
    return [claim for claim in claims(page) if claim.section not in ("", HISTORY)]


def _link(sheet: Sheet, title: str, words: str) -> None:
    known = {title_key(t) for t, _ in sheet.related}
    if sheet.known is not None:
        known |= {title_key(related.title) for related in sheet.known.related}
    if title_key(title) not in known and len(known) < _MAX_RELATED:
        sheet.related.append((title, words))
