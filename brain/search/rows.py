"""The rows of the search table in memory, as columns.

Invariants: rows stand in one order (path, then place in the file), whatever the order they were written in; they hold
no text. A row names its file by path and blob id; one whose blob id is not the file's is never seen here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brain.search.passages import Corpus, Kind, Passage, Watch
from brain.search.tokens import tokens
from brain.search.words import number

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from brain.search.embed import Embedder

VERSION = 1
"""Rises with any change of the columns or of what is put into them."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    paths: Sequence[str]
    """The path of each row."""
    parts: NDArray[np.int64]
    """The place of each row among the passages of its file."""
    sessions: NDArray[np.int64]
    """The number of the session whose turn a row is, -1 for all else: neighbours are rows of one session."""
    lengths: NDArray[np.int64]
    tokens: NDArray[np.uint32]
    """Of all rows, one after the other."""
    owners: NDArray[np.int64]
    """The row of each of `tokens`."""
    vectors: NDArray[np.float32] | None

    def __len__(self) -> int:
        return len(self.paths)


def schema(dimension: int | None) -> pa.Schema:
    """Columns of the table; without vectors where words alone serve."""
    import pyarrow as pa

    fields = [
        ("path", pa.string()),
        ("part", pa.int64()),
        ("anchor", pa.string()),
        ("kind", pa.string()),
        ("blob", pa.string()),
        ("time", pa.string()),
        ("origin", pa.string()),
        ("speaker", pa.string()),
        ("private", pa.bool_()),
        ("evidence", pa.list_(pa.string())),
        ("tokens", pa.list_(pa.uint32())),
    ]
    # Half precision: the scores differ in the fourth place, the table is half as large.
    return pa.schema(fields + ([("vector", pa.list_(pa.float16(), dimension))] if dimension else []))


def make(
    corpus: Corpus,
    paths: Sequence[str],
    embedder: Embedder | None,
    watch: Watch = iter,
) -> pa.Table:
    """Rows for these files of the corpus."""
    import pyarrow as pa

    shape = schema(embedder.dimension if embedder else None)
    blobs = corpus.blobs
    tables = [shape.empty_table()]
    for path in watch(paths):
        found = corpus.passages(path)
        if found:
            # One batch for each file: a model's last bits depend on the batch, and must depend on the file alone.
            tables.append(_of_file(path, blobs[path], found, embedder, shape))
    return pa.concat_tables(tables)


def _of_file(path: str, blob: str, found: Sequence[Passage], embedder: Embedder | None, shape: pa.Schema) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    columns: dict[str, Any] = {
        "path": [path] * len(found),
        "part": list(range(len(found))),
        "blob": [blob] * len(found),
        "evidence": [list(passage.evidence) for passage in found],
        "tokens": [[number(token) for token in tokens(passage.searched)] for passage in found],
    }
    for name in ("anchor", "kind", "time", "origin", "speaker", "private"):
        columns[name] = [getattr(passage, name) for passage in found]
    if embedder:
        vectors = embedder.embed([passage.searched for passage in found]).astype(np.float16)
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), embedder.dimension)
    return pa.table({name: columns[name] for name in shape.names}, schema=shape)


def kept(table: pa.Table, blobs: Mapping[str, str]) -> pa.Table:
    """The rows whose file is among these and still has that blob id."""
    import pyarrow as pa

    paths, owners = _coded(table["path"])
    held, holders = _coded(table["blob"])
    fits = [blobs.get(path) for path in paths]
    good = [fits[path] == held[blob] for path, blob in zip(owners.tolist(), holders.tolist(), strict=True)]
    return table.filter(pa.array(good, pa.bool_()))


def any_private(table: pa.Table) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(table["private"], min_count=0).as_py())


def arrange(table: pa.Table, *, public: bool = False) -> Rows:
    """The columns in their order; `public` leaves the private rows out before anything is derived from them."""
    import numpy as np
    import pyarrow.compute as pc

    if public:
        table = table.filter(pc.invert(table["private"]))
    table = table.sort_by([("path", "ascending"), ("part", "ascending")]).combine_chunks()
    names, codes = _coded(table["path"])
    turns = pc.equal(table["kind"], Kind.TURN.value).to_numpy(zero_copy_only=False)
    tokens = pc.list_flatten(table["tokens"]).to_numpy().astype(np.uint32)
    lengths = pc.list_value_length(table["tokens"]).to_numpy().astype(np.int64)
    return Rows(
        paths=[names[code] for code in codes.tolist()],
        parts=table["part"].to_numpy(),
        sessions=np.where(turns, codes, -1),
        lengths=lengths,
        tokens=tokens,
        owners=np.repeat(np.arange(len(lengths)), lengths),
        vectors=_vectors(table),
    )


def _vectors(table: pa.Table) -> NDArray[np.float32] | None:
    import numpy as np

    if "vector" not in table.column_names:
        return None
    dimension = table.schema.field("vector").type.list_size
    flat = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table["vector"].chunks]
    joined = np.concatenate([*flat, np.zeros(0, np.float16)])
    return np.asarray(joined.reshape(-1, dimension), np.float32)


def _coded(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """(distinct values, the number of each row's value among them)."""
    import numpy as np

    coded = column.combine_chunks().dictionary_encode()
    return coded.dictionary.to_pylist(), np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64)
