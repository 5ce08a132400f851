"""Both arms, same samples, same everything else: the run.

Invariants: every sample is asked under every arm or under none that count; what was answered once is never asked
again; two runs of a deterministic agent give the same scores.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from time import monotonic
from types import MappingProxyType
from typing import Any

from brain.dream.dreamers import dreamer
from brain.eval import arms, judging, world
from brain.eval.agents import Agent, Answer, Budget, View
from brain.eval.agents.registry import agent
from brain.eval.arms import Arm
from brain.eval.judging import Judge
from brain.eval.log import Run
from brain.eval.scorers import scores
from brain.eval.task import Sample, World
from brain.eval.world import Built
from brain.files import make_folder
from brain.tree import Tree

_NONE: Mapping[str, str] = MappingProxyType({})
Watch = Callable[[Iterable[str], int], Iterable[str]]
"""Passes the names of finished worlds through, to show how far it is."""


def run(run: Run, worlds: Sequence[World], jobs: int, watch: Watch, environment: Mapping[str, str] = _NONE) -> None:
    """Ask what has not been answered yet, world by world, in so many processes; keys are in the environment."""
    open_ = [one for one in worlds if _missing(run, one)]
    for _ in watch(_finished(run, open_, jobs, environment), len(open_)):
        pass


def _finished(run: Run, worlds: Sequence[World], jobs: int, environment: Mapping[str, str]) -> Iterator[str]:
    if jobs <= 1:
        for one in worlds:
            yield _ask_as(run, one, environment)
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        given = dict(environment)
        futures = [pool.submit(_ask_as, run, one, given) for one in worlds]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _ask_as(run: Run, one: World, environment: Mapping[str, str]) -> str:
    return ask(run, one, agent(run.plan.agent, environment), judging.judge(run.plan.judge, environment))


def ask(run: Run, one: World, by: Agent, judge: Judge | None = None) -> str:
    """Everything that is still to be asked in one world; its name."""
    plan = run.plan
    asker = _Asker(run, one, by, judge, Budget(plan.index_budget, plan.found_budget))
    for sample, arm in _missing(run, one):
        run.add(one.id, asker.entry(sample, arm))
    asker.close()
    return one.id


def _missing(run: Run, one: World) -> list[tuple[Sample, Arm]]:
    """In the order of time, so that a search table only grows."""
    done = {(entry["sample"], entry["arm"]) for entry in run.entries(one.id)}
    samples = sorted(one.samples, key=lambda sample: (_after(one, sample), sample.id))
    return [(s, arms.named(name)) for name in run.plan.arms for s in samples if (s.id, name) not in done]


def _after(one: World, sample: Sample) -> int:
    return len(one.sessions) if sample.after is None else sample.after


@dataclass(frozen=True, slots=True)
class _Seen:
    """The last view that was made, since the next question most often has the same."""

    key: tuple[int, str]
    tree: Tree
    first_message: str


class _Asker:
    """One world's brain, and an agent before it."""

    def __init__(self, run: Run, one: World, agent: Agent, judge: Judge | None, budget: Budget) -> None:
        self._run = run
        self._world = one
        self._agent = agent
        self._judge = judge
        self._budget = budget
        self._built: Built = world.built(one, run.brain(one.id), dreamer(run.plan.dreamer), run.plan.nights)
        self._last: _Seen | None = None

    def close(self) -> None:
        self._built.store.close()

    def entry(self, sample: Sample, arm: Arm) -> dict[str, Any]:
        """Ask, score, and what the log keeps of it."""
        gold = self._gold(sample)
        seen = self._seen(_after(self._world, sample), arm)
        home = self._built.store.local("eval", arm.name)
        make_folder(home)
        shown = gold if arm.finds == "gold" else frozenset()
        given = View(seen.tree, arm, seen.first_message, shown, home, self._run.plan.embedder)
        start = monotonic()
        answer = self._agent.answer(sample.question, sample.at, given, self._budget)
        entry = _entry(self._world, sample, arm, gold, answer, monotonic() - start)
        if self._judge:
            entry["scores"] |= self._judge.scores(sample, answer)
            entry["extra"] = {**entry.get("extra", {}), **self._judge.about}
        return entry

    def _gold(self, sample: Sample) -> frozenset[str]:
        """The evidence as citations name it; what no session of the world holds stays as it is, and is never found."""
        folders = self._built.folders
        named = (source.partition("#") for source in sample.evidence)
        return frozenset(f"{folders.get(session, session)}{sharp}{turn}" for session, sharp, turn in named)

    def _seen(self, after: int, arm: Arm) -> _Seen:
        key = (after, arm.name)
        if self._last is None or self._last.key != key:
            tree = arms.view(self._built.store.tree(self._built.commits[after]), arm, self._budget.index)
            self._last = _Seen(key, tree, arms.first_message(tree, arm, self._budget.index))
        return self._last


def _entry(
    one: World, sample: Sample, arm: Arm, gold: frozenset[str], answer: Answer, seconds: float
) -> dict[str, Any]:
    return {
        "world": one.id,
        "sample": sample.id,
        "arm": arm.name,
        "category": sample.category,
        "cluster": sample.cluster or one.id,
        "distance": sample.distance,
        "tags": sorted(sample.tags),
        "question": sample.question,
        "answers": list(sample.answers),
        "stale": list(sample.stale),
        "gold": sorted(gold),
        "answer": answer.text,
        "abstained": answer.abstained,
        "shown": [
            {"place": shown.place, "text": shown.text, "evidence": list(shown.evidence), "past": shown.past}
            for shown in answer.shown
            if shown.place
        ],
        "characters": sum(len(shown.text) for shown in answer.shown),
        "scores": scores(sample, answer, gold),
        "cost": {**asdict(answer.cost), "seconds": round(seconds, 4)},
        **({"extra": dict(answer.extra)} if answer.extra else {}),
    }
