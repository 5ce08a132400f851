"""A question -> the passages that answer it best.

Two voices, words (BM25, each passage alone and with the turns around it) and vectors, are brought to one scale for each
query and added; a turn then gains from its neighbours. Measured in docs/benchmarks.md: the neighbours are worth more
than any change of model.

Invariants: the same files give the same hits and scores, whether the table was there or is made again; text comes from
the files and never from the table; what a public audience may not see has no part in what it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from brain.model import Audience, Origin
from brain.search import embed
from brain.search.passages import Corpus, Kind, Watch
from brain.search.tokens import is_one_word, query_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.search.background import Background
    from brain.search.embed import Embedder
    from brain.search.rows import Rows
    from brain.search.words import Scores
    from brain.store import Store

    Answers = NDArray[np.bool_]

_MEANING = 1.5
"""Weight of the vectors beside the words, which count twice (a passage alone, and with the turns around it)."""
_NEIGHBOURS = (0.3, 0.2)
"""Share of its score that a turn gives to the next ones, and to those after."""
_STANDS_ALONE = 1.6
"""What has no neighbours counts as if it had: so much did evidence turns gain in the median (docs/benchmarks.md)."""
_FLOOR = 0.15
"""Share of the best score below which a passage is no answer."""
_DIGITS = 4
"""Scores are rounded: the last bits of a sum differ between machines, the order of hits must not."""


class Mode(StrEnum):
    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    k: int = 10
    mode: Mode = Mode.HYBRID
    audience: Audience = Audience.TRUSTED


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    anchor: str
    kind: Kind
    score: float
    text: str
    evidence: tuple[str, ...]
    time: str | None
    origin: Origin
    speaker: str | None


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    """What the reader should know of how it was searched; each one sentence."""


def search(store: Store, question: Question, watch: Watch = iter) -> Found:
    """Search the files of a brain as they lie in its folder now; `watch` gets the paths that must be read anew."""
    from brain.search.corpus import TreeCorpus

    corpus = TreeCorpus(store.working())
    return find(store.local("search"), corpus, question, store.settings.search.embedder, watch)


def find(
    home: Path,
    corpus: Corpus,
    question: Question,
    embedder: str = embed.NONE,
    watch: Watch = iter,
) -> Found:
    """Search a corpus whose table is kept in `home`; `embedder` is a name as in brain.toml."""
    from brain.search import table

    model = embed.load(embedder)
    opened = table.current(home, corpus, model, watch)
    notes = [*_no_model(embedder, model), *opened.notes]
    public = question.audience is Audience.PUBLIC
    rows = opened.rows
    if public and bool(rows.private.any()):
        notes.append("Private files were not searched: others read this answer.")
        rows = rows.public()
    scored = _scored(rows, question, model, opened.background)
    return Found(tuple(_hits(corpus, rows, scored, question.k)), tuple(notes))


def _no_model(name: str, model: Embedder | None) -> list[str]:
    if model is not None:
        return []
    if name == embed.NONE:
        return ["Words alone were searched: brain.toml names no embedder."]
    return [f"Words alone were searched: the embedder {name!r} is not installed ({embed.how_to_install(name)})."]


def _scored(
    rows: Rows, question: Question, model: Embedder | None, background: Background | None
) -> list[tuple[int, float]]:
    """(row, score), best first: every row that answers at all."""
    import numpy as np

    from brain.search import words

    terms = query_tokens(question.text)
    nothing = np.zeros(len(rows))
    total, answers = nothing, nothing > 0
    mode = question.mode if model else Mode.KEYWORD
    if mode is not Mode.SEMANTIC:
        alone, around = words.score(rows, terms)
        total = _level(alone) + _level(around)
        answers = around > 0
    # A version, a time or an error code has no meaning that a vector could be near to.
    if mode is Mode.SEMANTIC or (mode is Mode.HYBRID and any(term.isalpha() for term in terms)):
        cosines = _cosines(rows, question.text, model)
        total = total + _MEANING * _level(_closeness(cosines, background))
        answers = answers | (cosines >= _nearest(question.text, background, found=bool(answers.any())))
    total = np.where(rows.sessions >= 0, total + words.spread(rows, total, _NEIGHBOURS), total * _STANDS_ALONE)
    return _ordered(np.round(total, _DIGITS), answers)


def _cosines(rows: Rows, text: str, model: Embedder | None) -> Scores:
    import numpy as np

    if model is None or rows.vectors is None or not len(rows):
        return np.zeros(len(rows))
    return np.asarray(rows.vectors.astype(np.float32) @ model.embed([text], query=True)[0], np.float64)


def _nearest(text: str, background: Background | None, *, found: bool) -> float:
    """The cosine from which a passage answers by its meaning alone; `found`: words have found something."""
    one_word = is_one_word(text)
    if background is None or (found and one_word):
        # A word that stands in the memory is looked up: what only means the like is not added to it.
        return 2.0
    # A whole question of which no word was found is most likely asked in another language than the answer.
    return background.kin if found or one_word else background.stranger


def _closeness(cosines: Scores, background: Background | None) -> Scores:
    """0 for what is no closer than strangers are."""
    import numpy as np

    zero = background.median if background else 0.0
    return np.maximum(0.0, (cosines - zero) / (1.0 - zero))


def _level(scores: Scores) -> Scores:
    """On one scale for every voice and query: in units of the root mean square of all rows."""
    import numpy as np

    size = float(np.sqrt(np.mean(scores**2))) if len(scores) else 0.0
    return scores / size if size > 1e-9 else np.zeros_like(scores)


def _ordered(total: Scores, answers: Answers) -> list[tuple[int, float]]:
    import numpy as np

    rows = np.flatnonzero(answers)
    if not len(rows):
        return []
    # Rows stand in the order of their paths and places, and a stable sort keeps it among equals.
    rows = rows[np.argsort(-total[rows], kind="stable")]
    best = float(total[rows[0]])
    return [(int(row), float(total[row])) for row in rows if total[row] >= _FLOOR * best]


def _hits(corpus: Corpus, rows: Rows, scored: Sequence[tuple[int, float]], k: int) -> list[Hit]:
    hits: dict[tuple[str, str], Hit] = {}
    for row, score in scored:
        if len(hits) >= k:
            break
        path = rows.names[rows.files[row]]
        passage = corpus.passages(path)[int(rows.parts[row])]
        # A long turn is several passages; it is one hit, by the best of them.
        hits.setdefault(
            (path, passage.anchor),
            Hit(
                path,
                passage.anchor,
                passage.kind,
                score,
                passage.text,
                passage.evidence,
                passage.time,
                passage.origin,
                passage.speaker,
            ),
        )
    return list(hits.values())
