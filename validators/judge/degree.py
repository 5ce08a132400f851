"""Does the claim say all for some, or more for less?"""

from __future__ import annotations

from brain.validators.judge.case import Case

_STRONG = ("all", "none", "most")


def degree(case: Case) -> str | None:
    """What is wrong with how much, how often, or which way the claim says."""
    return _amount(case) or opposite(case)


def _amount(case: Case) -> str | None:
    said = {case.lexicon.amounts.get(term.low) for heard in case.cited for term in heard.reading.terms}
    for term in case.claim.terms:
        kind = case.lexicon.amounts.get(term.low)
        if kind in _STRONG and kind not in said and "some" in said:
            return f"it says {term.low}, the evidence only some"
    return None


def opposite(case: Case) -> str | None:
    """The contrary of a word of the claim that was said in its stead."""
    said = {term.key for heard in case.everything for term in heard.reading.terms}
    cited = {term.key for heard in case.cited for term in heard.reading.terms}
    for term in case.claim.terms:
        against = case.lexicon.opposites.get(term.key, frozenset()) & cited
        alike = case.lexicon.kin.get(term.key, frozenset({term.key}))
        if against and term.key not in said and said.isdisjoint(alike) and not term.is_denied:
            return f"it says {term.low}, the evidence {min(against)}"
    return None
