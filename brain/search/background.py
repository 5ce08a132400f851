"""How close unrelated texts are for one embedder: the zero of its scale.

In every model any two texts are somewhat alike (multilingual-e5 gives 0.72 to strangers, others 0.05), so a raw cosine
says little. Two points are measured on pairs known to be unrelated, their median and their closest; they give the zero
of closeness and the point from which it means something. Measured once for each table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brain.search.embed import Embedder

# In English, which every embedder knows: MiniLM gives any two Russian texts 0.6, and would lose its scale on them.
_QUESTIONS = (
    "When does the museum close on Sundays?",
    "Who repaired the roof after the storm?",
    "Which database did the team choose?",
    "What is the name of Marta's dog?",
    "How much flour goes into the bread?",
    "Why did the build fail last night?",
)
_STATEMENTS = (
    "The tomatoes on the balcony ripened early this year.",
    "He prefers short commit messages in the present tense.",
    "My sister moved to Lisbon to study marine biology.",
    "The dentist moved the appointment to Thursday morning.",
    "We replaced the old printer with a quieter one.",
    "The hikers lost the path in the fog and turned back.",
    "The concert was sold out within an hour.",
    "Parking behind the library costs two euros.",
    "Our team lost the final in the last minute.",
    "Restart the router before you call support.",
    "The baby slept through the whole flight.",
)
# Texts of one memory are nearer to each other than these strangers. On questions to other people's conversations
# (docs/benchmarks.md) this factor puts `kin` above 98.5 to 99.9 % of the pairs, for each model that Brain knows.
_OF_ONE_HOUSE = 1.4
# Questions off the topic of a memory came as near as 1.2 to its closest passage, those on it in another language
# from there on.
_IN_OTHER_WORDS = 1.2


@dataclass(frozen=True, slots=True)
class Background:
    median: float
    stranger: float
    """The closest of the unrelated pairs."""

    @property
    def kin(self) -> float:
        """Where closeness begins to mean something by itself."""
        return self._from(_OF_ONE_HOUSE)

    @property
    def likely(self) -> float:
        """Where it means something for a whole question of which no word was found."""
        return self._from(_IN_OTHER_WORDS)

    def _from(self, factor: float) -> float:
        return min(0.99, self.median + factor * (self.stranger - self.median))


def measure(embedder: Embedder) -> Background:
    """Rounded, so that it is the same wherever the same model is measured."""
    import numpy as np

    cosines = embedder.embed(_QUESTIONS, query=True) @ embedder.embed(_STATEMENTS).T
    return Background(round(float(np.median(cosines)), 3), round(float(cosines.max()), 3))
