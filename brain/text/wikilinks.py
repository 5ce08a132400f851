"""Wikilinks in a text: where they stand, what they name, and how they are renamed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.model import PAGE_FOLDERS, Wikilink
from brain.names import marked_stem, title_key
from brain.text.front import body_start
from brain.text.markdown import live

_LINK = re.compile(r"!?\[\[([^\[\]\n]+)\]\]")
_BAR = re.compile(r"\\?\|")
_HEADING = re.compile(r"#(?=[^\s#])")
_UNLINKABLE = re.compile(r"[\[\]|\n]|#(?=[^\s#])|\.md$|^#")
_FOLDERS = frozenset(title_key(folder) for folder in PAGE_FOLDERS.values())


@dataclass(frozen=True, slots=True)
class Placed:
    """A link and the offsets of its target in the text."""

    link: Wikilink
    start: int
    end: int


def wikilinks(text: str) -> tuple[Wikilink, ...]:
    """Every link of a file, front matter, code, comments and formulas apart, in order."""
    return tuple(placed.link for placed in placed_links(text))


def placed_links(text: str) -> Iterator[Placed]:
    start = body_start(text)
    found = [m for m in _LINK.finditer(text, start) if not _is_escaped(text, m)]
    if not found:
        return
    line, at = 1, 0
    for match in live(text, start, found):
        line, at = line + text.count("\n", at, match.start()), match.start()
        column = match.start() - text.rfind("\n", 0, match.start())
        if placed := _placed(match, line, column):
            yield placed


def _is_escaped(text: str, match: re.Match[str]) -> bool:
    at = match.start()
    while at and text[at - 1] == "\\":
        at -= 1
    return (match.start() - at) % 2 == 1 and not match[0].startswith("!")


def _placed(match: re.Match[str], line: int, column: int) -> Placed | None:
    inner = match[1]
    bar = _BAR.search(inner)
    address = inner[: bar.start()] if bar else inner
    alias = inner[bar.end() :].strip() if bar else ""
    sharp = _HEADING.search(address)
    name = address[: sharp.start()] if sharp else address
    heading = address[sharp.end() :].strip() if sharp else None
    target = name.strip().removesuffix(".md")
    if not target and not heading:
        return None
    start = match.start(1) + len(name) - len(name.lstrip())
    embed = match[0].startswith("!")
    link = Wikilink(target, heading, alias or None, embed, line, column)
    return Placed(link, start, start + len(target))


def rename(text: str, old: str, new: str) -> str:
    """The text with every link to the page `old` naming `new`; no other byte changes."""
    key, name = title_key(old), link_target(new)
    pieces, at = [], 0
    for placed in placed_links(text):
        folder, _, last = placed.link.target.rpartition("/")
        whole = title_key(placed.link.target) == key
        if whole or (title_key(last) == key and title_key(folder.rpartition("/")[2]) in _FOLDERS):
            start = placed.start if whole else placed.start + len(folder) + 1
            pieces += [text[at:start], name]
            at = placed.end
    return "".join([*pieces, text[at:]])


def link_target(title: str) -> str:
    """What names the page in a link: its title, or where that holds a link's own marks, its words and a hash."""
    return re.sub(r"[\[\]#]|\.md(?=~)", "-", marked_stem(title)) if _UNLINKABLE.search(title) else title


def render_link(link: Wikilink, in_table: bool = False) -> str:
    """`[[target#heading|alias]]`; in a cell of a table the bar is escaped."""
    heading = f"#{link.heading}" if link.heading else ""
    bar = "\\|" if in_table else "|"
    alias = f"{bar}{link.alias}" if link.alias else ""
    return f"{'!' if link.embed else ''}[[{link.target}{heading}{alias}]]"
