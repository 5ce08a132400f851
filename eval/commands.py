"""brain eval: the paired ablation, and its report."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

import click

from brain.cli import output, world
from brain.errors import UsageError

if TYPE_CHECKING:
    from brain.eval.log import Plan, Run
    from brain.eval.summary import Summary
    from brain.eval.task import World

FILES = ("report.md", "report.json", "report.html")


class _Asked(TypedDict):
    """What both runs are told."""

    agent: str
    arms: str
    metric: str
    judge: str
    seed: int
    index_budget: int
    found_budget: int
    embedder: str
    nights: int
    jobs: int


F = TypeVar("F", bound=Callable[..., object])


def _run_options(command: F) -> F:
    """The options that every run has."""
    for option in reversed(
        (
            click.option("--into", metavar="RUN", required=True, type=click.Path(path_type=Path), help="Its folder."),
            click.option("--agent", default="reader", show_default=True, help="Who answers: reader, openai, command."),
            click.option(
                "--arms", default="off,on", show_default=True, help="The first is what others are held against."
            ),
            click.option("--metric", default="containment", show_default=True, help="The score that decides."),
            click.option("--judge", default="", metavar="MODEL", help="Who says whether answers are right."),
            click.option("--seed", default=0, show_default=True, help="Of the intervals."),
            click.option("--index-budget", default=6000, show_default=True, help="Characters of the first message."),
            click.option("--found-budget", default=4000, show_default=True, help="Characters of passages, a question."),
            click.option("--embedder", default="use", show_default=True, help="As in brain.toml; none: words alone."),
            click.option("--nights", default=12, show_default=True, help="Dreams in a world's history, at most."),
            click.option("--jobs", default=os.cpu_count() or 1, show_default="cores", help="Worlds at a time."),
            world.json_option,
        )
    ):
        command = option(command)
    return command


@click.group("eval")
def evaluate() -> None:
    """Measure what the memory is worth: the same questions with the wiki and without it.

    \b
    Example:
      brain eval run --data personas --agent reader --arms off,on --into run1
      brain eval report run1
    """


@evaluate.command()
@click.option("--data", required=True, help="personas (made here), locomo, realmem, beam or longmemeval.")
@click.option("--path", type=click.Path(path_type=Path), help="Where a data set lies that is not shipped.")
@click.option("--limit", default=0, help="Only so many worlds.")
@_run_options
def run(data: str, path: Path | None, limit: int, into: Path, as_json: bool, **asked: Unpack[_Asked]) -> None:
    """Ask every question under every arm. Stopped, it goes on where it was when it is called again.

    \b
    Example:
      brain eval run --data personas --into run1
      brain eval run --data locomo --path locomo10.json --metric evidence --into run2
    """
    from brain.eval.datasets import dataset

    plan = _plan(asked, data, path.name if path else "", limit)
    worlds = list(islice(dataset(data).load(path), limit or None))
    _ask(into, plan, worlds, asked["jobs"], as_json)


@evaluate.command("self")
@click.option(
    "--share", type=click.FloatRange(0.01, 0.9), default=0.2, show_default=True, help="Held out, of sessions."
)
@world.brain_option
@_run_options
def own(share: float, brain_path: str | None, into: Path, as_json: bool, **asked: Unpack[_Asked]) -> None:
    """Does my memory help me? Your newest sessions ask, a brain rebuilt from the older ones answers.

    Looked for are the rare names, numbers and identifiers that an answer had from older sessions. RUN then holds
    copies of your sessions: keep it as private as they are.

    \b
    Example:
      brain eval self --into my-memory
    """
    from brain.eval.datasets.own import world as own_world

    store = world.open_store(brain_path, write=False)
    settings = store.settings
    made = own_world(store.tree(), settings.person.name, settings.timezone, share)
    store.close()
    _ask(into, _plan(asked, "own", str(share), 0), [made], asked["jobs"], as_json)


@evaluate.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@world.json_option
def report(folder: Path, as_json: bool) -> None:
    """Write report.md, report.json and report.html into a run's folder.

    \b
    Example:
      brain eval report run1
    """
    from brain.eval.log import Run

    _report(Run.load(folder), as_json)


def _ask(into: Path, plan: Plan, worlds: Sequence[World], jobs: int, as_json: bool) -> None:
    from brain.eval import ablation
    from brain.eval.log import Run

    started = Run.start(into, plan)
    ablation.run(started, worlds, jobs, _watch, world.environment())
    _report(started, as_json)


def _watch(names: Iterable[str], total: int) -> Iterable[str]:
    return output.progress(names, total, "Asking")


def _report(run: Run, as_json: bool) -> None:
    from brain.eval import report as pages
    from brain.eval.summary import summarise
    from brain.files import replace

    summary = summarise(run)
    written = (pages.as_markdown(summary), pages.as_json(summary), pages.as_html(summary))
    for name, text in zip(FILES, written, strict=True):
        replace(run.folder / name, text.encode())
    if as_json:
        output.say(written[1])
        return
    output.say(pages.verdict(summary))
    _table(summary)
    output.say(f"The whole of it, with every question on which the arms disagree: {run.folder / FILES[2]}")


def _table(summary: Summary) -> None:
    from brain.eval.report import arm_table

    head, rows = arm_table(summary)
    output.say(output.table([tuple(row) for row in rows], tuple(head)))


def _plan(asked: _Asked, data: str, path: str, limit: int) -> Plan:
    from brain.eval import arms
    from brain.eval.agents.registry import agent
    from brain.eval.log import Plan
    from brain.eval.scorers import JUDGED, METRICS
    from brain.eval.task import UnknownName

    names = tuple(name.strip() for name in asked["arms"].split(",") if name.strip())
    for name in names:
        arms.named(name)
    if len(set(names)) != len(names) or not names:
        raise UsageError(f"--arms {asked['arms']} names an arm twice, or none; nothing was run.", "--arms off,on")
    if asked["metric"] not in METRICS:
        raise UnknownName.among("score", asked["metric"], METRICS)
    if asked["metric"] in JUDGED and not asked["judge"]:
        raise UsageError(f"The score {asked['metric']} needs a model; nothing was run.", "--judge MODEL")
    agent(asked["agent"], world.environment())
    return Plan(
        data=data,
        path=path,
        agent=asked["agent"],
        arms=names,
        metric=asked["metric"],
        seed=asked["seed"],
        index_budget=asked["index_budget"],
        found_budget=asked["found_budget"],
        embedder=asked["embedder"],
        dreamer="extractive",
        nights=asked["nights"],
        limit=limit,
        judge=asked["judge"],
        versions=_versions(),
        command=_command(sys.argv[1:]),
    )


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("brain-dream", "scipy", "statsmodels")} | {
        "python": sys.version.split()[0]
    }


def _command(arguments: Iterable[str]) -> str:
    import shlex

    return shlex.join(["brain", *arguments])
