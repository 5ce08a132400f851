"""Front matter and blocks of a Markdown file, with their places in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from brain.front import Bare, FrontMatter, Locked, tag_list, text_list

__all__ = ["Bare", "Block", "BlockKind", "FrontMatter", "Locked", "body_blocks", "tag_list", "text_list"]


class BlockKind(StrEnum):
    HEADING = "heading"
    ITEM = "item"
    PARAGRAPH = "paragraph"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    HTML = "html"
    OTHER = "other"
    """A rule, a formula, the definition of a link: no words of the page."""


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


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")


def body_blocks(text: str, start: int = 0) -> tuple[Block, ...]:
    """The blocks of `text` from `start` on, in order; they do not overlap."""
    blocks: list[Block] = []
    at, open_block = start, False
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline + 1
        line = text[at:end].rstrip()
        if not line:
            open_block = False
        elif heading := _HEADING.match(line):
            blocks.append(Block(BlockKind.HEADING, at, end, at + heading.end(), len(heading[1])))
            open_block = False
        elif item := _ITEM.match(line):
            blocks.append(Block(BlockKind.ITEM, at, end, at + item.end(), len(item[1])))
            open_block = True
        elif open_block:
            last = blocks.pop()
            blocks.append(Block(last.kind, last.start, end, last.content, last.level))
        else:
            blocks.append(Block(BlockKind.PARAGRAPH, at, end, at))
            open_block = True
        at = end
    return tuple(blocks)


def live(text: str, start: int, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Those of the matches in `text` that stand outside code, comments and formulas."""
    return found
