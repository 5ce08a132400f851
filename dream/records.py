"""Pages and notes under one hand: the edits of the text layer that both have, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from brain import note as notes
from brain import page as pages
from brain.claims import HISTORY, RELATED, Statement, one_line
from brain.dream.evidence import Evidence, NotApplicable
from brain.model import Citation, ObservationType, Privacy
from brain.names import title_key
from brain.note import Note
from brain.page import Page

D = TypeVar("D", Page, Note)


@dataclass(frozen=True, slots=True)
class Item:
    """A list item of a file as a statement to compare with."""

    statement: Statement
    text: str
    """Of an observation without type and confidence."""
    type: ObservationType | None

    @property
    def is_past(self) -> bool:
        return self.statement.claim.section.casefold() == HISTORY.casefold()

    @property
    def which(self) -> str | int:
        return self.statement.claim.id or self.statement.claim.line


def items(document: Page | Note) -> Iterator[Item]:
    """The list items outside Related. A page's lead has none: it sums up, and says nothing on its own."""
    for section in document.layout:
        if section.is_named(RELATED):
            continue
        for statement in section.statements:
            seen = notes.observation_of(statement.claim) if isinstance(document, Note) else None
            if statement.item:
                yield Item(statement, seen.text if seen else statement.claim.text, seen.type if seen else None)


def cite(document: D, sources: Sequence[str], evidence: Evidence) -> tuple[D, tuple[int, ...]]:
    """The record with these sources among its citations, and its days widened to theirs; their numbers."""
    if not sources:
        raise NotApplicable("it names no evidence")
    numbers = []
    for source in dict.fromkeys(sources):
        number = evidence.number(document.citations, source)
        if number is None:
            document, number = _cite_in(document, evidence.citation(source))
        numbers.append(number)
    return _with_days(document, numbers), tuple(numbers)


def _with_days(document: D, numbers: Sequence[int]) -> D:
    days: list[str] = [day for n in numbers if (day := document.citations[n].date)]
    if not days:
        return document
    first, last = min([*days, document.created or days[0]]), max([*days, document.updated or days[0]])
    if (first, last) == (document.created, document.updated):
        return document
    return edited(document, created=first, updated=last)


def with_aliases(document: D, aliases: Sequence[str]) -> D:
    known = {title_key(name) for name in (document.title, *document.aliases)}
    fresh = [alias for alias in map(one_line, aliases) if alias and title_key(alias) not in known]
    unique: list[str] = list({title_key(alias): alias for alias in reversed(fresh)}.values())[::-1]
    return edited(document, aliases=[*document.aliases, *unique]) if unique else document


def with_privacy(document: D, privacy: Privacy) -> D:
    """Private where one side is: a dream never shares what was private."""
    if privacy is Privacy.SHARED or document.privacy is Privacy.PRIVATE:
        return document
    return edited(document, privacy=Privacy.PRIVATE)


def edited(document: D, **fields: object) -> D:
    return pages.edit(document, **fields) if isinstance(document, Page) else notes.edit(document, **fields)


def _cite_in(document: D, citation: Citation) -> tuple[D, int]:
    return pages.cite(document, citation) if isinstance(document, Page) else notes.cite(document, citation)


def support(document: D, which: str | int, numbers: Sequence[int]) -> D:
    if isinstance(document, Page):
        return pages.support(document, which, numbers)
    return notes.support(document, which, numbers)
