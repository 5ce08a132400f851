"""The entries of a memory file: bullets with what hangs below them, and paragraphs, each with its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_COMMENT = re.compile(r"<!--((?:(?!-->).){0,400})-->", re.DOTALL)
_EDGE = re.compile(r"\s*([\w-]+(?::[\w-]+)+):(start|end)\s*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*")
_BULLET = re.compile(r" ?(?:[-*+]|\d{1,4}[.)])[ \t]+(\S.*)")
_RULE = re.compile(r"[ \t]*(?:-[ \t]*){3,}|[ \t]*(?:\*[ \t]*){3,}")
_PLAIN = re.compile(
    r"retain|log|daily log|notes?|memory|summary|today|entries|facts|\W*|(?:[^\W\d_]{2,12},? )?\d{4}-\d\d-\d\d.*",
    re.IGNORECASE,
)
"""Headings that say nothing about what stands below them."""


@dataclass(frozen=True, slots=True)
class Entry:
    heading: str
    """The line of its heading; "" where that says nothing."""
    words: str

    @property
    def text(self) -> str:
        return f"{self.heading}\n\n{self.words}" if self.heading else self.words

    @property
    def key(self) -> str:
        """The same for an entry that stands there twice."""
        return " ".join(self.words.split())


def without_machine(body: str) -> tuple[str, int]:
    """The text without comments and without what stands between a machine's marks, and how many entries that were."""
    kept: list[str] = []
    opened, at, dropped = "", 0, 0
    for comment in _COMMENT.finditer(body):
        before, at_end = body[at : comment.start()], comment.end()
        if opened:
            dropped += len(entries_of(before))
        else:
            kept.append(before)
        at = at_end
        edge = _EDGE.fullmatch(comment[1])
        if edge and edge[2] == "start" and not opened:
            opened = edge[1]
        elif edge and edge[1] == opened:
            opened = ""
    rest = body[at:]
    return "".join(kept) + ("" if opened else rest), dropped + (len(entries_of(rest)) if opened else 0)


def entries_of(body: str) -> tuple[Entry, ...]:
    return tuple(_entries(body))


def _entries(body: str) -> Iterator[Entry]:
    heading, held, in_fence = "", list[str](), False
    for line in body.split("\n"):
        if in_fence or line.lstrip().startswith("```"):
            in_fence = in_fence != line.lstrip().startswith("```")
            held.append(line)
            continue
        above, bullet = _HEADING.fullmatch(line[:1000]), _BULLET.fullmatch(line)
        is_end = not line.strip() or _RULE.fullmatch(line[:200]) is not None
        if above or bullet or is_end:
            yield from _entry(heading, held)
            held = [bullet[1]] if bullet else []
        else:
            held.append(line.rstrip())
        if above:
            heading = line.strip() if len(above[1]) > 1 and not _PLAIN.fullmatch(above[2]) else ""
    yield from _entry(heading, held)


def _entry(heading: str, held: list[str]) -> Iterator[Entry]:
    words = "\n".join(held).strip()
    if words:
        yield Entry(heading, words)
