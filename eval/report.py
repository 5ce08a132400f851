"""A summary as Markdown, as JSON, and as one page that needs nothing beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from urllib.parse import quote

from brain.eval import plots, stats
from brain.eval.stats import Paired
from brain.eval.summary import Both, Compared, Entry, Summary

SHOWN = 200
"""Disagreements on the page; all of them stand in the answers of the run."""

Table = tuple[Sequence[str], Sequence[Sequence[str]]]
"""Head and rows."""


def as_json(summary: Summary) -> str:
    """Stable keys; the disagreements by the names of their samples."""
    given = {
        "format": 1,
        "plan": asdict(summary.plan),
        "worlds": summary.worlds,
        "samples": summary.samples,
        "incomplete": summary.incomplete,
        "arms": [asdict(arm) for arm in summary.arms],
        "compared": {arm: [_compared(one) for one in compared] for arm, compared in summary.compared.items()},
        "by_distance": summary.by_distance,
        "disagreements": [[off["world"], off["sample"]] for off, _ in summary.disagreements],
    }
    return json.dumps(given, ensure_ascii=False, indent=1) + "\n"


def _compared(one: Compared) -> Mapping[str, object]:
    return {
        "metric": one.metric,
        "unscored": one.unscored,
        "all": stats.as_json(one.all),
        "without_label_errors": stats.as_json(one.clean) if one.clean else None,
        "by_category": {name: stats.as_json(result) for name, result in one.by_category.items()},
    }


# --- what both pages say --------------------------------------------------------------


def verdict(summary: Summary) -> str:
    """The one sentence; a null is said as plainly as a win."""
    if not summary.compared:
        return "One arm alone was run; there is nothing to compare."
    arm, compared = next(iter(summary.compared.items()))
    if not compared or compared[0].metric != summary.plan.metric:
        return f"No sample could be scored by {summary.plan.metric}."
    result, first = compared[0].all, summary.plan.arms[0]
    said = f"{arm} {100 * result.on:.1f}% against {first} {100 * result.off:.1f}% by {summary.plan.metric}"
    if result.low is None or result.high is None:
        return f"{said}: one cluster alone, so nothing can be said of others."
    if result.only_off == result.only_on == 0 and result.low == result.high == 0:
        return f"{said}: no sample scored differently."
    span = f"{_points(result.difference)} points, 95% interval {_points(result.low)} to {_points(result.high)}"
    if result.low > 0:
        return f"{said}: {arm} is better ({span})."
    if result.high < 0:
        return f"{said}: {arm} is worse ({span})."
    found = f"; a difference below {100 * (result.detectable or 0):.1f} points would most likely not be seen"
    return f"{said}: no difference was found ({span}{found})."


def arm_table(summary: Summary) -> Table:
    metrics = list(dict.fromkeys(metric for arm in summary.arms for metric in arm.means))
    head = ("arm", *(f"{metric} %" for metric in metrics), "characters", "calls", "tokens", "dollars", "seconds")
    rows = [
        (
            arm.arm,
            *(f"{100 * arm.means[metric]:.1f}" if metric in arm.means else "–" for metric in metrics),
            f"{arm.characters:.0f}",
            f"{arm.tool_calls:.1f}",
            f"{arm.tokens:.0f}",
            f"{arm.money:.2f}",
            f"{arm.seconds:.2f}",
        )
        for arm in summary.arms
    ]
    return head, rows


_HEAD = ("", "n", "clusters", "{first}", "{other}", "difference", "95% interval", "p", "p (Holm)",
         "only {first} : only {other}", "p (McNemar)", "detectable")  # fmt: skip


def _lines(one: Compared, first: str, other: str) -> Table:
    rows = [_line("all", one.all), *(_line(name, result) for name, result in one.by_category.items())]
    if one.clean:
        rows.insert(1, _line("without known label errors", one.clean))
    return tuple(cell.format(first=first, other=other) for cell in _HEAD), rows


def _line(name: str, result: Paired) -> Sequence[str]:
    interval = "–"
    if result.low is not None and result.high is not None:
        interval = f"{_points(result.low)} to {_points(result.high)} ({result.how})"
    return (
        name,
        str(result.pairs),
        str(result.clusters),
        f"{100 * result.off:.1f}",
        f"{100 * result.on:.1f}",
        _points(result.difference),
        interval,
        _p(result.p),
        _p(result.p_adjusted),
        f"{result.only_off} : {result.only_on}",
        _p(result.p_mcnemar),
        "–" if result.detectable is None else f"{100 * result.detectable:.1f}",
    )


def _points(share: float) -> str:
    points = f"{100 * share:+.1f}"
    return "0.0" if points in ("+0.0", "-0.0") else points


def _p(p: float | None) -> str:
    return "–" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def _how(summary: Summary) -> Iterator[str]:
    plan = summary.plan
    yield f"`{plan.command}`"
    yield ", ".join(f"{name} {version}" for name, version in plan.versions.items())
    yield f"{summary.samples} samples of {summary.worlds} worlds; {summary.incomplete} more not asked under every arm"
    yield (
        f"agent {plan.agent}, dreamer {plan.dreamer} in at most {plan.nights} nights, embedder {plan.embedder}, "
        f"{plan.index_budget} characters of index and {plan.found_budget} of passages, seed {plan.seed}"
    )
    yield f"fixed before the run: arms {', '.join(plan.arms)}, by {plan.metric}; other scores are looked at besides"


NOTES = (
    "Intervals and p values resample clusters (worlds, sessions), not questions; below 20: cluster-robust t.",
    "“p (Holm)” pays for looking at several categories; “detectable” is the true difference found four times in five.",
    "McNemar's test takes questions as independent, so it is the weaker witness.",
)


# --- Markdown --------------------------------------------------------------------------


def as_markdown(summary: Summary) -> str:
    parts = [f"# {summary.plan.data}: what the memory is worth", verdict(summary)]
    parts.append("\n".join(f"- {line}" for line in _how(summary)))
    parts += ["## Arms", _markdown_table(arm_table(summary))]
    for arm, compared in summary.compared.items():
        for one in compared:
            unscored = f" ({one.unscored} samples unscored)" if one.unscored else ""
            title = f"## {arm} against {summary.plan.arms[0]}, {one.metric}{unscored}"
            parts += [title, _markdown_table(_lines(one, summary.plan.arms[0], arm))]
    parts.append("\n".join(f"- {note}" for note in NOTES))
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    head, rows = table
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


# --- one page --------------------------------------------------------------------------

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; color: #222 }}
h1 {{ font-size: 1.5rem }} h2 {{ font-size: 1.15rem; margin-top: 2.2rem }}
.verdict {{ font-size: 1.15rem; border-left: 4px solid #1f5fa8; padding: .3rem .9rem; background: #f3f6fa }}
.wide {{ overflow-x: auto }} table {{ border-collapse: collapse; font-size: .86rem; white-space: nowrap }}
th, td {{ padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #ddd }}
th:first-child, td:first-child {{ text-align: left }}
svg {{ max-width: 100%; height: auto }} code {{ background: #f2f2f2; padding: 0 .25rem; white-space: pre-wrap }}
details {{ border-top: 1px solid #ddd; padding: .4rem 0 }} summary {{ cursor: pointer }}
.two {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem }} .two p {{ margin: .4rem 0; font-size: .86rem }}
.right {{ background: #e3f3e3 }} .old {{ background: #fbe7d3 }} .muted {{ color: #666 }}
</style>
{body}
</html>
"""


