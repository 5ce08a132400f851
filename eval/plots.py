"""Pictures of a report, as SVG text. The same summary gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from brain.eval.stats import Paired
from brain.eval.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = (7.2, 0.42)
"""Inches: the width, and the height of one line."""
_GREY, _BLUE, _RED = "#767676", "#1f5fa8", "#b03a2e"


def differences(title: str, rows: Sequence[tuple[str, Paired]]) -> str:
    """One line a category: the difference in points, its interval, and zero."""
    figure, axes = _figure(max(3, len(rows) + 1))
    for n, (_, result) in enumerate(rows):
        low = result.low if result.low is not None else result.difference
        high = result.high if result.high is not None else result.difference
        colour = _BLUE if low > 0 else _RED if high < 0 else _GREY
        axes.plot([100 * low, 100 * high], [n, n], color=colour, linewidth=2, solid_capstyle="butt")
        axes.plot([100 * result.difference], [n], "o", color=colour, markersize=6)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), [f"{name} ({result.pairs})" for name, result in rows])
    axes.invert_yaxis()
    axes.set_xlabel("difference in points, with its 95% interval")
    axes.set_title(title, loc="left", fontsize=10)
    return _svg(figure)


def cost(summary: Summary) -> str:
    """What an arm puts before the agent against what it gets."""
    figure, axes = _figure(7)
    metric = summary.plan.metric
    for arm in summary.arms:
        axes.plot([arm.characters], [100 * arm.means.get(metric, 0.0)], "o", color=_BLUE)
        axes.annotate(arm.arm, (arm.characters, 100 * arm.means.get(metric, 0.0)), (6, 4), textcoords="offset points")
    axes.set_xlabel("characters before the agent, a question")
    axes.set_ylabel(f"{metric}, %")
    axes.set_title("Cost against correctness", loc="left", fontsize=10)
    axes.margins(0.2)
    return _svg(figure)


def distance(summary: Summary) -> str:
    """Evidence recall by sessions between what was said and the question; "" where no distance is known."""
    if not any(summary.by_distance.values()):
        return ""
    figure, axes = _figure(7)
    for n, (arm, means) in enumerate(summary.by_distance.items()):
        axes.plot(
            list(means), [100 * mean for mean in means.values()], "o-", color=(_GREY, _BLUE, _RED)[n % 3], label=arm
        )
    axes.set_xlabel("sessions between the evidence and the question")
    axes.set_ylabel("evidence recall, %")
    axes.set_ylim(0, 102)
    axes.set_title("Evidence recall by distance", loc="left", fontsize=10)
    axes.legend(frameon=False)
    return _svg(figure)


def _figure(lines: int) -> tuple[Any, Axes]:
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_SIZE[0], _SIZE[1] * lines + 0.6), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _svg(figure: Any) -> str:
    import matplotlib

    out = io.StringIO()
    # Ids and the date would differ from run to run. Text stays text: it can be searched, and read aloud.
    with matplotlib.rc_context({"svg.hashsalt": "brain", "svg.fonttype": "none"}):
        figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = out.getvalue()
    return text[text.index("<svg") :]
