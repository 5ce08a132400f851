"""A text as the checks read it: rows of terms, each with what is said of it (denied, planned, asked).

Invariant: the same text gives the same reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain.language.sentences import Sentence, sentences
from brain.language.words import Word, stem, words
from brain.validators.judge.lexicon import Lexicon, lexicon_for

_SCOPE = 7
"""Words behind a cue that it speaks of, as far as its clause goes."""
_BREAK = re.compile(r"[,;:.!?…—–()]| -+ ")
_PART = re.compile(r"[^-/]+")
_AGE = re.compile(r"\d+(?:-[^\W\d_]{3,})+")
"""`3-year-old`; SKV-3 and 2026-09-14 are one word."""
_CAPITAL_AFTER = re.compile(r"[\"“«:]\s*$")


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or one part of a word with hyphens."""

    low: str
    key: str
    """Its stem."""
    is_content: bool
    is_name: bool
    """Written with a capital where a common word has none."""
    is_denied: bool
    mood: str
    """`plan`, `wish` or `condition` where it is told as one of these; else empty."""
    start: int
    end: int
    """In the text that was read; marks of emphasis before it put it off by as many characters."""


@dataclass(frozen=True, slots=True)
class Row:
    """One sentence."""

    text: str
    terms: tuple[Term, ...]
    is_question: bool
    has_negation: bool
    """One that denies something."""
    moods: frozenset[str]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(term.key for term in self.terms if term.is_content)


@dataclass(frozen=True, slots=True)
class Reading:
    text: str
    rows: tuple[Row, ...]
    lexicon: Lexicon

    @property
    def terms(self) -> Iterator[Term]:
        return (term for row in self.rows for term in row.terms)


@lru_cache(maxsize=2048)
def read(text: str) -> Reading:
    """The sentences of a text with their terms."""
    lexicon = lexicon_for(text)
    return Reading(text, tuple(_row(sentence, lexicon) for sentence in sentences(text)), lexicon)


def _row(sentence: Sentence, lexicon: Lexicon) -> Row:
    text = sentence.text
    row = words(text)
    moods = lexicon.unreal.find(row, 0)
    idle = _idle(row, lexicon) if "idle" in moods else frozenset()
    negations = [at for at, word in enumerate(row) if _is_negation(word, lexicon) and at not in idle]
    denied = _scope(text, row, negations, lexicon)
    told = {
        at: mood
        for mood in UNREAL
        if mood in moods
        for at in _scope(text, row, [end - 1 for end in lexicon.unreal.ends(row, mood)], lexicon)
    }
    terms = tuple(
        term
        for at, word in enumerate(row)
        for term in _terms(sentence, row, at, (at in denied, told.get(at, "")), lexicon)
    )
    return Row(text, terms, text.rstrip("\"”»') ").endswith(("?", "？")), bool(negations), moods)


UNREAL = ("condition", "wish", "plan")
"""Moods of what is no fact; of two that meet the last one counts."""


def _is_negation(word: Word, lexicon: Lexicon) -> bool:
    return word.low in lexicon.negations or word.low.endswith("n't")


def _idle(row: Sequence[Word], lexicon: Lexicon) -> frozenset[int]:
    """The places of negations that deny nothing: can't wait, no doubt."""
    ends = lexicon.unreal.ends(row, "idle")
    return frozenset(at for end in ends for at in range(max(0, end - 3), end))


def _scope(text: str, row: Sequence[Word], cues: Sequence[int], lexicon: Lexicon) -> frozenset[int]:
    """The places that the cues speak of: up to the end of the clause."""
    found: set[int] = set()
    for cue in cues:
        for at in range(cue + 1, min(len(row), cue + 1 + _SCOPE)):
            if row[at].low in lexicon.turns or _BREAK.search(text, row[at - 1].end, row[at].start):
                break
            found.add(at)
    return frozenset(found)


def _terms(
    sentence: Sentence, row: Sequence[Word], at: int, said: tuple[bool, str], lexicon: Lexicon
) -> Iterator[Term]:
    word = row[at]
    low = word.low.removesuffix("'s")
    is_plain = word.low in lexicon.function_words or low in lexicon.function_words
    is_name = word.is_capitalised and not is_plain and _is_inside(sentence.text, row, at)
    parts = [low] if any(c.isdigit() for c in low) and not _AGE.fullmatch(low) else _PART.findall(low)
    span = sentence.start + word.start, sentence.start + word.end
    for part in parts:
        is_content = not is_plain and (part not in lexicon.function_words or len(parts) > 1)
        yield Term(part, stem(part), is_content, is_name, *said, *span)


def _is_inside(text: str, row: Sequence[Word], at: int) -> bool:
    """False where every word has a capital: at the beginning."""
    return (
        at > 0
        and not _CAPITAL_AFTER.search(text[: row[at].start])
        and text[row[at - 1].end : row[at].start].strip() not in (".", "!", "?")
    )