def as_html(summary: Summary) -> str:
    """One self-contained page; its links lead to the brains beside it in the run's folder."""
    title = f"{summary.plan.data}: what the memory is worth"
    body = "\n".join(_body(summary, title))
    return _PAGE.format(title=escape(title), body=body)


def _body(summary: Summary, title: str) -> Iterator[str]:
    yield f"<h1>{escape(title)}</h1>"
    yield f'<p class="verdict">{escape(verdict(summary))}</p>'
    for arm, compared in summary.compared.items():
        if compared:
            named = f"{compared[0].metric}: {arm} against {summary.plan.arms[0]}"
            yield plots.differences(named, [("all", compared[0].all), *compared[0].by_category.items()])
    yield plots.cost(summary)
    yield plots.distance(summary)
    yield f"<h2>Arms</h2>{_html_table(arm_table(summary))}"
    for arm, compared in summary.compared.items():
        for one in compared:
            unscored = f" ({one.unscored} samples unscored)" if one.unscored else ""
            named = f"{arm} against {summary.plan.arms[0]}, {one.metric}{unscored}"
            yield f"<h2>{escape(named)}</h2>{_html_table(_lines(one, summary.plan.arms[0], arm))}"
    yield "".join(f'<p class="muted">{escape(note)}</p>' for note in NOTES)
    yield "<h2>How</h2><ul>" + "".join(f"<li>{_code(line)}</li>" for line in _how(summary)) + "</ul>"
    yield from _disagreements(summary.disagreements)


def _code(line: str) -> str:
    return f"<code>{escape(line.strip('`'))}</code>" if line.startswith("`") else escape(line)


def _html_table(table: Table) -> str:
    head, rows = table
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{cells}</tr>{lines}</table></div>'


def _disagreements(found: Sequence[Both]) -> Iterator[str]:
    left = f", the first {SHOWN} of them here" if len(found) > SHOWN else ""
    yield f"<h2>Where the arms disagree ({len(found)}{left})</h2>"
    for off, on in found[:SHOWN]:
        named = f"{off['world']} · {off['category']} · {off['question']}"
        gold = "; ".join(off["answers"]) or "not in the memory"
        stale = f" · once: {'; '.join(off['stale'])}" if off["stale"] else ""
        yield (
            f"<details><summary>{escape(named)}</summary><p>right: {escape(gold)}{escape(stale)}<br>"
            f"evidence: {_places(off, off['gold'])}</p>"
            f'<div class="two">{_side(off)}{_side(on)}</div></details>'
        )


def _side(entry: Entry) -> str:
    scored = ", ".join(f"{name} {score:.2f}" for name, score in entry["scores"].items() if score is not None)
    said = f"<p>{escape(entry['answer'])}</p>" if entry["answer"] else ""
    passages = "".join(_passage(entry, shown) for shown in entry["shown"][:12])
    return f"<div><b>{escape(entry['arm'])}</b> <span class='muted'>{escape(scored)}</span>{said}{passages}</div>"


def _passage(entry: Entry, shown: Mapping[str, str]) -> str:
    kind = "right" if _has(shown["text"], entry["answers"]) else "old" if _has(shown["text"], entry["stale"]) else ""
    return f'<p class="{kind}">{_places(entry, [shown["place"]])}<br>{escape(shown["text"])}</p>'


def _has(text: str, answers: Iterable[str]) -> bool:
    from brain.eval.scorers import normalised

    return any(normalised(answer) in normalised(text) for answer in answers if normalised(answer).strip())


def _places(entry: Entry, places: Iterable[str]) -> str:
    return " ".join(f'<a href="{escape(_link(entry, place))}">{escape(place)}</a>' for place in places)


def _link(entry: Entry, place: str) -> str:
    path, _, _ = place.partition("#")
    if path.startswith("sessions/"):
        path = f"memory/{path}/transcript.md"
    return quote(f"worlds/{entry['world']}/{path}")
