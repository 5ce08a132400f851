"""Phrases of the data files, found in a row of words in one pass.

A phrase is a row of elements; en.toml says how they are written. Invariant: linear in the words of a text times the
phrases that begin with one of its words; no phrase can loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from brain.language.words import Word

_GAP = 3
_KEPT = 1 << 15
_PREFIXES = range(3, 10)
_SUFFIXES = range(2, 6)
_SUFFIXED = 5
"""Shorter words are not tried against `*end`: «или» is no verb."""


@dataclass(frozen=True, slots=True)
class _Element:
    exact: frozenset[str]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    is_gap: bool = False

    def matches(self, word: Word) -> bool:
        low = word.low
        return (
            low in self.exact
            or ("#" in self.exact and word.is_number)
            or ("@" in self.exact and word.is_capitalised)
            or bool(self.prefixes and low.startswith(self.prefixes))
            or bool(self.suffixes and len(low) >= _SUFFIXED and low.endswith(self.suffixes))
        )


@dataclass(frozen=True, slots=True)
class _Phrase:
    cue: str
    elements: tuple[_Element, ...]
    at_start: bool
    at_end: bool


class Phrases:
    """All phrases of all cues of one language, by the word they begin with."""

    def __init__(self, cues: Mapping[str, Iterable[str]]) -> None:
        self._exact: dict[str, list[_Phrase]] = {}
        self._prefix: dict[str, list[_Phrase]] = {}
        self._suffix: dict[str, list[_Phrase]] = {}
        self._known: dict[str, tuple[_Phrase, ...]] = {}
        for cue, phrases in cues.items():
            for phrase in phrases:
                for read in _read(cue, phrase):
                    self._add(read)

    def _add(self, phrase: _Phrase) -> None:
        first = phrase.elements[0]
        for words, index in (
            (first.exact, self._exact),
            (first.prefixes, self._prefix),
            (first.suffixes, self._suffix),
        ):
            for word in words:
                index.setdefault(word, []).append(phrase)

    def find(self, words: Sequence[Word], start: int) -> frozenset[str]:
        """The cues of a sentence; `start` is the place of its first word after the lead-in."""
        found: set[str] = set()
        for at, word in enumerate(words):
            for phrase in self._beginning(word):
                if phrase.cue in found or (phrase.at_start and at > start):
                    continue
                if _fits(phrase, words, at):
                    found.add(phrase.cue)
        return frozenset(found)

    def ends(self, words: Sequence[Word], cue: str) -> Iterator[int]:
        """The places behind each phrase of one cue."""
        for at, word in enumerate(words):
            for phrase in self._beginning(word):
                end = _end(phrase.elements, words, at + 1, 1) if phrase.cue == cue else None
                if end is not None:
                    yield end

    def _beginning(self, word: Word) -> tuple[_Phrase, ...]:
        """As `_begins`; few words make most of any text, so their answers are kept."""
        known = self._known.get(word.low)
        if known is None:
            known = tuple(self._begins(word))
            if len(self._known) < _KEPT:
                self._known[word.low] = known
        return known

    def _begins(self, word: Word) -> Iterator[_Phrase]:
        low = word.low
        yield from self._exact.get(low, ())
        if word.is_number:
            yield from self._exact.get("#", ())
        for size in _PREFIXES:
            yield from self._prefix.get(low[:size], ()) if size <= len(low) else ()
        if len(low) >= _SUFFIXED:
            for size in _SUFFIXES:
                yield from self._suffix.get(low[-size:], ())


def _fits(phrase: _Phrase, words: Sequence[Word], at: int) -> bool:
    """True when the phrase stands at `at`, where its first element is known to."""
    end = _end(phrase.elements, words, at + 1, 1)
    return end is not None and (end == len(words) or not phrase.at_end)


def _end(elements: Sequence[_Element], words: Sequence[Word], at: int, first: int) -> int | None:
    for place in range(first, len(elements)):
        element = elements[place]
        if element.is_gap:
            ends = (_end(elements, words, at + skip, place + 1) for skip in range(_GAP + 1))
            return next((end for end in ends if end is not None), None)
        if at >= len(words) or not element.matches(words[at]):
            return None
        at += 1
    return at


def _read(cue: str, phrase: str) -> Iterator[_Phrase]:
    """A phrase for every choice of its optional elements, so that matching never has to try both."""
    parts = phrase.split()
    at_start, at_end = parts[0] == "^", parts[-1] == "$"
    middle = parts[at_start : len(parts) - at_end]
    choices = [list(_choices(part)) for part in middle]
    for chosen in product(*choices):
        elements = tuple(element for elements in chosen for element in elements)
        if elements:
            yield _Phrase(cue, elements, at_start, at_end)


def _choices(part: str) -> Iterator[tuple[_Element, ...]]:
    """The rows of elements that one part stands for."""
    if part.startswith("?"):
        yield ()
    options = part.split("|")
    single = [option for option in options if "+" not in option]
    if single:
        yield (_element("|".join(single)),)
    for option in options:
        if "+" in option:
            yield tuple(_element(word) for word in option.removeprefix("?").split("+"))


@lru_cache(maxsize=1 << 12)
def _element(part: str) -> _Element:
    if part == "~":
        return _Element(frozenset(), (), (), is_gap=True)
    options = [option.removeprefix("?") for option in part.split("|")]
    return _Element(
        frozenset(o for o in options if "*" not in o),
        tuple(o[:-1] for o in options if o.endswith("*")),
        tuple(o[1:] for o in options if o.startswith("*")),
    )
