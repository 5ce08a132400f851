"""Which sentences stand for a text: centrality in the graph of shared stems, then diversity.

LexRank over cosine similarity of stems with inverse frequency inside the text, then maximal marginal relevance, so that
five ways to say one thing do not push out four others. Pure and deterministic: no model, no random start.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

_DAMPING = 0.85
_ROUNDS = 15
_DIVERSITY = 0.6
_MOST = 80
"""Sentences that are compared with one another; the rest of a very long text is passed over."""

Bag = Mapping[str, float]


def central(bags: Sequence[Mapping[str, int]], weights: Sequence[float], count: int) -> list[int]:
    """Places of at most `count` sentences, in their order; `weights` are what speaks for each from outside."""
    if not bags:
        return []
    chosen = sorted(range(len(bags)), key=lambda at: (-weights[at], at))[:_MOST]
    places = sorted(chosen)
    vectors = _weighted([bags[at] for at in places])
    alike = _alike(vectors)
    scores = _rank(alike)
    value = [score * weights[at] for score, at in zip(scores, places, strict=True)]
    return [places[at] for at in sorted(_diverse(value, alike, count))]


def _alike(vectors: Sequence[Bag]) -> list[list[float]]:
    norms = [math.sqrt(sum(w * w for w in vector.values())) or 1.0 for vector in vectors]
    rows = [[0.0] * len(vectors) for _ in vectors]
    for i, one in enumerate(vectors):
        rows[i][i] = 1.0
        for j in range(i):
            rows[i][j] = rows[j][i] = _dot(one, vectors[j]) / (norms[i] * norms[j])
    return rows


def _dot(one: Bag, other: Bag) -> float:
    if len(one) > len(other):
        one, other = other, one
    return sum(weight * other[key] for key, weight in one.items() if key in other)


def _weighted(bags: Sequence[Mapping[str, int]]) -> list[Bag]:
    spread = Counter(key for bag in bags for key in bag)
    total = len(bags)
    return [{key: n * math.log(1 + total / spread[key]) for key, n in bag.items()} for bag in bags]


def _rank(alike: Sequence[Sequence[float]]) -> list[float]:
    """The stationary weights of a walk from sentence to sentence that is alike."""
    size = len(alike)
    near = [[(j, weight) for j, weight in enumerate(row) if weight] for row in alike]
    degrees = [sum(weight for _, weight in row) or 1.0 for row in near]
    scores = [1.0 / size] * size
    for _ in range(_ROUNDS):
        shares = [_DAMPING * score / degree for score, degree in zip(scores, degrees, strict=True)]
        scores = [(1 - _DAMPING) / size + sum(shares[j] * weight for j, weight in row) for row in near]
    return scores


def _diverse(value: Sequence[float], alike: Sequence[Sequence[float]], count: int) -> list[int]:
    taken: list[int] = []
    left = list(range(len(value)))
    top = max(value, default=1.0) or 1.0

    def worth(at: int) -> tuple[float, int]:
        return _DIVERSITY * value[at] / top - (1 - _DIVERSITY) * _nearest(at, taken, alike), -at

    while left and len(taken) < count:
        best = max(left, key=worth)
        taken.append(best)
        left.remove(best)
    return taken


def _nearest(at: int, taken: Sequence[int], alike: Sequence[Sequence[float]]) -> float:
    return max((alike[at][other] for other in taken), default=0.0)
