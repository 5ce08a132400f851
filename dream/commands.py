"""brain dream and brain log."""

from __future__ import annotations

import time
from datetime import datetime

import click

from brain.cli import output, world
from brain.dream.result import DreamResult, DreamStatus

_SHOWN = 5
"""Findings, left-outs and the like that are printed of each sort; the report has all."""


@click.command()
@world.brain_option
@click.option("--dreamer", metavar="NAME", help="Who fills the plan; else dream.dreamer of brain.toml.")
@click.option("--dry-run", is_flag=True, help="Go as far as the gate, print the report, change nothing.")
@world.now_option
@world.json_option
def dream(brain_path: str | None, dreamer: str | None, dry_run: bool, now: datetime, as_json: bool) -> None:
    """Turn new sessions into better notes and pages.

    One commit or none: what the gate does not let through is left out, and said.

    \b
    Example:
      brain dream
      brain dream --dry-run
    """
    from brain.dream import run
    from brain.dream.dreamers import dreamer as named

    started = time.monotonic()
    store = world.open_store(brain_path, write=True)
    options = run.Options(now, named(dreamer or store.settings.dream.dreamer), dry_run)
    result = run.dream(store, options)
    store.close()
    if as_json:
        output.emit(result.as_json(time.monotonic() - started))
    else:
        _tell(result, dry_run)
    if result.status is DreamStatus.REJECTED:
        raise click.exceptions.Exit(1)


def _tell(result: DreamResult, dry_run: bool) -> None:
    for line in result.notes:
        output.note(line)
    match result.status:
        case DreamStatus.SYNCED:
            output.say(f"{result.subject}.\nReport: dreams/{result.run}.md · commit {(result.commit or '')[:12]}")
        case DreamStatus.NO_CHANGE:
            output.say("Nothing new to dream of." if not result.sessions else "Nothing changed.")
        case DreamStatus.PROPOSED:
            output.say(result.report if dry_run else f"{result.subject}.\nProposed, not synced.")
        case DreamStatus.REJECTED:
            output.say(f"The gate rejected this dream ({len(result.findings)} findings); main is as it was.")
    _some("left out", [f"{name}: {one.why}" for one in result.dropped for name in [type(one.operation).__name__]])
    _some("skipped", [f"{one.path}: {one.why}" for one in result.skipped])
    _some("found", [str(finding) for finding in result.findings])


def _some(what: str, lines: list[str]) -> None:
    for line in lines[:_SHOWN]:
        output.note(f"{what}: {line}")
    if len(lines) > _SHOWN:
        output.note(f"{what}: … and {len(lines) - _SHOWN} more")


@click.command()
@world.brain_option
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many nights to list.")
@world.json_option
def log(brain_path: str | None, limit: int, as_json: bool) -> None:
    """List the nights and what each one changed, the newest first.

    \b
    Example:
      brain log
      brain log --limit 3 --json
    """
    from brain.dream import nights

    store = world.open_store(brain_path, write=False)
    found = nights.nights(store, limit)
    store.close()
    if as_json:
        output.emit({"nights": [night.as_json() for night in found]})
        return
    for night in found:
        output.say(
            f"{night.time}  {night.subject}  ({night.dreamer}, {night.commit[:12]}, {night.report or 'no report'})"
        )
    if not found:
        output.say("No dream has changed anything yet. Try: brain dream")
