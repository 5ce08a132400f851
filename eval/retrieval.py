"""What search finds of the gold evidence, without any agent: recall@10 on raw sessions, by data set.

    python -m brain.eval.retrieval locomo locomo10.json --embedder use

A hit counts for the turns it cites. Evidence that a data set names by session is met by any turn of it; a question
asked in mid-history is answered from the sessions before it (the words of later ones count in how rare a word is).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean

import click

from brain import layout, transcript
from brain.cli import output
from brain.eval.datasets import dataset
from brain.eval.task import Sample, World
from brain.search import Hit, Question
from brain.search.corpus import TreeCorpus
from brain.search.rank import Searcher
from brain.tree import tree_of

K = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, and the share of its evidence among the hits."""

    world: str
    category: str
    recall: float


def folders(world: World) -> dict[str, str]:
    """Id of each session -> its folder; numbered, so that their order is that of time."""
    return {one.id: f"{layout.SESSIONS}/undated/{n:08x}" for n, one in enumerate(world.sessions)}


def recalls(world: World, embedder: str, home: Path, k: int = K) -> Iterator[Asked]:
    """Of every question that names evidence which exists."""
    placed = folders(world)
    files = {layout.transcript_path(placed[one.id]): transcript.render(one) for one in world.sessions}
    searcher = Searcher(home, TreeCorpus(tree_of(files)), embedder)
    for sample in world.samples:
        gold = gold_of(sample, placed)
        if gold:
            yield Asked(
                world.id, sample.category, _recall(searcher.find(_question(world, sample, placed, k)).hits, gold)
            )


def gold_of(sample: Sample, placed: Mapping[str, str]) -> frozenset[str]:
    """The sources of a sample's evidence; `placed` is session -> folder."""
    named = (source.partition("#") for source in sample.evidence)
    below = ((placed[session].removeprefix(f"{layout.MEMORY}/"), sharp + turn) for session, sharp, turn in named)
    return frozenset(folder + turn for folder, turn in below)


def _question(world: World, sample: Sample, placed: Mapping[str, str], k: int) -> Question:
    if sample.after is None:
        return Question(sample.question, k, now=sample.at)
    before = {layout.transcript_path(placed[one.id]) for one in world.sessions[: sample.after]}
    return Question(sample.question, k, now=sample.at, among=before.__contains__)


def _recall(hits: Sequence[Hit], gold: frozenset[str]) -> float:
    turns = {source for hit in hits for source in hit.evidence}
    return len(gold & (turns | {turn.partition("#")[0] for turn in turns})) / len(gold)


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """recall@10 in percent: of all questions, of each category, of each world."""
    given = {"all": 100 * fmean(one.recall for one in asked)}
    given |= {name: 100 * fmean(recalls) for name, recalls in _groups((one.category, one.recall) for one in asked)}
    return given | {name: 100 * fmean(recalls) for name, recalls in _groups((one.world, one.recall) for one in asked)}


def _groups(pairs: Iterable[tuple[str, float]]) -> Iterator[tuple[str, list[float]]]:
    found: dict[str, list[float]] = {}
    for name, recall in pairs:
        found.setdefault(name, []).append(recall)
    yield from found.items()


@click.command()
@click.argument("data")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--embedder", "embedders", multiple=True, default=("none", "use"), help="As in brain.toml; may repeat.")
@click.option("--limit", default=0, help="Only so many worlds.")
@click.option("--home", type=click.Path(path_type=Path), help="Keep the search tables here for the next time.")
def main(data: str, path: Path, embedders: tuple[str, ...], limit: int, home: Path | None) -> None:
    """Print recall@10 of the search, one column for each embedder, and the same as JSON."""
    worlds = list(islice(dataset(data).load(path), limit or None))
    with tempfile.TemporaryDirectory() as scratch:
        given = {name: figures(list(_all(worlds, name, home or Path(scratch)))) for name in embedders}
    rows = [(key, *(f"{given[name][key]:.1f}" for name in embedders)) for key in given[embedders[0]]]
    output.say(output.table(rows, ("recall@10", *embedders)))
    output.emit({"data": data, "recall_at_10": given})


def _all(worlds: Sequence[World], embedder: str, home: Path) -> Iterator[Asked]:
    for world in output.progress(worlds, len(worlds), embedder):
        yield from recalls(world, embedder, home / world.id / embedder)


if __name__ == "__main__":
    sys.exit(main())
