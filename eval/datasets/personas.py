"""Personas: 44 invented people, generated from a seed; `path` is not used. How they are made: docs/personas.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from brain.eval.task import World

PEOPLE = 44
SEED = 1


@dataclass(frozen=True, slots=True)
class Personas:
    people: int = PEOPLE
    """The first so many; each is the same however many there are."""
    seed: int = SEED
    """Another one gives other histories of the same people, with other values: nothing can have been learnt of them."""
    name: str = "personas"

    def load(self, path: Path | None = None) -> Iterator[World]:
        from brain.eval.personas.making import worlds

        return (world for world, _ in worlds(self.people, self.seed))
