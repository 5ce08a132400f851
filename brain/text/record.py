"""The edits that pages and notes share: text in, text out.

An edit adds or cuts whole lines (in a lead, whole sentences) and leaves every other byte as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from brain.errors import UsageError
from brain.model import Citation, Claim
from brain.text.claims import (
    HISTORY,
    RELATED,
    Statement,
    citation_value,
    cites_in,
    claim_id,
    render_item,
    render_sentence,
    with_marks,
)
from brain.text.front import Bare, FrontMatter, Writable
from brain.text.sections import Section, sentence_spans


class NoSuchClaim(UsageError):
    """An edit names a claim that the file does not hold."""

    code = "no-such-claim"


class NotPlaced(UsageError):
    """What would be added could not be read where it would stand."""

    code = "not-placed"


D = TypeVar("D", bound="Document")


class Document(Protocol):
    """A Page or a Note."""

    @property
    def front(self) -> FrontMatter: ...
    @property
    def layout(self) -> tuple[Section, ...]: ...
    @property
    def citations(self) -> Mapping[int, Citation]: ...


# --- citations ------------------------------------------------------------------


def cited(document: Document, citations: Sequence[Citation]) -> tuple[FrontMatter, tuple[int, ...]]:
    """The numbers of these citations: of the entry that says the same, else of a new one."""
    known = {(one.source, one.quote): number for number, one in reversed(list(document.citations.items()))}
    entries = document.front.values.get("citations")
    keys = entries if isinstance(entries, dict) else {}
    taken = [int(key) for key in keys if key.isascii() and key.isdigit()] + list(cites_in(document.front.body))
    last = max(taken, default=0)
    new: dict[str, Writable] = {}
    for citation in citations:
        if (citation.source, citation.quote) not in known:
            known[citation.source, citation.quote] = last = last + 1
            new[Bare(last)] = citation_value(citation)
    front = document.front.extend("citations", new) if new else document.front
    return front, tuple(known[citation.source, citation.quote] for citation in citations)


def without_unused(front: FrontMatter, numbers: Iterable[int]) -> FrontMatter:
    """Drops those of `numbers` that nothing in the body cites any more."""
    used = cites_in(front.body)
    for number in sorted(set(numbers) - used):
        front = front.delete(("citations", str(number)))
    return front


# --- the body -------------------------------------------------------------------


def statements(document: Document) -> tuple[Statement, ...]:
    return tuple(s for section in document.layout for s in section.statements)


def taken_ids(document: Document) -> frozenset[str]:
    return frozenset(s.claim.id for s in statements(document) if s.claim.id)


def with_ids(document: Document, claims: Sequence[Claim]) -> list[Claim]:
    """The claims, each with a block id that nothing in the file has."""
    taken = set(taken_ids(document))
    named = []
    for claim in claims:
        first = document.citations.get(claim.cites[0]) if claim.cites else None
        block_id = claim.id or claim_id(claim.text, first.source if first else "", taken)
        taken.add(block_id)
        named.append(replace(claim, id=block_id))
    return named


def find(document: Document, which: str | int) -> tuple[Statement, ...]:
    """The statement with this block id, or those that begin on this line.

    Raises: NoSuchClaim.
    """
    found = tuple(s for s in statements(document) if which in (s.claim.id, s.claim.line))
    if not found:
        name = f"^{which}" if isinstance(which, str) else f"on line {which}"
        raise NoSuchClaim(f"Nothing was changed: there is no claim {name}.", "Read the file again.")
    return found


def append_items(document: Document, heading: str, lines: Sequence[str]) -> str:
    """The file with `lines` as the last list items under `heading`; a heading that is missing is made."""
    return append_item(document, heading, document.front.eol.join(lines)) if lines else document.front.text


def append_item(document: Document, heading: str, line: str) -> str:
    """The file with `line` as the last list item under `heading`; a heading that is missing is made."""
    text, eol = document.front.text, document.front.eol
    section = next((s for s in document.layout if s.is_named(heading)), None)
    if section is None:
        return _with_section(document, heading, line)
    items = [block.end for block in section.blocks if block.kind == "item"]
    if items:
        return _insert(text, items[-1], line + eol, eol)
    place = _content_end(text, section)
    return _insert(text, place, f"{eol}{line}{eol}" if section.blocks else f"{line}{eol}", eol)


def placed(document: D, block_ids: Iterable[str | None]) -> D:
    """The document, once it is sure that its new lines are read as such.

    Raises: NotPlaced where a code block or a comment that is never closed has swallowed them.
    """
    if not taken_ids(document).issuperset(block_ids):
        raise NotPlaced(
            "Nothing was added: the end of the file is inside a code block or a comment.",
            "Close the block, then try again.",
        )
    return document


def _with_section(document: Document, heading: str, line: str) -> str:
    text, eol = document.front.text, document.front.eol
    later = {HISTORY: (RELATED,), RELATED: ()}.get(heading, (HISTORY, RELATED))
    before = next((s for s in document.layout[1:] if any(s.is_named(name) for name in later)), None)
    if before is not None:
        return text[: before.start] + f"## {heading}{eol}{eol}{line}{eol}{eol}" + text[before.start :]
    place = _content_end(text, document.layout[-1])
    return _insert(text, place, f"{eol}## {heading}{eol}{eol}{line}{eol}", eol)


def _content_end(text: str, section: Section) -> int:
    return section.blocks[-1].end if section.blocks else section.end


def _insert(text: str, place: int, new: str, eol: str) -> str:
    before = text[:place]
    if before and not before.endswith("\n"):
        before += eol
    return before + new + text[place:]


def cut(text: str, found: Iterable[Statement]) -> str:
    """The file without these statements; an empty line that would stand twice goes with them."""
    for statement in sorted(found, key=lambda s: -s.start):
        start, end = statement.start, statement.end
        if not statement.item:
            start, end = _sentence_bounds(text, start, end)
        before, after = text[:start], text[end:]
        if re.search(r"(?:^|\n)\r?\n\Z", before) and (blank := re.match(r"\r?\n", after)):
            after = after[blank.end() :]
        text = before + after
    return text


def _sentence_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    ahead, behind = text[line_start:start].strip(), text[end:line_end].strip()
    if not ahead and not behind:
        return line_start, line_end
    if behind:
        return start, line_end - len(text[end:line_end].lstrip())
    return line_start + len(text[line_start:start].rstrip()), end


def supported(document: Document, more: Mapping[str | int, Sequence[int]]) -> str:
    """The file with more citations at some statements (by block id or line); an item without an id gets one.

    Raises: NoSuchClaim.
    """
    found = {find(document, which)[0].start: (find(document, which)[0], numbers) for which, numbers in more.items()}
    text, taken = document.front.text, set(taken_ids(document))
    for start, (statement, numbers) in sorted(found.items(), reverse=True):
        new = [n for n in numbers if n not in statement.claim.cites]
        block_id = claim_id(statement.claim.text, "", taken) if statement.item and not statement.claim.id else None
        taken.add(block_id or "")
        written = with_marks(text[start : statement.end], new, block_id)
        text = text[:start] + written + text[statement.end :]
    return text


def removed(document: Document, which: str | int) -> FrontMatter:
    found = find(document, which)
    front = FrontMatter.parse(cut(document.front.text, found))
    return without_unused(front, {n for s in found for n in s.claim.cites})


def with_lead(document: Document, claims: Sequence[Claim]) -> str:
    """The file with these as the cited sentences of its lead; what a person wrote there without a citation stays."""
    text, eol = document.front.text, document.front.eol
    lead = document.layout[0]
    old = [s for s in lead.statements if s.claim.cites and not s.item]
    words = [render_sentence(part) for claim in claims for part in sentences_of(claim)]
    new = eol.join(words)
    if old:
        start = old[0].start
        rest = cut(text, old[1:])
        return rest[:start] + new + rest[old[0].end :]
    heading = next((b for b in lead.blocks if b.kind == "heading"), None)
    place = heading.end if heading else lead.start
    gap = eol if text[place:] and not text[place:].startswith(("\n", "\r\n")) else ""
    return _insert(text, place, f"{eol if heading else ''}{new}{eol}{gap}", eol)


def sentences_of(claim: Claim) -> tuple[Claim, ...]:
    """A claim as sentences that each carry its citations."""
    spans = sentence_spans(render_sentence(replace(claim, cites=(), id=None)))
    if len(spans) == 1:
        return (claim,)
    return tuple(replace(claim, text=claim.text[a:b], id=None) for a, b in sentence_spans(claim.text))


def superseded(
    document: Document, block_id: str, by: str | None, until: str | None, parse: Callable[[str], Document]
) -> str:
    """The file with this claim moved to History, with the day it stopped holding and what replaced it."""
    found = find(document, block_id)
    rest = parse(cut(document.front.text, found))
    fate = f" · superseded by ^{by}" if by else " · ended"
    return append_item(rest, HISTORY, render_item(replace(found[0].claim, until=until), fate))
