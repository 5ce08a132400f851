"""Nothing leaves the memory without a record.

Purpose
    A dream rewrites pages; what it must not do is lose. Every cited statement of base is in staged: in
    its file or, word for word, in another one; in History with what superseded or ended it; or its
    fingerprint is in the deletion log. Its evidence and its day stay with it, and in its file its name;
    other words are another claim. Archiving is a mark on a page and removes nothing. Words that a person
    wrote (statements without a citation, headings, code, remarks, keys that Brain does not know,
    aliases, links) stay as they are. Words are compared by letters and digits, so that a claim may be
    quoted, dated or linked anew. The mark of how far a session has been dreamt never goes back, and
    reports of earlier nights stay. A finding stands at the line in base, where the lost words are.

Passes
    A claim that no longer holds goes to History, and says what replaced it.

        @ memory/knowledge/people/Ilya Brandt.md
        - - 2026-08-12 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6
          - 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at Lumen Lab.” …
        + - 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6 · superseded by ^k3f9

Fails
    A claim that is simply gone.

        @ memory/knowledge/people/Ilya Brandt.md
        - - 2026-08-12 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6
        ! claim-lost

    The same claim with another number in it.

        @ memory/notes/work/Tide clock.md
        - - 2026-09-14 · decision · 0.90 · Nadia: “The gear has 48 teeth from now on.” [cite:1] ^g1h2
        + - 2026-09-14 · decision · 0.90 · Nadia: “The gear has 84 teeth from now on.” [cite:1] ^g1h2
        ! claim-altered
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brain import layout
from brain.evidence import fingerprint
from brain.model import Summary
from brain.tree import Tree
from brain.validators.documents import Document, Kind, Said, document, documents, line_of, session_of
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.handwriting import lost_words
from brain.validators.pair import Command, Pair
from brain.validators.rules.tombstones import fingerprints, phrases

CODES: Mapping[str, tuple[Severity, str]] = {
    "claim-lost": (Severity.ERROR, "A cited statement of base that staged does not account for."),
    "claim-altered": (Severity.ERROR, "A claim whose words, day or name were changed."),
    "evidence-lost": (Severity.ERROR, "A claim that no longer cites what it rested on."),
    "history-unexplained": (Severity.ERROR, "A claim put into History without what superseded or ended it."),
    "history-undone": (Severity.ERROR, "A claim brought back from History without new evidence."),
    "words-lost": (Severity.ERROR, "Words, a key, an alias or a link of a person that staged lost."),
    "mark-lost": (Severity.ERROR, "A session whose mark of what has been dreamt went back or is gone."),
    "report-changed": (Severity.ERROR, "A report of an earlier dream that is not what it was."),
}

find = Reporter(CODES)

_LINK = re.compile(r"\[\[([^\[\]|#\n]*)(?:#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]")

Found = list[tuple[Document, Said]]
Stated = Mapping[str, Found]
"""fingerprint of the words -> where they are said."""


def check(pair: Pair) -> Iterator[Finding]:
    if pair.base is None:
        return
    stated = _stated(pair)
    forgotten = fingerprints(pair.staged)
    for before in documents(pair.base, sorted(pair.changed)):
        if before.kind is Kind.SUMMARY:
            yield from _check_mark(pair, before)
        else:
            yield from _check_document(pair, before, stated, forgotten)
    if pair.command is not Command.OTHER:
        for path in sorted(pair.changed):
            if path.startswith(f"{layout.REPORTS}/") and path in pair.base:
                yield find("report-changed", path, 1, "the report of an earlier dream was changed", "put it back")


def _check_document(pair: Pair, before: Document, stated: Stated, forgotten: frozenset[str]) -> Iterator[Finding]:
    after = document(pair.staged, before.path) if before.path in pair.staged else None
    for said in before.said:
        if not any(fingerprint(phrase) in forgotten for phrase in phrases(said.claim.text)):
            yield from _check_said(before, said, after, stated)
    for line, what in lost_words(before, after, pair.staged):
        yield find("words-lost", before.path, line, f"staged has lost {what}", "put it back")


def _stated(pair: Pair) -> Stated:
    """What the changed files of staged say."""
    found: dict[str, Found] = {}
    for after in pair.documents():
        for said in after.said if after.kind is not Kind.SUMMARY else ():
            found.setdefault(_words(said), []).append((after, said))
    return found


# --- statements -------------------------------------------------------------------


def _check_said(before: Document, said: Said, after: Document | None, stated: Stated) -> Iterator[Finding]:
    found = _candidates(said, after, stated)
    sources = before.evidence(said)
    whole = [(doc, now) for doc, now in found if doc.evidence(now) >= sources]
    if not found:
        code = "claim-lost" if said.claim.cites else "words-lost"
        message = f"staged has lost {excerpt(said.claim.text)}"
        yield find(code, before.path, said.claim.line, message, "keep it, or move it to History with what ended it")
    elif not whole:
        doc, now = found[0]
        message = f"{excerpt(now.claim.text)} no longer cites {', '.join(sorted(sources - doc.evidence(now)))}"
        yield find("evidence-lost", doc.path, now.claim.line, message, "cite it again")
    else:
        yield from _check_kept(before, said, whole)


def _candidates(said: Said, after: Document | None, stated: Stated) -> Found:
    """Where the statement may have gone: the same words in its file, then anywhere, then the same name in its file."""
    worded = stated.get(_words(said), [])
    here = after.said if after else ()
    named = [(after, now) for now in here if after and said.claim.id and now.claim.id == said.claim.id]
    return sorted(worded, key=lambda found: found[0] is not after) + named


def _check_kept(before: Document, said: Said, whole: Found) -> Iterator[Finding]:
    doc, now = next(((d, n) for d, n in whole if _altered(before, said, d, n) is None), whole[0])
    if altered := _altered(before, said, doc, now):
        fix = "supersede the old claim and state a new one"
        yield find("claim-altered", doc.path, now.claim.line, f"{excerpt(now.claim.text)} was changed: {altered}", fix)
    past = [(d, n) for d, n in whole if n.is_past]
    if said.is_past and not past and all(d.evidence(n) == before.evidence(said) for d, n in whole):
        fix = "leave it in History, or cite who says it now"
        message = f"{excerpt(now.claim.text)} had stopped being true"
        yield find("history-undone", doc.path, now.claim.line, message, fix)
    elif past == whole and not said.is_past and not any(n.ended or n.superseded_by for _, n in past):
        message = f"nothing says why {excerpt(now.claim.text)} is history"
        yield find("history-unexplained", doc.path, now.claim.line, message, "write `superseded by ^id` or `ended`")


def _altered(before: Document, said: Said, doc: Document, now: Said) -> str | None:
    """What of a claim is another than it was: its words, its day, and in its own file its name."""
    old, new = said.claim, now.claim
    if _words(said) != _words(now):
        return f"its words were {excerpt(old.text)}"
    if old.date is not None and old.date != new.date:
        return f"its day was {old.date}"
    if doc.path == before.path and old.id is not None and old.id != new.id:
        return f"its name was ^{old.id}"
    return None


def _words(said: Said) -> str:
    """A link is the words that it shows, so that a claim may be linked anew."""
    return fingerprint(_LINK.sub(lambda link: link[2] or link[1], said.claim.text))


# --- marks ------------------------------------------------------------------------


def _check_mark(pair: Pair, before: Document) -> Iterator[Finding]:
    assert pair.base is not None
    if layout.transcript_path(session_of(before.path)) not in pair.staged:
        return
    old, new = _mark(pair.base, before.path), _mark(pair.staged, before.path)
    if new < old:
        message = f"the session had been dreamt up to t{old[0]}/{old[1]}, staged says t{new[0]}/{new[1]}"
        line = line_of(before.front, "dreamt")
        yield find("mark-lost", before.path, line, message, "put the mark back, or the session is dreamt twice")


def _mark(tree: Tree, path: str) -> tuple[int, int]:
    summary: Summary | None = tree.summaries().get(path)
    return (summary.dreamt_turn, summary.dreamt_chars) if summary else (0, 0)
