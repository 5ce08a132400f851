"""A question and rows -> how well each row answers, and whether it does at all.

Voices: words (BM25: each passage alone, with the turns around it, and its session) and vectors are brought to one scale
for each query and added; a turn gains from its neighbours; what the strongest lead to over citations and links gains by
the graph; days that the question names count. Then factors: what a passage says at all, who says it, how old it is.
Measured in docs/benchmarks.md.

Invariant: what no longer holds never stands before the statement that took its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from brain.search import graph, moment, words
from brain.search.asking import Asking, Intent
from brain.search.passages import Kind
from brain.search.rows import KINDS
from brain.search.tokens import is_one_word, query_tokens, telling_tokens, tokens

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
_IMPORTANCE = 0.05
"""Gained or lost by a statement for each step of its page's importance from the middle."""
_TIME = 1.0
"""Gained by what is of the very days that a question names."""
_WITHIN = 0.5
"""Closeness from which a passage is of the days asked for."""
_GRAPH: Mapping[Intent, float] = MappingProxyType(dict.fromkeys(Intent, 0.5))
"""Weight of what the strongest hits lead to."""
_LED_TO = 0.3
"""Share of the best score from which being led to is an answer by itself."""
_HAPPENING = frozenset(
    tokens(
        "happen happened going gone new talk talked discuss discussed say said do done around near случилось произошло "
        "было нового говорили обсуждали делали около"
    )
)
"""What is asked for where nothing but the time is."""
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


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rows that answer, best first, and how it came to that."""

    order: Sequence[tuple[int, float]]
    """(row, score)."""
    voices: Mapping[str, Scores]
    """What each voice gave to each row; their sum is what the factors multiply."""
    factors: Mapping[str, Scores]

    def explained(self, row: int) -> tuple[dict[str, float], dict[str, float]]:
        """Voices and factors of one row, those apart that say nothing of it."""
        voices = {name: round(float(given[row]), _DIGITS) for name, given in self.voices.items() if given[row]}
        factors = {name: round(float(given[row]), _DIGITS) for name, given in self.factors.items() if given[row] != 1}
        return voices, factors


def ranked(rows: Rows, asked: Asking, mode: Mode, reader: Reader | None, wanted: Answers) -> Ranking:
    """Every wanted row that answers at all."""
    import numpy as np

    if asked.days and not _says_more(asked):
        return _of_days(rows, asked, wanted)
    terms = query_tokens(asked.text, lambda token: words.holds(rows, token))
    voices, answers = _heard(rows, asked.text, terms, mode, reader)
    total = _sum(rows, voices)
    voices["neighbours"] = words.spread(rows, total, _NEIGHBOURS)
    total = total + voices["neighbours"]
    voices["graph"] = _GRAPH[asked.intent] * graph.walk(rows, np.where(answers, total, 0.0))
    total = total + voices["graph"]
    answers = (answers | (voices["graph"] >= _LED_TO * np.max(total, initial=0.0))) if answers.any() else answers
    answers &= wanted
    answers &= total >= _FLOOR * np.max(total, where=answers, initial=0.0)
    factors = _factors(rows, asked, terms)
    for factor in factors.values():
        total = total * factor
    lowered, answers = _replaced(rows, total, answers)
    factors["replaced"] = np.divide(lowered, total, out=np.ones_like(total), where=total > 0)
    return Ranking(_ordered(lowered, answers & wanted), voices, factors)


def _heard(
    rows: Rows, text: str, terms: Sequence[str], mode: Mode, reader: Reader | None
) -> tuple[dict[str, Scores], Answers]:
    """What words and vectors give, and the rows that answer by them."""
    import numpy as np

    voices: dict[str, Scores] = {}
    answers = np.zeros(len(rows), bool)
    if mode is not Mode.SEMANTIC or reader is None:
        matches = words.score(rows, terms)
        voices["words"] = _level(matches.alone)
        voices["around"] = _level(matches.around)
        voices["session"] = _SESSION * _level(matches.sessions)
        answers = matches.tells
    # A version, a time or an error code has no meaning that a vector could be near to.
    if reader and (mode is Mode.SEMANTIC or (mode is Mode.HYBRID and any(term.isalpha() for term in terms))):
        cosines = _cosines(rows, text, reader.model)
        voices["meaning"] = _MEANING * _level(_closeness(cosines, reader.background))
        near = _nearest(text, reader.background, found=bool(answers.any()))
        answers = answers | ((cosines >= near) & (rows.lengths >= _SAYS_SOMETHING))
    return voices, answers


def _sum(rows: Rows, voices: Mapping[str, Scores]) -> Scores:
    import numpy as np

    return np.asarray(np.sum([np.zeros(len(rows)), *voices.values()], axis=0), np.float64)


def _factors(rows: Rows, asked: Asking, terms: Sequence[str]) -> dict[str, Scores]:
    """What a passage gains by its substance, its speaker, its kind, its time."""
    import numpy as np

    said = rows.sessions >= 0
    # What a tool printed is read by those who ask for it in its own words.
    stated = ~said & (rows.kinds != KINDS.index(Kind.RESULT))
    factors = {
        "substance": np.where(said, rows.lengths / (rows.lengths + _SUBSTANCE), 1.0),
        "speaker": np.where(said & _is_named(rows, terms), _NAMED, 1.0),
        "stated": np.where(stated, _STATED, 1.0),
        "importance": np.where(stated, 1 + _IMPORTANCE * (rows.importance.astype(float) - 3), 1.0),
    }
    factors["age"] = moment.freshness(rows, asked.now)
    if asked.days:
        factors["time"] = 1 + _TIME * moment.closeness(rows, asked.days)
    return factors


def _of_days(rows: Rows, asked: Asking, wanted: Answers) -> Ranking:
    """ "What happened last week?": the passages of those days, the ones first that say most."""
    import numpy as np

    assert asked.days is not None
    voices = {"time": moment.closeness(rows, asked.days)}
    factors = _factors(rows, replace(asked, days=None), ())
    total = voices["time"].copy()
    for factor in factors.values():
        total = total * factor
    return Ranking(_ordered(total, (voices["time"] > np.float64(_WITHIN)) & wanted), voices, factors)


def _says_more(asked: Asking) -> bool:
    """Whether a question holds more than the days that it names and words for asking."""
    return any(token not in _HAPPENING for token in query_tokens(asked.rest)) and bool(telling_tokens(asked.rest))


def _is_named(rows: Rows, terms: Sequence[str]) -> Answers:
    """The rows said by one whom the question names; none where it names all who ever speak."""
    import numpy as np

    named = np.array([not set(terms).isdisjoint(tokens(name)) for name in rows.speakers] + [False])
    speaking = named[np.unique(rows.voices[rows.voices >= 0])]
    return named[rows.voices] if not speaking.all() else np.zeros(len(rows), bool)


def _cosines(rows: Rows, text: str, model: Embedder) -> Scores:
    import numpy as np

    if rows.wide is None or not len(rows):
        return np.zeros(len(rows))
    return np.asarray(rows.wide @ model.embed([text], query=True)[0], np.float64)


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
    return list(zip(rows.tolist(), total[rows].tolist(), strict=True))
