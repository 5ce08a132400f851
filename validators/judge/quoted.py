"""Does the claim say nothing but what was said, word for word?

    Nadia: “The gear has 48 teeth from now on.”

Invariant: a quotation is words in their order; capitals, quotation marks, dashes and spaces aside. Words cut out of a
sentence are a quotation only where the claim marks them as one: "I like bees" is not what they stated who said "I never
said that I like bees".
"""

from __future__ import annotations

import re

from brain.language.words import fold
from brain.validators.judge.case import is_person
from brain.validators.judge.verdict import Asked, Spoken

_MARKED = re.compile(r"(?:(?P<who>[^:“«\n]{1,60}):\s*)?(?:“(?P<a>.+)”|«(?P<b>.+)»|\"(?P<c>.+)\")[.!?…]?", re.DOTALL)
_WORD = re.compile(r"\w+")
_EDGE = re.compile(r"[.!?…:;\n]")
_SHORTEST = 2


def quoted(asked: Asked) -> str | None:
    """The words as they stand in the evidence, where the claim is a quotation of them."""
    marked = _MARKED.fullmatch(asked.claim.strip())
    inside = next(filter(None, (marked["a"], marked["b"], marked["c"]))) if marked else asked.claim
    who = marked["who"] if marked else None
    for spoken in asked.cited:
        if who and spoken.speaker and not any(is_person(fold(part), (spoken.speaker,)) for part in who.split()):
            continue
        span = _span(inside, spoken)
        if span is not None and (marked or _is_whole(span, spoken)):
            return spoken.text[slice(*span)]
    return None


def _span(inside: str, spoken: Spoken) -> tuple[int, int] | None:
    """Where the words stand, with marks around them left out."""
    words = _WORD.findall(fold(inside))
    if len(words) < _SHORTEST and inside.strip() != spoken.text.strip():
        return None
    said = list(_WORD.finditer(fold(spoken.text)))
    row = [match.group() for match in said]
    for at in range(len(row) - len(words) + 1):
        if row[at : at + len(words)] == words:
            return said[at].start(), said[at + len(words) - 1].end()
    return None


def _is_whole(span: tuple[int, int], spoken: Spoken) -> bool:
    """The words begin and end where sentences do, and are no question."""
    before, after = spoken.text[: span[0]].rstrip(' \t"“«*_('), spoken.text[span[1] :].lstrip(' \t"”»*_)')
    ends = not after or (_EDGE.match(after) is not None and not after.startswith("?"))
    return ends and (not before or _EDGE.match(before[-1]) is not None)
