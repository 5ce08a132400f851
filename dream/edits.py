"""One operation on one page or note: record in, record out, through the edits of the text layer.

Every edit may be made again with the same result: what is said already gets the new citation, what
is gone already stays gone. What cannot be done raises NotApplicable and leaves the record alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brain import note as notes
from brain import page as pages
from brain.dream.evidence import Evidence, NotApplicable
from brain.dream.plan import Attach, Describe, Open, Relate, Sentence, State, Supersede
from brain.dream.plan import evidence as sources_of
from brain.dream.records import D, Item, Numbers, cite, edited, items, support, with_aliases, with_privacy
from brain.dream.saying import Saying, say, standing
from brain.evidence import fingerprint
from brain.links import Names, link_target, wikilinks
from brain.model import Claim, Privacy, Status
from brain.note import Note
from brain.page import Page
from brain.text import record
from brain.text.claims import HISTORY, RELATED, one_line
from brain.text.meta import MAX_SUMMARY

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
    same = [item for item in items(page) if fingerprint(item.text) == fingerprint(claim.text) and not item.is_past]
    if same:
        return support(page, {same[0].which: claim.cites})
    return pages.add_claim(page, FACTS, replace(claim, section="", line=0))


def _with_lead(page: Page, kept: Sequence[Claim], fresh: Sequence[Sentence], evidence: Evidence) -> Page:
    page, cited = cite(page, [sentence.evidence for sentence in fresh], evidence)
    claims = [Claim(sentence.text, _must(numbers)) for sentence, numbers in zip(fresh, cited, strict=True)]
    return pages.replace_lead(page, [*kept, *claims])


def _must(numbers: Numbers) -> tuple[int, ...]:
    if isinstance(numbers, NotApplicable):
        raise numbers
    return numbers


# --- statements -------------------------------------------------------------------


def state(page: Page, operations: Sequence[State], evidence: Evidence) -> tuple[Page, list[NotApplicable | None]]:
    """The page with all these claims; for each the reason why it could not be stated, or None."""
    places = [_section(operation.section) for operation in operations]
    sayings = [
        Saying(operation.claim, operation.evidence, place)
        for operation, place in zip(operations, places, strict=True)
        if isinstance(place, str)
    ]
    page, problems = say(page, sayings, evidence)
    said = iter(problems)
    return page, [next(said) if isinstance(place, str) else place for place in places]


def _section(heading: str) -> str | NotApplicable:
    section = one_line(heading)
    if not section or section.casefold() in (HISTORY.casefold(), RELATED.casefold()):
        return NotApplicable(f"a claim cannot be put under the heading {section!r}")
    return section


def attach(
    note: Note | None, operations: Sequence[Attach], evidence: Evidence
) -> tuple[Note | None, list[NotApplicable | None]]:
    """The note with all these observations; for each the reason why it could not be attached, or None."""
    fits = [_fits(operation, evidence) for operation in operations]
    first = next((operation for operation, problem in zip(operations, fits, strict=True) if problem is None), None)
    if first is None:
        return note, list(fits)
    note, problems = say(
        note or _new_note(first, evidence), [Saying(o.observation, o.evidence) for o in operations], evidence
    )
    private = [
        o for o, problem in zip(operations, problems, strict=True) if not problem and o.privacy is Privacy.PRIVATE
    ]
    return (with_privacy(note, Privacy.PRIVATE) if private else note), problems


def _fits(operation: Attach, evidence: Evidence) -> NotApplicable | None:
    if not one_line(operation.observation.text):
        return NotApplicable("it says nothing")
    if not operation.evidence:
        return NotApplicable("it names no evidence")
    try:
        evidence.days(operation.evidence)
    except NotApplicable as reason:
        return reason
    return None


def _new_note(operation: Attach, evidence: Evidence) -> Note:
    summary = one_line(operation.summary or operation.observation.text)[:MAX_SUMMARY]
    return notes.new_note(operation.title, operation.domain, summary=summary, **evidence.days(operation.evidence))


def supersede(document: D, operation: Supersede, evidence: Evidence) -> D:
    old, by = _named(document, operation.claim_id), operation.by
    if by is None:
        return _end(document, old, operation, evidence)
    if isinstance(by, Claim) is not isinstance(document, Page):
        raise NotApplicable("a claim replaces a claim, an observation an observation")
    if fingerprint(old.text) == fingerprint(by.text):
        raise NotApplicable("a statement cannot replace itself")
    section = FACTS if old.is_past or not old.claim.section else old.claim.section
    saying = Saying(by, operation.evidence, section if isinstance(document, Page) else "")
    document, problems = say(document, [saying], evidence)
    if problems[0]:
        raise problems[0]
    old = _named(document, operation.claim_id)
    fresh = standing(document, saying, evidence).claim.id
    return document if old.is_past else _to_history(document, old, fresh, operation.until or by.date)


def _end(document: D, old: Item, operation: Supersede, evidence: Evidence) -> D:
    if old.is_past:
        return document
    if operation.evidence:
        document, cited = cite(document, [operation.evidence], evidence)
        document = support(document, {old.which: _must(cited[0])})
    return _to_history(document, _named(document, operation.claim_id), None, operation.until)


def _to_history(document: D, old: Item, by: str | None, until: str | None) -> D:
    if old.claim.id is None:
        # What moves needs a name: a person's line has none so far.
        document = support(document, {old.which: ()})
        old = next(item for item in items(document) if item.claim.line == old.claim.line)
    assert old.claim.id is not None
    if isinstance(document, Page):
        return pages.supersede(document, old.claim.id, by, until)
    return notes.supersede(document, old.claim.id, by, until)


def _named(document: Page | Note, name: str) -> Item:
    """The item with this block id, else the one of these words, one that holds before one that held."""
    found = list(items(document))
    words = fingerprint(name)
    by_id = [item for item in found if item.claim.id == name]
    by_words = [item for item in found if fingerprint(item.text) == words]
    candidates = by_id or sorted(by_words, key=lambda item: item.is_past)
    if not candidates:
        raise NotApplicable(f"there is no statement {name!r}")
    return candidates[0]


def relate(page: Page, operation: Relate, names: Names, path: str) -> Page:
    target = names.resolve(operation.title)
    if target is None or target == path:
        raise NotApplicable(f"{operation.title!r} names no other page")
    text = page.front.text
    related = [text[section.start : section.end] for section in page.layout if section.is_named(RELATED)]
    if any(names.resolve_link(link) == target for part in related for link in wikilinks(part)):
        return page
    return pages.add_related(page, link_target(names.titles[target]), one_line(operation.words))
