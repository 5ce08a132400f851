"""Vectors as every embedder gives them: rows of float32, each of length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


def unit(vectors: Any) -> Vectors:
    """The vectors brought to length 1; one without length stays as it is."""
    import numpy as np

    vectors = np.asarray(vectors, np.float32)
    if not len(vectors):
        return np.zeros((0, 0), np.float32)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0), np.float32)
