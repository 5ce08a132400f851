"""The search table at 2,000, 20,000 and 100,000 passages: building, bytes, questions, one changed page.

The embedder here is a hash of the words, so that no figure holds the time of a model: the build is "beyond embedding".
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from brain.search import Question, Searcher
from brain.search.passages import Kind, Passage
from brain.search.score import Mode
from brain.search.tokens import tokens

SIZES = (2_000, 20_000, 100_000)
QUESTIONS = 40
_DIMENSION = 512
_TURNS = 40
_WORDS = 20_000
_LENGTH = (8, 40)


def measure(scale: float) -> dict[str, float]:
    """Each size times `scale`; every question in each mode, in turns with the exact scan."""
    figures: dict[str, float] = {}
    for size in SIZES:
        count = max(200, round(size * scale))
        figures |= {f"{size}_{name}": value for name, value in _measured(count).items()}
    return figures


def _measured(count: int) -> dict[str, float]:
    made = _Made.of(count)
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        build = _timed(lambda: Searcher(home, made, _Hashed()))
        size = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        searcher = Searcher(home, made, _Hashed())
        figures = {
            "build_s": build,
            "embedding_s": made.embedding(),
            "table_bytes_per_text_byte": size / made.characters,
            **_questions(searcher, made),
            "changed_page_s": _timed(lambda: _changed(home, made)),
        }
    return figures


def _questions(searcher: Searcher, made: _Made) -> dict[str, float]:
    """Milliseconds, median and 95th percentile; the exact scan is one product of matrix and vector, in 32 bits."""
    vectors = _Hashed().embed([made.text(n) for n in range(min(made.count, 2_000))])
    matrix = np.resize(vectors, (made.count, _DIMENSION)).astype(np.float32)
    seconds: dict[str, list[float]] = {"hybrid": [], "words": [], "scan": []}
    for n in range(QUESTIONS + 2):
        text = made.question(n)
        query = _Hashed().embed([text])[0]
        for name, ask in (
            ("hybrid", lambda text=text: searcher.find(Question(text))),
            ("words", lambda text=text: searcher.find(Question(text, mode=Mode.KEYWORD))),
            ("scan", lambda query=query: np.argpartition(-(matrix @ query), 10)),
        ):
            seconds[name].append(_timed(ask))
    told: dict[str, float] = {}
    for name, values in seconds.items():
        warm = sorted(values[2:])
        told[f"{name}_p50_ms"] = 1000 * statistics.median(warm)
        told[f"{name}_p95_ms"] = 1000 * warm[int(0.95 * len(warm))]
    return told | {"hybrid_to_scan": told["hybrid_p50_ms"] / told["scan_p50_ms"]}


def _changed(home: Path, made: _Made) -> None:
    found = Searcher(home, made.with_page("zebra-7731"), _Hashed()).find(Question("zebra-7731")).hits
    assert found and "zebra-7731" in found[0].text


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# --- an invented corpus ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Hashed:
    """Vectors of the words' hashes: the same for the same words, and near for texts that share some."""

    name: str = "hashed"
    version: str = "1"
    dimension: int = _DIMENSION

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), _DIMENSION), np.float32)
        for row, text in enumerate(texts):
            for token in tokens(text):
                number = zlib.crc32(token.encode())
                vectors[row, number % _DIMENSION] += 1.0 if number >> 31 else -1.0
        sizes = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(sizes, 1e-6), np.float32)


@dataclass(frozen=True, slots=True)
class _Made:
    """Sessions of forty turns; words as rare as those of a language."""

    count: int
    texts: Sequence[str]
    more: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, count: int) -> _Made:
        rng = random.Random(count)
        words = [f"{rng.choice('bdfgklmnprst')}{rng.choice('aeiou')}{n:x}" for n in range(_WORDS)]
        ranks = [1 / (n + 3) for n in range(_WORDS)]
        texts = [" ".join(rng.choices(words, ranks, k=rng.randint(*_LENGTH))) for _ in range(count)]
        return cls(count, texts)

    @property
    def characters(self) -> int:
        return sum(len(text) for text in self.texts)

    @property
    def blobs(self) -> Mapping[str, str]:
        sessions = (self.count + _TURNS - 1) // _TURNS
        held = {self._path(n): str(n) for n in range(sessions)}
        return held | {path: str(zlib.crc32(text.encode())) for path, text in self.more.items()}

    def passages(self, path: str) -> tuple[Passage, ...]:
        if path in self.more:
            return (Passage("", Kind.PAGE, self.more[path]),)
        first = int(path.split("-")[1][:8]) * _TURNS
        turns = range(first, min(first + _TURNS, self.count))
        return tuple(
            Passage(f"t{n - first + 1}", Kind.TURN, self.text(n), speaker="Nadia", evidence=(f"{path}#t{n}",))
            for n in turns
        )

    def text(self, n: int) -> str:
        return self.texts[n]

    def question(self, n: int) -> str:
        """Six words of some turn."""
        rng = random.Random(n)
        words = self.texts[rng.randrange(self.count)].split()
        return "what about " + " ".join(rng.sample(words, min(6, len(words))))

    def with_page(self, words: str) -> _Made:
        return _Made(self.count, self.texts, {"memory/knowledge/concepts/New.md": f"The new page says {words}."})

    def embedding(self) -> float:
        """Seconds that the hashes take, to be taken off the build."""
        model = _Hashed()
        return _timed(lambda: [model.embed(self.texts[at : at + _TURNS]) for at in range(0, self.count, _TURNS)])

    @staticmethod
    def _path(n: int) -> str:
        return f"memory/sessions/2026/01/01-{n:08}/transcript.md"
