"""Main moves from one validated tree to the next, or not at all.

The commit is laid over the head that the dream saw and main is swapped to it. Where main has moved
meanwhile, the same plan is applied to the new head and judged there again: a person's words and
other dreams stay, and nothing is merged blindly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from brain import memory
from brain.dream.orient import forgotten
from brain.dream.plan import Scope
from brain.errors import BrainError
from brain.store import Moved, Store

COMMAND = "dream"
TRIES = 20
PATIENCE = 60.0
"""Seconds to wait for another writer: the work of a night is not given up for a busy moment."""
UNMERGED = "refs/brain/unmerged"
PROPOSED = "refs/brain/proposed"


class Unmerged(Moved):
    """Main kept moving; the night's work is kept beside it."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A validated tree over one head."""

    head: str | None
    changes: Mapping[str, bytes]
    """Empty: there is nothing to change."""
    subject: str
    trailers: Mapping[str, str]


Again = Callable[[Scope, str | None], Proposal | None]
"""The same plan over another scope and head; None: not valid there."""


def sync(store: Store, run_id: str, scope: Scope, first: Proposal, again: Again) -> tuple[str | None, Proposal | None]:
    """Bring main to the proposal; (the commit, what was synced in the end). Without a commit nothing was.

    Raises: Unmerged; what Store.write and Store.advance raise.
    """
    proposal: Proposal | None = first
    commit = None
    for _ in range(TRIES):
        if proposal is None or not proposal.changes:
            return None, proposal
        try:
            with store.lock(COMMAND, PATIENCE):
                commit = write(store, run_id, scope, proposal)
                store.advance(commit, proposal.head)
                return commit, proposal
        except Moved:
            memory.settle(store, scope.now)
            head = store.head()
            tree = store.tree(head)
            proposal = again(replace(scope, tree=tree, forgotten=forgotten(tree)), head)
    assert commit is not None
    kept = keep(store, f"{UNMERGED}/{run_id}", commit)
    raise Unmerged(
        f"Nothing was synced: main moved {TRIES} times while this dream wanted to; it is kept as {kept}.",
        f"git show {kept}, and brain dream when the brain is at rest",
    )


def write(store: Store, run_id: str, scope: Scope, proposal: Proposal) -> str:
    """The proposal as a commit that no branch holds yet."""
    return store.write(
        proposal.changes,
        base=proposal.head,
        message=proposal.subject,
        command=COMMAND,
        run_id=run_id,
        at=scope.now,
        trailers=proposal.trailers,
    )


def keep(store: Store, ref: str, commit: str) -> str:
    """Hold a commit under a ref of Brain's own; the ref."""
    if not store.git.swap(ref, commit, store.git.resolve(ref), "brain: kept"):
        raise BrainError(f"{commit[:12]} was not kept: {ref} moved meanwhile.")
    return ref
