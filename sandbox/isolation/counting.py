"""How many processes a command may have at a time: held by the kernel, since a bomb of forks outruns whoever counts.

root is bound by no limit of processes, so a control group of its own counts for it; anybody else has a limit that
counts all processes of the person.
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_TRIES = 50
_PAUSE = 0.02


@contextmanager
def counted(most: int) -> Iterator[Callable[[], None]]:
    """Gives what the child does so as to be counted; when it ends, nothing that was counted lives on."""
    if os.getuid() != 0:
        yield _limit(most)
        return
    group = _made(most)
    if group is None:
        yield lambda: None
        return
    entrance = os.open(group / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
    try:
        yield lambda: _enter(entrance)
    finally:
        os.close(entrance)
        _empty(group)


def _enter(entrance: int) -> None:
    os.write(entrance, b"0")


def _limit(most: int) -> Callable[[], None]:
    mine = os.getuid()
    running = sum(_owner(path) == mine for path in Path("/proc").iterdir() if path.name.isdecimal())
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    wanted = running + most if hard == resource.RLIM_INFINITY else min(hard, running + most)
    return lambda: resource.setrlimit(resource.RLIMIT_NPROC, (wanted, wanted))


def _owner(path: Path) -> int | None:
    try:
        return path.stat().st_uid
    except OSError:
        return None


def _made(most: int) -> Path | None:
    """A new group below the one that this process is in; None where none may be made."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            parent = (_GROUPS / kinds if kinds else _GROUPS) / path.lstrip("/")
            counts = kinds == "pids" or (not kinds and "pids" in _text(parent / "cgroup.subtree_control"))
            if counts and (parent / "cgroup.procs").exists():
                group = parent / f"brain-{os.getpid()}-{secrets.token_hex(4)}"
                group.mkdir()
                (group / "pids.max").write_text(str(most))
                return group
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _empty(group: Path) -> None:
    """Kill what is left in it, and remove it."""
    for _ in range(_TRIES):
        for pid in _text(group / "cgroup.procs").split():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid), signal.SIGKILL)
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(_PAUSE)
