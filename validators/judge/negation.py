"""Does the claim deny what was said, or say what was denied?

What counts is the words right behind a negation: in the claim and in the evidence the same ones must be denied. A verb
that denies by itself (stop, lack) stands for a negation of its whole sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain.validators.judge.case import Case, find
from brain.validators.judge.reading import Row, Term

_HEAD = 3
"""Words behind a negation that it surely speaks of."""


def negation(case: Case) -> str | None:
    """What is wrong with what the claim denies."""
    if any(row.has_negation for row in case.claim.rows):
        return _denies(case)
    return _affirms(case)


def _denies(case: Case) -> str | None:
    """What the claim denies must be denied in the cited turns."""
    denied = [term for term in case.claim.terms if term.is_denied and term.is_content]
    heads = [term for term in denied if _tells(term, case)][:_HEAD] or denied[:_HEAD]
    rows = [row for heard in case.cited for row in heard.rows]
    if any(_is_denied(term, rows, case) for term in heads):
        return None
    return f"it denies “{heads[0].low}”, the evidence does not" if heads else None


def _is_denied(term: Term, rows: Sequence[Row], case: Case) -> bool:
    return any(
        other.is_denied or _is_negative(case, row) for row in rows for other in find(term, row.terms, case.lexicon)
    )


def _tells(term: Term, case: Case) -> bool:
    return term.is_content and term.key not in case.lexicon.light


def _is_negative(case: Case, row: Row) -> bool:
    """The row has a word that denies by itself, in other words than the claim's own."""
    return not {term.key for term in row.terms}.isdisjoint(_own_negatives(case))


def _own_negatives(case: Case) -> frozenset[str]:
    return case.lexicon.negative - {term.key for term in case.claim.terms}


def _affirms(case: Case) -> str | None:
    """The claim denies nothing; nor may the evidence, of the same words."""
    rows = [row for heard in case.cited for row in heard.rows]
    said = {term.key for row in rows for term in row.terms}
    if any(term.key in case.lexicon.negative and term.key not in said for term in case.claim.terms):
        return None
    for term in case.content():
        others = [other for row in rows for other in find(term, row.terms, case.lexicon)]
        if _tells(term, case) and others and all(other.is_denied for other in others):
            return f"the evidence denies “{term.low}”"
    return None
