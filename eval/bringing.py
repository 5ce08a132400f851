"""How much of the gold evidence one `recall --into` lays down, against what a search finds: all worlds in one memory.

    python -m brain.eval.bringing locomo locomo10.json --embedder use --budget 100000

Held is a turn whose transcript was brought; found is one that the ten best hits cite. A question asked in mid-history
sees the later sessions too, in both.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import click

from brain import layout, transcript
from brain.cli import output
from brain.eval.datasets import dataset
from brain.eval.retrieval import gold_of
from brain.eval.task import World
from brain.sandbox.memory_agent import bring
from brain.sandbox.planning import BUDGET, Need
from brain.search import Question, Searcher
from brain.search.corpus import TreeCorpus
from brain.tree import Tree, tree_of


@dataclass(frozen=True, slots=True)
class Joined:
    """The sessions of all worlds in one tree, and every question that names evidence in it."""

    tree: Tree
    asked: tuple[tuple[str, frozenset[str]], ...]


def join(worlds: Sequence[World]) -> Joined:
    files: dict[str, str] = {}
    asked = []
    for number, world in enumerate(worlds):
        placed = {one.id: f"{layout.SESSIONS}/undated/{number:04x}{n:04x}" for n, one in enumerate(world.sessions)}
        files |= {layout.transcript_path(placed[one.id]): transcript.render(one) for one in world.sessions}
        asked += [(sample.question, found) for sample in world.samples if (found := gold_of(sample, placed))]
    return Joined(tree_of(files), tuple(asked))


def measure(joined: Joined, searcher: Searcher, budgets: Sequence[int], limit: int) -> dict[str, float]:
    """Shares of the evidence; `limit` questions, drawn with a fixed seed."""
    asked = random.Random(1).sample(joined.asked, min(limit, len(joined.asked)))  # noqa: S311 - a sample, no secret
    found = [_found(searcher, text, wanted) for text, wanted in asked]
    size = sum(len(joined.tree.text(path)) for path in joined.tree.paths)
    figures = {"questions": float(len(asked)), "characters": float(size), "found": fmean(found)}
    for budget in budgets:
        held = [_held(joined.tree, searcher, Need(text, budget), wanted) for text, wanted in asked]
        figures[f"held_{budget}"] = fmean(share for share, _ in held)
        figures[f"brought_share_{budget}"] = fmean(brought for _, brought in held) / size
    return figures


def _found(searcher: Searcher, text: str, wanted: frozenset[str]) -> float:
    cited = {source for hit in searcher.find(Question(text)).hits for source in hit.evidence}
    return len(wanted & (cited | {source.partition("#")[0] for source in cited})) / len(wanted)


def _held(tree: Tree, searcher: Searcher, need: Need, wanted: frozenset[str]) -> tuple[float, int]:
    places = bring(tree, searcher, need).places
    folders = {layout.session_of(place.path) for place in places}
    held = sum(f"{layout.MEMORY}/{source.partition('#')[0]}" in folders for source in wanted)
    return held / len(wanted), sum(place.size for place in places)


@click.command()
@click.argument("data")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--embedder", default="use", show_default=True)
@click.option("--budget", "budgets", type=int, multiple=True, default=(BUDGET,), show_default=True)
@click.option("--limit", default=200, show_default=True, help="Questions.")
def main(data: str, path: Path, embedder: str, budgets: tuple[int, ...], limit: int) -> None:
    """Print one JSON object."""
    joined = join(list(dataset(data).load(path)))
    with tempfile.TemporaryDirectory() as home:
        searcher = Searcher(Path(home), TreeCorpus(joined.tree), embedder)
        output.emit(measure(joined, searcher, budgets, limit))


if __name__ == "__main__":
    main()
