"""Is what the claim tells as a fact one, or a plan, a wish, a supposition, a question? And the reverse?"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from brain.validators.judge.case import Case, find
from brain.validators.judge.reading import Row, Term

_MOST = 0.75
_HEAD = 2
"""Words at the beginning of a claim among which it says that something is only thought or told."""


def modality(case: Case) -> str | None:
    """What is wrong with the mood of the claim."""
    terms = case.content()
    planned = [term for term in terms if term.mood == "plan"]
    is_told = any(term.key in case.lexicon.attitudes for term in terms[:_HEAD])
    is_done = any("past" in row.moods for row in case.claim.rows) and not (planned or is_told)
    if is_done and _share(case, terms, _is_unreal) >= _MOST:
        return "it tells as done what the evidence plans, wishes, supposes or asks"
    if planned and _share(case, planned, _is_done) >= _MOST:
        return "it tells as planned what the evidence tells as done"
    return None


def _share(case: Case, terms: Iterable[Term], test: Callable[[Row, Term], bool]) -> float:
    """Of the words that were said at all, those that were always said so."""
    held = lost = 0
    for term in terms:
        said = [
            test(row, other)
            for heard in case.cited
            for row in heard.rows
            for other in find(term, row.terms, case.lexicon)
        ]
        held += bool(said)
        lost += bool(said) and all(said)
    return lost / held if held else 0.0


def _is_unreal(row: Row, term: Term) -> bool:
    return bool(term.mood) or row.is_question


def _is_done(row: Row, term: Term) -> bool:
    return "past" in row.moods and not term.mood
