"""brain ingest: take transcripts in as evidence."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from brain import index, layout
from brain.cli import output, world
from brain.ingest import IngestResult, Input, NoSource, Options
from brain.ingest import ingest as take_in
from brain.ingest.finding import places
from brain.tree import Tree


def _parse_since(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day such as 2026-11-29") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


SHOWN = 20
"""Lines about what was left out."""


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@world.brain_option
@click.option("--agent", metavar="NAME", help="Only sessions of this agent, such as claude-code.")
@click.option("--project", metavar="NAME", help="Only sessions of this project.")
@click.option("--since", metavar="DAY", callback=_parse_since, help="Only sessions that were going on then or later.")
@click.option("--exclude", metavar="GLOB", multiple=True, help="Leave such paths and projects out; see brain.toml too.")
@click.option("--dry-run", is_flag=True, help="Say what would come in, and write nothing.")
@world.now_option
@world.json_option
def ingest(
    *,
    paths: tuple[str, ...],
    brain_path: str | None,
    agent: str | None,
    project: str | None,
    since: datetime | None,
    exclude: tuple[str, ...],
    dry_run: bool,
    now: datetime,
    as_json: bool,
) -> None:
    """Take transcripts in as evidence: files, folders, zip archives, or - for standard input.

    Without a PATH: what the agents of this machine have written. The format is known by what a file holds. The
    same file again, or grown, is the same session; secrets are taken out before anything is written. A session
    in which the person wrote #incognito on a line of its own is left out.

    \b
    Example:
      brain ingest
      brain ingest ~/.claude/projects --since 2026-11-01
      brain ingest chat.md export.zip --dry-run
    """
    store = world.open_store(brain_path, write=not dry_run)
    budget = store.settings.index.budget

    def maps(tree: Tree) -> dict[str, bytes]:
        return index.files(tree, budget)

    sources = [Input("-", None, sys.stdin.buffer.read()) if path == "-" else path for path in paths or _found(agent)]
    options = Options(agent, project, since, exclude, dry_run, jobs=os.cpu_count() or 1)
    result = take_in(store, sources, now=now, options=options, maps=maps, watch=_watch)
    for line in store.notes:
        output.note(line)
    if as_json:
        output.emit(_json(result))
    else:
        output.say(_told(result, dry_run))


def _found(agent: str | None) -> list[str]:
    """What the agents of this machine keep, said aloud. Raises: NoSource."""
    home = Path(os.environ.get("HOME") or Path.home())
    found = [place for place in places(os.environ, home) if agent in (None, place.agent)]
    if not found:
        whose = f"of {agent}" if agent else "of any agent"
        raise NoSource(f"Nothing was taken in: no transcripts {whose} were found on this machine.", "brain ingest PATH")
    for place in found:
        output.note(f"Found {place.agent}: {place.path}")
    return [str(place.path) for place in found]


def _watch(inputs: Sequence[Input]) -> Iterable[Input]:
    return output.progress(inputs, len(inputs), "ingest")


def _json(result: IngestResult) -> dict[str, object]:
    return {
        "sessions": [
            {
                "id": taken.known.id,
                "path": layout.transcript_path(taken.known.folder),
                "turns": taken.known.turns,
                "new_turns": taken.new_turns,
                "started": taken.known.started,
                "ended": taken.known.ended,
            }
            for taken in result.sessions
        ],
        "skipped": [{"source": one.source, "line": one.line, "why": one.why} for one in result.skipped],
    }


def _told(result: IngestResult, dry_run: bool) -> str:
    """A line for each format, then what was left out, then what to do next."""
    rows = []
    for name in sorted({taken.format for taken in result.sessions}):
        taken = [one for one in result.sessions if one.format == name]
        new, grown = sum(one.is_new for one in taken), sum(one.has_changed and not one.is_new for one in taken)
        turns = sum(one.new_turns for one in taken)
        rows.append((name, str(new), str(grown), str(len(taken) - new - grown), str(turns)))
    told = [output.table(rows, ("format", "new", "grown", "unchanged", "new turns"))] if rows else ["No sessions."]
    if result.secrets:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(result.secrets.items()))
        told.append(f"Secrets taken out: {kinds}.")
    told += _left_out(result)
    if dry_run:
        told.append("Dry run: nothing was written.")
    elif result.commits:
        told.append("Next: brain dream")
    return "\n".join(told)


def _left_out(result: IngestResult) -> Iterator[str]:
    shown = Counter(f"{one.source}{f':{one.line}' if one.line else ''}: {one.why}" for one in result.skipped)
    if shown:
        yield f"Left out ({len(shown)}):"
    for line in list(shown)[:SHOWN]:
        yield f"  {line}"
    if len(shown) > SHOWN:
        yield f"  and {len(shown) - SHOWN} more; --json has all of them"
