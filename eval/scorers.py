"""Scores: pure functions of a sample and what an agent answered, from 0 to 1; None is unscored, which is not zero."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from brain.eval.agents import Answer, Shown
from brain.eval.task import ABSTAIN, Sample

Gold = frozenset[str]
"""Sources of the evidence (`sessions/…#t3`), or of whole sessions (`sessions/…`)."""
Scorer = Callable[[Sample, Answer, Gold], float | None]

_NOT_WORD = re.compile(r"[^\w]+")
_ARTICLES = frozenset({"a", "an", "the"})


def normalised(text: str) -> str:
    """Lower case, words alone, no articles, one space between and around: as SQuAD compares, for any script."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word for word in _NOT_WORD.sub(" ", folded).split() if word not in _ARTICLES]
    return f" {' '.join(words)} "


def evidence(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """The share of the gold turns (or sessions) that was shown, or that what was shown cites."""
    if not gold:
        return None
    return len(gold & _shown(answer)) / len(gold)


def relevance(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """The share of the passages shown that are gold evidence or cite it."""
    found = [one for one in answer.shown if one.place]
    if not gold or not found:
        return None
    return sum(bool(_sources(one) & gold) for one in found) / len(found)


def containment(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """Whether an answer stands in what was shown: the floor of correctness that needs no model."""
    if not sample.answers:
        return None
    return float(any(_holds(one, sample.answers) for one in answer.shown))


def rank(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """1 where the first passage found holds an answer, a half where the second does, 0 where none does."""
    if not sample.answers:
        return None
    found = (one for one in answer.shown if one.place)
    return next((1 / n for n, one in enumerate(found, 1) if _holds(one, sample.answers)), 0.0)


def currency(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """1 where today's truth is met before anything that was true once (and does not say so itself); 0 the reverse."""
    if not sample.answers or not sample.stale:
        return None
    for one in _said(answer):
        today = _holds(one, sample.answers)
        if today or (_holds(one, sample.stale) and not one.past):
            return float(today)
    return None


def exact(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """Whether the words of the answer are, normalised, those of a right one."""
    if answer.text is None or not sample.answers:
        return None
    return float(any(normalised(answer.text) == normalised(right) for right in sample.answers))


def f1(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """Overlap of words with the right answer that is nearest, as SQuAD and LoCoMo define it."""
    if answer.text is None or not sample.answers:
        return None
    return max(_f1(normalised(answer.text).split(), normalised(right).split()) for right in sample.answers)


def abstention(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """Whether a question that the memory cannot answer is left unanswered; of others nothing is said."""
    return float(answer.abstained) if sample.category == ABSTAIN else None


def answered(sample: Sample, answer: Answer, gold: Gold) -> float | None:
    """Whether a question that can be answered is not refused."""
    return None if sample.category == ABSTAIN else float(not answer.abstained)


SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {
        "containment": containment,
        "rank": rank,
        "evidence": evidence,
        "relevance": relevance,
        "currency": currency,
        "exact": exact,
        "f1": f1,
        "abstention": abstention,
        "answered": answered,
    }
)

JUDGED = ("lenient", "strict")
"""Scores that a model gives; see `brain.eval.judging`."""
METRICS = (*SCORERS, *JUDGED)


def scores(sample: Sample, answer: Answer, gold: Gold) -> dict[str, float | None]:
    """Every score by name."""
    return {name: score(sample, answer, gold) for name, score in SCORERS.items()}


def _said(answer: Answer) -> Iterable[Shown]:
    return [Shown("", answer.text)] if answer.text is not None else answer.shown


def _shown(answer: Answer) -> frozenset[str]:
    return frozenset(source for one in answer.shown for source in _sources(one))


def _sources(one: Shown) -> frozenset[str]:
    """What a passage stands on: turns (of a tool result, its turn), and their sessions."""
    turns = {source.partition(".r")[0] for source in one.evidence}
    return frozenset(turns | {source.partition("#")[0] for source in turns})


def _holds(one: Shown, answers: Iterable[str]) -> bool:
    text = normalised(one.text)
    return any(normalised(right).strip() and normalised(right) in text for right in answers)


def _f1(said: list[str], right: list[str]) -> float:
    common = (Counter(said) & Counter(right)).total()
    if not said or not right:
        return float(said == right)
    return 2 * common / (len(said) + len(right))
