"""The graph voice: what a hit leads to over citations, wikilinks and shared subjects.

An edge joins a statement with the turns it cites, a page with its statements and with what they link to, and a page
with the notes of its title. Two steps from the strongest hits; what has many edges passes less on over each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from brain.names import title_key
from brain.search.passages import Kind

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from brain.search.rows import Rows
    from brain.search.words import Scores

SEEDS = 8
"""Hits from which the walk begins."""
_SECOND = 0.5
"""What is left of a score at the second step."""
_SAID = frozenset((Kind.TURN.value, Kind.RESULT.value))


def edges(files: NDArray[np.int64], table: pa.Table) -> NDArray[np.int64]:
    """Pairs of rows, shape (n, 2), each once, the smaller first; `files` numbers the rows' paths."""
    import numpy as np

    found = sorted(set(_edges(files.tolist(), table)))
    return np.array(found, np.int64).reshape(-1, 2)


def _edges(files: Sequence[int], table: pa.Table) -> Iterator[tuple[int, int]]:
    kinds, evidence = table["kind"].to_pylist(), table["evidence"].to_pylist()
    subjects, links = table["subjects"].to_pylist(), table["links"].to_pylist()
    said = {
        e[0]: row for row, (kind, e) in reversed(list(enumerate(zip(kinds, evidence, strict=True)))) if kind in _SAID
    }
    # The first of a file is the page as a whole.
    pages = {files[row]: row for row, kind in reversed(list(enumerate(kinds))) if kind == Kind.PAGE.value}
    named = {title_key(name): row for row in reversed(pages.values()) for name in reversed(subjects[row])}
    for row, kind in enumerate(kinds):
        if kind in _SAID:
            continue
        near = [said.get(source) for source in evidence[row]]
        near += [named.get(title_key(link)) for link in links[row]]
        near.append(pages.get(files[row]))
        if kind == Kind.OBSERVATION.value:
            near += [named.get(title_key(name)) for name in subjects[row]]
        yield from ((min(row, other), max(row, other)) for other in near if other is not None and other != row)


def walk(rows: Rows, scores: Scores) -> Scores:
    """What each row gets from the strongest ones, two steps along the edges; nothing for these themselves."""
    import numpy as np

    given = np.zeros(len(rows))
    if not len(rows.edges) or not scores.any():
        return given
    seeds = np.argsort(-scores, kind="stable")[:SEEDS]
    start = np.zeros(len(rows))
    start[seeds] = scores[seeds]
    degree = np.sqrt(np.maximum(1, np.bincount(rows.edges.ravel(), minlength=len(rows))))
    one = _step(rows.edges, start, degree)
    given = one + _SECOND * _step(rows.edges, one, degree)
    given[seeds] = 0.0
    return given


def _step(edges: NDArray[np.int64], scores: Scores, degree: Scores) -> Scores:
    import numpy as np

    shared = scores / degree
    a, b = edges[:, 0], edges[:, 1]
    gained = np.bincount(b, shared[a], len(scores)) + np.bincount(a, shared[b], len(scores))
    return np.asarray(gained / degree, np.float64)
