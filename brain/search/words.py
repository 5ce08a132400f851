"""BM25 over numbered tokens: how well the words of each passage answer a query.

Invariant: exact and the same for the same rows, in whatever order they were added.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
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
_COMMON = 0.25
"""Share of the passages that hold a word beyond which it tells none of them apart."""
_FEW = 12
"""Passages that may hold a word, however few there are in all, without its being common."""
_MOST_TERMS = 64
"""Of a query as long as a page the first distinct words; each costs one pass over the table."""


def number(token: str) -> int:
    """The 32 bits that stand for a token: rows keep no words, only what tells them apart."""
    return zlib.crc32(token.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Matches:
    """What the words of a query give to each row."""

    alone: Scores
    around: Scores
    """With the turns around it."""
    sessions: Scores
    """The whole session that the turn is of."""
    tells: NDArray[np.bool_]
    """Whether the row, or a turn around it, holds a word that is worth finding."""


def score(rows: Rows, terms: Sequence[str]) -> Matches:
    """How well each passage answers the terms of a query."""
    import numpy as np

    counts = [_counts(rows, number(term)) for term in terms[:_MOST_TERMS]]
    around = [_widened(rows, count) for count in counts]
    lengths = rows.lengths.astype(np.float64)
    rare = [wide for count, wide in zip(counts, around, strict=True) if _is_rare(count)]
    # A question of common words alone ("was ist das") is asked for what holds them; beside rarer ones they say nothing.
    told = sum(rare) if rare else sum(around)
    tells = np.zeros(len(rows), bool) | (told > 0)
    alone = _bm25(counts, lengths)
    return Matches(alone, _bm25(around, _widened(rows, lengths)), _of_sessions(rows, counts, lengths), tells)


def _of_sessions(rows: Rows, counts: Sequence[Scores], lengths: Scores) -> Scores:
    import numpy as np

    given = np.zeros(len(rows))
    turns = rows.sessions >= 0
    of_turn, sessions = np.unique(rows.sessions[turns], return_inverse=True)
    summed: list[Scores] = [
        np.bincount(sessions, values[turns], len(of_turn)).astype(np.float64) for values in (lengths, *counts)
    ]
    given[turns] = _bm25(summed[1:], summed[0])[sessions]
    return given


def _is_rare(count: Scores) -> bool:
    return bool((count > 0).sum() <= max(_COMMON * len(count), _FEW))


def spread(rows: Rows, scores: Scores, shares: Sequence[float]) -> Scores:
    """What each turn gets from its neighbours in the session: `shares[0]` of the next, `shares[1]` of those after."""
    import numpy as np

    given = np.zeros_like(scores)
    for distance, share in enumerate(shares, 1):
        near = rows.beside(distance)
        given[distance:] += share * (scores[:-distance] * near)
        given[:-distance] += share * (scores[distance:] * near)
    return given


def holds(rows: Rows, token: str) -> bool:
    """Whether any row has this token."""
    start, end = _places(rows, number(token))
    return start < end


def holders(rows: Rows, token: str) -> NDArray[np.bool_]:
    """Of each row, whether it has this token."""
    return _counts(rows, number(token)) > 0


def _counts(rows: Rows, term: int) -> Scores:
    import numpy as np

    start, end = _places(rows, term)
    return np.bincount(rows.owners[start:end], minlength=len(rows)).astype(np.float64)


def _places(rows: Rows, term: int) -> tuple[int, int]:
    import numpy as np

    start, end = (np.searchsorted(rows.tokens, np.uint32(term), side) for side in ("left", "right"))
    return int(start), int(end)


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
