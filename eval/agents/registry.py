"""Agents by the name that a plan gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from brain.eval.agents import Agent
from brain.eval.agents.reader import Reader
from brain.eval.task import UnknownName


def _openai(environment: Mapping[str, str]) -> Agent:
    from brain.eval.agents.openai import from_environment

    return from_environment(environment)


def _command(environment: Mapping[str, str]) -> Agent:
    from brain.eval.agents.command import from_environment

    return from_environment(environment)


AGENTS: Mapping[str, Callable[[Mapping[str, str]], Agent]] = MappingProxyType(
    {"reader": lambda _: Reader(), "openai": _openai, "command": _command}
)


def agent(name: str, environment: Mapping[str, str]) -> Agent:
    """Raises: UnknownName; UsageError where what it needs is not in the environment."""
    if name not in AGENTS:
        raise UnknownName.among("agent", name, AGENTS)
    return AGENTS[name](environment)
