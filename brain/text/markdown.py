"""Front matter and blocks of a Markdown file, with their places in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from brain.text.front import Bare, FrontMatter, Locked, tag_list, text_list

__all__ = [
    "Bare",
    "Block",
    "BlockKind",
    "FrontMatter",
    "Locked",
    "body_blocks",
    "live",
    "tag_list",
    "text_list",
]


class BlockKind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    PARAGRAPH = "paragraph"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    HTML = "html"
    OTHER = "other"
    """A rule or a formula: no words of the page."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a body; offsets are those of the text it was read from."""

    kind: BlockKind
    start: int
    """Where its first line begins."""
    end: int
    """Behind the line end of its last line."""
    content: int
    """Where its words begin, behind `#` or `-`."""
    level: int = 0
    """Of a heading 1 to 6; of a list item the width of its indentation."""


_KINDS = {
    "heading": BlockKind.HEADING,
    "item": BlockKind.ITEM,
    "paragraph": BlockKind.PARAGRAPH,
    "quote": BlockKind.QUOTE,
    "table": BlockKind.TABLE,
    "block_code": BlockKind.CODE,
    "block_html": BlockKind.HTML,
}
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_SIMPLE_HEADING = re.compile(r"(#{1,6}) +(?=[^ \t#\r\n])")
_SIMPLE_ITEM = re.compile(r"- (?=[^-`~ \t\r\n])")
# First characters of lines that need mistune; a digit may begin a numbered item.
_ODD_START = frozenset(" \t`~<>$=*+_|0123456789\x0b\x0c\r")
# Without one of these nothing in a text can hide a link.
_MAY_HIDE = re.compile(r"[`<$\t]|~~~|^ {4}|[>*+.)-] {5}", re.MULTILINE)


def body_blocks(text: str, start: int = 0) -> tuple[Block, ...]:
    """The blocks of `text` from `start` on, in order; they do not overlap."""
    simple = _simple_blocks(text, start)
    if simple is not None:
        return tuple(simple)
    # mistune takes as long to load as `brain index` may last: only for what needs it.
    from brain.text.blocks import scan

    return tuple(_block(text, token) for token in scan(text, start) if token["type"] != "blank_line")


def _block(text: str, token: dict[str, Any]) -> Block:
    kind, begin = _KINDS.get(token["type"], BlockKind.OTHER), token["start"]
    content, level = token.get("content", begin), token.get("level", 0)
    if kind is BlockKind.HEADING:
        level = token["attrs"]["level"]
        if heading := _HEADING.match(text, begin, token["end"]):
            content = heading.end()
    return Block(kind, begin, token["end"], content, level)


def _simple_blocks(text: str, start: int) -> list[Block] | None:
    """Headings, items of one line each and paragraphs, as mistune would find them; None: there is more."""
    blocks: list[Block] = []
    at, is_open = start, False
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        first = text[at]
        if first == "\n" or text.startswith("\r\n", at):
            is_open = False
        elif first in _ODD_START:
            return None
        elif first in "#-":
            block = _simple_block(text, at, end)
            if block is None:
                return None
            blocks.append(block)
            is_open = first == "-"
        elif is_open:
            last = blocks[-1]
            blocks[-1] = Block(last.kind, last.start, end, last.content, last.level)
        else:
            blocks.append(Block(BlockKind.PARAGRAPH, at, end, at))
            is_open = True
        at = end
    return blocks


def _simple_block(text: str, at: int, end: int) -> Block | None:
    if heading := _SIMPLE_HEADING.match(text, at):
        return Block(BlockKind.HEADING, at, end, heading.end(), len(heading[1]))
    item = _SIMPLE_ITEM.match(text, at)
    return Block(BlockKind.ITEM, at, end, item.end()) if item else None


def live(text: str, start: int, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Those of the matches of `[[…]]` from `start` on that stand outside code, comments and formulas."""
    if not found or not _MAY_HIDE.search(text, start):
        return found
    from brain.text.livelinks import alive

    return alive(text, start, found)
