"""The nights of a brain, from the commits of its dreams and the reports that lie beside them."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from brain import layout
from brain.dream.sync import COMMAND
from brain.git.log import Entry
from brain.store import Store
from brain.text.markdown import FrontMatter
from brain.tree import Tree


@dataclass(frozen=True, slots=True)
class PastNight:
    """One dream that changed something."""

    run: str
    time: str
    """ISO 8601, as the commit has it."""
    commit: str
    subject: str
    dreamer: str
    """"" where its report is gone."""
    report: str | None
    """Path of its report; None where a person took it away."""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def nights(store: Store, limit: int) -> tuple[PastNight, ...]:
    """At most `limit` of them, the newest first."""
    head = store.head()
    if head is None:
        return ()
    found = store.git.log(head, grep=f"Brain-Command: {COMMAND}", limit=limit)
    tree = store.tree(head)
    return tuple(_night(tree, entry) for entry in found if entry.command == COMMAND)


def _night(tree: Tree, entry: Entry) -> PastNight:
    path = layout.report_path(entry.run_id)
    there = path in tree
    dreamer = FrontMatter.parse(tree.text(path)).get_text("dreamer") if there else None
    return PastNight(
        entry.run_id, entry.date.isoformat(), entry.commit, entry.subject, dreamer or "", path if there else None
    )
