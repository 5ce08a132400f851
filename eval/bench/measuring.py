"""Seconds and memory of whole processes, measured side by side."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BARE = (sys.executable, "-I", "-c", "pass")
"""An interpreter that does nothing."""
_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Ran:
    seconds: float
    peak: float
    """Megabytes of memory at most."""
    output: bytes


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Ran:
    """One process from its start to its end. Raises: CalledProcessError."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Ran(time.perf_counter() - start, usage.ru_maxrss * _UNIT / 1_000_000, output)


def brain(*arguments: str) -> list[str]:
    """The command line of a brain command in this interpreter."""
    return [sys.executable, "-m", "brain", *arguments]
