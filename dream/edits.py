"""One operation on one page or note: record in, record out, through the edits of the text layer.

Every edit may be made again with the same result: what is said already gets the new citation, what
is gone already stays gone. What cannot be done raises NotApplicable and leaves the record alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain import note as notes
from brain import page as pages
from brain import record
from brain.claims import HISTORY, RELATED, one_line
from brain.dream.evidence import Evidence, NotApplicable
from brain.dream.plan import Attach, Describe, Open, Relate, Sentence, State, Supersede
from brain.dream.plan import evidence as sources_of
from brain.dream.records import D, Item, cite, edited, items, support, with_aliases, with_privacy
from brain.evidence import fingerprint
from brain.links import Names, link_target, wikilinks
from brain.model import Claim, Observation, ObservationType, Status
from brain.note import Note
from brain.page import Page
from brain.record import MAX_SUMMARY

FACTS = "Facts"
"""Where a page's claims stand when nobody says where."""

# --- pages and notes as they begin ------------------------------------------------


def open_page(page: Page | None, operation: Open, path: str, evidence: Evidence) -> Page:
    if page is None:
        if path.split("/")[-2] != operation.kind.folder:
            raise NotApplicable(f"a page of kind {operation.kind} stands in {operation.kind.folder}/")
        page = pages.new_page(
            operation.title,
            operation.kind,
            summary=one_line(operation.summary),
            importance=operation.importance,
            **evidence.days(sources_of(operation)),
        )
    elif page.kind is not operation.kind:
        raise NotApplicable(f"the page is there already, of kind {page.kind}")
    page = with_privacy(with_aliases(page, operation.aliases), operation.privacy)
    known = {fingerprint(claim.text) for claim in page.lead}
    fresh = [sentence for sentence in _split(operation.lead) if fingerprint(sentence.text) not in known]
    return _with_lead(page, [claim for claim in page.lead if claim.cites], fresh, evidence) if fresh else page


def describe(page: D, operation: Describe, evidence: Evidence) -> D:
    if operation.summary:
        page = edited(page, summary=one_line(operation.summary))
    if operation.importance is not None and operation.importance != page.importance:
        page = edited(page, importance=operation.importance)
    page = with_aliases(page, operation.aliases)
    lead = _split(operation.lead)
    return _new_lead(page, lead, evidence) if isinstance(page, Page) and lead else page


def archive(document: D) -> D:
    return document if document.status is Status.ARCHIVED else edited(document, status=Status.ARCHIVED)


def _split(lead: Sequence[Sentence]) -> list[Sentence]:
    """One sentence each, as they will be read back; none that says nothing, none twice."""
    parts = [
        Sentence(part.text, sentence.evidence)
        for sentence in lead
        for part in record.sentences_of(Claim(one_line(sentence.text)))
        if part.text
    ]
    return list({fingerprint(part.text): part for part in reversed(parts)}.values())[::-1]


def _new_lead(page: Page, sentences: Sequence[Sentence], evidence: Evidence) -> Page:
    """The new lead in place of the old; an old sentence that the page says nowhere else becomes a claim."""
    new = [fingerprint(sentence.text) for sentence in sentences]
    old = [claim for claim in page.lead if claim.cites]
    if [fingerprint(claim.text) for claim in old] == new:
        return page
    for claim in old:
        if fingerprint(claim.text) not in new:
            page = _keep(page, claim)
    return _with_lead(page, [], sentences, evidence)


def _keep(page: Page, claim: Claim) -> Page:
    same = [item for item in items(page) if fingerprint(item.text) == fingerprint(claim.text)]
    page, known = _support(page, same, claim.cites)
    return page if known else pages.add_claim(page, FACTS, replace(claim, section="", line=0))


def _with_lead(page: Page, kept: Sequence[Claim], fresh: Sequence[Sentence], evidence: Evidence) -> Page:
    claims = list(kept)
    for sentence in fresh:
        page, numbers = cite(page, sentence.evidence, evidence)
        claims.append(Claim(one_line(sentence.text), numbers))
    return pages.replace_lead(page, claims)


# --- statements -------------------------------------------------------------------


def state(page: Page, operation: State, evidence: Evidence) -> Page:
    section = one_line(operation.section)
    if not section or section.casefold() in (HISTORY.casefold(), RELATED.casefold()):
        raise NotApplicable(f"a claim cannot be put under the heading {section!r}")
    return _say_claim(page, section, operation.claim, operation.evidence, evidence)[0]


def attach(note: Note | None, operation: Attach, evidence: Evidence) -> Note:
    said = operation.observation
    if note is None:
        summary = one_line(operation.summary or said.text)[:MAX_SUMMARY]
        days = evidence.days(operation.evidence)
        note = notes.new_note(operation.title, operation.domain, summary=summary, **days)
    return _say_observation(with_privacy(note, operation.privacy), said, operation.evidence, evidence)[0]


