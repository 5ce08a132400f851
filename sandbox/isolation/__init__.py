"""Running somebody's command over a working set: it reads that and nothing else, and it ends.

The one door for commands of people and for tools of models. bubblewrap where it works, else Landlock with seccomp, else
a refusal; nothing falls back in silence. `docs/sandbox.md` says what each holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from brain.errors import BrainError
from brain.sandbox.isolation import bubblewrap, direct, landlock
from brain.sandbox.isolation.policy import Method, Policy, Result
from brain.sandbox.isolation.running import carry_out

__all__ = ["NoIsolation", "Policy", "Result", "available", "run"]

_METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "bubblewrap": Method(bubblewrap.works, bubblewrap.prepare),
        "landlock": Method(landlock.works, landlock.prepare),
    }
)
"""The better one first."""


class NoIsolation(BrainError):
    """Neither bubblewrap nor Landlock works here."""

    code = "no-isolation"


def available() -> str | None:
    """The method that is used on this machine; None: commands are refused."""
    return next((name for name, method in _METHODS.items() if method.works()), None)


def run(argv: Sequence[str], policy: Policy, *, how: str | None = None) -> Result:
    """Run a command inside; `how` names a method, `direct` (no isolation at all) only ever by name.

    Raises: NoIsolation; Refused where there is no such folder.
    """
    if how == "direct":
        return carry_out(direct.prepare(argv, policy), policy, "direct")
    name = how or available()
    if name is None or not _METHODS[name].works():
        raise NoIsolation(
            f"The command was not run: {name or 'neither bubblewrap nor Landlock'} does not work here.",
            "install bubblewrap (it needs user namespaces), or a kernel with Landlock; --unsafe-direct guards nothing",
        )
    return carry_out(_METHODS[name].prepare(argv, policy), policy, name)
