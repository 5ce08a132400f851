"""Sentences of running text, in any script.

Invariants: a sentence is a piece of the text it came from (its line breaks and runs of space as one space); offsets
point into that text; nothing inside quotation marks or brackets ends a sentence; time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.language.rules import languages, load

_LONGEST_QUOTE = 600
"""A quotation mark that is not closed within this stands alone: an inch, a slip."""

_END = re.compile(r"[.!?…]+[\"”»’')\]*_]*(?=\s|$)|[。！？]+[」』”]*")
_OPENING = re.compile(r"[\"“«„(\[「『]")
_CLOSING = {"“": "”", "«": "»", "„": "“”", "(": ")", "[": "]", "「": "」", "『": "』", '"': '"'}
_BULLET = re.compile(r"[ \t]*(?:[-*+•–—]|\(?\d{1,3}[.)]|#{1,6})[ \t]+")
_BREAK = re.compile(r"\n+")
_INITIAL = re.compile(r"(?:^|[\s(«“\"])\w$")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)")
_DATED = re.compile(r"[^\W\d_]{3,12} \d{4}\b")
"""What follows the full stop of `12. Mai 2026`."""
_FEW = 3
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    start: int
    end: int
    is_item: bool = False
    """It is, or begins, an item of a list or a heading."""


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, in order."""
    return tuple(sentence for start, end in _lines(text) for sentence in _split(text, start, end))


def plain(text: str) -> str:
    """One line, without the marks of emphasis."""
    return _SPACE.sub(" ", _EMPHASIS.sub("", text)).strip()


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines that belong together: one broken to fit a width is one line again."""
    start = at = 0
    for match in _BREAK.finditer(text):
        if _continues(text, at, match):
            continue
        yield start, match.start()
        start = at = match.end()
    yield start, len(text)


def _continues(text: str, start: int, match: re.Match[str]) -> bool:
    after = text[match.end() : match.end() + 1]
    return (
        len(match.group()) == 1 and match.start() > start and after.islower() and text[match.start() - 1] not in ".!?:"
    )


def _split(text: str, start: int, end: int) -> Iterator[Sentence]:
    bullet = _BULLET.match(text, start, end)
    is_item = bullet is not None
    begin = bullet.end() if bullet else start
    closed = begin
    for match in _END.finditer(text, begin, end):
        closed = max(closed, _closed(text, begin if closed < begin else closed, match.start(), end))
        if match.end() < closed or not _is_end(text, begin, match, end):
            continue
        yield from _sentence(text, begin, match.end(), is_item)
        begin = closed = match.end()
    yield from _sentence(text, begin, end, is_item)


def _sentence(text: str, start: int, end: int, is_item: bool) -> Iterator[Sentence]:
    raw = text[start:end]
    words = plain(raw)
    if any(c.isalnum() for c in words):
        lead = len(raw) - len(raw.lstrip())
        yield Sentence(words, start + lead, start + len(raw.rstrip()), is_item)


def _closed(text: str, begin: int, at: int, end: int) -> int:
    """Where the last quotation or bracket that opens before `at` is closed; `begin` where none is open there."""
    place = begin
    while opening := _OPENING.search(text, place, at):
        limit = min(end, opening.end() + _LONGEST_QUOTE)
        ends = [text.find(c, opening.end(), limit) for c in _CLOSING[opening.group()]]
        found = min((e for e in ends if e >= 0), default=-1)
        place = opening.end() if found < 0 else found + 1
    return place


def _is_end(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    mark = match.group()
    if mark[0] in "。！？":
        return True
    rest = text[match.end() : min(end, match.end() + 40)].lstrip()
    if rest and rest[0] in "-–—,;:":
        return False
    if rest and rest[0].islower():
        return (mark in "!?" or _is_small(text, begin, match)) and not rest.startswith(("and ", "but ", "а ", "и "))
    if mark == "." and _DATED.match(rest) and text[match.start() - 1].isdigit():
        return False
    return not (mark == "." and rest and _is_abbreviation(text, begin, match.start()))


def _is_small(text: str, begin: int, match: re.Match[str]) -> bool:
    """Of somebody who writes everything in small letters: a full stop after a few words ends a sentence too."""
    said = text[begin : match.start()]
    return (
        match.group() == "."
        and said[:1].islower()
        and said.count(" ") >= _FEW
        and said[-2:].isalpha()
        and not _is_abbreviation(text, begin, match.start())
    )


def _is_abbreviation(text: str, begin: int, at: int) -> bool:
    """An initial, a number of a list, or a word of the data files before this full stop."""
    before = text[max(begin, at - 12) : at]
    word = re.split(r"[\s(«“\"]", before)[-1].casefold()
    if _INITIAL.search(before):
        return before[-1].isupper()
    return any(word in load(code).lists["abbreviations"] for code in languages())
