"""The words of a page's lead and summary, out of the statements that are offered for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain.dream import wording
from brain.dream.plan import Sentence
from brain.dream.statements import Statement
from brain.model import ObservationType

PASSING = frozenset({ObservationType.EVENT, ObservationType.OPINION, ObservationType.COMMITMENT})
_MAX_SUMMARY = 160
_PRONOUN = re.compile(r"^\w+ \(([^()\d]{1,60})\)")
"""`She (Birgit Holm) wants …`: in a summary the name alone."""


@dataclass(eq=False, slots=True)
class Offered:
    """A sentence for the lead of a page."""

    text: str
    day: str | None
    evidence: tuple[str, ...]
    defining: bool
    is_passing: bool = False
    """What happened, is planned or is thought of the subject: it does not say what that is."""


def offered(statement: Statement, text: str) -> Offered:
    """A statement of this dream, in the words in which it stands."""
    return Offered(text, statement.day, statement.evidence, statement.is_defining, statement.type in PASSING)


def summary(lead: Sequence[Offered]) -> str:
    """One line of at most 160 characters: the words of the last sentence, without who said them."""
    words = _without_label(wording.read(lead[-1].text)[1])
    return wording.cut(_PRONOUN.sub(r"\1", words, count=1), _MAX_SUMMARY)


def sentences(lead: Sequence[Offered]) -> tuple[Sentence, ...]:
    return tuple(Sentence(_prose(offer), offer.evidence) for offer in lead)


def _prose(offer: Offered) -> str:
    """`Nadia — “I prefer short answers.”`: the letters of the claim, so that nothing is lost with the lead."""
    speaker, words = wording.read(offer.text)
    return f"{speaker} — “{words}”" if speaker else words


def _without_label(words: str) -> str:
    label, colon, rest = words.partition(": ")
    return rest[0].upper() + rest[1:] if colon and len(label.split()) == 1 and len(rest) > 20 else words
