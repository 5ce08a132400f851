"""A working set of a large brain against a full copy of it: time, bytes, evidence, and `grep` in it."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from brain import layout
from brain.eval.bench import large
from brain.eval.bench.large import Fact
from brain.eval.bench.measuring import BARE, brain, run
from brain.sandbox import opening
from brain.sandbox.growing import grow
from brain.sandbox.memory_agent import bring
from brain.sandbox.opening import Wanted
from brain.sandbox.planning import Need
from brain.sandbox.working_set import WorkingSet
from brain.search import Question, Searcher
from brain.search.corpus import TreeCorpus
from brain.store import Store

SESSIONS = 5000
QUESTIONS = 40
GREPPED = 2000
ROUNDS = 3
_GREP = ("grep", "-r", "no such words", ".")


def measure(scale: float) -> dict[str, float]:
    """A brain of 5,000 sessions, times `scale`; every copy beside its working set, in turns."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        store, facts = large.build(folder / "brain", max(50, round(SESSIONS * scale)))
        figures = {
            "files": float(len(store.tree().paths)),
            **_opening(store, folder),
            **_evidence(store, folder, facts[:: max(1, len(facts) // QUESTIONS)]),
            **_grep(store, folder),
        }
        store.close()
    return figures


def _opening(store: Store, folder: Path) -> dict[str, float]:
    """Opening in this process, and as a command, against `git clone` and `cp -r`."""
    clone = ["git", "clone", "-q", "--no-hardlinks", str(store.root), str(folder / "clone")]
    copy = ["cp", "-r", str(store.root), str(folder / "copy")]
    seconds: dict[str, list[float]] = {"clone": [], "copy": [], "open": [], "command": [], "bare": []}
    for n in range(ROUNDS):
        seconds["clone"].append(_timed(partial(run, clone)))
        seconds["copy"].append(_timed(partial(run, copy)))
        sizes = [_bytes(folder / "clone"), _bytes(folder / "copy")]
        seconds["open"].append(_timed(partial(_open, store.root, folder / f"set{n}")))
        command = brain("sandbox", "open", str(folder / f"command{n}"), "--brain", str(store.root))
        seconds["command"].append(_timed(partial(run, command)))
        seconds["bare"].append(_timed(partial(run, BARE)))
        for name in ("clone", "copy"):
            shutil.rmtree(folder / name)
    best = {name: min(values) for name, values in seconds.items()}
    size = _bytes(folder / "set0")
    return {
        "clone_s": best["clone"],
        "copy_s": best["copy"],
        "open_s": best["open"],
        "open_command_s": best["command"],
        "bare_s": best["bare"],
        "open_share_of_clone": best["open"] / best["clone"],
        "open_share_of_copy": best["open"] / best["copy"],
        "command_share_of_clone": best["command"] / best["clone"],
        "clone_bytes": sizes[0],
        "set_bytes": size,
        "bytes_share_of_clone": size / sizes[0],
    }


def _open(root: Path, place: Path) -> None:
    opening.open_in(Store.open(root), place, Wanted())


def _evidence(store: Store, folder: Path, facts: list[Fact]) -> dict[str, float]:
    """How often what one `recall --into` brings holds the evidence, against a search of the full copy."""
    tree = store.working()
    searcher = Searcher(store.local("search"), TreeCorpus(tree))
    held, found, sizes = 0, 0, []
    for fact in facts:
        hits = searcher.find(Question(fact.question)).hits
        found += any(fact.source in hit.evidence for hit in hits)
        places = bring(tree, searcher, Need(fact.question)).places
        wanted = layout.parse_source(fact.source)
        assert wanted is not None
        held += layout.transcript_path(wanted[0]) in {place.path for place in places}
        sizes.append(sum(place.size for place in places))
    working = WorkingSet.load(folder / "set0")
    grown = _timed(lambda: grow(store, working, Need(facts[0].question)))
    return {
        "questions": len(facts),
        "evidence_in_full_search": found / len(facts),
        "evidence_held": held / len(facts),
        "evidence_share": held / max(found, 1),
        "brought_characters": statistics.mean(sizes),
        "recall_into_s": grown,
        "set_bytes_after_recall": _bytes(folder / "set0"),
    }


def _grep(store: Store, folder: Path) -> dict[str, float]:
    """`grep -r` over 2,000 files that a working set holds, and over a plain copy of the same."""
    working = WorkingSet.load(folder / "set1")
    opening.hold(store, working, dict.fromkeys(store.tree().paths[:GREPPED], ""))
    plain = folder / "plain"
    shutil.copytree(working.folder / layout.MEMORY, plain / layout.MEMORY)
    pairs = [(_grepped(working.folder), _grepped(plain)) for _ in range(15)]
    return {
        "grepped_files": len(working.held),
        "grep_ratio_median": statistics.median(a / b for a, b in pairs),
        "grep_ratio_best": min(a for a, _ in pairs) / min(b for _, b in pairs),
    }


def _grepped(folder: Path) -> float:
    return _timed(partial(subprocess.run, _GREP, cwd=folder, check=False))


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
