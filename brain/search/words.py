"""BM25 over numbered tokens: how well the words of each passage answer a query.

Invariant: exact and the same for the same rows, in whatever order they were added.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.search.rows import Rows

    Scores = NDArray[np.float64]

_K1 = 1.2
_B = 0.75
_REACH = 2
"""Turns before and after that a turn's window holds."""
_MOST_TERMS = 64
"""Of a query as long as a page the first distinct words; each costs one pass over the table."""


def number(token: str) -> int:
    """The 32 bits that stand for a token: rows keep no words, only what tells them apart."""
    return zlib.crc32(token.encode("utf-8", "surrogatepass"))


def score(rows: Rows, terms: Sequence[str]) -> tuple[Scores, Scores]:
    """(each passage alone, each with the turns around it) for the terms of a query."""
    import numpy as np

    counts = [_counts(rows, number(term)) for term in terms[:_MOST_TERMS]]
    lengths = rows.lengths.astype(np.float64)
    alone = _bm25(counts, lengths)
    return alone, _bm25([_widened(rows, count) for count in counts], _widened(rows, lengths))


def spread(rows: Rows, scores: Scores, shares: Sequence[float]) -> Scores:
    """What each turn gets from its neighbours in the session: `shares[0]` of the next, `shares[1]` of those after."""
    import numpy as np

    given = np.zeros_like(scores)
    sessions = rows.sessions
    for distance, share in enumerate(shares, 1):
        near = (sessions[distance:] == sessions[:-distance]) & (sessions[distance:] >= 0)
        given[distance:][near] += share * scores[:-distance][near]
        given[:-distance][near] += share * scores[distance:][near]
    return given


def _counts(rows: Rows, term: int) -> Scores:
    import numpy as np

    start, end = (np.searchsorted(rows.tokens, np.uint32(term), side) for side in ("left", "right"))
    return np.bincount(rows.owners[start:end], minlength=len(rows)).astype(np.float64)


def _widened(rows: Rows, values: Scores) -> Scores:
    return values + spread(rows, values, (1.0,) * _REACH)


def _bm25(counts: Sequence[Scores], lengths: Scores) -> Scores:
    import numpy as np

    total = np.zeros(len(lengths))
    if not len(lengths):
        return total
    damping = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0))
    for count in counts:
        holders = int(np.count_nonzero(count))
        if holders:
            rarity = np.log(1 + (len(lengths) - holders + 0.5) / (holders + 0.5))
            total += rarity * count * (_K1 + 1) / (count + damping)
    return total
