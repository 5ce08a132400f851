"""What of a page or note is a person's own, apart from its statements, and whether staged still has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.evidence import fingerprint
from brain.links import wikilinks
from brain.names import title_key
from brain.text.claims import HISTORY, RELATED
from brain.text.front import FrontMatter
from brain.text.markdown import Block, BlockKind
from brain.text.sections import Section
from brain.tree import Tree
from brain.validators.documents import Document
from brain.validators.findings import excerpt

KNOWN_KEYS = frozenset(
    {
        "title",
        "kind",
        "domain",
        "aliases",
        "alias",
        "summary",
        "created",
        "updated",
        "importance",
        "privacy",
        "status",
        "citations",
    }
)
"""Keys whose values are Brain's to write."""

_SPACE = re.compile(r"\s+")
_FREE = frozenset({BlockKind.CODE, BlockKind.HTML, BlockKind.OTHER})


def lost_words(before: Document, after: Document | None, staged: Tree) -> Iterator[tuple[int, str]]:
    """(line in base, what it is) of all that a person wrote beside statements and that staged has lost."""
    yield from _lost_keys(before.front, after.front if after else None)
    if after is not None:
        yield from _lost_names(before, after)
        yield from _lost_links(before, after, staged)
        yield from _lost_headings(before, after)
    yield from _lost_blocks(before, after)


def _lost_keys(before: FrontMatter, after: FrontMatter | None) -> Iterator[tuple[int, str]]:
    kept = after.values if after else {}
    for key, value in before.values.items():
        if key not in KNOWN_KEYS and (key not in kept or kept[key] != value):
            yield before.line_of(key), f"the key {excerpt(key)} or its value"
    block = after.text[after.block_start : after.block_end] if after else ""
    remarks = {line.strip() for line in block.split("\n") if line.lstrip().startswith("#")}
    for number, line in enumerate(before.text[: before.block_end].split("\n"), 1):
        if line.lstrip().startswith("#") and line.strip() not in remarks:
            yield number, f"the remark {excerpt(line)}"


def _lost_names(before: Document, after: Document) -> Iterator[tuple[int, str]]:
    kept = {title_key(name) for name in (after.front.get_text("title") or "", *after.aliases)}
    for key, names in (("title", (before.front.get_text("title") or "",)), ("aliases", before.aliases)):
        for name in names:
            if name and title_key(name) not in kept:
                yield before.front.line_of(key), f"the name {excerpt(name)}, by which links may know this file"


def _lost_links(before: Document, after: Document, staged: Tree) -> Iterator[tuple[int, str]]:
    """What stands under Related, apart from links to pages that are no longer there."""
    kept = {fingerprint(claim.text) for section in after.sections for claim in section.claims}
    linked: set[str] | None = None
    for claim in (claim for s in before.sections if s.is_named(RELATED) for claim in s.claims):
        if fingerprint(claim.text) in kept:
            continue
        linked = linked if linked is not None else _targets(after.front.text)
        links = [link for link in wikilinks(claim.text) if link.target]
        gone = [link for link in links if title_key(link.target) not in linked]
        if not links or any(staged.names().resolve_link(link) for link in gone):
            yield claim.line, f"{excerpt(claim.text)} under Related"


def _targets(text: str) -> set[str]:
    return {title_key(link.target) for link in wikilinks(text)}


def _lost_headings(before: Document, after: Document) -> Iterator[tuple[int, str]]:
    """Headings under which something still stands; one whose statements have all gone to History may go too."""
    kept = {title_key(section.heading) for section in after.sections}
    current = {fingerprint(said.claim.text) for said in after.said if not said.is_past}
    for section in before.sections[1:]:
        if title_key(section.heading) in kept or section.is_named(HISTORY) or section.is_named(RELATED):
            continue
        words = [fingerprint(claim.text) for claim in section.claims]
        if not words or current.intersection(words):
            yield section.line, f"the heading {excerpt(section.heading)}"


def _lost_blocks(before: Document, after: Document | None) -> Iterator[tuple[int, str]]:
    kept = {_flat(line) for line in after.front.body.split("\n")} if after else set()
    for section in before.sections:
        for block in section.blocks:
            for number, line in _own_lines(before.front, section, block):
                if any(map(str.isalnum, line)) and _flat(line) not in kept:
                    yield number, excerpt(line)


def _own_lines(front: FrontMatter, section: Section, block: Block) -> Iterator[tuple[int, str]]:
    """The lines of a block that are no statements: code, remarks, the head of a table."""
    if block.kind not in _FREE and block.kind is not BlockKind.TABLE:
        return
    first = section.line + front.text.count("\n", section.start, block.start)
    lines = front.text[block.start : block.end].split("\n")
    yield from enumerate(lines[:2] if block.kind is BlockKind.TABLE else lines, first)


def _flat(line: str) -> str:
    return _SPACE.sub(" ", line).strip()
