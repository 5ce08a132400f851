"""bubblewrap: a view of the machine in which there is the working set, the system's programs, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from brain.sandbox.isolation import seccomp
from brain.sandbox.isolation.policy import ENVIRONMENT, PATH, Policy, Prepared

INSIDE = "/memory"
"""Where the working set stands."""
_SYSTEM = ("/bin", "/lib", "/lib32", "/lib64", "/sbin")
_PROBE = 5.0


@lru_cache
def works() -> bool:
    """Whether it runs here: many containers have no user namespaces."""
    if _program() is None:
        return False
    try:
        probe = subprocess.run(
            [*_view(Policy(Path("/usr")), None), "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return probe.returncode == 0


def prepare(argv: Sequence[str], policy: Policy) -> Prepared:
    filter_ = seccomp.descriptor(seccomp.program(alone=False)) if seccomp.is_known() else None
    files = () if filter_ is None else (filter_,)
    return Prepared([*_view(policy, filter_), *argv], Path("/"), files=files)


@lru_cache
def _program() -> str | None:
    return shutil.which("bwrap", path=PATH) or shutil.which("bwrap")


def _view(policy: Policy, filter_: int | None) -> list[str]:
    line = [
        *(_program() or "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *(
            "--hostname",
            "memory",
            "--clearenv",
            *(w for name, value in ENVIRONMENT.items() for w in ("--setenv", name, value)),
        ),
        *("--ro-bind", "/usr", "/usr", *_system(), "--dev", "/dev", "--proc", "/proc"),
    ]
    for path in policy.also:
        line += ["--ro-bind", str(path), str(path)]
    # After the others: a working set that lies below one of them is seen as what it is.
    line += ["--ro-bind", str(policy.folder), INSIDE, "--chdir", INSIDE, "--remount-ro", "/dev", "--remount-ro", "/"]
    return [*line, *(() if filter_ is None else ("--seccomp", str(filter_))), "--"]


def _system() -> Iterator[str]:
    """Where programs and libraries stand besides /usr: links into it, or folders of their own."""
    for name in _SYSTEM:
        if Path(name).is_symlink():
            yield from ("--symlink", str(Path(name).readlink()), name)
        elif Path(name).is_dir():
            yield from ("--ro-bind", name, name)