def supersede(document: D, operation: Supersede, evidence: Evidence) -> D:
    old = _named(document, operation.claim_id)
    match operation.by, document:
        case None, _:
            return _end(document, old, operation, evidence)
        case Claim() as by, Page():
            _must_differ(old, by)
            section = FACTS if old.is_past or not old.statement.claim.section else old.statement.claim.section
            document, fresh = _say_claim(document, section, by, operation.evidence, evidence)
        case Observation() as by, Note():
            _must_differ(old, by)
            document, fresh = _say_observation(document, by, operation.evidence, evidence)
        case by, _:
            raise NotApplicable("a claim replaces a claim, an observation an observation")
    old = _named(document, operation.claim_id)
    return document if old.is_past else _to_history(document, old, fresh, operation.until or by.date)


def relate(page: Page, operation: Relate, names: Names, path: str) -> Page:
    target = names.resolve(operation.title)
    if target is None or target == path:
        raise NotApplicable(f"{operation.title!r} names no other page")
    text = page.front.text
    related = [text[section.start : section.end] for section in page.layout if section.is_named(RELATED)]
    if any(names.resolve_link(link) == target for part in related for link in wikilinks(part)):
        return page
    return pages.add_related(page, link_target(names.titles[target]), one_line(operation.words))


def _say_claim(page: Page, section: str, claim: Claim, sources: Sequence[str], evidence: Evidence) -> tuple[Page, str]:
    """The page with this claim and its evidence; the block id under which it stands now."""
    _must_say(claim.text)
    page, numbers = cite(page, sources, evidence)
    same = [item for item in items(page) if fingerprint(item.text) == fingerprint(claim.text)]
    page, known = _support(page, same, numbers)
    if known:
        return page, known
    before = record.taken_ids(page)
    new = Claim(one_line(claim.text), numbers, date=claim.date)
    page = pages.add_claim(page, section, new)
    return page, _new_id(page, before)


def _say_observation(note: Note, said: Observation, sources: Sequence[str], evidence: Evidence) -> tuple[Note, str]:
    _must_say(said.text)
    note, numbers = cite(note, sources, evidence)
    same = [item for item in items(note) if _is_same(item, said)]
    note, known = _support(note, same, numbers)
    if known:
        return note, known
    before = record.taken_ids(note)
    new = replace(said, text=one_line(said.text), cites=numbers, id=None, until=None, line=0)
    note = notes.add(note, new)
    return note, _new_id(note, before)


def _is_same(item: Item, said: Observation) -> bool:
    """The same words; of two events also the same day: who ran on Monday and on Friday ran twice."""
    if fingerprint(item.text) != fingerprint(said.text):
        return False
    day = item.statement.claim.date
    return said.type is not ObservationType.EVENT or None in (day, said.date) or day == said.date


def _support(document: D, same: Sequence[Item], numbers: tuple[int, ...]) -> tuple[D, str | None]:
    """Cite more at a statement that stands there; also at one of the past, where this evidence is its own."""
    for item in same:
        if not item.is_past or set(numbers) <= set(item.statement.claim.cites):
            return _with_support(document, item, numbers)
    return document, None


def _with_support(document: D, item: Item, numbers: tuple[int, ...]) -> tuple[D, str | None]:
    claim = item.statement.claim
    if claim.id and set(numbers) <= set(claim.cites):
        return document, claim.id
    before = record.taken_ids(document)
    document = support(document, item.which, numbers)
    return document, claim.id or _new_id(document, before)


def _end(document: D, old: Item, operation: Supersede, evidence: Evidence) -> D:
    if old.is_past:
        return document
    if operation.evidence:
        document, numbers = cite(document, operation.evidence, evidence)
        document, _ = _with_support(document, old, numbers)
    return _to_history(document, _named(document, operation.claim_id), None, operation.until)


def _to_history(document: D, old: Item, by: str | None, until: str | None) -> D:
    document, block_id = _with_support(document, old, old.statement.claim.cites)
    assert block_id is not None
    if isinstance(document, Page):
        return pages.supersede(document, block_id, by, until)
    return notes.supersede(document, block_id, by, until)


def _named(document: Page | Note, name: str) -> Item:
    """The item with this block id, else the one of these words, one that holds before one that held."""
    found = list(items(document))
    by_id = [item for item in found if item.statement.claim.id == name]
    by_words = [item for item in found if fingerprint(item.text) == fingerprint(name)]
    candidates = by_id or sorted(by_words, key=lambda item: item.is_past)
    if not candidates:
        raise NotApplicable(f"there is no statement {name!r}")
    return candidates[0]


def _must_say(text: str) -> None:
    if not one_line(text):
        raise NotApplicable("it says nothing")


def _must_differ(old: Item, by: Claim | Observation) -> None:
    if fingerprint(old.text) == fingerprint(by.text):
        raise NotApplicable("a statement cannot replace itself")


def _new_id(document: Page | Note, before: frozenset[str]) -> str:
    return min(record.taken_ids(document) - before)
