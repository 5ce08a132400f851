"""The voice of time: how near a passage is to the days that a question names, and how fresh it is.

Reckoned from the newest day in the memory, never from a clock, so that the same files give the same order.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from brain import layout
from brain.model import PageKind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from brain.search.rows import Rows
    from brain.search.words import Scores

_LEAST = 3.0
"""Days beyond those asked for at which closeness is half, at least; a longer span is asked less exactly."""
_HALF_LIFE = 365.0
"""Days in which what age takes away is half gone."""
_AGE = 0.1
"""Taken from what is infinitely old; of a question for what holds now, the second."""
_AGE_NOW = 0.3
_HALF_LIFE_NOW = 90.0
_LASTING = tuple(f"{layout.KNOWLEDGE}/{kind.folder}/" for kind in (PageKind.PREFERENCE, PageKind.POLICY))
"""Pages that age takes nothing from: they hold until somebody takes them back."""


def closeness(rows: Rows, days: tuple[date, date]) -> Scores:
    """1 for what was said on those days, or speaks of them; falling to 0 with the days between."""
    import numpy as np

    first, last = days[0].toordinal(), days[1].toordinal()
    width = max(_LEAST, (last - first + 1) / 2)
    said = _away(rows.days, rows.days, first, last)
    spoken = _away(rows.spoken[:, 0], rows.spoken[:, 1], first, last)
    return np.asarray(2.0 ** -(np.minimum(said, spoken) / width), np.float64)


def _away(starts: NDArray[np.int64], ends: NDArray[np.int64], first: int, last: int) -> Scores:
    """Days between each span and the one asked for; without end where a row has none."""
    import numpy as np

    away = np.maximum(0, np.maximum(starts - last, first - ends)).astype(np.float64)
    return np.where(starts > 0, away, np.inf)


def freshness(rows: Rows, now: bool) -> Scores:
    """A factor of at most 1, by days before the newest; `now`: what holds today is asked for."""
    import numpy as np

    if not len(rows):
        return np.ones(0)
    taken, half = (_AGE_NOW, _HALF_LIFE_NOW) if now else (_AGE, _HALF_LIFE)
    age = np.where(rows.days > 0, rows.days.max() - rows.days, 0)
    lasting = np.array([name.startswith(_LASTING) for name in rows.names], bool)[rows.files]
    return np.where(lasting, 1.0, 1 - taken * (1 - 2.0 ** -(age / half)))
