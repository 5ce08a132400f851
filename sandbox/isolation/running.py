"""Start a prepared process, watch what it uses, take what it prints, and leave nothing of it behind.

Invariants: memory of this process does not grow with what the other prints; every way out kills the whole group.
"""

from __future__ import annotations

import os
import re
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from brain.errors import UsageError
from brain.sandbox.isolation.counting import counted
from brain.sandbox.isolation.policy import Ended, Policy, Prepared, Result

_FLOOD = 64
"""So many times the output that is kept may be printed before the command is stopped."""
_TICK = 0.02
_GRACE = 30.0
"""Seconds in which what was killed must be gone: the kernel takes thousands of processes down one by one."""
_PIECE = 1 << 16
_MANY = 1000
_NICE = 5
"""So that who watches is heard."""
_FILES = 256
# Escape sequences whole, then what is left of controls but tab and line feed, and marks that turn the text around.
_CONTROLS = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


class Refused(UsageError):
    """A command that cannot be run as it was given."""

    code = "exec-refused"


def carry_out(prepared: Prepared, policy: Policy, how: str) -> Result:
    """Raises: Refused."""
    # bubblewrap itself is two of them.
    with counted(policy.processes + 2) as enter:
        process = _start(prepared, policy, enter)
        with process:
            taken = _Taken(bytearray(), policy.output)
            try:
                ended = _attend(process, taken, policy)
            finally:
                _kill(process)
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return Result(status, taken.text(ended), taken.total > policy.output, how, ended)


def _start(prepared: Prepared, policy: Policy, enter: Callable[[], None]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(prepared.argv),
            cwd=prepared.cwd,
            env=dict(prepared.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=prepared.files,
            start_new_session=True,
            # No thread is running here that could hold a lock in the child.
            preexec_fn=_child(policy, enter, prepared.before),  # noqa: PLW1509
        )
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise Refused(f"The command was not run: {error}.", "brain sandbox exec --help") from error
    finally:
        for descriptor in prepared.files:
            os.close(descriptor)


def _child(policy: Policy, enter: Callable[[], None], before: Callable[[], None] | None) -> Callable[[], None]:
    """What the child does to itself before it becomes the command."""
    limits = (
        (resource.RLIMIT_CPU, max(1, round(policy.seconds) + 1)),
        (resource.RLIMIT_AS, policy.memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _FILES),
        (resource.RLIMIT_CORE, 0),
    )

    def limit() -> None:
        enter()
        os.nice(_NICE)
        for kind, most in limits:
            hard = resource.getrlimit(kind)[1]
            most_ = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (most_, most_))
        os.umask(0o077)
        if before is not None:
            before()

    return limit


# --- while it runs -----------------------------------------------------------------------


@dataclass(slots=True)
class _Taken:
    """The beginning of what was printed, and how much that was."""

    kept: bytearray
    most: int
    total: int = 0

    def add(self, data: bytes) -> None:
        self.kept += data[: max(0, self.most - len(self.kept))]
        self.total += len(data)

    def text(self, ended: Ended) -> str:
        text = _CONTROLS.sub("", self.kept.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))
        if self.total <= self.most:
            return text
        more = "at least " if ended != "itself" else ""
        return f"{text.rstrip()}\n[output cut here: {more}{self.total - self.most:,} bytes more]\n"


def _attend(process: subprocess.Popen[bytes], taken: _Taken, policy: Policy) -> Ended:
    """Until it ends, or has to."""
    assert process.stdout is not None
    end, looked, is_open = time.monotonic() + policy.seconds, 0.0, True
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while is_open or process.poll() is None:
            now = time.monotonic()
            over = _over(process.pid, policy) if now - looked >= _TICK else None
            if now >= end or over or taken.total > _FLOOD * taken.most:
                return over or ("time" if now >= end else "output")
            looked = now if now - looked >= _TICK else looked
            if not is_open:
                time.sleep(_TICK)
            elif selector.select(_TICK):
                is_open = _read(process, taken)
            elif process.poll() is not None:
                # It is gone; what still holds its output open is a child that outlives it, and is killed.
                break
    return "itself"


def _read(process: subprocess.Popen[bytes], taken: _Taken) -> bool:
    """Take what is there; False at the end of it."""
    assert process.stdout is not None
    data = os.read(process.stdout.fileno(), _PIECE)
    taken.add(data)
    return bool(data)


def _over(leader: int, policy: Policy) -> Ended | None:
    """The limit that it and all that came of it have gone beyond together."""
    found = list(islice(_descendants(leader), policy.processes + 3))
    if len(found) > policy.processes + 2:
        return "processes"
    return "memory" if sum(map(_resident, found)) > policy.memory else None


def _descendants(leader: int) -> Iterator[int]:
    """A process and its children, and theirs, as long as they can be seen."""
    yield leader
    try:
        tasks = list(Path(f"/proc/{leader}/task").iterdir())
        children = [int(pid) for task in tasks for pid in (task / "children").read_text().split()]
    except (OSError, ValueError):
        return
    for child in children:
        yield from _descendants(child)


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The whole group at once, and what has left it; under bubblewrap everything dies with its first process."""
    left = list(islice(_descendants(process.pid), _MANY))
    _signal(os.killpg, process.pid)
    for pid in left[1:]:
        _signal(os.kill, pid)
    process.wait(_GRACE)


def _signal(send: Callable[[int, int], None], pid: int) -> None:
    try:
        send(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
