"""Draws that depend on the names of the dice and on nothing else: no platform, no version, no order of sets."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """The same names give the same draws, in order."""

    def __init__(self, *names: object) -> None:
        self._key = "/".join(map(str, names))
        self._thrown = 0

    def child(self, *names: object) -> Dice:
        """Dice of their own: what they throw moves nothing here."""
        return Dice(self._key, *names)

    def below(self, count: int) -> int:
        self._thrown += 1
        digest = hashlib.sha256(f"{self._key}#{self._thrown}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % count

    def between(self, low: int, high: int) -> int:
        """Both ends included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def order(self, items: Sequence[T]) -> list[T]:
        """All of them, shuffled."""
        left = list(items)
        for place in range(len(left) - 1, 0, -1):
            other = self.below(place + 1)
            left[place], left[other] = left[other], left[place]
        return left
