"""Quotes of evidence, and fingerprints of what was forgotten.

A quote names the first characters of the cited text by their hash: a turn may grow,
what was cited may not change.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum

_QUOTE = re.compile(r"([0-9a-f]{12})/([1-9][0-9]{0,11})")
_WORD = re.compile(r"[^\W_]+")


class Match(StrEnum):
    """What became of a cited text."""

    MATCH = "match"
    MOVED = "moved"
    """Not there any more, but word for word somewhere else in what was given to look through."""
    CHANGED = "changed"
    GONE = "gone"
    INVALID = "invalid"
    """The quote itself cannot be read, or quotes nothing."""


def quote(text: str) -> str:
    """`<12 hex>/<characters>` of a text as it stands."""
    return f"{_digest(text)}/{len(text)}"


def matches(quoted: str, text: str | None, others: Iterable[str] = ()) -> Match:
    """Whether `text` still begins with what was quoted; None: the source is gone. `others` may hold it after a move."""
    form = _QUOTE.fullmatch(quoted)
    if form is None:
        return Match.INVALID
    digest, chars = form[1], int(form[2])
    if text is not None and _begins(text, digest, chars):
        return Match.MATCH
    if any(_begins(other, digest, chars) for other in others):
        return Match.MOVED
    return Match.GONE if text is None else Match.CHANGED


def is_quote(quoted: str) -> bool:
    return _QUOTE.fullmatch(quoted) is not None


def fingerprint(text: str) -> str:
    """Names forgotten words without telling them: equal for texts of the same words, however they are punctuated."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return hashlib.sha256(" ".join(_WORD.findall(folded)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _begins(text: str, digest: str, chars: int) -> bool:
    return len(text) >= chars and _digest(text[:chars]) == digest


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
