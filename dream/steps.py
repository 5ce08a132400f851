"""How something is done: a sentence that gives its steps, and the sentences that go on with them."""

from __future__ import annotations

from itertools import pairwise

from brain.dream.hearing import Heard
from brain.language import chunks

_LONGEST = 80
"""Characters of what stands before the colon that its steps follow."""


def is_procedure(heard: Heard) -> bool:
    """ "To deploy: build it, send it, restart it", "first …, then …, finally …"; a story has steps too, but is past."""
    before, colon, after = heard.text.partition(":")
    if "purpose" in heard.cues and colon and len(before) < _LONGEST and after.count(",") + after.count(";") >= 2:
        return True
    count = sum(heard.rules.has("steps", word.low) for word in heard.row)
    return _has_first(heard) and (count > 1 or (count > 0 and "purpose" in heard.cues))


def is_step(heard: Heard) -> bool:
    """ "Then restart it.": goes on with a procedure."""
    if heard.before is None or not heard.row or not heard.rules.has("steps", heard.row[0].low):
        return False
    return is_procedure(heard.before) or begins(heard.before) or is_step(heard.before)


def begins(heard: Heard) -> bool:
    """ "To release: first bump the version.": the next sentences go on."""
    return "purpose" in heard.cues and ":" in heard.text and _has_first(heard)


def _has_first(heard: Heard) -> bool:
    """`first run …`, and not `plan it first, then …` or `the first couple of days`; nor in a story."""
    if "past" in heard.cues and "purpose" not in heard.cues:
        return False
    for word, after in pairwise(heard.row):
        if heard.rules.has("first_steps", word.low) and heard.text[word.end : after.start] == " ":
            return after.low not in heard.rules.function_words and not chunks.is_vague(after, heard.rules)
    return False
