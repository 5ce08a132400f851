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

_NARROW = {"files": "int32", "parts": "int32", "heirs": "int32", "lengths": "int32", "owners": "int32"}
_AS_THEY_ARE = ("kinds", "private", "past", "tokens")


def pack(rows: Rows) -> bytes:
    """The same rows give the same bytes."""
    import numpy as np

    columns: dict[str, NDArray[np.generic]] = {name: getattr(rows, name) for name in _AS_THEY_ARE}
    columns |= {name: getattr(rows, name).astype(kind) for name, kind in _NARROW.items()}
    columns["names"] = np.frombuffer("\0".join(rows.names).encode("utf-8", "surrogatepass"), np.uint8)
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
        names = columns.pop("names").tobytes().decode("utf-8", "surrogatepass")
        for name in _NARROW:
            columns[name] = columns[name].astype(np.int64)
        return Rows(names=names.split("\0") if names else [], vectors=columns.pop("vectors", None), **columns)
    except (KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from None
