"""What two spellings of one name have in common.

«Илья», «Илье» and Ilya are one name; so are «Кострома», «в Костроме» and Kostroma. Latin names are compared as they
are written; Cyrillic ones lose their case ending and are written with Latin letters, so that both scripts meet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from brain.language.words import fold, is_cyrillic, stem

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
_SOFT = re.compile(r"(?<=[аеиоуыэюяь])[еюёи]$")
"""Of a name in one form alone this much can be told: Рае, Зои, Илье are of Рая, Зоя, Илья; Перми may be Пермь."""
_OPEN = re.compile(r"[аяуюыиеёо]$|(?:ой|ей|ом|ем|ёй|ём)$")
_HARD_HISSING = "гкхжчшщ"


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


@lru_cache(maxsize=1 << 16)
def key(low: str) -> str:
    """What a folded word is compared by where names and nouns meet: its stem in Latin letters, without a last vowel."""
    return low if low.endswith(("is", "us", "ss")) else _VOWEL_END.sub("", latin(stem(low)))


def is_same(one: str, other: str) -> bool:
    """True when two names of as many words may be one; case endings count for Cyrillic words alone."""
    first, second = one.split(), other.split()
    return len(first) == len(second) and all(_is_same_word(a, b) for a, b in zip(first, second, strict=True))


def _is_same_word(one: str, other: str) -> bool:
    if not (is_cyrillic(one) or is_cyrillic(other)):
        return fold(one) == fold(other)
    return not set(stems(one)).isdisjoint(stems(other))


def nominative(forms: Mapping[str, int]) -> str:
    """The form that a title has, of all that were written with how often: where it cannot be told, the usual one."""
    usual = max(forms, key=lambda form: (forms[form], -len(form), form))
    if not is_cyrillic(usual):
        return usual
    same = [form.split() for form in forms if len(form.split()) == len(usual.split())]
    return " ".join(_nominative(word, [row[at] for row in same]) for at, word in enumerate(usual.split()))


def is_nominative(word: str) -> bool:
    """False for a word of a name that has an oblique ending whatever the name is."""
    return _SOFT.search(word) is None or not is_cyrillic(word)


def _nominative(usual: str, forms: Sequence[str]) -> str:
    """The endings that were seen tell the declension: Тимур, Тимуру; Рая, Рае, Раи, Раей."""
    bare = [form for form in forms if not _OPEN.search(form)]
    if bare:
        return min(bare, key=len)
    if len(set(forms)) == 1:
        return _SOFT.sub("я", usual)
    ends = {form[-1] for form in forms if not form.endswith(("ой", "ей", "ом", "ем", "ёй"))}
    ends |= {form[-2:] for form in forms if form.endswith(("ой", "ей", "ом", "ем", "ёй"))}
    first = [form for form in forms if form.endswith(("а", "я"))]
    is_feminine = not ends.isdisjoint(("ы", "и", "ой", "ей", "ёй"))
    if first and (is_feminine or "е" in ends or len(ends) == 1):
        return first[0]
    return _first_declension(usual, ends) if is_feminine else usual


def _first_declension(form: str, ends: set[str]) -> str:
    base = re.sub(r"(?:ой|ей|ёй|[аяыиеёую])$", "", form)
    is_soft = not ends.isdisjoint(("ю", "ей", "ёй")) or ("и" in ends and base[-1:] not in _HARD_HISSING)
    return base + ("я" if is_soft and base[-1:] not in _HARD_HISSING else "а")
