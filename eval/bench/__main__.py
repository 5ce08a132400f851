"""python -m brain.eval.bench NAME…: ratios within one run, as JSON and as a table.

Machines are noisy, so nothing here gives seconds alone: each figure stands beside a yardstick
that was measured in the same run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

import click

from brain.cli import output
from brain.eval.bench import index, ingest, sandbox

BENCHMARKS: Mapping[str, Callable[[float], dict[str, float]]] = {
    "index": index.measure,
    "ingest": ingest.measure,
    "sandbox": sandbox.measure,
}


@click.command()
@click.argument("names", nargs=-1, required=True, type=click.Choice(sorted(BENCHMARKS)), metavar="NAME...")
@click.option("--scale", default=1.0, show_default=True, help="Of the size or the rounds: 0.1 for a first look.")
def main(names: tuple[str, ...], scale: float) -> None:
    """Run the benchmarks that are named; print one JSON object and a table for each."""
    for name in names:
        figures = BENCHMARKS[name](scale)
        output.emit({"benchmark": name, "python": sys.version.split()[0], "scale": scale, **figures})
        output.say(output.table([(key, f"{value:.4g}") for key, value in figures.items()], ("figure", "value")))


if __name__ == "__main__":
    main()
