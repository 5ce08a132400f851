"""A need in words -> more files in a working set."""

from __future__ import annotations

from dataclasses import dataclass, replace

from brain.sandbox import opening
from brain.sandbox.memory_agent import Brought, bring
from brain.sandbox.planning import Need
from brain.sandbox.working_set import Held, WorkingSet
from brain.search import Searcher
from brain.search.corpus import TreeCorpus
from brain.search.passages import Watch
from brain.store import Store


@dataclass(frozen=True, slots=True)
class Grown:
    """What was found for a need, and what became of it in the folder."""

    brought: Brought
    held: Held


def grow(store: Store, working: WorkingSet, need: Need, watch: Watch = iter) -> Grown:
    """Search the brain as it is now for a need, and lay down what answers it as it is at the set's commit."""
    tree = store.working()
    searcher = Searcher(store.local("search"), TreeCorpus(tree), store.settings.search.embedder, watch)
    brought = bring(tree, searcher, replace(need, audience=working.audience))
    return Grown(brought, opening.hold(store, working, {place.path: place.why for place in brought.places}))
