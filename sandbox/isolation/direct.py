"""No isolation: the command runs as anybody's would, within limits of time, memory and output alone."""

from __future__ import annotations

from collections.abc import Sequence

from brain.sandbox.isolation.policy import Policy, Prepared


def works() -> bool:
    return True


def prepare(argv: Sequence[str], policy: Policy) -> Prepared:
    return Prepared(argv, policy.folder)
