"""Every citation leads to words that are still there.

Purpose
    A claim is worth what its evidence says. `[cite:N]` names an entry of the same file, the entry
    names one turn (or one tool result in it) and carries a hash of the words that were cited. So any
    month later it can be proved that the evidence exists and says what it said. Three ways of failing
    are told apart: the words stand elsewhere in the session (moved), the place has other words
    (changed), there is no such place (gone). Day and origin of an entry are checked against the turn,
    because readers believe them: a day that the turn does not have would be invented. Marks are read
    in code too, as the readers of pages do.

Passes
    A second citation for a statement, numbered and hashed by its own entry.

        @ memory/knowledge/people/Ilya Brandt.md
        - Ilya Brandt is a sound engineer, at Kestrel Audio since September 2026. [cite:2]
        + Ilya Brandt is a sound engineer, at Kestrel Audio since September 2026. [cite:1] [cite:2]

Fails
    A number that no entry has.

        @ memory/knowledge/people/Ilya Brandt.md
        - Ilya Brandt is a sound engineer, at Kestrel Audio since September 2026. [cite:2]
        + Ilya Brandt is a sound engineer, at Kestrel Audio since September 2026. [cite:2] [cite:7]
        ! citation-missing

    Evidence that a person or a program has rewritten since.

        @ memory/sessions/2026/08/12-5b0c1d2e/transcript.md
        - Ilya works at Lumen Lab. Could you book the studio with him for Friday?
        + Ilya owns Lumen Lab. Could you book the studio with him for Friday?
        @ memory/knowledge/people/Ilya Brandt.md
            1: {source: "sessions/2026/08/12-5b0c1d2e#t1", …
        ! quote-changed
        @ memory/sessions/2026/08/12-5b0c1d2e/summary.md
            1: {source: "sessions/2026/08/12-5b0c1d2e#t1", …
        ! quote-changed
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from brain import evidence, layout
from brain.evidence import Match
from brain.model import Citation, Origin, Turn
from brain.text.claims import cites_in
from brain.tree import Tree
from brain.validators.documents import Document, documents, is_document, is_own_file, session_of
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.pair import Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "citation-missing": (Severity.ERROR, "A `[cite:N]` whose number no entry of the file has."),
    "citation-mark": (Severity.ERROR, "Something that was meant as a `[cite:N]` and is none."),
    "citation-form": (Severity.ERROR, "A source that is not written as a turn or a tool result."),
    "quote-form": (Severity.ERROR, "A quote that is not `<12 hex digits>/<characters>`."),
    "source-gone": (Severity.ERROR, "A source whose session, turn or tool result does not exist."),
    "quote-moved": (Severity.ERROR, "Cited words that now stand elsewhere in the session."),
    "quote-changed": (Severity.ERROR, "Cited words that are not what they were."),
    "citation-date": (Severity.ERROR, "A day that is not the day of the cited turn."),
    "citation-origin": (Severity.ERROR, "An origin that is not the origin of the cited words."),
    "citation-unused": (Severity.WARNING, "An entry that nothing in the file cites."),
}

find = Reporter(CODES)

_MARK = re.compile(r"(?<!\\)\[\s*cite\s*(?::[^\]\n]{0,40}|[\d\s,;]{1,40})\]", re.IGNORECASE)
_NUMBER = re.compile(r"\[cite:([1-9][0-9]{0,6})\]")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One citation of one file, where a finding about it belongs."""

    document: Document
    number: int
    citation: Citation

    def find(self, code: str, message: str, fix: str) -> Finding:
        line = self.document.citation_line(self.number)
        return find(code, self.document.path, line, f"the citation {self.number} {message}", fix)


def check(pair: Pair) -> Iterator[Finding]:
    for document in _documents(pair):
        used = cites_in(document.front.body)
        yield from _check_marks(document)
        for number, citation in sorted(document.citations.items()):
            entry = _Entry(document, number, citation)
            if number not in used:
                yield entry.find("citation-unused", "is cited by nothing", "cite it, or take the entry out")
            yield from _check_entry(pair.staged, entry)


