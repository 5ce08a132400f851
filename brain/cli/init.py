"""brain init: make a brain, or complete one; asks nothing, changes nothing that is already there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from brain import config, layout
from brain.cli import output, world
from brain.errors import UsageError

SYNCED = ("Dropbox", "iCloud", "Mobile Documents", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "Syncthing")
"""Parts of paths by which a folder is known that another program copies between machines, file by file."""

_LAID = (layout.SETTINGS, layout.INSTRUCTIONS, layout.DELETIONS, ".git", layout.LOCAL)


@dataclass(frozen=True, slots=True)
class Made:
    """What init found and did; the order of fields is that of --json."""

    brain: str
    made: list[str]
    timezone: str
    person: str
    warnings: list[str]


@click.command()
@click.argument("path", required=False)
@world.brain_option
@click.option("--timezone", metavar="NAME", help="Such as Europe/Lisbon; else the system's.")
@click.option("--name", "person", metavar="NAME", help="Whose memory it is; else git's user.name.")
@world.now_option
@world.json_option
def init(
    path: str | None, brain_path: str | None, timezone: str | None, person: str | None, now: datetime, as_json: bool
) -> None:
    """Make a brain, or take a folder on as one.

    A brain that is there stays as it is; what is missing of it is added. Nothing is asked.

    \b
    Example:
      brain init ~/brain
      brain init ~/brain --name "Nadia Sorokina" --timezone Europe/Copenhagen
    """
    root = world.root(path or brain_path)
    if root.exists() and not root.is_dir():
        raise UsageError(f"No brain was made: {root} is no folder.", "brain init FOLDER")
    toml = config.default_toml(
        timezone or system_zone(os.environ, Path("/etc/localtime")), git_name(os.environ) if person is None else person
    )
    done = _make(root, toml, now, os.environ)
    if as_json:
        output.emit({name: getattr(done, name) for name in Made.__slots__})
    else:
        output.say("\n".join(_told(done, bool(brain_path or path), bool(_agents(os.environ)))))


def _make(root: Path, toml: str, now: datetime, env: Mapping[str, str]) -> Made:
    from brain import index
    from brain.store import Store
    from brain.tree import tree_of

    maps = index.files(tree_of({}), config.parse(toml.encode()).index.budget)
    before = {name for name in _LAID if os.path.lexists(root / name)}
    store = Store.init(root, toml=toml, at=now, person=world.git_configs(env), maps=maps)
    made = [name for name in _LAID if name not in before and os.path.lexists(root / name)]
    settings = store.settings
    return Made(str(root), made, settings.timezone, settings.person.name, list(warnings(root, env)))


def system_zone(env: Mapping[str, str], localtime: Path) -> str:
    """The system's time zone by name: of TZ, else of the link /etc/localtime, else UTC."""
    linked = localtime.resolve().as_posix().rpartition("/zoneinfo/")[2]
    for name in (env.get("TZ", "").removeprefix(":"), linked):
        if name and not name.startswith("/"):
            try:
                return ZoneInfo(name).key
            except (OSError, ValueError, KeyError):
                continue
    return "UTC"


def git_name(env: Mapping[str, str]) -> str:
    """The person's name as their own git settings give it; "" where they do not."""
    from brain.git.line import GitLine, Identity

    for file in filter(Path.is_file, world.git_configs(env)):
        line = GitLine(file.parent, Identity(), 10.0)
        done = line.run("config", "--file", str(file), "--no-includes", "--get", "user.name", ok=range(256))
        if done.status == 0 and done.text.strip():
            return " ".join(done.text.split())
    return ""


def warnings(root: Path, env: Mapping[str, str]) -> Iterator[str]:
    """What a person should know about this place and their transcripts."""
    synced = next((part for part in root.parts for name in SYNCED if part.startswith(name)), None)
    if synced:
        yield (
            f"{root} lies in a folder that {synced} copies between machines: it can tear a git repository apart. "
            "Keep the brain elsewhere and share it with git push."
        )
    above = next((folder for folder in root.parents if (folder / ".git").exists()), None)
    if above and not (root / ".git").exists():
        yield f"The brain is a folder of the repository {above}: what is pushed from there takes the memory along."
    if "claude-code" in _agents(env):
        yield (
            "Claude Code deletes transcripts after 30 days (cleanupPeriodDays in ~/.claude/settings.json): take them "
            "in before. Its own memory (MEMORY.md, autoMemoryEnabled) goes on beside this one."
        )


def _agents(env: Mapping[str, str]) -> frozenset[str]:
    """Names of the agents whose transcripts `brain ingest` finds by itself."""
    from brain.ingest.finding import places

    return frozenset(place.agent for place in places(env, Path(env.get("HOME") or Path.home())))


def _told(done: Made, named: bool, finds: bool) -> Iterator[str]:
    yield f"A brain is at {done.brain}; made: {', '.join(done.made) or 'nothing, it was whole'}."
    yield f"Time zone {done.timezone}; person {done.person or '(none: give person.name in brain.toml)'}."
    yield from (f"Note: {warning}" for warning in done.warnings)
    at = f" --brain {shlex.quote(done.brain)}" if named else ""
    yield ""
    yield "Next:"
    yield f"  brain ingest{'' if finds else ' TRANSCRIPTS'}{at}"
    yield f"  brain dream{at}"
    yield f"  brain index{at}"
