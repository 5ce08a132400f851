"""Agents by the name that a plan gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from brain.eval.agents import Agent
from brain.eval.agents.reader import Reader
from brain.eval.task import UnknownName

AGENTS: Mapping[str, Callable[[], Agent]] = MappingProxyType({"reader": Reader})


def agent(name: str) -> Agent:
    """Raises: UnknownName."""
    if name not in AGENTS:
        raise UnknownName.among("agent", name, AGENTS)
    return AGENTS[name]()
