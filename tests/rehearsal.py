"""A run as it should go: the tree it starts from, the command, and what must come of it wherever it is cut off."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from recording import Record

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


def _fast() -> str | None:
    shared = Path("/dev/shm")
    return str(shared) if os.access(shared, os.W_OK) else None
