"""python -m brain.eval.bench NAME: ratios within one run, as JSON and as a table.

Machines are noisy, so nothing here gives seconds alone: each figure stands beside a yardstick
that was measured in the same run, in turns with it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from brain.cli import output
from brain.errors import UsageError

ROUNDS = 25


def main(argv: Sequence[str]) -> int:
    """Run the benchmarks that are named; print one JSON object and a table."""
    if not argv or any(name not in BENCHMARKS for name in argv):
        raise UsageError("No benchmark was run.", f"python -m brain.eval.bench {' | '.join(BENCHMARKS)}")
    for name in argv:
        figures = BENCHMARKS[name]()
        output.emit({"benchmark": name, "python": sys.version.split()[0], **figures})
        output.say(output.table([(key, f"{value:.4g}") for key, value in figures.items()], ("figure", "value")))
    return 0


def index() -> dict[str, float]:
    """`brain index` as a whole process against a bare interpreter, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "brain"
        _brain(root)
        bare = [sys.executable, "-I", "-c", "pass"]
        ours = [sys.executable, "-m", "brain", "index", "--brain", str(root)]
        pairs = [(_seconds(bare), _seconds(ours)) for _ in range(ROUNDS)]
    return {
        "bare_ms": 1000 * statistics.median(a for a, _ in pairs),
        "index_ms": 1000 * statistics.median(b for _, b in pairs),
        "ratio_median": statistics.median(b / a for a, b in pairs),
        "ratio_best": min(b for _, b in pairs) / min(a for a, _ in pairs),
    }


def _brain(root: Path) -> None:
    """A brain made from the sample, dreamt once."""
    from brain.eval import demo

    demo.build(root, nights=1)


def _seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


BENCHMARKS: dict[str, Callable[[], dict[str, float]]] = {"index": index}


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UsageError as error:
        output.error(error.code, error.message, error.hint, as_json=False)
        sys.exit(error.exit_status)
