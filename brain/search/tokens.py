"""Text in any script -> the tokens that the search table counts.

Invariants: the same text gives the same tokens on every machine (no locale, no language guess); the time is linear in
the text; a query is only ever text, so no character of it can be an operator or an error.

A token is one of: a stemmed word, a whole identifier as it was written (`v1.2`, `e-mail`, `--no-verify`, `C++`,
`docs/a.md`) and the parts that it is put together from (`a.md`), a pair of neighbouring characters of a script that
does not put spaces between words (single characters too, for queries of one character), or one emoji.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from brain.language.words import stem

VERSION = 2
"""Rises with any change of what a text is cut into: a table made by another version is rebuilt."""

_LONGEST = 80
"""Beyond this a token is data (a hash, a base64 line), found well enough by its beginning."""

_SLICE = 4096

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Hangul: spaced, but particles cling to the noun
)
# What Python's \w leaves out though it stands inside words: vowel signs of Indic scripts, marks on Hebrew and Arabic.
_SIGNS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_LETTERS = rf"(?:[^\W{_UNSPACED}]|[{_SIGNS}])+"
_EMOJI = "[\u2190-\u2bff\U0001f000-\U0001faff]"
# Each alternative and each part of one starts with a class of its own, so that nothing is ever scanned twice.
_PIECE = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)"
    rf"|(?P<whole>(?:--?|[$#@.~/])?{_LETTERS}(?:[-'.:/\\@=&]{{1,3}}{_LETTERS})*(?:\+\+?|\#)?)"
    rf"|(?P<emoji>{_EMOJI})"
)
_PART = re.compile(rf"(?:[^\W_{_UNSPACED}]|[{_SIGNS}])+")
_NUMBERS = re.compile(r"\d+(?:[-.:/]\d+)+")
_MARK = re.compile("[-.:/]")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_JOINT = re.compile(r"[:/\\@=&]+")
_SIGN = "-$#@.~/"
_IDENTIFIER = re.compile(r"\A[-$#@.~/]|[\d_:/\\@=&+#]|[^\W\d_]\.[^\W\d_]|[a-z][A-Z]")
# Accents and points, except the breve of й (мои and мой are two words); joiners, selectors and skin tones.
_DROPPED = re.compile(
    "(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u064b-\u065f"
    "\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff]"
)
_TYPED = str.maketrans({"ı": "i", "’": "'", "ʼ": "'", "‐": "-", "‑": "-"})

_QUESTION_WORDS = (
    "a about am an and any are as at be been but by can could did do does for from had has have how i if in is it its "
    "me my no not of on or our she he so than that the their them there they this to us use was we were what when "
    "where which who whom whose why will with would you your "
    "а без бы был была были было в вам вас во вот все вы где да для до его ее если же за и из или им их к как какая "
    "какие какой ко когда кто куда ли меня мне мной мой моя моих мы на над нас не нет него нее но ну о об он она они "
    "от по под при про с со так там то того тоже ты у уже что чтобы это этот я"
)


def tokens(text: str) -> list[str]:
    """The tokens of a passage, in order, as often as they occur."""
    return [token for piece in _PIECE.finditer(_spell(text)) for token in _cut(piece)]


def query_tokens(text: str, holds: Callable[[str], bool] = lambda _: False) -> list[str]:
    """The distinct tokens to look for, in order; question words are left out where anything else is left.

    An identifier of which `holds` says that it stands in the memory is looked for whole: its parts stand in many texts.
    """
    found: dict[str, None] = {}
    for piece in _PIECE.finditer(_spell(text)):
        whole = piece["whole"]
        if whole and _IDENTIFIER.search(whole) and holds(_fold(whole)):
            found[_fold(whole)] = None
        else:
            found.update(dict.fromkeys(_asked(piece)))
    stop = _stop_words()
    telling = [token for token in found if token not in stop]
    return telling or list(found)


def telling_tokens(text: str) -> list[str]:
    """The tokens that are no question words; empty where there are only those."""
    return [token for piece in _PIECE.finditer(_spell(text)) for token in _asked(piece) if token not in _stop_words()]


def is_one_word(text: str) -> bool:
    """True for one word, name, identifier or run of characters: something to look up."""
    return len(_PIECE.findall(_spell(text[:_SLICE]))) == 1


def _spell(text: str) -> str:
    """One spelling for what readers take for the same: width, accents, dotted and dotless i, dashes; case is kept."""
    # In slices: sorting a heap of combining marks, as normalising does, takes time by its square.
    return "".join(_spell_slice(text[at : at + _SLICE]) for at in range(0, len(text), _SLICE))


def _spell_slice(text: str) -> str:
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFC", _DROPPED.sub("", apart)).translate(_TYPED)


def _asked(piece: re.Match[str]) -> Iterator[str]:
    """Less than a passage holds: a single character or a bare number would match every text that shares it."""
    run, whole = piece["run"], piece["whole"]
    if run and len(run) > 1:
        return _pairs(run)
    if whole and _NUMBERS.fullmatch(whole):
        return iter((whole[:_LONGEST],))
    return _cut(piece)


def _cut(piece: re.Match[str]) -> Iterator[str]:
    if run := piece["run"]:
        yield from run
        yield from _pairs(run)
    elif whole := piece["whole"]:
        yield from _known(whole)
    else:
        yield piece["emoji"]


@lru_cache(1 << 15)
def _known(whole: str) -> tuple[str, ...]:
    """Few words make most of any text, so what they are cut into is kept."""
    return tuple(dict.fromkeys(_words(whole)))


def _pairs(run: str) -> Iterator[str]:
    return (run[at : at + 2] for at in range(len(run) - 1))


def _words(whole: str) -> Iterator[str]:
    """The whole, then its parts: `parseName` is found by `name`, `src/a.py:42` by `a.py`, `v1.2` by itself first."""
    yield from _forms(whole)
    if _NUMBERS.fullmatch(whole):
        # A day is also found by its month and its year.
        yield from (whole[: mark.start()] for mark in _MARK.finditer(whole[:_LONGEST]))
    for joined in _JOINT.split(whole):
        if named := joined.strip(_SIGN):
            yield from _forms(joined)
            yield from _forms(named)
            # A file's name without its ending, a method without its class.
            yield from (form for name in named.split(".") if "_" in name for form in _forms(name))
    apostrophe = "'" in whole
    for part in _PART.findall(whole):
        humps = _HUMP.split(part)
        if len(humps) > 1:
            yield from (form for word in humps for form in _forms(word))
        # A letter that an apostrophe cut off (isn't, l'eau) says nothing.
        if len(part) > 1 or not apostrophe:
            yield from _forms(part)


def _forms(word: str) -> tuple[str, ...]:
    """Its stem; of a Cyrillic word the word too, since the rules stem паром and паромы apart."""
    word = _fold(word)
    stemmed = stem(word)
    return (stemmed, word) if stemmed != word and "а" <= word[0] <= "я" else (stemmed,)


def _fold(word: str) -> str:
    return word.casefold()[:_LONGEST].replace("ё", "е")


@lru_cache
def _stop_words() -> frozenset[str]:
    return frozenset(form for word in _QUESTION_WORDS.split() for form in _forms(word))
