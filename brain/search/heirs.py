"""Which statement took the place of which.

A line under History names the one that replaced it. The turn that said the old words, and a summary that repeats them,
have the same heir, where everything that was taken from them has been replaced: evidence is never rewritten, and would
else be found before what holds now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from brain.search.passages import Kind

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_STATEMENTS = frozenset((Kind.OBSERVATION.value, Kind.CLAIM.value))
_SAME_WORDS = 0.7
"""Share of a statement's tokens that a turn must hold to be the one that said it."""


def heirs(files: NDArray[np.int64], table: pa.Table) -> NDArray[np.int64]:
    """The row of each row's heir, -1 where it has none; `files` numbers the rows' paths, rows are in their order."""
    import numpy as np

    found = np.full(len(files), -1, np.int64)
    named = _named(files.tolist(), table["anchor"].to_pylist(), table["replaced_by"].to_pylist())
    if not named:
        return found
    found[list(named)] = list(named.values())
    kinds, evidence = table["kind"].to_pylist(), table["evidence"].to_pylist()
    replaced = _replaced(named, kinds, evidence)
    for row, (kind, sources) in enumerate(zip(kinds, evidence, strict=True)):
        if kind in _STATEMENTS or not sources or any(source not in replaced for source in sources):
            continue
        words = frozenset(table["tokens"][row].as_py())
        said = [old for source in sources for old in replaced[source] if _says(words, table["tokens"][old].as_py())]
        if said:
            found[row] = _last(named, said[0])
    return found


def _named(files: Sequence[int], anchors: Sequence[str], replaced_by: Sequence[str]) -> dict[int, int]:
    """row -> the row that its line names as the one which took its place."""
    replaced = [row for row, anchor in enumerate(replaced_by) if anchor]
    if not replaced:
        return {}
    first: dict[tuple[int, str], int] = {}
    for row, place in enumerate(zip(files, anchors, strict=True)):
        first.setdefault(place, row)
    named = {row: first.get((files[row], replaced_by[row]), row) for row in replaced}
    return {row: heir for row, heir in named.items() if heir != row}


def _last(named: Mapping[int, int], row: int) -> int:
    """The one at the end of the line; in a circle, any."""
    for _ in range(len(named)):
        if row not in named:
            break
        row = named[row]
    return row


def _replaced(
    named: Mapping[int, int], kinds: Sequence[str], evidence: Sequence[Sequence[str]]
) -> Mapping[str, Sequence[int]]:
    """source -> the statements that cite it, where every one of them was replaced."""
    citing: dict[str, list[int]] = {}
    for row, (kind, sources) in enumerate(zip(kinds, evidence, strict=True)):
        if kind in _STATEMENTS:
            for source in sources:
                citing.setdefault(source, []).append(row)
    return {source: rows for source, rows in citing.items() if all(row in named for row in rows)}


def _says(words: frozenset[int], statement: Sequence[int]) -> bool:
    told = frozenset(statement)
    return len(told & words) >= _SAME_WORDS * len(told)
