"""Does the claim say nothing but what was said, word for word?

    Nadia: “The gear has 48 teeth from now on.”

Invariant: a quotation is words in their order; capitals, quotation marks, dashes and spaces aside. Words cut out of a
sentence are a quotation only where the claim marks them as one: "I like bees" is not what they stated who said "I never
said that I like bees".
"""

from __future__ import annotations

import re

from brain.language.sentences import sentences
from brain.language.words import fold
from brain.validators.judge.brackets import without_additions
from brain.validators.judge.case import is_person
from brain.validators.judge.verdict import Asked, Spoken

_MARKED = re.compile(
    r"(?:(?P<who>[^“«\"\n]{1,120}?)\s*[:—]\s*)?(?:“(?P<a>.+)”|«(?P<b>.+)»|\"(?P<c>.+)\")[.!?…]?", re.DOTALL
)
_WORD = re.compile(r"\w+")
_EDGE = re.compile(r"[.!?…:;\n]")
_SHORTEST = 2


def quoted(asked: Asked) -> str | None:
    """The words as they stand in the evidence, where the claim is a quotation of them."""
    marked = _MARKED.fullmatch(asked.claim.strip())
    inside = next(filter(None, (marked["a"], marked["b"], marked["c"]))) if marked else asked.claim
    spans = (
        _quoted_from(inside, spoken, asked, is_marked=marked is not None)
        for spoken in asked.cited
        if marked is None or not marked["who"] or _may_be(marked["who"], spoken)
    )
    return next((span for span in spans if span is not None), None)


def is_quotation(claim: str) -> bool:
    """All of it stands in quotation marks, who said it aside: then it must be word for word."""
    return _MARKED.fullmatch(claim.strip()) is not None


def _may_be(who: str, spoken: Spoken) -> bool:
    """The one whom the claim lets speak is the one who spoke, as far as anybody knows."""
    if spoken.is_told or spoken.speaker is None:
        return True
    return any(is_person(word, (spoken.speaker,)) for word in _WORD.findall(fold(who)) if len(word) > _SHORTEST)


def _quoted_from(inside: str, spoken: Spoken, asked: Asked, *, is_marked: bool) -> str | None:
    inside = without_additions(inside, spoken, asked)
    whole = _span(inside, spoken.text)
    if whole is not None:
        return spoken.text[slice(*whole)] if is_marked or _is_whole(whole, spoken.text) else None
    # Sentences that did not stand side by side are one quotation all the same, where each of them was said.
    parts = [_span(sentence.text, spoken.text) for sentence in sentences(inside)]
    found = [part for part in parts if part is not None]
    if not is_marked or len(parts) < _SHORTEST or len(found) < len(parts):
        return None
    return spoken.text[slice(*found[0])]


def _span(inside: str, text: str) -> tuple[int, int] | None:
    """Where the words stand, with the marks around them left out."""
    words = _WORD.findall(fold(inside))
    if not words or (len(words) < _SHORTEST and inside.strip() != text.strip()):
        return None
    said = list(_WORD.finditer(fold(text)))
    row = [match.group() for match in said]
    for at in range(len(row) - len(words) + 1):
        if row[at] == words[0] and row[at : at + len(words)] == words:
            return said[at].start(), said[at + len(words) - 1].end()
    return None


def _is_whole(span: tuple[int, int], text: str) -> bool:
    """The words begin and end where sentences do, and are no question."""
    before, after = text[: span[0]].rstrip(' \t"“«*_('), text[span[1] :].lstrip(' \t"”»*_)')
    ends = not after or (_EDGE.match(after) is not None and not after.startswith("?"))
    return ends and (not before or _EDGE.match(before[-1]) is not None)
