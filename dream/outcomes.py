"""What an agent's turn adds that no person said: the outcomes of its work, and what it read elsewhere.

A guess that nobody confirmed is no fact; what comes from a page or a mail names it as its source and gives no orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.dream import sift, wording
from brain.dream.hearing import Heard
from brain.language.words import stem, words
from brain.model import Session, ToolCall, Turn

MAX_PER_TURN = 2
_READ = 0.6
"""Share of a sentence's words that stand in what was read, where it is a report of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    heard: Heard
    speaker: str
    results: tuple[int, ...] = ()
    """Tool results that it stands on."""


def outcomes(session: Session, turn: Turn, sentences: Sequence[Heard]) -> Iterator[Outcome]:
    """At most two sentences of a turn in which the agent worked, in their order."""
    calls = [(n, call) for n, call in enumerate(turn.tool_calls, 1) if call.result and not call.derived]
    if not calls or any(call.derived for call in turn.tool_calls):
        return
    ranked = sorted((h for h in sentences if _is_outcome(h)), key=lambda h: -_weight(h))[:MAX_PER_TURN]
    for heard in sentences:
        if heard in ranked:
            yield _outcome(session, turn, heard, calls)


def _outcome(session: Session, turn: Turn, heard: Heard, calls: Sequence[tuple[int, ToolCall]]) -> Outcome:
    for n, call in calls:
        if wording.address_of(call) and _covers(call.result or "", heard):
            day = f" (read {turn.time.date().isoformat()})" if turn.time else ""
            return Outcome(heard, f"According to {wording.address_of(call)}{day}", (n,))
    return Outcome(heard, wording.AGENT)


def _is_outcome(heard: Heard) -> bool:
    cues = heard.cues
    if heard.is_item or sift.is_question(heard) or heard.is_dangling or not heard.is_known:
        return False
    if not cues.isdisjoint(("guess", "supposition", "standing", "wish", "greeting", "hedge")) or sift.is_command(heard):
        return False
    if heard.pronoun in ("second_person", "pointing"):
        return False
    return _weight(heard) >= 2 and "outcome" in cues


def _weight(heard: Heard) -> int:
    numbers = sum(word.is_number for word in heard.row)
    return min(numbers, 3) + len(heard.mentions) + 2 * ("dead_end" in heard.cues)


def _covers(result: str, heard: Heard) -> bool:
    there = {stem(word.low) for word in words(result)}
    told = [stem(word.low) for word in heard.row if word.low not in heard.rules.function_words]
    return sum(key in there for key in told) >= _READ * len(told)
