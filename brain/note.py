"""Notes: observations on one topic, one list item each; Note <-> text.

As with pages, a Note keeps its text, and each edit changes only the lines it must.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

from brain.model import Citation, Claim, Observation, ObservationType, Privacy, Problem, Status
from brain.names import clean_title
from brain.text import meta, record
from brain.text.claims import HISTORY, RELATED, Statement, render_item
from brain.text.front import FrontMatter
from brain.text.meta import Fields, NewFields
from brain.text.sections import Section, read_sections

__all__ = [
    "Note",
    "PastObservation",
    "add",
    "add_all",
    "cite",
    "cite_all",
    "claims",
    "edit",
    "new_note",
    "parse",
    "rate",
    "remove",
    "render",
    "supersede",
    "support",
]

_FORM = re.compile(rf"({'|'.join(ObservationType)}) · (0(?:\.\d{{1,2}})?|1(?:\.0{{1,2}})?) · ")

_RATED = re.compile(rf"((?:^|[-*+ ])(?:{'|'.join(ObservationType)}) · )(?:0(?:\.\d{{1,2}})?|1(?:\.0{{1,2}})?) · ")


@dataclass(frozen=True, slots=True)
class PastObservation:
    """An observation that no longer holds, and why."""

    observation: Observation
    superseded_by: str | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Never change a field with `replace`: the text would not follow. The functions below are the edits."""

    title: str
    domain: str
    aliases: tuple[str, ...]
    summary: str
    created: str | None
    updated: str | None
    importance: int
    privacy: Privacy
    status: Status
    citations: Mapping[int, Citation]
    observations: tuple[Observation, ...]
    history: tuple[PastObservation, ...]
    others: tuple[Claim, ...]
    """What else is said: items that a person wrote without type and confidence, sentences."""
    problems: tuple[Problem, ...]
    front: FrontMatter
    layout: tuple[Section, ...]


def parse(text: str) -> Note:
    """Total: what cannot be read is a problem of the note."""
    front = FrontMatter.parse(text)
    fields = meta.read_meta(front)
    layout = read_sections(text, front.body_start, front.body_line)
    found = [s for part in layout if not part.is_named(RELATED) for s in part.statements]
    seen = [(s, observation_of(s.claim)) for s in found]
    return Note(
        title=fields.title,
        domain=front.get_text("domain") or "",
        aliases=fields.aliases,
        summary=fields.summary,
        created=fields.created,
        updated=fields.updated,
        importance=fields.importance,
        privacy=fields.privacy,
        status=fields.status,
        citations=fields.citations,
        observations=tuple(o for s, o in seen if o and not _is_past(s)),
        history=tuple(PastObservation(o, s.superseded_by, s.ended) for s, o in seen if o and _is_past(s)),
        others=tuple(s.claim for s, o in seen if o is None),
        problems=fields.problems,
        front=front,
        layout=layout,
    )


def render(note: Note) -> str:
    return note.front.text


def claims(note: Note) -> tuple[Claim, ...]:
    """Every statement as a claim, without type and confidence, in the order of the file."""
    found = (s.claim for part in note.layout if not part.is_named(RELATED) for s in part.statements)
    return tuple(_bare(claim) for claim in found)


def _bare(claim: Claim) -> Claim:
    form = _FORM.match(claim.text)
    if form is None:
        return claim
    text = claim.text[form.end() :]
    return Claim(text, claim.cites, claim.id, claim.date, claim.until, claim.section, claim.line)


def _is_past(statement: Statement) -> bool:
    return statement.claim.section.casefold() == HISTORY.casefold()


def observation_of(claim: Claim) -> Observation | None:
    """None: the line has not the form of an observation."""
    form = _FORM.match(claim.text)
    if form is None:
        return None
    return Observation(
        text=claim.text[form.end() :],
        type=ObservationType(form[1]),
        confidence=float(form[2]),
        date=claim.date,
        until=claim.until,
        cites=claim.cites,
        id=claim.id,
        line=claim.line,
    )


def claim_of(observation: Observation) -> Claim:
    """The observation as the line's claim: its text begins with type and confidence."""
    text = f"{observation.type.value} · {observation.confidence:.2f} · {observation.text}"
    return Claim(text, observation.cites, observation.id, observation.date, observation.until, line=observation.line)


def _line(claim: Claim, fate: str = "") -> str:
    line = render_item(claim, fate)
    # A note's line always has a date: what is not known is "?".
    return line if claim.date or claim.until or fate else line.replace("- ", "- ? · ", 1)


# --- new notes and edits ----------------------------------------------------------


def new_note(title: str, domain: str, **fields: Unpack[NewFields]) -> Note:
    """A note without observations; `fields` are those of meta.NewFields."""
    title = clean_title(title)
    return parse(meta.new_text({"title": title, "domain": domain}, fields))


def edit(note: Note, **fields: Unpack[Fields]) -> Note:
    """Changes fields of the front matter (see meta.Fields). Raises: Locked."""
    return parse(meta.edited_front(note.front, fields).text)


def cite(note: Note, citation: Citation) -> tuple[Note, int]:
    """The note with this citation in its front matter, and its number; the same source and quote stand once."""
    note, numbers = cite_all(note, (citation,))
    return note, numbers[0]


def cite_all(note: Note, citations: Sequence[Citation]) -> tuple[Note, tuple[int, ...]]:
    """As many `cite`, in one edit."""
    front, numbers = record.cited(note, citations)
    return (note if front is note.front else parse(front.text)), numbers


def add(note: Note, observation: Observation) -> Note:
    """Adds an observation behind the last one; it gets a block id where it has none."""
    return add_all(note, (observation,))


def add_all(note: Note, observations: Sequence[Observation]) -> Note:
    """As many `add`, in one edit."""
    claims = record.with_ids(note, [claim_of(observation) for observation in observations])
    after = parse(record.append_items(note, "", [_line(claim) for claim in claims]))
    return record.placed(after, [claim.id for claim in claims])


def support(note: Note, more: Mapping[str | int, Sequence[int]]) -> Note:
    """Adds citations to observations, by id or line; one without a block id gets one. Raises: NoSuchClaim."""
    return parse(record.supported(note, more)) if more else note


def rate(note: Note, confidences: Mapping[str | int, float]) -> Note:
    """Gives observations, by id or line, another confidence; the rest of their lines stays. Raises: NoSuchClaim."""
    text = note.front.text
    places = {record.find(note, which)[0].start: (which, value) for which, value in confidences.items()}
    for start, (which, value) in sorted(places.items(), reverse=True):
        end = record.find(note, which)[0].end
        text = text[:start] + _RATED.sub(rf"\g<1>{value:.2f} · ", text[start:end], count=1) + text[end:]
    return parse(text) if confidences else note


def supersede(note: Note, claim_id: str, by: str | None, until: str | None) -> Note:
    """Moves an observation to History: replaced by `by`, or ended where that is None."""
    return record.placed(parse(record.superseded(note, claim_id, by, until, parse)), [claim_id])


def remove(note: Note, which: str | int) -> Note:
    """Cuts the line with this id or number, and citations that nothing uses any more."""
    return parse(record.removed(note, which).text)


def archive(note: Note) -> Note:
    return edit(note, status=Status.ARCHIVED)
