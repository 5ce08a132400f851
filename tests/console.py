"""Console transcripts: `$ command`, what it printed; run again and compared, or rewritten.

In what is expected `…` stands for any run of characters of a line, and alone on a line for any number of lines.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conftest import environment


@dataclass(frozen=True, slots=True)
class Step:
    command: str
    """One shell command; a line that ends in a backslash goes on in the next."""
    printed: str
    """Standard output and error together, without the last line end."""


def parse(text: str) -> tuple[Step, ...]:
    """The steps of a transcript, comments (`# …` before the first command) apart."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return tuple(_step(part) for part in parts)


def _step(part: str) -> Step:
    lines = part.rstrip("\n").split("\n")
    count = 1
    while lines[count - 1].endswith("\\"):
        count += 1
    return Step("\n".join(lines[:count]), "\n".join(lines[count:]).rstrip())


def render(steps: Sequence[Step], between: str = "\n") -> str:
    """The transcript again, with a text between two steps."""
    return between.join(f"$ {step.command}\n" + (f"{step.printed}\n" if step.printed else "") for step in steps)


def run(step: Step, home: Path) -> tuple[int, Step]:
    """The status of a step's command in a clean world at `home`, and the step with what it printed now."""
    done = subprocess.run(
        ["sh", "-c", step.command],
        cwd=home,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, Step(step.command, done.stdout.replace(str(home), "~").rstrip())


def matches(expected: str, printed: str) -> bool:
    """Whether a text is what was expected, `…` filled in."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected.split("\n")
    )
    return re.fullmatch(pattern, printed + "\n") is not None
