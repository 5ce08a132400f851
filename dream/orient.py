"""Phase 1: what is new, what was asked for, what must not come back, how far to go.

New is what no summary.md has marked as read: a session without one, or the turns (and the words of
the last turn) behind its mark. The mark lies in the tree, so no clock decides what is dreamt.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time

from brain import layout
from brain.config import Settings
from brain.dream.plan import NewTurns, Scope, Skipped
from brain.tree import Tree
from brain.validators.rules.tombstones import fingerprints as forgotten

__all__ = ["forgotten", "new_turns", "orient"]

_UNDATED = datetime.min.replace(tzinfo=UTC)


def orient(tree: Tree, now: datetime, settings: Settings, finished: set[str] | None = None) -> Scope:
    """The scope of a dream at `now`: sessions that had ended by then, oldest first, at most `dream.max_sessions`.

    `finished` as for `new_turns`.
    """
    found = sorted(new_turns(tree, finished), key=lambda new: (_times(new, settings)[0], new.folder))
    over = [new for new in found if _times(new, settings)[-1] <= now]
    taken = over[: settings.dream.max_sessions]
    return Scope(
        tree=tree,
        sessions=tuple(taken),
        now=now,
        settings=settings,
        instructions=tree.text(layout.INSTRUCTIONS) if layout.INSTRUCTIONS in tree else "",
        forgotten=forgotten(tree),
        skipped=(*_not_ended(len(found) - len(over)), *(_waits(new) for new in over[len(taken) :])),
    )


def new_turns(tree: Tree, finished: set[str] | None = None) -> Iterator[NewTurns]:
    """Every session that holds words no dream has read, with where the last dream stopped.

    `finished` names sessions (by their contents) that were found to be read to the end, so that they need
    not be opened again; those that are found now are added.
    """
    finished = set() if finished is None else finished
    sessions, summaries = tree.sessions(), tree.summaries()
    for folder in sessions:
        key = f"{tree.blob(layout.transcript_path(folder))} {tree.blob(layout.summary_path(folder))}"
        if key in finished:
            continue
        summary = summaries.get(layout.summary_path(folder))
        read = (summary.dreamt_turn, summary.dreamt_chars) if summary else (0, 0)
        new = NewTurns(folder, sessions[folder], *read)
        if new.turns:
            yield new
        else:
            finished.add(key)


def _times(new: NewTurns, settings: Settings) -> list[datetime]:
    """The times a session gives, in its order, else the day of its folder; without any it is older than all."""
    session, day = new.session, layout.session_day(new.folder)
    times = (session.started, *(turn.time for turn in session.turns), session.ended)
    begun = datetime.combine(day, time.min, settings.zone) if day else _UNDATED
    return [at for at in times if at is not None] or [begun]


def _not_ended(count: int) -> Iterator[Skipped]:
    if count:
        what = "1 session" if count == 1 else f"{count} sessions"
        yield Skipped(layout.SESSIONS, f"{what} had not ended by the time of this dream")


def _waits(new: NewTurns) -> Skipped:
    return Skipped(new.folder, "waits for the next dream: dream.max_sessions is reached")
