"""A run -> what it says: differences with their intervals, costs, evidence by distance, where the arms disagree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from brain.eval.log import Plan, Run
from brain.eval.scorers import METRICS
from brain.eval.stats import Pair, Paired, by_category, paired
from brain.eval.task import LABEL_ERROR

DISTANCES = ((0, 0), (1, 4), (5, 14), (15, 29), (30, 10**9))
"""Sessions between the evidence and the question."""

Entry = Mapping[str, Any]
Both = tuple[Entry, Entry]
"""One sample under the first arm, and under another."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One score, of one arm against the first."""

    metric: str
    all: Paired
    by_category: Mapping[str, Paired]
    clean: Paired | None
    """Without the samples whose gold is known to be wrong; None: there are none."""
    unscored: int
    """Samples of which this score says nothing."""


@dataclass(frozen=True, slots=True)
class ArmSummary:
    """What an arm got and what it cost, over all samples."""

    arm: str
    samples: int
    means: Mapping[str, float]
    """By score, of the samples that it scores."""
    characters: float
    """Before the agent, a question; the next ones too."""
    tool_calls: float
    tokens: float
    money: float
    """Dollars for the whole arm."""
    seconds: float


@dataclass(frozen=True, slots=True)
class Summary:
    plan: Plan
    worlds: int
    samples: int
    incomplete: int
    """Samples that were not asked under every arm; they are in no figure."""
    arms: tuple[ArmSummary, ...]
    compared: Mapping[str, tuple[Compared, ...]]
    """Arm -> each score against the first arm, the deciding one first."""
    by_distance: Mapping[str, Mapping[str, float]]
    """Arm -> how far the evidence lies -> mean evidence recall."""
    disagreements: tuple[Both, ...]
    """By the deciding score, first arm against the second."""


def summarise(run: Run) -> Summary:
    """Everything a report shows."""
    plan = run.plan
    asked = _by_sample(run.all_entries())
    whole = {key: arms for key, arms in asked.items() if set(plan.arms) <= set(arms)}
    first, others = plan.arms[0], plan.arms[1:]
    metrics = [plan.metric, *(name for name in METRICS if name != plan.metric)]
    pairs = {other: [(arms[first], arms[other]) for arms in whole.values()] for other in others}
    return Summary(
        plan=plan,
        worlds=len({world for world, _ in whole}),
        samples=len(whole),
        incomplete=len(asked) - len(whole),
        arms=tuple(_arm(name, [arms[name] for arms in whole.values()]) for name in plan.arms),
        compared={other: _compared(pairs[other], metrics, plan.seed) for other in others},
        by_distance={name: _by_distance([arms[name] for arms in whole.values()]) for name in plan.arms},
        disagreements=tuple(both for both in pairs[others[0]] if _differ(both, plan.metric)) if others else (),
    )


def _by_sample(entries: Iterable[Entry]) -> dict[tuple[str, str], dict[str, Entry]]:
    found: dict[tuple[str, str], dict[str, Entry]] = {}
    for entry in entries:
        found.setdefault((entry["world"], entry["sample"]), {})[entry["arm"]] = entry
    return found


def _compared(pairs: Sequence[Both], metrics: Iterable[str], seed: int) -> tuple[Compared, ...]:
    found = []
    for metric in metrics:
        scored = [both for both in pairs if all(one["scores"].get(metric) is not None for one in both)]
        result = paired([_pair(both, metric) for both in scored], seed)
        if result is None:
            continue
        clean = [both for both in scored if LABEL_ERROR not in both[0]["tags"]]
        found.append(
            Compared(
                metric,
                result,
                by_category([_pair(both, metric) for both in scored], seed),
                paired([_pair(both, metric) for both in clean], seed) if len(clean) < len(scored) else None,
                len(pairs) - len(scored),
            )
        )
    return tuple(found)


def _pair(both: Both, metric: str) -> Pair:
    off, on = both
    return Pair(off["cluster"], off["category"], off["scores"][metric], on["scores"][metric])


def _arm(name: str, entries: Sequence[Entry]) -> ArmSummary:
    costs = [entry["cost"] for entry in entries]
    return ArmSummary(
        arm=name,
        samples=len(entries),
        means={metric: mean for metric in METRICS if (mean := _mean_score(entries, metric)) is not None},
        characters=_mean([entry["characters"] for entry in entries]),
        tool_calls=_mean([cost["tool_calls"] for cost in costs]),
        tokens=_mean([cost["tokens_in"] + cost["tokens_out"] for cost in costs]),
        money=math.fsum(cost["money"] for cost in costs),
        seconds=_mean([cost["seconds"] for cost in costs]),
    )


def _mean_score(entries: Iterable[Entry], metric: str) -> float | None:
    scored = [score for entry in entries if (score := entry["scores"].get(metric)) is not None]
    return _mean(scored) if scored else None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def _by_distance(entries: Sequence[Entry]) -> dict[str, float]:
    found = {}
    for low, high in DISTANCES:
        near = [e for e in entries if e["distance"] is not None and low <= e["distance"] <= high]
        mean = _mean_score(near, "evidence")
        if mean is not None:
            found[f"{low}+" if high > 10**6 else f"{low}" if low == high else f"{low}–{high}"] = mean
    return found


def _differ(both: Both, metric: str) -> bool:
    off, on = (one["scores"].get(metric) for one in both)
    return off is not None and on is not None and off != on
