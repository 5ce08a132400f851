"""How much one dream may do. What goes over is left for the next night, with the sessions it came from."""

from __future__ import annotations

from collections.abc import Sequence

from brain import layout
from brain.config import DreamSettings
from brain.dream.apply import Dropped
from brain.dream.plan import Archive, Operation, Summarise, Supersede, evidence

OVER = "over dream.max_ops: left for the next dream"
FORGETS = "over dream.max_forget: left for a person to do"


def within(operations: Sequence[Operation], limits: DreamSettings) -> tuple[tuple[Operation, ...], tuple[Dropped, ...]]:
    """The operations that one dream may apply, and those that are too many.

    A session whose operations were cut off is not marked as read, so that the next dream takes it on again.
    """
    over = operations[limits.max_ops :]
    unread = {_folder(source) for operation in over for source in evidence(operation)}
    kept: list[Operation] = []
    dropped = [Dropped(operation, OVER) for operation in over]
    forgotten = 0
    for operation in operations[: limits.max_ops]:
        forgotten += _forgets(operation)
        if _forgets(operation) and forgotten > limits.max_forget:
            dropped.append(Dropped(operation, FORGETS))
        elif isinstance(operation, Summarise) and operation.session in unread:
            dropped.append(Dropped(operation, OVER))
        else:
            kept.append(operation)
    return tuple(kept), tuple(dropped)


def _forgets(operation: Operation) -> bool:
    return isinstance(operation, Archive) or (isinstance(operation, Supersede) and operation.by is None)


def _folder(source: str) -> str | None:
    address = layout.parse_source(source)
    return address[0] if address else None
