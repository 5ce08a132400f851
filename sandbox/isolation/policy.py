"""What a command may see and use, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

Ended = Literal["itself", "time", "processes", "memory", "output"]
"""What ended it: it did, or one of its limits."""

PATH = "/usr/local/bin:/usr/bin:/bin"
ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "PATH": PATH,
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }
)
"""All that a command is told."""


@dataclass(frozen=True, slots=True)
class Policy:
    folder: Path
    """Seen as `/memory` under bubblewrap, under its own name under Landlock; nothing in it can be changed."""
    also: tuple[Path, ...] = ()
    """Other folders that may be read, under their own names: git's objects."""
    seconds: float = 20.0
    memory: int = 1 << 30
    """Bytes, all its processes together."""
    processes: int = 64
    """At one time."""
    output: int = 64_000
    """Bytes that are kept; what comes after them is read and dropped, until it is too much."""


@dataclass(frozen=True, slots=True)
class Result:
    status: int
    """Its exit status; 128 + n where signal n ended it."""
    output: str
    """What it printed, on both streams, without terminal controls."""
    cut: bool
    """There was more; the last line says so."""
    how: str
    """The method: bubblewrap, landlock, direct."""
    ended: Ended = "itself"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A process that is ready to be started."""

    argv: Sequence[str]
    cwd: Path
    before: Callable[[], None] | None = None
    """Called in the child, between fork and exec."""
    files: tuple[int, ...] = ()
    """Descriptors that it inherits; closed here when it has been started."""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(ENVIRONMENT))


@dataclass(frozen=True, slots=True)
class Method:
    """A way to isolate."""

    works: Callable[[], bool]
    prepare: Callable[[Sequence[str], Policy], Prepared]
