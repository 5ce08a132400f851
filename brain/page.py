"""Pages: one subject each, every statement with its evidence; Page <-> text.

A Page keeps the text it was read from: rendering it gives the same bytes, and each edit
gives a new Page whose text differs in the lines of that edit alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from brain.model import Citation, Claim, PageKind, Privacy, Problem, Status
from brain.names import clean_title, title_key
from brain.text import meta, record
from brain.text.claims import HISTORY, RELATED, Statement, render_item
from brain.text.front import FrontMatter
from brain.text.meta import Fields, NewFields
from brain.text.record import NoSuchClaim, NotPlaced
from brain.text.sections import Section, read_sections
from brain.text.wikilinks import link_target

__all__ = ["HISTORY", "RELATED", "Fields", "HistoryLine", "NoSuchClaim", "NotPlaced", "Page", "Related", "Section"]

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:[^\[\]\n]*)\]\](?: · (.*))?")


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A statement that no longer holds, and why."""

    claim: Claim
    superseded_by: str | None = None
    """Block id of the claim that replaced it."""
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    title: str
    why: str
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    """Never change a field with `replace`: the text would not follow. The functions below are the edits."""

    title: str
    kind: PageKind | None
    aliases: tuple[str, ...]
    summary: str
    created: str | None
    updated: str | None
    importance: int
    privacy: Privacy
    status: Status
    citations: Mapping[int, Citation]
    lead: tuple[Claim, ...]
    sections: tuple[Section, ...]
    """Without lead, History and Related."""
    history: tuple[HistoryLine, ...]
    related: tuple[Related, ...]
    problems: tuple[Problem, ...]
    front: FrontMatter
    layout: tuple[Section, ...]
    """Everything in the order of the file, the lead first."""


def parse(text: str) -> Page:
    """Total: what cannot be read is a problem of the page."""
    front = FrontMatter.parse(text)
    fields = meta.read_meta(front)
    problems = list(fields.problems)
    kind = meta.read_choice(front, "kind", PageKind, problems)
    layout = read_sections(text, front.body_start, front.body_line)
    kept = {HISTORY.casefold(), RELATED.casefold()}
    return Page(
        title=fields.title,
        kind=kind,
        aliases=fields.aliases,
        summary=fields.summary,
        created=fields.created,
        updated=fields.updated,
        importance=fields.importance,
        privacy=fields.privacy,
        status=fields.status,
        citations=fields.citations,
        lead=layout[0].claims,
        sections=tuple(s for s in layout[1:] if s.heading.casefold() not in kept),
        history=tuple(_history(s) for part in layout[1:] if part.is_named(HISTORY) for s in part.statements),
        related=tuple(r for part in layout[1:] if part.is_named(RELATED) for r in _related(part, text)),
        problems=tuple(problems),
        front=front,
        layout=layout,
    )


def render(page: Page) -> str:
    return page.front.text


def claims(page: Page) -> tuple[Claim, ...]:
    """Every statement outside Related, in the order of the file; without a citation `cites` is ()."""
    return tuple(claim for section in page.layout if not section.is_named(RELATED) for claim in section.claims)


def _history(statement: Statement) -> HistoryLine:
    return HistoryLine(statement.claim, statement.superseded_by, statement.ended)


def _related(section: Section, text: str) -> list[Related]:
    found = []
    for statement in section.statements:
        link = _LINK.match(statement.claim.text)
        if link:
            found.append(Related(link[1].strip(), link[2] or "", statement.claim.line))
    return found


# --- new pages and edits ----------------------------------------------------------


def new_page(title: str, kind: PageKind, **fields: Unpack[NewFields]) -> Page:
    """A page without claims; `fields` are those of NewFields."""
    title = clean_title(title)
    return parse(meta.new_text({"title": title, "kind": kind.value}, fields))


def edit(page: Page, **fields: Unpack[Fields]) -> Page:
    """Changes fields of the front matter (see Fields). Raises: Locked."""
    return parse(meta.edited_front(page.front, fields).text)


def cite(page: Page, citation: Citation) -> tuple[Page, int]:
    """The page with this citation in its front matter, and its number; the same source and quote stand once."""
    page, numbers = cite_all(page, (citation,))
    return page, numbers[0]


def cite_all(page: Page, citations: Sequence[Citation]) -> tuple[Page, tuple[int, ...]]:
    """As many `cite`, in one edit."""
    front, numbers = record.cited(page, citations)
    return (page if front is page.front else parse(front.text)), numbers


def add_claim(page: Page, section: str, claim: Claim) -> Page:
    """Adds a list item under a heading; the claim gets a block id where it has none."""
    return add_claims(page, section, (claim,))


def add_claims(page: Page, section: str, claims: Sequence[Claim]) -> Page:
    """As many `add_claim`, in one edit."""
    new = record.with_ids(page, claims)
    after = parse(record.append_items(page, section, [render_item(claim) for claim in new]))
    return record.placed(after, [claim.id for claim in new])


def support(page: Page, more: Mapping[str | int, Sequence[int]]) -> Page:
    """Adds citations to claims, by id or line; a list item without a block id gets one. Raises: NoSuchClaim."""
    return parse(record.supported(page, more)) if more else page


def replace_lead(page: Page, sentences: Sequence[Claim]) -> Page:
    """Puts these in the place of the lead's cited sentences; citations that nothing uses any more go."""
    old = {n for claim in page.lead for n in claim.cites}
    front = FrontMatter.parse(record.with_lead(page, sentences))
    return parse(record.without_unused(front, old).text)


def supersede(page: Page, claim_id: str, by: str | None, until: str | None) -> Page:
    """Moves a claim to History: replaced by the claim `by`, or ended where that is None."""
    return record.placed(parse(record.superseded(page, claim_id, by, until, parse)), [claim_id])


def add_related(page: Page, title: str, why: str) -> Page:
    """Links another page once; a second reason for the same link is not added."""
    target = link_target(title)
    if any(title_key(known.title) == title_key(target) for known in page.related):
        return page
    line = f"- [[{target}]]" + (f" · {' '.join(why.split())}" if why.strip() else "")
    return parse(record.append_item(page, RELATED, line))


def remove_claim(page: Page, which: str | int) -> Page:
    """Cuts the claim with this id, or what begins on this line, and citations that nothing uses any more."""
    return parse(record.removed(page, which).text)


def archive(page: Page) -> Page:
    return edit(page, status=Status.ARCHIVED)
