"""Data sets by the name that a plan gives them. One data set, one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from brain.eval.datasets.beam import Beam
from brain.eval.datasets.locomo import LoCoMo
from brain.eval.datasets.longmemeval import LongMemEval
from brain.eval.datasets.personas import Personas
from brain.eval.datasets.realmem import RealMem
from brain.eval.task import Dataset, UnknownName

DATASETS: Mapping[str, Callable[[], Dataset]] = MappingProxyType(
    {"personas": Personas, "locomo": LoCoMo, "realmem": RealMem, "beam": Beam, "longmemeval": LongMemEval}
)


def dataset(name: str) -> Dataset:
    """Raises: UnknownName."""
    if name not in DATASETS:
        raise UnknownName.among("data set", name, DATASETS)
    return DATASETS[name]()
