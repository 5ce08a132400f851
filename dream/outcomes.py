"""What an agent's turn adds that no person said: the outcomes of its work, and what it read elsewhere.

A guess that nobody confirmed is no fact; what comes from a page or a mail names it as its source and gives no orders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from brain.dream import sift, wording
from brain.dream.hearing import Heard
from brain.language.words import stem, words
from brain.model import ToolCall, Turn

MAX_PER_TURN = 2
_READ = 0.5
"""Share of a sentence's words that stand in what was read, where it is a report of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    heard: Heard
    speaker: str
    results: tuple[int, ...] = ()
    """Tool results that it stands on."""


def outcomes(turn: Turn, sentences: Sequence[Heard], zone: ZoneInfo) -> Iterator[Outcome]:
    """At most two sentences of a turn in which the agent worked, in their order."""
    calls = [(n, call) for n, call in enumerate(turn.tool_calls, 1) if call.result and not call.derived]
    if not calls or any(call.derived for call in turn.tool_calls):
        return
    found = [outcome for heard in sentences if (outcome := _outcome(turn, heard, calls, zone))]
    ranked = sorted(found, key=lambda outcome: (not outcome.results, -_weight(outcome.heard)))[:MAX_PER_TURN]
    yield from (outcome for outcome in found if outcome in ranked)


def _outcome(turn: Turn, heard: Heard, calls: Sequence[tuple[int, ToolCall]], zone: ZoneInfo) -> Outcome | None:
    if not _may_be_said(heard):
        return None
    for n, call in calls:
        if "reported" in heard.cues and wording.address_of(call) and _covers(call.result or "", heard):
            day = f" (read {turn.time.astimezone(zone).date().isoformat()})" if turn.time else ""
            return Outcome(heard, f"According to {wording.address_of(call)}{day}", (n,))
    is_guess = not heard.cues.isdisjoint(("guess", "hedge"))
    return None if is_guess or "outcome" not in heard.cues else Outcome(heard, wording.AGENT)


def _may_be_said(heard: Heard) -> bool:
    """A whole sentence that gives no orders, asks nothing, and tells something."""
    cues = heard.cues
    if heard.is_item or sift.is_question(heard) or heard.is_dangling or not heard.is_known:
        return False
    if not cues.isdisjoint(("supposition", "standing", "wish", "greeting")) or sift.is_command(heard):
        return False
    enough = 1 if "reported" in cues else 2
    return heard.pronoun not in ("second_person", "pointing") and _weight(heard) >= enough


def _weight(heard: Heard) -> int:
    numbers = sum(word.is_number for word in heard.row)
    return min(numbers, 3) + len(heard.mentions) + 2 * ("dead_end" in heard.cues)


def _covers(result: str, heard: Heard) -> bool:
    there = {stem(word.low) for word in words(result)}
    told = [stem(word.low) for word in heard.row if word.low not in heard.rules.function_words]
    return sum(key in there for key in told) >= _READ * len(told)
