"""What an agent had put together and its user then agreed to: a schedule, a plan, a figure.

The agent's words alone are a proposal and no fact; with the user's yes behind them they are one, and both turns are its
evidence. What the user says in the same breath (but, instead, not quite) takes the yes back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.dream import sift
from brain.dream.hearing import Heard
from brain.language.sentences import plain

MAX_PER_TURN = 2
_MAX_LIST = 320
"""Characters of a list that a sentence introduces and that is taken along with it."""


@dataclass(frozen=True, slots=True)
class Agreed:
    heard: Heard
    words: str
    """The sentence, with the list that it introduces."""


def is_yes(sentences: Sequence[Heard]) -> bool:
    """A user's turn that agrees with what was put before it, and asks for no change."""
    if not sentences or "confirm" not in sentences[0].cues or sift.is_question(sentences[0]):
        return False
    return not any("denial" in h.cues or "supposition" in h.cues for h in sentences[:2])


def agreed(proposal: Sequence[Heard]) -> Iterator[Agreed]:
    """Of the agent's turn before a yes: the sentences that recap what holds from now on."""
    found = []
    for at, heard in enumerate(proposal):
        if heard.is_item or "recap" not in heard.cues or sift.is_question(heard) or heard.is_dangling:
            continue
        if not heard.cues.isdisjoint(("guess", "supposition", "greeting", "praise")):
            continue
        words = _with_list(heard, proposal[at + 1 :])
        if any(c.isdigit() for c in words) or heard.mentions:
            found.append(Agreed(heard, words))
    yield from found[:MAX_PER_TURN]


def _with_list(heard: Heard, following: Sequence[Heard]) -> str:
    if not heard.text.rstrip("*_ ").endswith(":"):
        return heard.text
    words = heard.text
    for item in following:
        if not item.is_item or len(words) + len(item.text) > _MAX_LIST:
            break
        words = f"{words} {plain(item.text).rstrip('.;')};"
    return words.rstrip(";")
