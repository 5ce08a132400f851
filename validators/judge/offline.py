"""The judge that needs no model: one question after the other, the first "no" decides.

Invariants: the same question gives the same answer on every machine; every answer says why; what it cannot tell is
`UNCLEAR`. Time is bounded by the words of the claim times those of the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from brain.validators.judge import support
from brain.validators.judge.case import Case, lay
from brain.validators.judge.contradiction import contradiction
from brain.validators.judge.days import days
from brain.validators.judge.degree import degree
from brain.validators.judge.modality import modality
from brain.validators.judge.negation import negation
from brain.validators.judge.numbers import numbers
from brain.validators.judge.people import people
from brain.validators.judge.quoted import is_quotation, quoted
from brain.validators.judge.verdict import Asked, Ruling, Verdict


@dataclass(frozen=True, slots=True)
class OfflineJudge:
    embedder: support.Embedder | None = None

    def judge(self, asked: Asked) -> Verdict:
        if not asked.claim.strip() or not asked.cited:
            return Verdict(Ruling.UNCLEAR, "there is nothing to judge, or no evidence")
        exact = quoted(asked)
        if exact is not None:
            return Verdict(Ruling.SUPPORTED, "it is what was said, word for word", exact)
        case = lay(asked)
        nearest = next((row.text for _, row in case.nearest), None)
        against = next(_objections(case), None)
        if against is not None:
            return Verdict(Ruling.NOT_SUPPORTED, against, nearest)
        if is_quotation(asked.claim):
            return Verdict(
                Ruling.NOT_SUPPORTED, "it stands in quotation marks and was not said in these words", nearest
            )
        share = support.share(case, self.embedder)
        if share < support.ENOUGH:
            return Verdict(Ruling.UNCLEAR, f"little of it was said ({share:.0%} of its words)", nearest)
        return Verdict(Ruling.SUPPORTED, f"its words were said ({share:.0%}), and nothing speaks against them", nearest)

    def contradicts(self, asked: Asked, other: str) -> str | None:
        return contradiction(asked.claim, other, asked)


def _objections(case: Case) -> Iterator[str]:
    """Why the claim does not follow, in the order of how sure that is; each is asked only while none is found."""
    checks: tuple[Callable[[Case], str | None], ...] = (numbers, days, people, negation, modality, degree)
    return (answer for check in checks if (answer := check(case)) is not None)
