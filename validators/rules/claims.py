"""Every statement says what it rests on, and says once what it is.

Purpose
    A page is read as true, so each sentence and list item outside Related carries a citation. Words
    that a person wrote by hand may stand without one until the next dream makes them evidence: they
    are a warning; the same from a dream is an error. A block id names one claim of its file, a day is
    a day of the calendar, and what stands in History says when or why it stopped being true.

Passes
    A claim with its day, its evidence and its name.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - 2026-08-12 · Nadia: “Could you book the studio with him for Friday?” [cite:1] ^m2x7

Fails
    A dream that adds a sentence nobody said. (By a dream.)

        @ memory/knowledge/people/Ilya Brandt.md
          Ilya Brandt is a sound engineer, …
        + He is probably tired of it.
        ! claim-uncited

    One name for two claims.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - Ilya works with sound. [cite:1] ^k3f9
        ! claim-id-twice
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from brain.evidence import fingerprint
from brain.validators.documents import Document, Kind, Said
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.pair import Command, Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "claim-uncited": (Severity.ERROR, "A statement of a dream without a citation."),
    "claim-id-twice": (Severity.ERROR, "A block id that an earlier claim of the file has."),
    "claim-date": (Severity.ERROR, "A day that is in no calendar."),
    "history-order": (Severity.ERROR, "A statement that ended before it began."),
    "superseder-missing": (Severity.ERROR, "`superseded by ^id` where the file has no claim of that name."),
    "fate-misplaced": (Severity.ERROR, "`superseded by` or `ended` on a statement outside History."),
    "observation-form": (Severity.ERROR, "A dream's line of a note without type and confidence."),
    "words-uncited": (Severity.WARNING, "Words of a person that no dream has made evidence yet."),
    "history-open": (Severity.WARNING, "A line of History that does not say when or why it ended."),
    "claim-twice": (Severity.WARNING, "A statement that stands twice in one file, with the same evidence."),
}

find = Reporter(CODES)


def check(pair: Pair) -> Iterator[Finding]:
    for document in pair.documents():
        old = _uncited_before(pair, document)
        ids = {said.claim.id for said in document.said if said.claim.id}
        for said in document.said:
            yield from _check_cited(document, said, is_new=old is not None and fingerprint(said.claim.text) not in old)
            yield from _check_days(document, said)
            yield from _check_fate(document, said, ids)
        yield from _check_repeats(document)


def _uncited_before(pair: Pair, document: Document) -> frozenset[str] | None:
    """What stood there without a citation already; None: nobody can tell, so a person may have written it all."""
    if document.kind is Kind.SUMMARY:
        return frozenset()
    if pair.base is None or pair.command is not Command.DREAM:
        return None
    before = pair.before(document.path)
    return frozenset(fingerprint(said.claim.text) for said in before.said) if before else frozenset()


def _check_cited(document: Document, said: Said, *, is_new: bool) -> Iterator[Finding]:
    claim = said.claim
    if not claim.cites:
        code = "claim-uncited" if is_new else "words-uncited"
        fix = "add [cite:N], or leave it out" if is_new else "the next dream makes it evidence"
        yield find(code, document.path, claim.line, f"nothing is cited for {excerpt(claim.text)}", fix)
    elif document.kind is Kind.NOTE and said.type is None and is_new:
        message = f"this observation has no type and confidence: {excerpt(claim.text)}"
        yield find(
            "observation-form", document.path, claim.line, message, "write <date> · <type> · <confidence> · <text>"
        )


def _check_days(document: Document, said: Said) -> Iterator[Finding]:
    claim = said.claim
    days = [(day, _is_day(day)) for day in (claim.date, claim.until) if day is not None]
    for day, is_day in days:
        if not is_day:
            yield find("claim-date", document.path, claim.line, f"{day} is no day", "write a day of the calendar, or ?")
    if len(days) == 2 and all(is_day for _, is_day in days) and days[0][0] > days[1][0]:
        message = f"this ended on {claim.until}, before it began on {claim.date}"
        yield find("history-order", document.path, claim.line, message, "put the earlier day first")


def _is_day(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True


def _check_fate(document: Document, said: Said, ids: set[str]) -> Iterator[Finding]:
    claim, by = said.claim, said.superseded_by
    has_fate = said.ended or by is not None
    if has_fate and not said.is_past:
        fix = "move the line to History, or take its end off"
        yield find("fate-misplaced", document.path, claim.line, "this no longer holds, but is not in History", fix)
    if by is not None and by not in ids:
        message = f"this is superseded by ^{by}, which is not in this file"
        yield find(
            "superseder-missing", document.path, claim.line, message, "name a claim of this file, or write ended"
        )
    if said.is_past and not has_fate and claim.until is None:
        fix = "write <from> – <until> in front, or what superseded it behind"
        yield find("history-open", document.path, claim.line, "this line does not say when or why it ended", fix)


def _check_repeats(document: Document) -> Iterator[Finding]:
    ids: set[str] = set()
    stated: set[tuple[str, frozenset[str], bool]] = set()
    for said in document.said:
        claim = said.claim
        if claim.id in ids:
            message = f"^{claim.id} is the name of an earlier claim"
            yield find("claim-id-twice", document.path, claim.line, message, "give it a name of its own")
        elif claim.id:
            ids.add(claim.id)
        key = (claim.text, document.evidence(said), said.is_past)
        if key in stated and claim.cites:
            message = f"this stands twice: {excerpt(claim.text)}"
            yield find("claim-twice", document.path, claim.line, message, "keep one of the two")
        stated.add(key)
