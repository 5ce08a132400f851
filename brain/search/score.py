"""A question and rows -> how well each row answers, and whether it does at all.

Two voices, words (BM25: each passage alone, with the turns around it, and its session) and vectors, are brought to one
scale for each query and added; a turn then gains from its neighbours, by what it says at all, and where the question
names who speaks. Measured in docs/benchmarks.md: each of these is worth more than any change of model.

Invariant: what no longer holds never stands before the statement that took its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from brain.search import words
from brain.search.passages import Kind
from brain.search.rows import KINDS
from brain.search.tokens import is_one_word, query_tokens, tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.search.background import Background
    from brain.search.embed import Embedder
    from brain.search.rows import Rows
    from brain.search.words import Scores

    Answers = NDArray[np.bool_]
    """Of each row, whether it is one."""

# Chosen by cross-validation over LoCoMo's conversations, neighbours with RealMem beside it (docs/benchmarks.md).
_MEANING = 2.0
"""Weight of the vectors beside the words, which count twice (a passage alone, and with the turns around it)."""
_SESSION = 0.5
"""Weight of the words of the whole session."""
_NEIGHBOURS = (0.3, 0.2)
"""Share of its score that a turn gives to the next ones, and to those after."""
_SUBSTANCE = 10
"""Tokens at which a turn counts half: "That's great!" is close to everything and tells nothing."""
_NAMED = 1.5
"""Factor for the turns of a speaker whom the question names."""
_STATED = 1.8
"""Factor for statements, which have no neighbours and no speaker: what a turn gains that has both."""
_FLOOR = 0.15
"""Share of the best score below which a passage is no answer."""
_PAST = 0.95
"""Share of its score that a statement keeps beside the one that took its place."""
_SAYS_SOMETHING = 6
"""Tokens from which a passage means something: to "yes" and "hm" any nonsense is close."""
_DIGITS = 4
"""Scores are rounded: the last bits of a sum differ between machines, the order of hits must not."""


class Mode(StrEnum):
    KEYWORD = "keyword"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads meaning: a model, and how close strangers are to it."""

    model: Embedder
    background: Background


def ranked(rows: Rows, text: str, mode: Mode, reader: Reader | None, wanted: Answers) -> list[tuple[int, float]]:
    """(row, score), best first: every wanted row that answers at all."""
    import numpy as np

    total = np.zeros(len(rows))
    answers = total > 0
    terms = query_tokens(text, lambda token: words.holds(rows, token))
    if mode is not Mode.SEMANTIC or reader is None:
        matches = words.score(rows, terms)
        total = _level(matches.alone) + _level(matches.around) + _SESSION * _level(matches.sessions)
        answers = matches.tells
    # A version, a time or an error code has no meaning that a vector could be near to.
    if reader and (mode is Mode.SEMANTIC or (mode is Mode.HYBRID and any(term.isalpha() for term in terms))):
        cosines = _cosines(rows, text, reader.model)
        total = total + _MEANING * _level(_closeness(cosines, reader.background))
        near = _nearest(text, reader.background, found=bool(answers.any()))
        answers = answers | ((cosines >= near) & (rows.lengths >= _SAYS_SOMETHING))
    total = total + words.spread(rows, total, _NEIGHBOURS)
    answers &= wanted
    answers &= total >= _FLOOR * np.max(total, where=answers, initial=0.0)
    total, answers = _replaced(rows, _weighed(rows, total, terms), answers)
    return _ordered(total, answers & wanted)


def _weighed(rows: Rows, total: Scores, terms: Sequence[str]) -> Scores:
    """The scores with what a turn gains by its substance and its speaker."""
    import numpy as np

    spoken = total * rows.lengths / (rows.lengths + _SUBSTANCE)
    spoken = spoken * np.where(_is_named(rows, terms), _NAMED, 1.0)
    # What a tool printed is read by those who ask for it in its own words.
    stated = np.where(rows.kinds == KINDS.index(Kind.RESULT), total, total * _STATED)
    return np.where(rows.sessions >= 0, spoken, stated)


def _is_named(rows: Rows, terms: Sequence[str]) -> Answers:
    """The rows said by one whom the question names; none where it names all who ever speak."""
    import numpy as np

    named = np.array([not set(terms).isdisjoint(tokens(name)) for name in rows.speakers] + [False])
    speaking = named[np.unique(rows.voices[rows.voices >= 0])]
    return named[rows.voices] if not speaking.all() else np.zeros(len(rows), bool)


def _cosines(rows: Rows, text: str, model: Embedder) -> Scores:
    import numpy as np

    if rows.vectors is None or not len(rows):
        return np.zeros(len(rows))
    return np.asarray(rows.vectors.astype(np.float32) @ model.embed([text], query=True)[0], np.float64)


def _nearest(text: str, background: Background, *, found: bool) -> float:
    """The cosine from which a passage answers by its meaning alone; `found`: words have found something."""
    one_word = is_one_word(text)
    if found and one_word:
        # A word that stands in the memory is looked up: what only means the like is not added to it.
        return 2.0
    # A whole question of which no word was found is most likely asked in another language than the answer.
    return background.kin if found or one_word else background.likely


def _closeness(cosines: Scores, background: Background) -> Scores:
    """0 for what is no closer than strangers are."""
    import numpy as np

    return np.maximum(0.0, (cosines - background.median) / (1.0 - background.median))


def _level(scores: Scores) -> Scores:
    """On one scale for every voice and query: in units of the root mean square of all rows."""
    import numpy as np

    size = float(np.sqrt(np.mean(scores**2))) if len(scores) else 0.0
    return scores / size if size > 1e-9 else np.zeros_like(scores)


def _replaced(rows: Rows, total: Scores, answers: Answers) -> tuple[Scores, Answers]:
    """The scores with every statement that was replaced just below the one that took its place."""
    import numpy as np

    total, answers = total.copy(), answers.copy()
    # From the oldest to the one that holds each passes on what it got; then each takes its place below its heir.
    old = np.flatnonzero(rows.heirs >= 0)
    heirs = rows.heirs[old]
    for _ in old:
        told = answers[old]
        if np.all(answers[heirs[told]]) and np.all(total[heirs[told]] >= total[old[told]]):
            break
        answers[heirs[told]] = True
        np.maximum.at(total, heirs[told], total[old[told]])
    for _ in old:
        lowered = np.minimum(total[old], _PAST * total[heirs])
        if np.array_equal(lowered, total[old]):
            break
        total[old] = lowered
    return total, answers


def _ordered(total: Scores, answers: Answers) -> list[tuple[int, float]]:
    import numpy as np

    total = np.round(total, _DIGITS)
    rows = np.flatnonzero(answers)
    # Rows stand in the order of their paths and places, and a stable sort keeps it among equals.
    rows = rows[np.argsort(-total[rows], kind="stable")]
    return [(int(row), float(total[row])) for row in rows]
