"""What pages, notes and summaries have in common for a rule: front matter, statements, citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import cast

from brain import layout, note, summary
from brain.model import Citation, Claim, ObservationType, PageKind, Problem
from brain.note import Note
from brain.page import Page
from brain.text.claims import HISTORY, RELATED, Statement
from brain.text.front import FrontMatter
from brain.text.sections import Section
from brain.tree import Tree


class Kind(StrEnum):
    PAGE = "page"
    NOTE = "note"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Said:
    """One statement: a claim of a page, an observation of a note, a sentence of a summary."""

    claim: Claim
    """Of an observation without its type and confidence."""
    type: ObservationType | None = None
    superseded_by: str | None = None
    ended: bool = False

    @property
    def is_past(self) -> bool:
        return self.claim.section.casefold() == HISTORY.casefold()


@dataclass(frozen=True, slots=True)
class Document:
    path: str
    kind: Kind
    front: FrontMatter
    citations: Mapping[int, Citation]
    said: tuple[Said, ...]
    """Every statement outside Related, in the order of the file."""
    sections: tuple[Section, ...]
    """Of a page or note; empty for a summary, in which nobody writes by hand."""
    problems: tuple[Problem, ...]
    aliases: tuple[str, ...] = ()
    page_kind: PageKind | None = None

    def evidence(self, said: Said) -> frozenset[str]:
        """The sources of a statement, as far as its numbers name any."""
        return frozenset(self.citations[n].source for n in said.claim.cites if n in self.citations)

    def citation_line(self, number: int) -> int:
        return line_of(self.front, "citations", str(number))


def line_of(front: FrontMatter, *keys: str) -> int:
    """1-based line of a key, or of the nearest key above it that has a line of its own; 1 where none has."""
    first = front.text.count("\n", 0, front.block_start) + 1
    entries, found = front.entries, 0
    for key in keys:
        entry = next((e for e in entries if e.key == key), None)
        if entry is None:
            break
        entries, found = entry.children, first + entry.line
    return found or 1


def session_of(path: str) -> str:
    """Folder of the session that a path below sessions/ belongs to."""
    return path.rpartition("/")[0].removesuffix(f"/{layout.ATTACHMENTS}")


_OWN = re.compile(
    rf"(?:\./)?(?:{layout.MEMORY}/)?(?:(?:knowledge|notes|{layout.REPORTS})/.*|\[\[.*|(?:sessions/.*)?(?:index|summary)\.md.*)"
)


def is_own_file(source: str) -> bool:
    """The source names something that Brain wrote itself, which is never evidence."""
    return _OWN.match(source) is not None


def is_document(path: str) -> bool:
    return layout.is_page(path) or layout.is_note(path) or layout.is_summary(path)


def documents(tree: Tree, paths: Iterable[str]) -> Iterator[Document]:
    """Those of `paths` that are pages, notes or summaries of the tree, in the order given."""
    return (document(tree, path) for path in paths if path in tree and is_document(path))


def document(tree: Tree, path: str) -> Document:
    """Read once for each content of a path, as the tree's own records are."""
    key = ("document", f"{tree.blob(path)} {path}")
    if key not in tree.cache:
        tree.cache[key] = _read(tree, path)
    return cast(Document, tree.cache[key])


def _read(tree: Tree, path: str) -> Document:
    if page := tree.page(path):
        return _of_page(path, page)
    if found := tree.note(path):
        return _of_note(path, found)
    parsed = summary.parse(tree.text(path))
    said = tuple(Said(claim) for claim in parsed.claims)
    return Document(path, Kind.SUMMARY, parsed.front, parsed.summary.citations, said, (), parsed.problems)


def _of_page(path: str, page: Page) -> Document:
    said = tuple(Said(s.claim, None, s.superseded_by, s.ended) for s in _statements(page.layout))
    return Document(
        path, Kind.PAGE, page.front, page.citations, said, page.layout, page.problems, page.aliases, page.kind
    )


def _of_note(path: str, found: Note) -> Document:
    said = tuple(map(_observed, _statements(found.layout)))
    return Document(path, Kind.NOTE, found.front, found.citations, said, found.layout, found.problems, found.aliases)


def _observed(statement: Statement) -> Said:
    seen = note.observation_of(statement.claim)
    claim = replace(statement.claim, text=seen.text) if seen else statement.claim
    return Said(claim, seen.type if seen else None, statement.superseded_by, statement.ended)


def _statements(sections: tuple[Section, ...]) -> Iterator[Statement]:
    return (s for section in sections if not section.is_named(RELATED) for s in section.statements)
