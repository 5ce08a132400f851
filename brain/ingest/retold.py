"""The same session as another format tells it: an editor keeps its talks in files and in a database, with other times.

Only who said what counts then, one turn for one turn; tool calls stay as they were first told.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from brain.model import Role, Source, Text, Turn
from brain.redact import redact


def source_of(old: Source, new: Source) -> Source:
    """The source of a session that two formats have told; its name says so, and the next reading goes by words too."""
    formats = "+".join(sorted({*old.format.split("+"), *new.format.split("+")}))
    return Source(formats, new.name, new.sha256)


def align(old: Sequence[Turn], new: Sequence[Turn]) -> list[int | None]:
    """For each new turn the place of the stored one with the same words, or with the beginning of them."""
    words = [_words(turn) for turn in old]
    stored: dict[tuple[Role, str], list[int]] = defaultdict(list)
    for n, turn in enumerate(old):
        stored[turn.role, words[n]].append(n)
    places: list[int | None] = []
    at = 0
    for turn in new:
        given = _words(turn)
        left = stored.get((turn.role, given), [])
        place = left.pop(bisect_left(left, at) % len(left)) if left else None
        if place is None and at < len(old) and old[at].role is turn.role and _is_start(words[at], given):
            waiting = stored[turn.role, words[at]]
            if at in waiting:
                waiting.remove(at)
                place = at
        places.append(place)
        at = at if place is None else place + 1
    return places


def _words(turn: Turn) -> str:
    """As they would be stored today."""
    return redact(turn.text).text


def _is_start(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def grown(old: Turn, new: Turn) -> Turn:
    """The stored turn with the words that the new telling has more at its end."""
    before, after = old.text, new.text
    more = after[len(before) :].rstrip("\n")
    if not after.startswith(before) or not more.strip("\n"):
        return old
    *kept, last = old.blocks or (Text(""),)
    if isinstance(last, Text):
        # Its words may have been cut in the middle of a line.
        last, more = Text(f"{last.text}{more}".strip()), ""
    blocks = (*kept, last, *([Text(more.strip("\n"))] if more else []))
    return replace(old, blocks=blocks, trust=min(old.trust, new.trust))
