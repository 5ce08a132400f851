"""A question -> the hits that a reader gets: found, put in order, each thing said once.

Invariants: the same files give the same hits and scores, whether the table was there or is made again; text comes from
the files and never from the table; what a public audience may not see has no part in what it is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from brain.model import Audience, Origin
from brain.search import embed, score
from brain.search.asking import asking
from brain.search.passages import Corpus, Kind, Passage, Watch
from brain.search.score import Mode, Reader
from brain.search.tokens import tokens

if TYPE_CHECKING:
    from brain.search.embed import Embedder
    from brain.search.rows import Rows
    from brain.store import Store

__all__ = ["Found", "Hit", "Mode", "Question", "Searcher", "find", "search"]

# A statement of a note or page quotes the turn it came from: Nadia: “…”
_QUOTED = re.compile(r"\A[^“”\n]{0,80}“(.+)”\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    k: int = 10
    mode: Mode = Mode.HYBRID
    audience: Audience = Audience.TRUSTED
    kinds: tuple[Kind, ...] = ()
    """Only these; (): all."""
    since: date | None = None
    until: date | None = None
    """Only what is of a day from `since` to `until`, both included."""
    among: Callable[[str], bool] | None = None
    """Only files of which this holds, by their path; None: all."""
    now: datetime | None = None
    """What "last week" in the text is reckoned from; None: only whole dates are understood."""


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
    until: str | None = None
    past: bool = False
    """True: it no longer holds."""
    also: tuple[str, ...] = ()
    """`path#anchor` of what says the same words and no more."""

    @property
    def place(self) -> str:
        return f"{self.path}#{self.anchor}" if self.anchor else self.path


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    """What the reader should know of how it was searched; each one sentence."""


def search(store: Store, question: Question, watch: Watch = iter) -> Found:
    """Search the files of a brain as they lie in its folder now; `watch` gets the paths that must be read anew."""
    return Searcher.of(store, watch).find(question)


def find(
    home: Path,
    corpus: Corpus,
    question: Question,
    embedder: str = embed.NONE,
    watch: Watch = iter,
) -> Found:
    """Search a corpus whose table is kept in `home`; `embedder` is a name as in brain.toml."""
    return Searcher(home, corpus, embedder, watch).find(question)


class Searcher:
    """Several questions about files as they are at one moment: table and model are loaded once."""

    def __init__(self, home: Path, corpus: Corpus, embedder: str = embed.NONE, watch: Watch = iter) -> None:
        from brain.search import table

        self.corpus = corpus
        self._model = embed.load(embedder)
        self._opened = table.current(home, corpus, self._model, watch)
        self._notes = [*_no_model(embedder, self._model), *self._opened.notes]

    @classmethod
    def of(cls, store: Store, watch: Watch = iter) -> Searcher:
        """Of the files that lie in a brain's folder now."""
        from brain.search.corpus import TreeCorpus

        return cls(store.local("search"), TreeCorpus(store.working()), store.settings.search.embedder, watch)

    def find(self, question: Question) -> Found:
        notes = list(self._notes)
        rows, background = self._opened.rows, self._opened.background
        if question.audience is Audience.PUBLIC and bool(rows.private.any()):
            notes.append("Private files were not searched: others read this answer.")
            rows = self._public
        reader = Reader(self._model, background) if self._model and background else None
        asked = asking(question.text, question.now)
        ranking = score.ranked(rows, asked, question.mode, reader, _wanted(rows, question))
        return Found(tuple(_hits(_passages(self.corpus, rows, ranking.order), question.k)), tuple(notes))

    @cached_property
    def _public(self) -> Rows:
        return self._opened.rows.public()


def _wanted(rows: Rows, question: Question) -> score.Answers:
    """The rows that may be an answer; the others still lend their words and their neighbourhood to these."""
    import numpy as np

    from brain.search.rows import KINDS

    wanted = np.ones(len(rows), bool)
    if question.kinds:
        wanted &= np.isin(rows.kinds, [KINDS.index(kind) for kind in question.kinds])
    if question.since:
        wanted &= rows.days >= question.since.toordinal()
    if question.until:
        wanted &= (rows.days > 0) & (rows.days <= question.until.toordinal())
    if question.among:
        wanted &= np.array([question.among(name) for name in rows.names], bool)[rows.files]
    return wanted


def _no_model(name: str, model: Embedder | None) -> list[str]:
    if model is not None:
        return []
    if name == embed.NONE:
        return ["Words alone were searched: brain.toml names no embedder."]
    return [f"Words alone were searched: the embedder {name!r} is not installed ({embed.how_to_install(name)})."]


def _passages(corpus: Corpus, rows: Rows, ranked: Sequence[tuple[int, float]]) -> Iterator[tuple[str, Passage, float]]:
    for row, points in ranked:
        path = rows.names[rows.files[row]]
        yield path, corpus.passages(path)[int(rows.parts[row])], points


def _hits(ranked: Iterator[tuple[str, Passage, float]], k: int) -> list[Hit]:
    """The best `k`; what only says again what a better one says is named there."""
    hits: list[Hit] = []
    said: list[frozenset[str]] = []
    for path, passage, points in ranked:
        hit = _hit(path, passage, points)
        words = _said(passage.text)
        twin = next((n for n, other in enumerate(hits) if _is_again(hit, words, other, said[n])), None)
        if twin is None:
            if len(hits) == k:
                break
            hits.append(hit)
            said.append(words)
        elif hits[twin].place != hit.place and hit.place not in hits[twin].also:
            hits[twin] = replace(hits[twin], also=(*hits[twin].also, hit.place))
    return hits


def _is_again(hit: Hit, words: frozenset[str], other: Hit, said: frozenset[str]) -> bool:
    # A long turn is several passages; it is one hit, by the best of them.
    if hit.place == other.place:
        return True
    return hit.past == other.past and bool(hit.evidence) and set(hit.evidence) <= set(other.evidence) and words <= said


def _said(text: str) -> frozenset[str]:
    quoted = _QUOTED.match(text)
    return frozenset(tokens(quoted[1] if quoted else text))


def _hit(path: str, passage: Passage, points: float) -> Hit:
    return Hit(
        path,
        passage.anchor,
        passage.kind,
        points,
        passage.text,
        passage.evidence,
        passage.time,
        passage.origin,
        passage.speaker,
        passage.until,
        passage.past,
    )
