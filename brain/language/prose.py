"""What of a turn are the writer's own running words: not code, not a quotation, not a paste.

Invariants: spans are disjoint, in order, and cut at line ends; what is doubtful counts as pasted, because words that a
person only handed over must not speak in the person's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_INTRODUCES = re.compile(r"[:：]\s*[*_]*\s*$")
_MARKED = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s")
_ODD = re.compile(
    r"[{}<>=|\\]|;\s*$|\w\(|::|->|^\s*[\w.-]+[:=]\s*[\"'\d/\[{]|^\s*(?:from|to|subject|date|cc|von|betreff|от|кому|тема):\s"
    r"|^\d{4}-\d\d-\d\d[T ]\d\d:|^\s*[$#>]\s|^\s*(?:error|traceback|warning|info|debug)\b",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`[^`\n]+`")
"""A command named within a sentence; what is odd in it does not make the sentence a paste."""
_LABELLED = re.compile(r"\s*(?:[-*+•]\s+)?[*_]*[^\W\d][\w /&-]{0,30}[*_]*:\s*\S")
_FORM = 3
"""Labelled lines that make a form, not a talk."""
_LONG_PASTE = 3
"""Lines after an introduction that are still the writer's; more are a paste (the third line of a list is not)."""
_LONG_PARAGRAPH = 1500
_LONG_TURN = 4000


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together; `end` is exclusive, offsets into the text."""

    start: int
    end: int
    own: bool


def own(text: str) -> tuple[str, ...]:
    """The writer's own paragraphs, in order."""
    return tuple(text[b.start : b.end] for b in blocks(text) if b.own)


def blocks(text: str) -> Iterator[Block]:
    """The paragraphs of a turn, each the writer's own or not."""
    pasted = False
    introduced = False
    for start, end, fenced in _paragraphs(text):
        body = text[start:end]
        mine = not (fenced or _is_foreign(body))
        lines = body.count("\n") + 1
        if mine and not pasted:
            pasted = start > _LONG_TURN or (introduced and _looks_pasted(body, lines))
        yield Block(start, end, mine and not pasted)
        introduced = bool(_INTRODUCES.search(body))


def _looks_pasted(body: str, lines: int) -> bool:
    if all(_MARKED.match(line) for line in body.split("\n")):
        return lines > 4 * _LONG_PASTE
    return lines > _LONG_PASTE or len(body) > 400


def _is_foreign(body: str) -> bool:
    lines = body.split("\n")
    quoted = sum(line.lstrip().startswith((">", "|")) for line in lines)
    odd = sum(bool(_ODD.search(_SPAN.sub("code", line))) for line in lines)
    labelled = sum(bool(_LABELLED.match(line)) for line in lines)
    if labelled >= _FORM and 2 * labelled > len(lines):
        return True
    return 2 * quoted >= len(lines) or 2 * odd > len(lines) or len(body) > _LONG_PARAGRAPH


def _paragraphs(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, inside a fence) of runs of lines without an empty one; a line that introduces ends its run."""
    fence = ""
    start = at = 0
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if opening and (not fence or opening.group(1).startswith(fence)):
            yield from _run(text, start, at, bool(fence))
            fence = "" if fence else opening.group(1)
            start = at + len(line)
        elif not fence and (not line.strip() or _INTRODUCES.search(line)):
            yield from _run(text, start, at + len(line), False)
            start = at + len(line)
        at += len(line)
    yield from _run(text, start, at, bool(fence))


def _run(text: str, start: int, end: int, fenced: bool) -> Iterator[tuple[int, int, bool]]:
    body = text[start:end]
    if body.strip():
        yield start, start + len(body.rstrip()), fenced
