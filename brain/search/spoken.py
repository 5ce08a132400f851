"""The days that a passage speaks of; asked once, when its row is made: reading them costs more than all the rest."""

from __future__ import annotations

from datetime import UTC, datetime

from brain.search.asking import names_time
from brain.search.passages import Kind, Passage

_FAR = 62
"""Days between what a text speaks of beyond which it speaks of two things."""


def days(passage: Passage) -> tuple[str, str] | None:
    """First and last day that a turn speaks of, ISO; of days far apart those named first. None: of no day."""
    if passage.kind is not Kind.TURN or passage.time is None or not names_time(passage.text):
        return None
    from brain.language.dates import resolve

    at = datetime.fromisoformat(passage.time)
    ranges = [span for when in resolve(passage.text, at, at.tzinfo or UTC, foreign=False) for span in when.days]
    if not ranges:
        return None
    first, last = min(start for start, _ in ranges), max(end for _, end in ranges)
    if (last - first).days > _FAR:
        first, last = ranges[0]
    return first.isoformat(), last.isoformat()
