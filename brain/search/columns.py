"""Rows <-> bytes: what a question reads when nothing has changed.

Importing LanceDB and opening a table takes two seconds of a cold process; the columns as the ranking wants them are
read in a few milliseconds with numpy alone. They are written beside each table, from it.
"""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from brain.search.rows import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NARROW = ("files", "parts", "voices", "days", "spoken", "edges", "heirs", "lengths", "owners")
"""Columns of numbers that fit into 32 bits."""
_AS_THEY_ARE = ("kinds", "private", "past", "importance", "tokens")
_TEXTS = ("names", "speakers")


def pack(rows: Rows) -> bytes:
    """The same rows give the same bytes."""
    import numpy as np

    columns: dict[str, NDArray[np.generic]] = {name: getattr(rows, name) for name in _AS_THEY_ARE}
    columns |= {name: getattr(rows, name).astype(np.int32) for name in _NARROW}
    for name in _TEXTS:
        # Each ends in NUL, which no path has and a transcript's words have not either.
        text = "".join(value.replace("\0", "") + "\0" for value in getattr(rows, name))
        columns[name] = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    if rows.vectors is not None:
        columns["vectors"] = rows.vectors
    packed = io.BytesIO()
    np.savez(packed, **columns)  # type: ignore[arg-type]
    return packed.getvalue()


def unpack(data: bytes) -> Rows:
    """Raises: ValueError for what `pack` never made."""
    import numpy as np

    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as packed:
            columns = {name: packed[name] for name in packed.files}
        texts = {name: columns.pop(name).tobytes().decode("utf-8", "surrogatepass") for name in _TEXTS}
        for name in _NARROW:
            columns[name] = columns[name].astype(np.int64)
        lists = {name: text.split("\0")[:-1] for name, text in texts.items()}
        return Rows(**lists, vectors=columns.pop("vectors", None), **columns)
    except (KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from None
