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
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from diskmodel import Disk, Record, record

MODES = ("kill", "power", "single", "enospc", "eio", "random")
_FAILS = {
    "enospc": frozenset({"openat", "write", "pwrite64", "mkdir", "mkdirat", "rename", "renameat", "linkat", "fsync"}),
    "eio": frozenset({"write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "unlink", "unlinkat"}),
}
_ERRORS = {"enospc": "ENOSPC", "eio": "EIO"}

Facts = Mapping[str, object]
"""What is so after a whole run."""

ACK_END = "ACK end"
"""Acknowledged where the command ended well."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A tree, a command that changes it, and what must hold wherever that command was cut off."""

    make: Callable[[Path], None]
    command: Sequence[str]
    learn: Callable[[Path], Facts]
    check: Callable[[Facts, Path, tuple[str, ...]], str]
    """(facts, root, lines that were acknowledged) -> what is wrong there; "" where nothing is."""
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A scenario that has been through once, whole."""

    scenario: Scenario
    home: Path
    facts: Facts = field(default_factory=dict)
    seconds: float = 0.0
    recorded: list[Record] = field(default_factory=list)
    """One, once it was asked for."""

    def check(self, root: Path, acknowledged: tuple[str, ...]) -> str:
        return self.scenario.check(self.facts, root, acknowledged)

    def copy(self, name: str) -> Path:
        root = self.home / name
        shutil.copytree(self.home / "start", root, symlinks=True)
        return root

    @property
    def env(self) -> dict[str, str]:
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        ours = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(Path(__file__).parent.parent), "TZ": "UTC"}
        return kept | ours | dict(self.scenario.env)


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


@contextlib.contextmanager
def rehearse(scenario: Scenario) -> Iterator[Rehearsal]:
    """Make the tree, run the command once as it is, and learn what must come of it."""
    with tempfile.TemporaryDirectory(prefix="powercut-", dir=_fast()) as work:
        first = Rehearsal(scenario, Path(work).resolve())
        (first.home / "start").mkdir()
        scenario.make(first.home / "start")
        root, began = first.copy("whole"), time.monotonic()
        done = subprocess.run(scenario.command, cwd=root, env=first.env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"the run itself failed ({done.returncode}): {done.stderr}")
        yield replace(first, seconds=time.monotonic() - began, facts=scenario.learn(root))


def run(test: Rehearsal, mode: str, *, every: int = 1, jobs: int = 2, limit: int = 0, seed: int = 1) -> Outcome:
    """One mode over one scenario; `every` n-th point, at most `limit` of them, spread evenly."""
    if mode == "random":
        cuts: list[object] = [random.Random(seed * 1000 + n).random() for n in range(limit or 100)]
        trial: Callable[..., tuple[str, str]] = partial(_random, test)
    else:
        recorded = _record(test)
        injected = mode in ("single", *_FAILS)
        cuts = list(_pairs(recorded, mode) if injected else _states(recorded, mode, test.home))
        trial = partial(_injected, test, mode) if injected else partial(_trial, test)
    chosen = _spread(cuts, every, limit)
    with ProcessPoolExecutor(jobs) as pool:
        said = list(pool.map(trial, chosen))
    return Outcome(mode, len(cuts), len(chosen), tuple((name, message) for name, message in said if message))


def _fast() -> str | None:
    shared = Path("/dev/shm")
    return str(shared) if os.access(shared, os.W_OK) else None


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


# --- runs that are cut off for real -------------------------------------------------


def _pairs(recorded: Record, mode: str) -> Iterator[object]:
    """(call, n): strace counts each call by name and by process, and acts in each process that gets so far."""
    failing = _FAILS.get(mode)
    pairs = (
        (call.name, call.n) for call in recorded.calls if call.changes and (failing is None or call.name in failing)
    )
    yield from dict.fromkeys(pairs)


def _injected(test: Rehearsal, mode: str, cut: tuple[str, int]) -> tuple[str, str]:
    call, n = cut
    what = "signal=KILL" if mode == "single" else f"error={_ERRORS[mode]}"
    with tempfile.TemporaryDirectory(dir=test.home) as folder:
        root = test.copy(f"{Path(folder).name}/t")
        line = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={n}"]
        done = subprocess.run(
            [*line, *test.scenario.command],
            cwd=root,
            env=test.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        said = _traceback(done.stderr) or test.check(root, _acknowledged(done.stdout, done.returncode))
        return f"{call} {n}", said


def _random(test: Rehearsal, share: float) -> tuple[str, str]:
    seconds = 1.1 * share * test.seconds
    with tempfile.TemporaryDirectory(dir=test.home) as folder:
        root = test.copy(f"{Path(folder).name}/t")
        with Path(folder, "out").open("w+", encoding="utf-8") as out:
            process = subprocess.Popen(
                test.scenario.command,
                cwd=root,
                env=test.env,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            status = process.wait()
            _wait_for_the_rest(process.pid)
            out.seek(0)
            said = out.read()
        return f"{seconds:.3f} s", test.check(root, _acknowledged(said, status))


def _wait_for_the_rest(group: int) -> None:
    """Killed is not yet gone: a child may still be on its way, with the locks that it was started with."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        stats = [text.rpartition(")")[2].split() for text in map(_stat, Path("/proc").glob("[0-9]*/stat")) if text]
        if not any(int(fields[2]) == group and fields[0] not in "ZX" for fields in stats):
            return


def _stat(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _acknowledged(out: str, status: int) -> tuple[str, ...]:
    said = tuple(line for line in out.splitlines() if line.startswith("ACK"))
    return (*said, ACK_END) if status == 0 else said


def _traceback(err: str) -> str:
    # Where Python cannot load a module nothing of Brain has begun, and where it cannot print no words can be expected.
    told = "Traceback (most recent call last)" in err and not re.search(r"importlib\._bootstrap|cli/output\.py", err)
    return f"a traceback: {err.strip().splitlines()[-1]}" if told else ""


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
