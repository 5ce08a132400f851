"""Two statements that hold today do not contradict each other.

Purpose
    A page is read as true as a whole. Where two of its statements that hold, about the same thing and
    from the same day on, differ in a number, a negation or a word of the contrary, one of them is
    wrong, or should stand in History with what superseded it. New statements are set against all that
    holds in their file. It is a warning: which of the two is right is said by the evidence, not by a
    rule. What holds from different days is a change, which the next dream or a person puts in order.

Passes
    A change: each holds from a day of its own.

        @ memory/notes/work/Tide clock.md
          - 2026-09-14 · decision · 0.90 · Nadia: “The gear …
        + - 2026-11-02 · decision · 0.90 · Nadia: “The gear has 52 teeth from now on.” [cite:1] ^g1h3

Fails
    Two numbers for the same gear on the same day.

        @ memory/notes/work/Tide clock.md
          - 2026-09-14 · decision · 0.90 · Nadia: “The gear …
        + - 2026-09-14 · decision · 0.90 · Nadia: “The gear has 84 teeth from now on.” [cite:1] ^g1h3
        ! claim-contradicts

    A denial of what the page says.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - 2026-09-14 · Ilya does not work at Kestrel Audio. [cite:2] ^z9y8
        ! claim-contradicts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from brain.evidence import fingerprint
from brain.validators.asking import Talk, ask
from brain.validators.documents import Document, Kind, Said
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.judge.verdict import Judge
from brain.validators.pair import Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "claim-contradicts": (Severity.WARNING, "A statement that cannot hold beside another one of its file."),
}

find = Reporter(CODES)


def check(pair: Pair, judge: Judge) -> Iterator[Finding]:
    talk = Talk.of(pair.staged)
    # A summary tells a session as it went: what was said last holds, what was said before was true as well.
    for document in (one for one in pair.documents() if one.kind is not Kind.SUMMARY):
        before = pair.before(document.path)
        known = {fingerprint(said.claim.text) for said in before.said} if before else set()
        active = [said for said in document.said if not (said.is_past or said.ended)]
        for at, said in enumerate(active):
            rest = active[:at] + ([] if before is None else active[at + 1 :])
            if fingerprint(said.claim.text) not in known:
                yield from _against(pair, talk, document, said, rest, judge)


def _against(
    pair: Pair, talk: Talk, document: Document, said: Said, rest: list[Said], judge: Judge
) -> Iterator[Finding]:
    asked = ask(pair.staged, talk, document, said)
    if asked is None:
        return
    for other in rest:
        if other.claim.date == said.claim.date and (reason := judge.contradicts(asked, other.claim.text)):
            message = f"{excerpt(said.claim.text)} cannot hold beside {excerpt(other.claim.text)}: {reason}"
            fix = "move the one that is over to History, or leave it out"
            yield find("claim-contradicts", document.path, said.claim.line, message, fix)
            return
