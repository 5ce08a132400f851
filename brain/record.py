"""What pages and notes share: the front matter's fields, and the edits of a body.

An edit is text in, text out: it adds or cuts whole lines (in a lead, whole sentences) and
leaves every other byte as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol, TypedDict, TypeVar

from brain.claims import (
    HISTORY,
    RELATED,
    Statement,
    citation_value,
    cites_in,
    claim_id,
    read_citations,
    render_item,
    render_sentence,
    with_marks,
)
from brain.errors import UsageError
from brain.front import Bare, FrontMatter, Writable, text_list
from brain.model import Citation, Claim, Privacy, Problem, Status
from brain.names import clean_title
from brain.sections import Section, sentence_spans

DEFAULT_IMPORTANCE = 3
MAX_SUMMARY = 160

E = TypeVar("E", bound=StrEnum)


class NoSuchClaim(UsageError):
    """An edit names a claim that the file does not hold."""

    code = "no-such-claim"


class Document(Protocol):
    """A Page or a Note."""

    @property
    def front(self) -> FrontMatter: ...
    @property
    def layout(self) -> tuple[Section, ...]: ...
    @property
    def citations(self) -> Mapping[int, Citation]: ...


class Fields(TypedDict, total=False):
    """What `edit` may change in the front matter."""

    title: str
    aliases: Sequence[str]
    summary: str
    created: str
    updated: str
    importance: int
    privacy: Privacy
    status: Status


@dataclass(frozen=True, slots=True)
class Meta:
    """The front matter's fields as far as they could be read."""

    title: str
    aliases: tuple[str, ...]
    summary: str
    created: str | None
    updated: str | None
    importance: int
    privacy: Privacy
    status: Status
    citations: Mapping[int, Citation]
    problems: tuple[Problem, ...]


def read_meta(front: FrontMatter) -> Meta:
    citations, problems = read_citations(front)
    found = list(front.problems) + problems
    importance = front.get_text("importance") or str(DEFAULT_IMPORTANCE)
    if not re.fullmatch("[1-5]", importance):
        found.append(
            Problem(f"importance is {importance!r}, no number from 1 to 5", front.line_of("importance"), "importance")
        )
        importance = str(DEFAULT_IMPORTANCE)
    return Meta(
        title=front.get_text("title") or "",
        aliases=text_list(front.values.get("aliases")) + text_list(front.values.get("alias")),
        summary=front.get_text("summary") or "",
        created=front.get_text("created"),
        updated=front.get_text("updated"),
        importance=int(importance),
        privacy=read_choice(front, "privacy", Privacy, found) or Privacy.SHARED,
        status=read_choice(front, "status", Status, found) or Status.ACTIVE,
        citations=citations,
        problems=tuple(found),
    )


def read_choice(front: FrontMatter, key: str, choices: type[E], problems: list[Problem]) -> E | None:
    """One of a closed set; another value is a problem and counts as missing."""
    value = front.get_text(key)
    if value is None:
        return None
    if value in set(choices):
        return choices(value)
    problems.append(Problem(f"{key} is {value!r}, none of {', '.join(choices)}", front.line_of(key), key))
    return None


def new_text(head: Mapping[str, Writable], fields: Fields) -> str:
    """A new file without claims; `head` stands first, in its order."""
    days = {key: Bare(fields[key]) for key in ("created", "updated") if fields.get(key)}
    rest: dict[str, Writable] = {
        "aliases": list(fields.get("aliases", ())),
        "summary": fields.get("summary", ""),
        **days,
        "importance": fields.get("importance", DEFAULT_IMPORTANCE),
        "privacy": fields.get("privacy", Privacy.SHARED).value,
        "status": fields.get("status", Status.ACTIVE).value,
        "citations": {},
    }
    return FrontMatter.build({**head, **rest}, f"\n# {head['title']}\n").text


def edited_front(front: FrontMatter, fields: Fields) -> FrontMatter:
    for key, value in fields.items():
        match value:
            case StrEnum():
                front = front.set(key, value.value)
            case str() if key in ("created", "updated"):
                front = front.set(key, Bare(value))
            case str() if key == "title":
                front = front.set(key, clean_title(value))
            case str() | int():
                front = front.set(key, value)
            case _:
                front = _with_aliases(front, fields["aliases"])
    return front


def _with_aliases(front: FrontMatter, aliases: Sequence[str]) -> FrontMatter:
    return front.delete("alias").set("aliases", list(aliases))


# --- citations ------------------------------------------------------------------


def cited(document: Document, citation: Citation) -> tuple[FrontMatter, int]:
    """The number of a citation: of the entry that says the same, else of a new one."""
    for number, known in document.citations.items():
        if (known.source, known.quote) == (citation.source, citation.quote):
            return document.front, number
    entries = document.front.values.get("citations")
    keys = entries if isinstance(entries, dict) else {}
    taken = [int(key) for key in keys if key.isascii() and key.isdigit()] + list(cites_in(document.front.body))
    number = max(taken, default=0) + 1
    return document.front.set(("citations", Bare(number)), citation_value(citation)), number


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


def with_id(document: Document, claim: Claim) -> Claim:
    if claim.id:
        return claim
    source = document.citations[claim.cites[0]].source if claim.cites and claim.cites[0] in document.citations else ""
    return replace(claim, id=claim_id(claim.text, source, taken_ids(document)))


def find(document: Document, which: str | int) -> tuple[Statement, ...]:
    """The statement with this block id, or those that begin on this line.

    Raises: NoSuchClaim.
    """
    found = tuple(s for s in statements(document) if which in (s.claim.id, s.claim.line))
    if not found:
        name = f"^{which}" if isinstance(which, str) else f"on line {which}"
        raise NoSuchClaim(f"Nothing was changed: there is no claim {name}.", "Read the file again.")
    return found


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


def supported(document: Document, which: str | int, numbers: Sequence[int]) -> str:
    """The file with more citations at one statement; a list item without a block id gets one."""
    found = find(document, which)[0]
    text, new = document.front.text, [n for n in numbers if n not in found.claim.cites]
    block_id = with_id(document, replace(found.claim, cites=tuple(numbers))).id if found.item else None
    return text[: found.start] + with_marks(text[found.start : found.end], new, block_id) + text[found.end :]


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
