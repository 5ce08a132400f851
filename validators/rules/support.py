"""A statement follows from the words that it cites.

Purpose
    A citation proves that something was said, not that it says this. A judge reads the statement beside
    its cited turns and answers in words; only "supported" counts, so what is unclear is not supported.
    Quotations pass at once. Of a dream each new or changed statement is judged, with a base or without;
    `brain validate --evidence` asks again about all that stands, whoever wrote it, and warns. What
    has no evidence that stands as it was cited is told by `citations` and `claims`. The judge that
    is built in needs no model and knows numbers, days, names, negation, plans and wishes in English
    and Russian (validators/judge/).

Passes
    A statement in other words. (By a dream.)

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - 2026-09-14 · Ilya works at Kestrel Audio since September 2026. [cite:2]

Fails
    Another number than the one that was said. (By a dream.)

        @ memory/notes/work/Tide clock.md
        + - 2026-09-14 · decision · 0.90 · The gear has 84 teeth. [cite:1] ^g1h3
        ! claim-unsupported

    A question that was made a fact. (By a dream.)

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - Ilya booked the studio on Friday. [cite:1]
        ! claim-unsupported

    The same by hand, or long ago, is a warning.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - Ilya does not work at Kestrel Audio. [cite:2]
        ! claim-unproved
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from brain.evidence import fingerprint
from brain.validators.asking import Talk, ask
from brain.validators.documents import Document, Said
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.judge.verdict import Judge
from brain.validators.pair import Command, Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "claim-unsupported": (Severity.ERROR, "A new statement of a dream that does not follow from what it cites."),
    "claim-unproved": (Severity.WARNING, "A statement that does not, or no longer, follow from what it cites."),
}

find = Reporter(CODES)


def check(pair: Pair, judge: Judge) -> Iterator[Finding]:
    talk = Talk.of(pair.staged)
    code = "claim-unsupported" if pair.command is Command.DREAM else "claim-unproved"
    for document in pair.documents():
        before = _stated(pair.before(document.path))
        for said in document.said:
            if (fingerprint(said.claim.text), document.evidence(said)) in before:
                continue
            asked = ask(pair.staged, talk, document, said)
            verdict = judge.judge(asked) if asked else None
            if verdict is not None and not verdict.is_supported:
                nearest = f"; nearest is {excerpt(verdict.span)}" if verdict.span else ""
                message = f"{excerpt(said.claim.text)} is {verdict.ruling}: {verdict.reason}{nearest}"
                yield find(code, document.path, said.claim.line, message, "say what was said, or leave it out")


def _stated(document: Document | None) -> frozenset[tuple[str, frozenset[str]]]:
    """What a file said before, and on what evidence."""
    return frozenset(_key(document, said) for said in document.said) if document else frozenset()


def _key(document: Document, said: Said) -> tuple[str, frozenset[str]]:
    return fingerprint(said.claim.text), document.evidence(said)
