"""Runs that are cut off for real: by an error or a kill at one system call, or by a kill at any moment."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from recording import Record
from rehearsal import ACK_END, Rehearsal

FAILS = {
    "enospc": frozenset({"openat", "write", "pwrite64", "mkdir", "mkdirat", "rename", "renameat", "linkat", "fsync"}),
    "eio": frozenset({"write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "unlink", "unlinkat"}),
}
_LONGEST = 100
"""Seconds a run may take that meets an error."""
_ERRORS = {"enospc": "ENOSPC", "eio": "EIO"}


def pairs(recorded: Record, mode: str) -> Iterator[object]:
    """(call, n): strace counts each call by name and by process, and acts in each process that gets so far."""
    failing = FAILS.get(mode)
    pairs = (
        (call.name, call.n) for call in recorded.calls if call.changes and (failing is None or call.name in failing)
    )
    yield from dict.fromkeys(pairs)


def injected(test: Rehearsal, mode: str, cut: tuple[str, int]) -> tuple[str, str]:
    call, n = cut
    what = "signal=KILL" if mode == "single" else f"error={_ERRORS[mode]}"
    with tempfile.TemporaryDirectory(dir=test.home) as folder:
        root = test.copy(f"{Path(folder).name}/t")
        line = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{what}:when={n}"]
        process = subprocess.Popen(
            [*line, *test.scenario.command],
            cwd=root,
            env=test.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=_LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return f"{call} {n}", f"it did not end within {_LONGEST} s"
        return f"{call} {n}", _traceback(err) or test.check(root, _acknowledged(out, process.returncode))


def killed_at_random(test: Rehearsal, share: float) -> tuple[str, str]:
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
