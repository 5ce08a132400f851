"""Cut a run off at every system call and see whether the next command mends it.

    python tests/powercut.py store|ingest|dream [--mode MODE] [--every N] [--jobs 2]

MODE is one of
  kill    the whole group dies before call k: every state in between, replayed from one recorded run
  power   the same, and what no fsync followed is lost: wholly, in half, or back to the last fsync
  single  one process dies on entry to its n-th call of a kind, the others go on (strace, re-run)
  enospc  the n-th write, mkdir, rename, … of a kind says that the disk is full (strace, re-run)
  eio     the same with an input/output error
  random  the whole group is killed at a random moment (re-run)
  all     all of these

What it cannot say: directory entries are kept in their order (ext4, XFS), writes in the middle of a
file count as its tail, and a disk that lies about a flush is outside.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import cutting
from diskmodel import Disk
from recording import Record, record
from rehearsal import ACK_END, Rehearsal, rehearse

MODES = ("kill", "power", "single", "enospc", "eio", "random")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one mode gave."""

    mode: str
    points: int
    tried: int
    bad: tuple[tuple[str, str], ...]
    """(point, what was wrong)"""

    def told(self) -> str:
        lines = [f"{self.mode}: {self.points} points, {self.tried} states tried, {len(self.bad)} bad"]
        kinds = collections.Counter(message.split("\n")[0][:150] for _, message in self.bad)
        for message, count in kinds.most_common(8):
            where = [point for point, said in self.bad if said.startswith(message[:60])]
            lines.append(f"  {count:4d} x {message}   at {', '.join(where[:4])}")
        return "\n".join(lines)


def run(test: Rehearsal, mode: str, *, every: int = 1, jobs: int = 2, limit: int = 0, seed: int = 1) -> Outcome:
    """One mode over one scenario; `every` n-th point, at most `limit` of them, spread evenly."""
    if mode == "random":
        cuts: list[object] = [random.Random(seed * 1000 + n).random() for n in range(limit or 100)]
        trial: Callable[..., tuple[str, str]] = partial(cutting.killed_at_random, test)
    else:
        recorded = _record(test)
        injected = mode in ("single", *cutting.FAILS)
        cuts = list(cutting.pairs(recorded, mode) if injected else _states(recorded, mode, test.home))
        trial = partial(cutting.injected, test, mode) if injected else partial(_trial, test)
    chosen = _spread(cuts, every, limit)
    with ProcessPoolExecutor(jobs) as pool:
        said = list(pool.map(trial, chosen))
    return Outcome(mode, len(cuts), len(chosen), tuple((name, message) for name, message in said if message))


def _spread(cuts: list[object], every: int, limit: int) -> list[object]:
    chosen = cuts[::every]
    if limit and len(chosen) > limit:
        step = len(chosen) / limit
        chosen = [chosen[int(n * step)] for n in range(limit - 1)] + [chosen[-1]]
    return chosen


# --- states replayed from one record ----------------------------------------------


def _record(test: Rehearsal) -> Record:
    if test.recorded:
        return test.recorded[0]
    root = test.copy("recorded")
    recorded = record(test.scenario.command, root, test.env, test.home / "log")
    if recorded.status != 0:
        raise SystemExit(f"the run failed under strace ({recorded.status}): {recorded.err}")
    disk = Disk.read(test.home / "start")
    disk.root = str(root)
    for call in recorded.calls:
        disk.apply(call)
    left = Disk.read(root)
    left.acknowledged = disk.acknowledged
    if disk.digest() != left.digest():
        wrong = {p for p in disk.files.keys() | left.files.keys() if _data(disk, p) != _data(left, p)}
        raise SystemExit(f"the record does not give the tree that the run left: {sorted(wrong)[:5]}")
    test.recorded.append(recorded)
    return recorded


def _data(disk: Disk, path: str) -> bytes | None:
    return disk.files[path].data if path in disk.files else None


def _states(recorded: Record, mode: str, home: Path) -> Iterator[object]:
    """(name, state) of every state that differs from those before it."""
    disk = Disk.read(home / "start")
    disk.root = str(home / "recorded")
    last_sync, seen = disk.copy(), set()
    for number, call in enumerate((*recorded.calls, None)):
        if call is None:
            disk.acknowledged.append(ACK_END)
        for kind, state in _left(mode, disk, last_sync):
            digest = state.digest()
            if digest not in seen:
                seen.add(digest)
                yield f"{number}:{call.name if call else 'end'}{kind}", state.copy()
        if call is not None:
            disk.apply(call)
            if call.name in ("fsync", "fdatasync", "sync", "syncfs"):
                last_sync = disk.copy()


def _left(mode: str, disk: Disk, last_sync: Disk) -> Iterator[tuple[str, Disk]]:
    if mode == "kill":
        yield "", disk
        return
    yield "/least", disk.least()
    yield "/torn", disk.torn()
    back = last_sync.least()
    back.acknowledged = list(disk.acknowledged)
    yield "/back", back


def _trial(test: Rehearsal, cut: tuple[str, Disk]) -> tuple[str, str]:
    name, disk = cut
    with tempfile.TemporaryDirectory(dir=test.home) as folder:
        root = Path(folder, "t")
        disk.write_to(root)
        return name, test.check(root, tuple(disk.acknowledged))


def main() -> int:
    import crash_scenarios

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=sorted(crash_scenarios.SCENARIOS))
    parser.add_argument("--mode", choices=[*MODES, "all"], default="all")
    parser.add_argument("--every", type=int, default=1, help="take each n-th point")
    parser.add_argument("--limit", type=int, default=0, help="at most so many points, spread evenly")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    bad = 0
    with rehearse(crash_scenarios.SCENARIOS[asked.scenario]()) as test:
        for mode in MODES if asked.mode == "all" else (asked.mode,):
            outcome = run(test, mode, every=asked.every, jobs=asked.jobs, limit=asked.limit, seed=asked.seed)
            print(outcome.told(), flush=True)
            bad += len(outcome.bad)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
