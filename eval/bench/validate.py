"""The gate over brains of 100, 1,000 and 10,000 pages, against one reading of the same files."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from brain.eval.bench import large
from brain.eval.bench.large import Fact
from brain.store import Store
from brain.tree import Tree, overlay
from brain.validators import gate

SESSIONS = 2000
PAGES = (100, 1_000, 10_000)
CHANGED = 20


def measure(scale: float) -> dict[str, float]:
    """2,000 sessions and each number of pages, times `scale`; CPU seconds in this process, without the judge."""
    figures: dict[str, float] = {}
    for pages in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            count = max(20, round(pages * scale))
            store, facts = large.build(Path(folder) / "brain", max(20, round(SESSIONS * scale)), count)
            figures |= {f"{pages}_{name}": value for name, value in _measured(store, facts, count).items()}
            store.close()
    return figures


def _measured(store: Store, facts: list[Fact], pages: int) -> dict[str, float]:
    read = _timed(lambda: _read(store.tree()))
    fresh = store.tree()
    whole = _timed(lambda: _faults(gate.Pair(None, fresh)))
    base = store.tree()
    _read(base)
    staged = overlay(base, dict(large.concept(n, facts, " again") for n in range(min(CHANGED, pages))))
    night = _timed(lambda: _faults(gate.Pair(base, staged)))
    return {
        "read_s": read,
        "whole_s": whole,
        "whole_to_read": whole / read,
        "night_s": night,
        "findings": float(_faults(gate.Pair(None, fresh))),
    }


def _read(tree: Tree) -> None:
    """Every record of the tree, parsed."""
    for records in (tree.pages(), tree.notes(), tree.sessions(), tree.summaries()):
        for _ in records.values():
            pass


def _faults(pair: gate.Pair) -> int:
    return len(gate.validate(pair))


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start
