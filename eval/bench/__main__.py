"""python -m brain.eval.bench NAME…: ratios within one run, as JSON and as a table.

Machines are noisy, so nothing here gives seconds alone: each figure stands beside a yardstick
that was measured in the same run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from brain.cli import output
from brain.eval.bench import dream, index, ingest, judge, mount, sandbox, search, validate

BENCHMARKS: Mapping[str, Callable[[float], dict[str, float]]] = {
    "dream": dream.measure,
    "index": index.measure,
    "ingest": ingest.measure,
    "mount": mount.measure,
    "sandbox": sandbox.measure,
    "search": search.measure,
    "validate": validate.measure,
}
ON_DATA: Mapping[str, Callable[[float, Path], dict[str, float]]] = {"judge": judge.measure}
"""Those that run over a published data set, which is not shipped."""


@click.command()
@click.argument("names", nargs=-1, required=True, type=click.Choice(sorted({*BENCHMARKS, *ON_DATA})), metavar="NAME...")
@click.option("--scale", default=1.0, show_default=True, help="Of the size or the rounds: 0.1 for a first look.")
@click.option(
    "--path", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="judge: the file locomo10.json."
)
def main(names: tuple[str, ...], scale: float, path: Path | None) -> None:
    """Run the benchmarks that are named; print one JSON object and a table for each."""
    for name in names:
        figures = _measured(name, scale, path)
        output.emit({"benchmark": name, "python": sys.version.split()[0], "scale": scale, **figures})
        output.say(output.table([(key, f"{value:.4g}") for key, value in figures.items()], ("figure", "value")))


def _measured(name: str, scale: float, path: Path | None) -> dict[str, float]:
    if name in BENCHMARKS:
        return BENCHMARKS[name](scale)
    if path is None:
        raise click.UsageError(f"{name} runs over a data set that is not shipped; give its file with --path")
    return ON_DATA[name](scale, path)


if __name__ == "__main__":
    main()
