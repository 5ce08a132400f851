"""What was forgotten does not come back.

Purpose
    `deletions.md` keeps a fingerprint of what a person had forgotten, not the words. Evidence stays,
    so the next dream meets the same words again: this rule stops them at the gate, whatever their
    capitals, dashes or quotation marks, as a statement, a quotation inside one, a title or a summary.
    The log itself only grows: a dream that could shorten it could bring everything back.

Passes
    A statement about the same thing in other words is another statement.

        @ deletions.md
        + - 2026-11-29T10:00:00Z · d969ed5c3e99d5d6 · claim · asked for in t5
        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - Ilya once kept bees. [cite:1]

Fails
    The forgotten words in a page that changes tonight.

        @ deletions.md
        + - 2026-11-29T10:00:00Z · d969ed5c3e99d5d6 · claim · asked for in t5
        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - Nadia: “Ilya keeps BEES”. [cite:1]
        ! forgotten-returns

    A line of the log that cannot be read guards nothing.

        @ deletions.md
        + - 2026-11-29 · bees
        ! tombstone-unreadable
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brain import deletions, layout
from brain.deletions import Parsed
from brain.evidence import fingerprint
from brain.tree import Tree
from brain.validators.documents import Document, line_of
from brain.validators.findings import Finding, Reporter, Severity
from brain.validators.pair import Command, Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "forgotten-returns": (Severity.ERROR, "Words that the deletion log names as forgotten."),
    "tombstone-lost": (Severity.ERROR, "An entry of the deletion log that is gone."),
    "tombstone-unreadable": (Severity.ERROR, "A line of the deletion log that is no entry."),
}

find = Reporter(CODES)

_QUOTED = re.compile(r"“([^“”]+)”|«([^«»]+)»|„([^„“]+)“|\"([^\"]+)\"")
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+")


def fingerprints(tree: Tree) -> frozenset[str]:
    """All that the deletion log of this tree names."""
    return frozenset(entry.fingerprint for entry in _log(tree).deletions)


def phrases(text: str) -> Iterator[str]:
    """What of a text may be the words that were forgotten: all of it, its sentences, what it quotes."""
    yield text
    yield from _SENTENCE_END.split(text)
    yield from (next(filter(None, groups)) for groups in _QUOTED.findall(text))


def check(pair: Pair) -> Iterator[Finding]:
    if layout.DELETIONS in pair.changed:
        yield from _check_log(pair)
    forgotten = fingerprints(pair.staged)
    if not forgotten:
        return
    # A new entry forbids what stands anywhere, an old one only what is new.
    everywhere = layout.DELETIONS in pair.changed
    for document in pair.all_documents() if everywhere else pair.documents():
        for line, words in _words(document):
            if any(fingerprint(phrase) in forgotten for phrase in phrases(words)):
                fix = "leave them out, or take the entry out of the deletion log"
                yield find(
                    "forgotten-returns", document.path, line, "these words were forgotten at a person's wish", fix
                )


def _words(document: Document) -> Iterator[tuple[int, str]]:
    for key in ("title", "summary", "line"):
        if value := document.front.get_text(key):
            yield line_of(document.front, key), value
    for alias in document.aliases:
        yield line_of(document.front, "aliases"), alias
    for section in document.sections:
        yield section.line, section.heading
    for said in document.said:
        yield said.claim.line, said.claim.text


def _check_log(pair: Pair) -> Iterator[Finding]:
    staged = _log(pair.staged)
    for problem in staged.problems:
        fix = "write `- <time> · <fingerprint> · claim · <why>`"
        yield find("tombstone-unreadable", layout.DELETIONS, problem.line, problem.reason, fix)
    if pair.base is None or pair.command is Command.OTHER:
        return
    kept = {entry.fingerprint for entry in staged.deletions}
    for entry in _log(pair.base).deletions:
        if entry.fingerprint not in kept:
            line = _line_of(pair.base, entry.fingerprint)
            message = f"the entry {entry.fingerprint} is gone from the deletion log"
            yield find("tombstone-lost", layout.DELETIONS, line, message, "put it back; only a person may take it out")


def _log(tree: Tree) -> Parsed:
    return deletions.parse(tree.text(layout.DELETIONS) if layout.DELETIONS in tree else "")


def _line_of(tree: Tree, printed: str) -> int:
    lines = tree.text(layout.DELETIONS).split("\n")
    return next(number for number, line in enumerate(lines, 1) if printed in line)
