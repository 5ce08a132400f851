"""How much of the claim is in the evidence at all.

The words of the claim are looked for in the cited turns, and at less weight in what was said just before; those that a
writer adds of himself weigh less. An embedder, where there is one, adds how near the nearest cited sentence is: it
tells what is supported from what is about something else, never from what contradicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from brain.validators.judge.case import Case, Heard, find
from brain.validators.judge.days import claimed
from brain.validators.judge.reading import Term

ENOUGH = 0.37
"""Share from which a claim is borne out: the corner of the curve over LoCoMo's statements and foreign turns."""
_CONTEXT = 0.5
_LIGHT = 0.35
_CLOSE = 0.4
"""Weight of the closeness beside the words."""
_STRANGE = 0.3
"""Closeness of two sentences that have nothing to do with each other but a talk."""


class Embedder(Protocol):
    """Texts -> vectors of length 1; those of brain.search are some."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Any: ...


def share(case: Case, embedder: Embedder | None = None) -> float:
    """About 0..1: how much of the claim was said."""
    words = coverage(case)
    return words if embedder is None else words + _CLOSE * (_closeness(case, embedder) - _STRANGE)


def coverage(case: Case) -> float:
    """0..1: the share of the claim's words that were said; its days are asked for by `days`."""
    dated = [range(when.start, when.end) for when in claimed(case)]
    terms = {t.key: t for t in case.content() if not any(t.start in place for place in dated)}.values()
    total = sum(_weight(term, case) for term in terms)
    return sum(_weight(term, case) * _found(term, case) for term in terms) / total if total else 0.0


def _closeness(case: Case, embedder: Embedder) -> float:
    """Of the nearest of the cited sentences."""
    rows = [row.text for heard in case.cited for row in heard.rows]
    if not rows:
        return 0.0
    vectors = embedder.embed([case.claim.text, *rows])
    return float((vectors[1:] @ vectors[0]).max())


def _weight(term: Term, case: Case) -> float:
    is_light = term.key in case.lexicon.light or term.key in case.lexicon.attitudes
    return _LIGHT if is_light else 1.0


def _found(term: Term, case: Case) -> float:
    if _said(term, case.cited, case):
        return 1.0
    return _CONTEXT if _said(term, case.context, case) else 0.0


def _said(term: Term, heard: Sequence[Heard], case: Case) -> bool:
    return any(find(term, one.reading.terms, case.lexicon) for one in heard)
