"""`brain index` as a whole process against a bare interpreter, in turns."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from brain.eval import demo
from brain.eval.bench.measuring import BARE, brain, run

ROUNDS = 25


def measure(scale: float) -> dict[str, float]:
    """Milliseconds and ratios; `scale` changes the number of rounds."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "brain"
        demo.build(root, nights=1)
        ours = brain("index", "--brain", str(root))
        pairs = [(run(BARE).seconds, run(ours).seconds) for _ in range(max(1, round(ROUNDS * scale)))]
    return {
        "bare_ms": 1000 * statistics.median(a for a, _ in pairs),
        "index_ms": 1000 * statistics.median(b for _, b in pairs),
        "ratio_median": statistics.median(b / a for a, b in pairs),
        "ratio_best": min(b for _, b in pairs) / min(a for a, _ in pairs),
    }
