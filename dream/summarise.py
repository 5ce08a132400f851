"""Phase 2: a summary of each new session, out of its own sentences.

Invariants: every sentence is one of the session's, said by whom it says; a session without words worth a summary is
still marked as read; what a turn repeats from the memory is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain import layout
from brain.dream import sift, wording
from brain.dream.hearing import Heard, hear
from brain.dream.plan import NewTurns, Sentence, Summarise
from brain.dream.ranking import central
from brain.dream.statements import Reader, is_evidence, time_of
from brain.language.words import stem
from brain.model import Role

MAX_LINE = 160
_FEWEST, _MOST = 3, 8
_TURNS_PER_SENTENCE = 3
_MAX_TITLE = 80
_LONGEST = 400
_OWN_WORDS, _AGENTS_WORDS = 1.0, 0.35


@dataclass(frozen=True, slots=True)
class _Candidate:
    heard: Heard
    weight: float


def summarise(new: NewTurns, reader: Reader) -> Summarise:
    """The operation for one session."""
    candidates = list(_candidates(new, reader))
    chosen = _chosen(candidates, len(new.turns))
    sentences = tuple(_sentence(new, heard, reader) for heard in chosen)
    title = _title(new, reader, chosen)
    return Summarise(new.folder, title, _line(new, title, chosen, reader), sentences, "a session no dream had read")


def _candidates(new: NewTurns, reader: Reader) -> Iterator[_Candidate]:
    for turn in new.turns:
        if not is_evidence(turn):
            continue
        own = turn.role is Role.USER
        for heard in hear(turn, reader.subjects):
            if len(heard.text) < _LONGEST and _is_telling(heard, own):
                yield _Candidate(heard, _weight(heard, own))


def _is_telling(heard: Heard, own: bool) -> bool:
    if sift.is_question(heard) or sift.is_empty(heard) or heard.is_dangling:
        return False
    if own:
        return sift.type_of(heard) is not None or "request" in heard.cues or sift.is_command(heard)
    return not heard.is_item and heard.cues.isdisjoint(("guess", "greeting", "praise", "request"))


def _weight(heard: Heard, own: bool) -> float:
    kind = sift.type_of(heard) if own else None
    return (_OWN_WORDS + 0.5 * (kind is not None)) if own else _AGENTS_WORDS


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


def _title(new: NewTurns, reader: Reader, chosen: Sequence[Heard]) -> str:
    """The source's own title, else the first thing that was asked for or said."""
    if new.session.title:
        return wording.harmless(new.session.title)
    for turn in new.session.turns:
        if turn.role is not Role.USER or not is_evidence(turn):
            continue
        for heard in hear(turn, reader.subjects):
            if not sift.is_empty(heard) and "greeting" not in heard.cues:
                return wording.cut(wording.harmless(heard.text).rstrip(".:"), _MAX_TITLE)
    return wording.cut(wording.harmless(chosen[0].text), _MAX_TITLE) if chosen else "Without words"


def _line(new: NewTurns, title: str, chosen: Sequence[Heard], reader: Reader) -> str:
    """What a map says of the session: its strongest sentence that the title does not already say."""
    for heard in sorted(chosen, key=lambda h: -_weight(h, h.turn.role is Role.USER)):
        words = wording.words_of(heard, time_of(new, heard.turn, reader.zone), reader.zone)
        if title not in words:
            return wording.cut(words, MAX_LINE)
    return wording.cut(title, MAX_LINE)
