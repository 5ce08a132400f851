"""Phase 2: a summary of each new session, out of its own sentences.

Invariants: every sentence is one of the session's, said by whom it says; a session without words worth a summary is
still marked as read; what a turn repeats from the memory is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain import layout
from brain.dream import sift, wording
from brain.dream.hearing import Heard, Spoken, is_evidence
from brain.dream.plan import NewTurns, Sentence, Summarise
from brain.dream.ranking import central
from brain.dream.statements import Reader, time_of
from brain.language.sentences import plain, sentences
from brain.language.words import stem
from brain.model import ObservationType, Role

MAX_LINE = 160
_FEWEST, _MOST = 3, 8
_TURNS_PER_SENTENCE = 3
_MAX_TITLE = 80
_LONGEST = 400
_OPENING = 2000
_OPENINGS = 6
"""Turns in which a session may say what it is about."""
_GREETING = 20
"""Characters of a first sentence that may be no more than hello."""
_TELLING = {
    ObservationType.DECISION: 6,
    ObservationType.PROCEDURE: 5,
    ObservationType.PREFERENCE: 4,
    ObservationType.CORRECTION: 4,
    ObservationType.DEAD_END: 4,
    ObservationType.FACT: 3,
    ObservationType.PROFILE: 3,
    ObservationType.EVENT: 2,
    ObservationType.COMMITMENT: 2,
}
_OWN_WORDS, _AGENTS_WORDS = 1.0, 0.35


@dataclass(frozen=True, slots=True)
class _Candidate:
    heard: Heard
    weight: float


def summarise(spoken: Spoken, reader: Reader) -> Summarise:
    """The operation for one session."""
    new = spoken.new
    candidates = list(_candidates(spoken))
    chosen = _chosen(candidates, len(new.turns))
    told = tuple(_sentence(new, heard, reader) for heard in chosen)
    title = _title(spoken)
    line = _line(new, title, chosen, reader)
    return Summarise(new.folder, title, line, told, "a session no dream had read")


def _candidates(spoken: Spoken) -> Iterator[_Candidate]:
    for turn, said in spoken.turns:
        own = turn.role is Role.USER
        for heard in said:
            if len(heard.text) < _LONGEST and _is_telling(heard, own):
                yield _Candidate(heard, _weight(heard, own))


def _is_telling(heard: Heard, own: bool) -> bool:
    if sift.is_question(heard) or sift.is_empty(heard) or heard.is_dangling:
        return False
    if own:
        return sift.type_of(heard) is not None or "request" in heard.cues or sift.is_command(heard)
    return not heard.is_item and heard.cues.isdisjoint(("guess", "greeting", "praise", "request"))


def _weight(heard: Heard, own: bool) -> float:
    return _OWN_WORDS + 0.5 * _rank(heard) if own else _AGENTS_WORDS


def _chosen(candidates: Sequence[_Candidate], turns: int) -> list[Heard]:
    count = min(_MOST, max(_FEWEST, turns // _TURNS_PER_SENTENCE))
    bags = [_bag(c.heard) for c in candidates]
    places = central(bags, [c.weight for c in candidates], count)
    return [candidates[at].heard for at in places]


def _bag(heard: Heard) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in heard.row:
        if word.low not in heard.rules.function_words:
            key = stem(word.low)
            found[key] = found.get(key, 0) + 1
    return found


def _sentence(new: NewTurns, heard: Heard, reader: Reader) -> Sentence:
    turn = heard.turn
    own = turn.role is Role.USER
    speaker = wording.speaker_of(turn, reader.settings.person) if own else wording.AGENT
    words = wording.words_of(heard, time_of(new, heard.turn, reader.zone), reader.zone)
    return Sentence(wording.statement(speaker, words), (layout.source_of(new.folder, turn.n),))


def _title(spoken: Spoken) -> str:
    """The source's own title, else the first thing that was asked for or told, else the first words."""
    session = spoken.new.session
    if session.title:
        return wording.harmless(session.title)
    opening = [heard for turn, said in spoken.turns[:_OPENINGS] if turn.role is Role.USER for heard in said]
    first = next((t.text for t in session.turns if t.role is Role.USER and is_evidence(t)), "")
    told = next((plain(heard.text) for heard in opening if _opens(heard)), "")
    said = [plain(sentence.text) for sentence in sentences(first[:_OPENING])]
    telling = told or next((text for text in said if len(text) > _GREETING), "".join(said[:1]))
    return wording.cut(wording.harmless(telling).rstrip(".:"), _MAX_TITLE) or "Without words"


def _opens(heard: Heard) -> bool:
    """It says what a session is about: no hello, no asking how one is."""
    asks = sift.is_question(heard) or sift.is_command(heard) or "request" in heard.cues
    return len(heard.text) > _GREETING and (sift.type_of(heard) is not None or (asks and not _is_hello(heard)))


def _is_hello(heard: Heard) -> bool:
    return "greeting" in heard.cues or len(sift.content_words(heard)) < _FEWEST


def _line(new: NewTurns, title: str, chosen: Sequence[Heard], reader: Reader) -> str:
    """What a map says of the session: its strongest statement that the title does not already say."""
    ranked = sorted((h for h in chosen if h.turn.role is Role.USER), key=lambda h: -_rank(h))
    for heard in ranked:
        words = wording.words_of(heard, time_of(new, heard.turn, reader.zone), reader.zone)
        if title not in words and _rank(heard):
            return wording.cut(words, MAX_LINE)
    return wording.cut(title, MAX_LINE)


def _rank(heard: Heard) -> int:
    """How much a statement says of what came out of a session; 0: it is none."""
    kind = sift.type_of(heard)
    return 0 if kind is None else _TELLING.get(kind, 1)
