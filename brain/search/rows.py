"""The rows of the search table in memory, as columns.

Invariants: rows stand in one order (path, then place in the file), whatever the order they were written in; they hold
no text. A row names its file by path and blob id; one whose blob id is not the file's is never seen here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from brain.search import spoken
from brain.search.graph import edges
from brain.search.heirs import heirs
from brain.search.passages import Corpus, Kind, Passage, Watch
from brain.search.tokens import tokens
from brain.search.words import number

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from brain.search.embed import Embedder

VERSION = 9
"""Rises with any change of the columns or of what is put into them."""

KINDS = tuple(Kind)


@dataclass(frozen=True, eq=False)
class Rows:
    """The columns that ranking needs; what is worked out of them is kept for the next question."""

    names: Sequence[str]
    """The paths, sorted."""
    files: NDArray[np.int64]
    """The number of each row's path among the names."""
    parts: NDArray[np.int64]
    """The place of each row among the passages of its file."""
    kinds: NDArray[np.uint8]
    """The number of each row's kind among KINDS."""
    speakers: Sequence[str]
    voices: NDArray[np.int64]
    """The number of who speaks among the speakers, -1 where nobody is named."""
    days: NDArray[np.int64]
    """The day that each row is of, counted as `date.toordinal` does; 0: unknown."""
    spoken: NDArray[np.int64]
    """First and last day that its words speak of, shape (rows, 2); 0: of none."""
    importance: NDArray[np.uint8]
    edges: NDArray[np.int64]
    """Pairs of rows that lead to one another, shape (edges, 2); see graph.py."""
    private: NDArray[np.bool_]
    past: NDArray[np.bool_]
    heirs: NDArray[np.int64]
    """The row of the statement that took this one's place, or the place of what was taken from this turn; -1: none."""
    lengths: NDArray[np.int64]
    """How many tokens each row has."""
    tokens: NDArray[np.uint32]
    """Of all rows, sorted: where one begins is found without looking at the others."""
    owners: NDArray[np.int64]
    """The row of each of `tokens`."""
    vectors: NDArray[np.float16] | None

    def __len__(self) -> int:
        return len(self.files)

    @cached_property
    def sessions(self) -> NDArray[np.int64]:
        """The number of the file whose turn a row is, -1 for all else: neighbours are rows of one session."""
        import numpy as np

        return np.where(self.kinds == KINDS.index(Kind.TURN), self.files, -1)

    def beside(self, distance: int) -> NDArray[np.bool_]:
        """Of each row but the last `distance`, whether the one so far behind it is of the same session."""
        known = self._beside.get(distance)
        if known is None:
            sessions = self.sessions
            known = self._beside[distance] = (sessions[distance:] == sessions[:-distance]) & (sessions[distance:] >= 0)
        return known

    @cached_property
    def _beside(self) -> dict[int, NDArray[np.bool_]]:
        return {}

    @cached_property
    def wide(self) -> NDArray[np.float32] | None:
        """The vectors in 32 bits, in which they are multiplied ten times as fast."""
        import numpy as np

        return None if self.vectors is None else self.vectors.astype(np.float32)

    def public(self) -> Rows:
        """Without the private rows; nothing that is derived from them is left."""
        import numpy as np

        keep = ~self.private
        places = np.append(np.where(keep, np.cumsum(keep) - 1, -1), -1)
        spoken = keep[self.owners]
        return replace(
            self,
            files=self.files[keep],
            parts=self.parts[keep],
            kinds=self.kinds[keep],
            voices=self.voices[keep],
            days=self.days[keep],
            spoken=self.spoken[keep],
            importance=self.importance[keep],
            edges=places[self.edges[keep[self.edges].all(axis=1)]],
            private=self.private[keep],
            past=self.past[keep],
            heirs=places[self.heirs[keep]],
            lengths=self.lengths[keep],
            tokens=self.tokens[spoken],
            owners=places[self.owners[spoken]],
            vectors=None if self.vectors is None else self.vectors[keep],
        )


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
        ("until", pa.string()),
        ("past", pa.bool_()),
        ("replaced_by", pa.string()),
        ("origin", pa.string()),
        ("speaker", pa.string()),
        ("private", pa.bool_()),
        ("spoken", pa.list_(pa.string())),
        ("subjects", pa.list_(pa.string())),
        ("links", pa.list_(pa.string())),
        ("importance", pa.uint8()),
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


_OF_PASSAGE = ("anchor", "kind", "time", "until", "past", "replaced_by", "origin", "speaker", "private",
               "importance")  # fmt: skip


def _of_file(path: str, blob: str, found: Sequence[Passage], embedder: Embedder | None, shape: pa.Schema) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    columns: dict[str, Any] = {
        "path": [path] * len(found),
        "part": list(range(len(found))),
        "blob": [blob] * len(found),
        "evidence": [list(passage.evidence) for passage in found],
        "spoken": [list(spoken.days(passage) or ()) for passage in found],
        "subjects": [list(passage.subjects) for passage in found],
        "links": [list(passage.links) for passage in found],
        "tokens": [[number(token) for token in tokens(passage.searched)] for passage in found],
    }
    for name in _OF_PASSAGE:
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


def arrange(table: pa.Table) -> Rows:
    """The columns in their order."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    table = table.sort_by([("path", "ascending"), ("part", "ascending")]).combine_chunks()
    names, files = _coded(table["path"])
    kinds = pc.index_in(table["kind"], pa.array([kind.value for kind in KINDS]))
    speakers, voices = _coded(pc.fill_null(table["speaker"], ""))
    lengths = pc.list_value_length(table["tokens"]).to_numpy().astype(np.int64)
    tokens = pc.list_flatten(table["tokens"]).to_numpy().astype(np.uint32)
    order = np.argsort(tokens, kind="stable")
    return Rows(
        names=names,
        files=files,
        parts=table["part"].to_numpy(),
        kinds=kinds.to_numpy().astype(np.uint8),
        speakers=speakers,
        voices=np.where(pc.equal(table["speaker"], pa.scalar("")).fill_null(True).to_numpy(), -1, voices),
        days=np.array([_day(time) for time in table["time"].to_pylist()], np.int64),
        spoken=np.array([_ordinals(days) for days in table["spoken"].to_pylist()], np.int64).reshape(-1, 2),
        importance=table["importance"].to_numpy(),
        edges=edges(files, table),
        private=table["private"].to_numpy(),
        past=table["past"].to_numpy(),
        heirs=heirs(files, table),
        lengths=lengths,
        tokens=tokens[order],
        owners=np.repeat(np.arange(len(lengths)), lengths)[order],
        vectors=_vectors(table),
    )


def _day(time: str | None) -> int:
    try:
        return date.fromisoformat((time or "")[:10]).toordinal()
    except ValueError:
        return 0


def _ordinals(days: Sequence[str]) -> tuple[int, int]:
    return (_day(days[0]), _day(days[1])) if days else (0, 0)


def _vectors(table: pa.Table) -> NDArray[np.float16] | None:
    import numpy as np

    if "vector" not in table.column_names:
        return None
    dimension = table.schema.field("vector").type.list_size
    flat = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table["vector"].chunks]
    joined = np.concatenate([*flat, np.zeros(0, np.float16)])
    return np.asarray(joined.reshape(-1, dimension), np.float16)


def _coded(column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.int64]]:
    """(distinct values, the number of each row's value among them)."""
    import numpy as np

    coded = column.combine_chunks().dictionary_encode()
    return coded.dictionary.to_pylist(), np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64)
