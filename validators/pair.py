"""What a rule is given: the tree as it was and the tree as it is proposed.

A rule looks only at what can have changed where that is sound: `changed` names the paths that
differ. Without a base everything is new, and the whole tree is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from brain.tree import Tree, changed
from brain.validators.documents import Document, documents


class Command(StrEnum):
    """Who proposes the staged tree; some things only some commands may do."""

    DREAM = "dream"
    INGEST = "ingest"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Pair:
    """Base and staged; `base` None: nothing was there before, so the whole of staged is judged."""

    base: Tree | None
    staged: Tree
    command: Command = Command.OTHER
    changed: frozenset[str] = field(init=False)
    """Paths that differ, those that are gone included."""
    present: tuple[str, ...] = field(init=False)
    """Those of them that staged holds, sorted."""
    gone: tuple[str, ...] = field(init=False)
    """Those that it does not, sorted."""

    def __post_init__(self) -> None:
        paths = changed(self.base, self.staged)
        object.__setattr__(self, "changed", paths)
        object.__setattr__(self, "present", tuple(sorted(p for p in paths if p in self.staged)))
        object.__setattr__(self, "gone", tuple(sorted(p for p in paths if p not in self.staged)))

    def documents(self) -> Iterator[Document]:
        """The pages, notes and summaries that are new or differ."""
        return documents(self.staged, self.present)

    def all_documents(self) -> Iterator[Document]:
        """All pages, notes and summaries of staged."""
        return documents(self.staged, self.staged.paths)

    def before(self, path: str) -> Document | None:
        """The same file in base."""
        return next(documents(self.base, (path,)), None) if self.base else None
