"""What can be found: a passage is what a person would quote, cut where it is too long for an embedder.

Invariant: the passages of a file depend on its text alone, so that its blob id stands for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from brain.model import Origin

LONGEST = 1200
"""Characters of a passage; of a longer text an embedder hears little more than the beginning."""

MOST = 64 * LONGEST
"""Characters of one text that are searched; what stands between its beginning and its end is left to `grep`."""

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n|(?<=[.!?…])\s|(?<=[。！？])"), re.compile(r"\s"))


class Kind(StrEnum):
    TURN = "turn"
    RESULT = "result"
    SUMMARY = "summary"
    OBSERVATION = "observation"
    CLAIM = "claim"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class Passage:
    anchor: str
    """Place in its file: `t12`, `t12.r3`, `^k3f9`, `L17` (a line); "" is the file as a whole."""
    kind: Kind
    text: str
    context: str = ""
    """Words that belong to the text and stand elsewhere: who speaks, what the page is about."""
    evidence: tuple[str, ...] = ()
    """Sources it stands on; a turn stands on itself."""
    time: str | None = None
    """ISO date or time at which it was said, or from which it holds."""
    origin: Origin = Origin.USER
    speaker: str | None = None
    private: bool = False
    until: str | None = None
    """ISO date on which it stopped holding."""
    past: bool = False
    """True: it no longer holds (it stands under History)."""
    replaced_by: str = ""
    """Anchor, in the same file, of the statement that took its place."""
    subjects: tuple[str, ...] = ()
    """Titles and aliases of what it is about."""
    links: tuple[str, ...] = ()
    """What its wikilinks name."""
    importance: int = 3
    """Of the page that it stands on, 1 to 5."""

    @property
    def searched(self) -> str:
        return f"{self.context}: {self.text}" if self.context else self.text


Watch = Callable[[Sequence[str]], Iterable[str]]
"""Passes paths through, one by one as they are worked on: a progress bar."""


class Corpus(Protocol):
    """Files that can be searched."""

    @property
    def blobs(self) -> Mapping[str, str]:
        """path -> git blob id."""

    def passages(self, path: str) -> tuple[Passage, ...]:
        """In the order of the file."""


def pieces(passage: Passage) -> Iterator[Passage]:
    """The passage, or its parts where it is long; each part keeps anchor and context."""
    if len(passage.text) <= LONGEST:
        yield passage
        return
    for text in _cut(outer(passage.text)):
        yield replace(passage, text=text)


def outer(text: str) -> str:
    """Beginning and end of what is too long to be searched whole: somebody's log, a book in one message."""
    if len(text) <= MOST:
        return text
    return f"{text[: MOST * 3 // 4]}\n\n{text[-MOST // 4 :]}"


def _cut(text: str) -> Iterator[str]:
    """Parts of at most LONGEST characters, cut at the last paragraph, else sentence or line, else space that fits."""
    start = 0
    while start < len(text):
        end = start + LONGEST if len(text) - start > LONGEST else len(text)
        if end < len(text):
            end = _break(text, start, end)
        if part := text[start:end].strip():
            yield part
        start = end


def _break(text: str, start: int, end: int) -> int:
    # A break in the first half would leave a stump; then the next finer kind is taken.
    for kind in _BREAKS:
        ends = [match.end() for match in kind.finditer(text, start + LONGEST // 2, end)]
        if ends:
            return ends[-1]
    return end
