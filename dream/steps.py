"""How something is done: a sentence that gives its steps, and the sentences that go on with them."""

from __future__ import annotations

from brain.dream.hearing import Heard

_LONGEST = 80
"""Characters of what stands before the colon that its steps follow."""


def is_procedure(heard: Heard) -> bool:
    """ "To deploy: build it, send it, restart it", "first …, then …, finally …"; a story has steps too, but is past."""
    before, colon, after = heard.text.partition(":")
    if "purpose" in heard.cues and colon and len(before) < _LONGEST and after.count(",") + after.count(";") >= 2:
        return True
    first = any(heard.rules.has("first_steps", word.low) for word in heard.row)
    steps = sum(heard.rules.has("steps", word.low) for word in heard.row)
    return steps > first and first and ("purpose" in heard.cues or "past" not in heard.cues)


def is_step(heard: Heard) -> bool:
    """ "Then restart it.": goes on with a procedure."""
    if heard.before is None or not heard.row or not heard.rules.has("steps", heard.row[0].low):
        return False
    return is_procedure(heard.before) or begins(heard.before) or is_step(heard.before)


def begins(heard: Heard) -> bool:
    """ "To release: first bump the version.": the next sentences go on."""
    return (
        "purpose" in heard.cues
        and ":" in heard.text
        and any(heard.rules.has("first_steps", word.low) for word in heard.row)
    )
