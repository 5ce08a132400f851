"""What two spellings of one name have in common.

«Илья», «Илье» and Ilya are one name; so are «Кострома», «в Костроме» and Kostroma. Latin names are compared as they
are written; Cyrillic ones lose their case ending and are written with Latin letters, so that both scripts meet.
"""

from __future__ import annotations

import re
from functools import lru_cache

from brain.language.words import fold, is_cyrillic

_LATIN = str.maketrans(
    {
        "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "y", "к": "k",
        "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh",
        "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya",
        "і": "i", "ї": "yi", "є": "ye", "ґ": "g",
    }
)  # fmt: skip
_VOWEL_END = re.compile(r"(?<=..)(?:ya|yu|[aeiouy])$")
_CASE_END = re.compile(r"(?<=..)(?:yey|yoy|ami|yami|om|em|oy|ey|ym|im|ogo|ov|am|yam|akh|yakh)$")
_NOMINATIVE = (
    (re.compile(r"(?<=[гкхжчшщ])и$"), "а"),
    (re.compile(r"и$"), "я"),
    (re.compile(r"ы$"), "а"),
    (re.compile(r"(?<=[аеиоуыэюяьй])[еюё]$"), "я"),
)


@lru_cache(maxsize=1 << 15)
def latin(name: str) -> str:
    """The folded name in Latin letters."""
    return fold(name).translate(_LATIN)


@lru_cache(maxsize=1 << 15)
def stems(word: str) -> tuple[str, ...]:
    """What one word of a name may be without its ending, the longest first."""
    written = latin(word)
    found = [written, _VOWEL_END.sub("", written)]
    if is_cyrillic(word):
        found.append(_CASE_END.sub("", written))
    return tuple(dict.fromkeys(found))


def is_same(one: str, other: str) -> bool:
    """True when two names of as many words may be one; case endings count for Cyrillic words alone."""
    first, second = one.split(), other.split()
    return len(first) == len(second) and all(_is_same_word(a, b) for a, b in zip(first, second, strict=True))


def _is_same_word(one: str, other: str) -> bool:
    if not (is_cyrillic(one) or is_cyrillic(other)):
        return fold(one) == fold(other)
    return not set(stems(one)).isdisjoint(stems(other))


def nominative(name: str, forms: tuple[str, ...] = ()) -> str:
    """The best guess at the form that a title has: one that was written, where it can be told."""
    if not is_cyrillic(name):
        return name
    return " ".join(_nominative(word) for word in name.split()) if not forms else _best(name, forms)


def _best(name: str, forms: tuple[str, ...]) -> str:
    guesses = [form for form in (name, *forms) if nominative(form) == form]
    return guesses[0] if guesses else nominative(name)


def _nominative(word: str) -> str:
    for ending, instead in _NOMINATIVE:
        if len(word) > 2 and ending.search(word):
            return ending.sub(instead, word)
    return word