def _documents(pair: Pair) -> Iterator[Document]:
    """What changed, and what cites a session that did."""
    yield from pair.documents()
    moved = [p for p in pair.changed if p.startswith(f"{layout.SESSIONS}/") and pair.base and p in pair.base]
    folders = {session_of(p).removeprefix(f"{layout.MEMORY}/") for p in moved if not layout.is_summary(p)}
    if folders:
        rest = [p for p in pair.staged.paths if p not in pair.changed and is_document(p)]
        citing = (p for p in rest if any(folder in pair.staged.text(p) for folder in folders))
        yield from documents(pair.staged, citing)


# --- marks in the body ------------------------------------------------------------


def _check_marks(document: Document) -> Iterator[Finding]:
    front = document.front
    if "cite" not in front.body.casefold():
        return
    entries = front.values.get("citations")
    # An entry that cannot be read is front_matter's to report, once.
    known = set(entries) if isinstance(entries, dict) else set()
    for line, text in enumerate(front.body.split("\n"), front.body_line):
        for mark in _MARK.findall(text):
            number = _NUMBER.fullmatch(mark)
            if number is None:
                yield find(
                    "citation-mark", document.path, line, f"{excerpt(mark)} is no citation", "write it as [cite:N]"
                )
            elif number[1] not in known:
                message = f"{mark} names no entry of this file"
                yield find("citation-missing", document.path, line, message, "add the entry, or take the mark out")


# --- entries ----------------------------------------------------------------------


def _check_entry(tree: Tree, entry: _Entry) -> Iterator[Finding]:
    citation = entry.citation
    address = layout.parse_source(citation.source)
    if address is None:
        if not is_own_file(citation.source):
            fix = "write sessions/<folder>#t<turn> or …#t<turn>.r<result>"
            yield entry.find("citation-form", f"names no turn: {excerpt(citation.source)}", fix)
        return
    if not evidence.is_quote(citation.quote):
        message = f"has no quote that can be checked: {excerpt(citation.quote)}"
        yield entry.find("quote-form", message, "write <12 hex digits>/<characters>")
        return
    turn, words = tree.turn(citation.source), tree.cited_text(citation.source)
    yield from _check_quote(tree, entry, address[0], words)
    if turn is not None and words is not None:
        yield from _check_turn(entry, turn, is_result=address[2] is not None)


_REPAIR = "bring the evidence back, or take out what rests on it"


def _check_quote(tree: Tree, entry: _Entry, folder: str, words: str | None) -> Iterator[Finding]:
    citation = entry.citation
    if words is not None and evidence.matches(citation.quote, words) is Match.MATCH:
        return
    found = [source for source, text in texts(tree, folder) if evidence.matches(citation.quote, text) is Match.MATCH]
    if found:
        yield entry.find("quote-moved", f"quotes words that stand in {found[0]}", f"name {found[0]} as the source")
    elif words is None:
        yield entry.find("source-gone", f"names what is not there: {citation.source}", _REPAIR)
    else:
        yield entry.find("quote-changed", f"quotes words that {citation.source} does not begin with", _REPAIR)


def texts(tree: Tree, folder: str) -> Iterator[tuple[str, str]]:
    """Every text of a session that can be cited, with its source."""
    session = tree.session(folder)
    for turn in session.turns if session else ():
        yield layout.source_of(folder, turn.n), turn.text
        for n in range(1, len(turn.tool_calls) + 1):
            source = layout.source_of(folder, turn.n, n)
            if text := tree.cited_text(source):
                yield source, text


def _check_turn(entry: _Entry, turn: Turn, *, is_result: bool) -> Iterator[Finding]:
    citation = entry.citation
    origin = Origin.TOOL if is_result else turn.origin
    if citation.origin is not origin:
        message = f"says its origin is {citation.origin}, its source says {origin}"
        yield entry.find("citation-origin", message, f"write origin: {origin}")
    if citation.date is not None and not _is_day_of(citation.date, turn):
        told = turn.time.date().isoformat() if turn.time else "no time"
        yield entry.find("citation-date", f"says {citation.date}, its source says {told}", "write the day of the turn")


def _is_day_of(day: str, turn: Turn) -> bool:
    """The day is a local one and the zone may have been another: one day to either side is the same day."""
    try:
        given = date.fromisoformat(day)
    except ValueError:
        return False
    return turn.time is not None and abs(given - turn.time.date()) <= _DAY
