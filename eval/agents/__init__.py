"""Those who answer: what they are given, and what they give back. One agent, one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from brain.eval.arms import Arm
from brain.tree import Tree


@dataclass(frozen=True, slots=True)
class View:
    """What an agent may see of one commit under one arm."""

    tree: Tree
    arm: Arm
    first_message: str
    gold: frozenset[str]
    """Sources of the evidence; empty except under the arm that shows it."""
    home: Path
    """A folder of its own for a search table; kept from question to question of the same arm and world."""
    embedder: str


@dataclass(frozen=True, slots=True)
class Budget:
    """The same for both arms."""

    index: int = 6000
    """Characters of the first message."""
    found: int = 4000
    """Characters of passages that are shown for a question."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One passage that the agent had before it."""

    place: str
    """`path#anchor`; "" for the first message."""
    text: str
    evidence: tuple[str, ...] = ()
    past: bool = False
    """True: it says of itself that it no longer holds."""


@dataclass(frozen=True, slots=True)
class Cost:
    tool_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0
    """In dollars."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    text: str | None
    """None: this agent does not put an answer into words."""
    shown: tuple[Shown, ...]
    cost: Cost = Cost()
    abstained: bool = False
    """True: it says, or by showing nothing shows, that the memory does not hold the answer."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """What a log should keep besides: a model's name, a prompt's hash."""


class Agent(Protocol):
    @property
    def name(self) -> str: ...
    def answer(self, question: str, at: datetime | None, view: View, budget: Budget) -> Answer: ...
