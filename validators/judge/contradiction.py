"""Can two statements about one subject both be true?

They are about the same thing where most words of each stand in the other; they cannot both hold where
what is left differs in a number, a negation or a word of the contrary. Different days are no contradiction: what holds
from a later day is a change.
"""

from __future__ import annotations

from dataclasses import replace

from brain.validators.judge.case import Case, lay
from brain.validators.judge.degree import opposite
from brain.validators.judge.negation import negation
from brain.validators.judge.numbers import numbers
from brain.validators.judge.support import coverage
from brain.validators.judge.verdict import Asked, Spoken

_SAME = 0.65


def contradiction(one: str, other: str, asked: Asked) -> str | None:
    """Why the two cannot both hold; None where they can. `asked` says who takes part in the talk they are from."""
    case, back = _case(one, other, asked), _case(other, one, asked)
    if min(coverage(case), coverage(back)) < _SAME:
        return None
    return numbers(case) if _both_count(case) else negation(case) or negation(back) or opposite(case)


def _case(claim: str, evidence: str, asked: Asked) -> Case:
    return lay(replace(asked, claim=claim, cited=(Spoken(evidence, None, None),), context=()))


def _both_count(case: Case) -> bool:
    """Both have a number: where one has none, the other only says more."""
    sides = (case.claim, *(heard.reading for heard in case.cited))
    return all(any(c.isdigit() for c in side.text) for side in sides)
