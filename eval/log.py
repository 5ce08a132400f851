"""A run on disk: its plan, written before anything is asked, and one line for each question and arm as it is answered.

    RUN/plan.json             what is compared, by what, with which versions; never changed afterwards
    RUN/answers/<world>.jsonl one line a sample and arm, in the order in which they came
    RUN/worlds/<world>/       the brain, so that a report can be followed into the tree; may be deleted

Invariant: a line that is there is whole: what a kill cut short is dropped when the run goes on, and asked again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from brain.errors import UsageError
from brain.files import append, make_folder, replace

FORMAT = 1


class BadRun(UsageError):
    """The folder holds no run, the run of something else, or a broken one."""

    code = "eval-run"


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be compared; fixed before the first answer."""

    data: str
    path: str
    """Name of the file or folder of the data set; "" for what is generated."""
    agent: str
    arms: tuple[str, ...]
    """The first one is what the others are measured against."""
    metric: str
    """The score that decides; all others are looked at besides."""
    seed: int
    index_budget: int
    found_budget: int
    embedder: str
    dreamer: str
    nights: int
    limit: int
    """Worlds at most; 0: all."""
    versions: Mapping[str, str]
    command: str
    judge: str = ""
    """Name of a model that says whether answers are right; "": none does."""


@dataclass(frozen=True, slots=True)
class Run:
    """A folder that holds one run."""

    folder: Path
    plan: Plan

    @classmethod
    def start(cls, folder: Path, plan: Plan) -> Run:
        """A new run, or the same one gone on with. Raises: BadRun."""
        make_folder(folder / "answers")
        path = folder / "plan.json"
        if path.exists():
            before = cls.load(folder)
            differing = _differing(before.plan, plan)
            if differing:
                raise BadRun(
                    f"{folder} holds a run with another {', '.join(differing)}; nothing was asked.",
                    "give a new folder, or the options of that run",
                )
            return before
        replace(path, _line({"format": FORMAT, **asdict(plan)}))
        return cls(folder, plan)

    @classmethod
    def load(cls, folder: Path) -> Run:
        """Raises: BadRun."""
        try:
            read = json.loads((folder / "plan.json").read_bytes())
        except (OSError, ValueError) as error:
            raise BadRun(f"{folder} holds no run of brain eval.", "brain eval run --help") from error
        if read.pop("format", None) != FORMAT:
            raise BadRun(f"{folder} was written by another version of Brain; it was not read.", "run it again")
        return cls(folder, Plan(**{**read, "arms": tuple(read["arms"])}))

    def brain(self, world: str) -> Path:
        return self.folder / "worlds" / world

    def add(self, world: str, entry: Mapping[str, Any]) -> None:
        append(self._answers(world), _line(entry))

    def entries(self, world: str) -> list[dict[str, Any]]:
        """What was answered in a world. Raises: BadRun."""
        path = self._answers(world)
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        if lines and lines[-1]:
            # A kill in the middle of a line: that answer was never given.
            lines[-1] = b""
            replace(path, b"\n".join(lines))
        return [_read(path, number, line) for number, line in enumerate(lines, 1) if line]

    def all_entries(self) -> Iterator[dict[str, Any]]:
        """By world and sample, whatever the order in which they were answered."""
        for path in sorted((self.folder / "answers").glob("*.jsonl")):
            yield from sorted(self.entries(path.stem), key=lambda entry: (entry["sample"], entry["arm"]))

    def _answers(self, world: str) -> Path:
        return self.folder / "answers" / f"{world}.jsonl"


def _differing(before: Plan, plan: Plan) -> list[str]:
    """What makes two runs two; how it was called does not."""
    a, b = asdict(before), asdict(plan)
    return [key for key in a if key != "command" and a[key] != b[key]]


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _read(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads(line)
        return read
    except ValueError as error:
        raise BadRun(f"{path}, line {number} is no JSON; nothing was reported.", "delete that line") from error
