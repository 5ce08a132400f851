"""Pages and notes under one hand: the edits of the text layer that both have, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, Unpack

from brain import note as notes
from brain import page as pages
from brain.dream.evidence import Evidence, NotApplicable
from brain.evidence import fingerprint
from brain.model import Citation, Claim, Observation, Privacy
from brain.names import title_key
from brain.note import Note
from brain.page import Page
from brain.text.claims import HISTORY, RELATED, Statement, one_line
from brain.text.meta import Fields

D = TypeVar("D", Page, Note)


@dataclass(frozen=True, slots=True)
class Item:
    """A list item of a file as a statement to compare with."""

    statement: Statement
    text: str
    """Of an observation without type and confidence."""

    @property
    def claim(self) -> Claim:
        return self.statement.claim

    @property
    def is_past(self) -> bool:
        return self.claim.section.casefold() == HISTORY.casefold()

    @property
    def which(self) -> str | int:
        return self.claim.id or self.claim.line


def items(document: Page | Note) -> Iterator[Item]:
    """The list items outside Related. A page's lead has none: it sums up, and says nothing on its own."""
    for section in document.layout:
        if section.is_named(RELATED):
            continue
        for statement in section.statements:
            seen = notes.observation_of(statement.claim) if isinstance(document, Note) else None
            if statement.item:
                yield Item(statement, seen.text if seen else statement.claim.text)


Numbers = tuple[int, ...] | NotApplicable
"""Under which numbers a file cites the evidence of one statement, or why it cannot."""


def cite(document: D, groups: Sequence[Sequence[str]], evidence: Evidence) -> tuple[D, list[Numbers]]:
    """The record with all these sources among its citations, and its days widened to theirs; numbers by group."""
    known = _known(document, evidence)
    found = [_look_up(sources, evidence) for sources in groups]
    wanted = {c.source: c for group in found if isinstance(group, list) for c in group if c.source not in known}
    document, fresh = _cite_all(document, list(wanted.values()))
    known |= dict(zip(wanted, fresh, strict=True))
    numbers: list[Numbers] = [
        tuple(known[citation.source] for citation in group) if isinstance(group, list) else group for group in found
    ]
    used = [number for group in numbers if isinstance(group, tuple) for number in group]
    return _with_days(document, used), numbers


def _known(document: Page | Note, evidence: Evidence) -> dict[str, int]:
    """source -> number of the entries that still quote what their source says."""
    entries = reversed(list(document.citations.items()))
    return {citation.source: number for number, citation in entries if evidence.is_quoted(citation)}


def _look_up(sources: Sequence[str], evidence: Evidence) -> list[Citation] | NotApplicable:
    if not sources:
        return NotApplicable("it names no evidence")
    try:
        return [evidence.citation(source) for source in dict.fromkeys(sources)]
    except NotApplicable as reason:
        return reason


def _with_days(document: D, numbers: Sequence[int]) -> D:
    days: list[str] = [day for n in set(numbers) if (day := document.citations[n].date)]
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


def edited(document: D, **fields: Unpack[Fields]) -> D:
    return pages.edit(document, **fields) if isinstance(document, Page) else notes.edit(document, **fields)


def support(document: D, more: Mapping[str | int, Sequence[int]]) -> D:
    return pages.support(document, more) if isinstance(document, Page) else notes.support(document, more)


def add(document: D, section: str, said: Sequence[Claim | Observation]) -> D:
    """New list items: claims under a heading of a page, observations of a note."""
    if isinstance(document, Page):
        return pages.add_claims(document, section, [one for one in said if isinstance(one, Claim)])
    return notes.add_all(document, [one for one in said if isinstance(one, Observation)])


def _cite_all(document: D, citations: Sequence[Citation]) -> tuple[D, tuple[int, ...]]:
    return pages.cite_all(document, citations) if isinstance(document, Page) else notes.cite_all(document, citations)


def rate(document: D, sure: Mapping[str, float]) -> D:
    """The record with what was said again no less sure than now; `sure` by the fingerprint of the words."""
    if not isinstance(document, Note) or not sure:
        return document
    raised: dict[str | int, float] = {}
    for item in items(document):
        known = notes.observation_of(item.claim)
        if known and not item.is_past and known.confidence < (value := sure.get(fingerprint(item.text), 0.0)):
            raised[item.which] = value
    return notes.rate(document, raised)
