"""brain sandbox open, refresh, status, list and close."""

from __future__ import annotations

import itertools
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from brain.cli import output, world
from brain.config import NAME
from brain.model import Audience
from brain.sandbox import manifest as records
from brain.text.counted import counted

if TYPE_CHECKING:
    from brain.sandbox.working_set import WorkingSet
    from brain.store import Store


class _Asked(TypedDict):
    """What a sandbox shall show."""

    task: str
    audience: str
    revision: str | None


_folder = click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
_commit = click.option("--commit", "revision", metavar="REV", help="A commit of the brain; else main.")


@click.command("open")
@_folder
@click.option("--task", default="", metavar="TEXT", help="What the work will be about: what answers it is laid down.")
@click.option("--audience", type=click.Choice(["trusted", "public"]), default="trusted", show_default=True)
@_commit
@world.brain_option
@world.now_option
@world.json_option
def open_set(
    folder: Path | None, brain_path: str | None, now: datetime, as_json: bool, **asked: Unpack[_Asked]
) -> None:
    """Lay a part of the memory into a folder, under its own paths, with git at hand.

    Without DIR below .brain/sandboxes/. A folder that is not empty is not touched; a sandbox that is there goes on.

    \b
    Example:
      brain sandbox open --task "ship the tide clock's new firmware"
      brain sandbox open /tmp/memory --audience public
    """
    from brain.sandbox import opening

    store = world.open_store(brain_path, write=False)
    place = folder.absolute() if folder else _new_place(store, now)
    working = opening.open_in(
        store, place, opening.Wanted(Audience(asked["audience"]), asked["revision"], asked["task"])
    )
    if asked["task"]:
        _bring(store, working, asked["task"], now)
    _show(working, as_json)


@click.command()
@_folder
@_commit
@world.brain_option
@world.json_option
def refresh(folder: Path | None, revision: str | None, brain_path: str | None, as_json: bool) -> None:
    """Move a sandbox to a newer commit; until then nothing in it changes.

    Without DIR the sandbox that the working directory is in. What somebody changed in it stays, and is told.

    \b
    Example:
      brain sandbox refresh
      brain sandbox refresh /tmp/memory --commit HEAD~1
    """
    from brain.sandbox import opening

    working = find(folder)
    before = working.commit
    done = opening.refresh(store_of(working, brain_path), working, revision)
    if as_json:
        output.emit(
            {
                "sandbox": str(working.folder),
                "before": before,
                "commit": working.commit,
                "changed": list(done.changed),
                "gone": list(done.gone),
                "edited": list(done.edited),
            }
        )
        return
    output.say(f"{working.folder} is at {working.commit[:12]}, {counted(len(done.changed), 'file')} changed.")
    for path in done.gone:
        output.say(f"gone: {path}")
    for path in done.edited:
        output.say(f"changed here, so left as it is: {path}")


@click.command()
@_folder
@world.json_option
def status(folder: Path | None, as_json: bool) -> None:
    """Say what a sandbox is and holds; without DIR the one that the working directory is in.

    \b
    Example:
      brain sandbox status
      brain sandbox status /tmp/memory --json
    """
    _show(find(folder), as_json)


@click.command("list")
@world.brain_option
@world.json_option
def list_sets(brain_path: str | None, as_json: bool) -> None:
    """List the sandboxes below the brain's own folder.

    \b
    Example:
      brain sandbox list
    """
    from brain.sandbox.working_set import WorkingSet

    home = world.open_store(brain_path, write=False).local("sandboxes")
    found = [WorkingSet.load(path) for path in sorted(home.glob("*")) if records.is_there(path)]
    if as_json:
        output.emit({"sandboxes": [_as_json(working) for working in found]})
        return
    rows = [(str(w.folder), w.commit[:12], w.audience.value, str(len(w.held)), w.manifest.task[:60]) for w in found]
    header = ("folder", "commit", "audience", "files", "task")
    output.say(output.table(rows, header) if rows else "No sandboxes. Try: brain sandbox open")


@click.command()
@_folder
@click.option("--force", is_flag=True, help="Also where it holds what somebody wrote there.")
@world.json_option
def close(folder: Path | None, force: bool, as_json: bool) -> None:
    """Remove a sandbox from the disk; the brain is not touched.

    \b
    Example:
      brain sandbox close /tmp/memory
    """
    from brain.sandbox import opening

    working = find(folder)
    opening.close(working, anyway=force)
    if as_json:
        output.emit({"removed": str(working.folder)})
    else:
        output.say(f"Removed {working.folder}.")


def _bring(store: Store, working: WorkingSet, task: str, now: datetime) -> None:
    from zoneinfo import ZoneInfo

    from brain.sandbox.growing import grow
    from brain.sandbox.planning import Need

    need = Need(task, now=now, zone=ZoneInfo(store.settings.timezone))
    for line in grow(store, working, need, lambda paths: output.progress(paths, len(paths), "Reading")).brought.notes:
        output.note(line)


def find(folder: Path | None) -> WorkingSet:
    """The sandbox of this name, else the one that the working directory is in. Raises: NotASandbox."""
    from brain.sandbox.working_set import WorkingSet

    if folder is not None:
        return WorkingSet.load(folder.resolve())
    here = Path.cwd()
    return WorkingSet.load(next(filter(records.is_there, (here, *here.parents)), here))


def store_of(working: WorkingSet, brain_path: str | None) -> Store:
    """The brain that a sandbox shows: the one that is named, else where it was, else as every command finds it."""
    remembered = Path(working.manifest.brain)
    if brain_path is None and (remembered / NAME).is_file():
        brain_path = str(remembered)
    return world.open_store(brain_path, write=False)


def _new_place(store: Store, now: datetime) -> Path:
    home = store.local("sandboxes")
    names = (f"{now:%Y%m%dT%H%M%S}{f'-{n}' if n > 1 else ''}" for n in itertools.count(1))
    return next(home / name for name in names if not (home / name).exists())


def _show(working: WorkingSet, as_json: bool) -> None:
    if as_json:
        output.emit(_as_json(working))
        return
    output.say(str(working.folder))
    held = counted(len(working.held), "file")
    output.say(f"{held} of commit {working.commit[:12]}, audience {working.audience}; SANDBOX.md says what there is.")
    for path in working.edits():
        output.say(f"changed here: {path}")
    for path in working.own_files():
        output.say(f"not from the brain: {path}")


def _as_json(working: WorkingSet) -> dict[str, object]:
    return {
        "sandbox": str(working.folder),
        "brain": working.manifest.brain,
        "commit": working.commit,
        "audience": working.audience.value,
        "task": working.manifest.task,
        "held": sorted(working.held),
        "edited": sorted(working.edits()),
        "own": list(working.own_files()),
    }
