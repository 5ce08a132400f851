"""A question -> the hits that a reader gets: found, put in order, each thing said once.

Invariants: the same files give the same hits and scores, whether the table was there or is made again; text comes from
the files and never from the table; what a public audience may not see has no part in what it is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from brain.model import Audience, Origin
from brain.search import embed, score
from brain.search.asking import asking
from brain.search.passages import Corpus, Kind, Passage, Watch
from brain.search.score import Mode, Ranking, Reader
from brain.search.tokens import tokens
from brain.search.wanted import cited_by, open_sources, wanted

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
    about: tuple[str, ...] = ()
    """Names of one subject: only what stands on its page, leads there, or says a name; (): all."""
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
    subjects: tuple[str, ...] = ()
    """Titles and aliases of what it is about; of a turn, who speaks."""
    cited_by: tuple[str, ...] = ()
    """Of a turn: the pages and notes that stand on it."""
    voices: Mapping[str, float] = field(default_factory=dict)
    """What each voice gave to it; the score is their sum times the factors."""
    factors: Mapping[str, float] = field(default_factory=dict)

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

    def __init__(self, home: Path, corpus: Corpus, embedder: str | Embedder = embed.NONE, watch: Watch = iter) -> None:
        """`embedder`: a name as in brain.toml, or a model."""
        from brain.search import table

        self.corpus = corpus
        self._model = embed.load(embedder) if isinstance(embedder, str) else embedder
        self._opened = table.current(home, corpus, self._model, watch)
        self._notes = [*(_no_model(embedder, self._model) if isinstance(embedder, str) else ()), *self._opened.notes]

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
        ranking = score.ranked(rows, asked, question.mode, reader, wanted(rows, question))
        found = _hits(_answers(self.corpus, rows, ranking.order), question.k)
        hits = [_told(rows, ranking, row, hit) for row, hit in found]
        if question.audience is Audience.PUBLIC:
            hits = [replace(hit, evidence=open_sources(rows, hit.evidence)) for hit in hits]
        return Found(tuple(hits), tuple(notes))

    @cached_property
    def _public(self) -> Rows:
        return self._opened.rows.public()


def _no_model(name: str, model: Embedder | None) -> list[str]:
    if model is not None:
        return []
    if name == embed.NONE:
        return ["Words alone were searched: brain.toml names no embedder."]
    return [f"Words alone were searched: the embedder {name!r} is not installed ({embed.how_to_install(name)})."]


_Answer = tuple[int, Hit]
"""A row, and what it is for the reader."""


def _answers(corpus: Corpus, rows: Rows, ranked: Sequence[tuple[int, float]]) -> Iterator[_Answer]:
    read: dict[str, tuple[Passage, ...]] = {}
    for row, points in ranked:
        path = rows.names[rows.files[row]]
        if path not in read:
            read[path] = corpus.passages(path)
        yield row, _hit(path, read[path][int(rows.parts[row])], points)


def _hits(answers: Iterator[_Answer], k: int) -> list[_Answer]:
    """The best `k`; what only says again what a better one says is named there."""
    found: list[_Answer] = []
    said: list[frozenset[str]] = []
    for row, hit in answers:
        words = _said(hit.text)
        twin = next((n for n, (_, other) in enumerate(found) if _is_again(hit, words, other, said[n])), None)
        if twin is None:
            if len(found) == k:
                break
            found.append((row, hit))
            said.append(words)
        else:
            first, better = found[twin]
            if better.place != hit.place and hit.place not in better.also:
                found[twin] = first, replace(better, also=(*better.also, hit.place))
    return found


def _told(rows: Rows, ranking: Ranking, row: int, hit: Hit) -> Hit:
    """A hit with who cites it and how it came to its place."""
    voices, factors = ranking.explained(row)
    citing = cited_by(rows, row) if hit.kind in (Kind.TURN, Kind.RESULT) else ()
    return replace(hit, cited_by=citing, voices=voices, factors=factors)


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
        subjects=passage.subjects,
    )
