"""Words and their stems, in any script.

Invariants: offsets point into the text as given; the same word has the same stem on every machine.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

# A word keeps what holds it together: SKV-3, don't, 1.85, 9,850, tidewater.db, bin/poll.
_WORD = re.compile(r"\w+(?:(?:[-'’./:@]|(?<=\d),(?=\d))\w+)*")
_CYRILLIC = re.compile(r"[\u0400-\u052f]")
_OTHER = re.compile(r"[^\W\d_\u0400-\u052f]")
_SPELLING = str.maketrans({"’": "'", "ʼ": "'", "ё": "е", "‐": "-", "‑": "-"})


class Word(NamedTuple):
    """One word; a tuple, because a night makes a million of them."""

    text: str
    low: str
    """Lower case, one apostrophe, one hyphen, ё as е: the form that rules are written in."""
    start: int
    end: int

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[Word, ...]:
    """The words of a text, in order; a sentence is asked for more than once while it is read."""
    low = fold(text)
    return tuple(Word(m.group(), low[m.start() : m.end()], m.start(), m.end()) for m in _WORD.finditer(text))


def fold(text: str) -> str:
    """The spelling that words are compared in, as long as the text was: offsets hold in both."""
    low = text.lower()
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return low.translate(_SPELLING)


def is_cyrillic(text: str) -> bool:
    """True when most letters are Cyrillic."""
    if text.isascii():
        return False
    cyrillic = len(_CYRILLIC.findall(text))
    return 2 * cyrillic > cyrillic + len(_OTHER.findall(text))


def stem(word: str) -> str:
    """The stem of one folded word: English rules for Latin letters, Russian for Cyrillic, else the word."""
    return _stem(word.removesuffix("'s"))


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    if not word.isalpha():
        return word
    if "a" <= word[0] <= "z":
        return str(_stemmer("english").stemWord(word))
    if "а" <= word[0] <= "я":
        return str(_stemmer("russian").stemWord(word))
    return word


@lru_cache
def _stemmer(language: str) -> Any:
    # The classes themselves: `snowballstemmer.stemmer` would take another library's rules where that is installed.
    from snowballstemmer.english_stemmer import EnglishStemmer
    from snowballstemmer.russian_stemmer import RussianStemmer

    return EnglishStemmer() if language == "english" else RussianStemmer()
