"""What a dreamer adds to words it quotes, in brackets behind them: a day worked out, what a pronoun stands for.

    “She (Zoya) rang this morning (2026-10-14).”

Invariant: an addition is taken out of the quotation only where it is borne out itself: the day is one that the
words can mean, said when they were, a part of the name stands in the talk.
"""

from __future__ import annotations

import re

from brain.language import dates
from brain.language.sentences import sentences
from brain.language.words import words
from brain.validators.judge.case import is_person
from brain.validators.judge.verdict import Asked, Spoken

_ADDED = re.compile(r"\s?\(([^()]{1,80})\)")
_DAY = re.compile(r"\d{4}(?:-\d\d){0,2}(?: (?:–|or) \d{4}(?:-\d\d){0,2})*|date unknown")

_OR = " or "


def without_additions(quotation: str, spoken: Spoken, asked: Asked) -> str:
    """The quotation without those of its additions that hold."""
    if "(" not in quotation:
        return quotation
    meant = _meant(spoken, asked)

    def kept(match: re.Match[str]) -> str:
        if match.group().strip() in spoken.text:
            return match.group()
        holds = not meant.isdisjoint(match[1].split(_OR)) if _DAY.fullmatch(match[1]) else _is_named(match[1], asked)
        return "" if holds else match.group()

    return _ADDED.sub(kept, quotation)


def _is_named(name: str, asked: Asked) -> bool:
    """A part of the name was said: who is called Marit in a talk has a surname on her page."""
    said = {word.low for one in (*asked.cited, *asked.context) for word in words(one.text)}
    parts = [word.low.removesuffix("'s") for word in words(name)]
    return any(is_person(part, asked.speakers) or is_person(part, said) for part in parts)


def _meant(spoken: Spoken, asked: Asked) -> frozenset[str]:
    """Every day that words of the turn may mean, each sentence read alone and all together."""
    texts = (spoken.text, *(sentence.text for sentence in sentences(spoken.text)))
    whens = (when for text in texts for when in dates.resolve(text, spoken.time, asked.zone))
    return frozenset(day for when in whens for day in dates.show(when).split(_OR))
