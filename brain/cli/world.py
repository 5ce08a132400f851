"""What the system tells a command: which brain, what time, whose name. Asked for here and in the doors only."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from brain.cli import output
from brain.config import NAME
from brain.errors import BrainError, UsageError

if TYPE_CHECKING:
    from brain.store import Store

F = TypeVar("F", bound=Callable[..., object])


def brain_option(command: F) -> F:
    return click.option(
        "--brain",
        "brain_path",
        metavar="PATH",
        help="The brain; else $BRAIN_HOME, the nearest one above, ~/.local/share/brain.",
    )(command)


def json_option(command: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)


def now_option(command: F) -> F:
    return click.option(
        "--now", metavar="TIME", callback=_parse_now, help="Take this ISO time as now, e.g. 2026-11-29T03:00:00+00:00."
    )(command)


def _parse_now(_ctx: click.Context, _param: click.Parameter, value: str | None) -> datetime:
    if value is None:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no ISO time such as 2026-11-29T03:00:00+00:00") from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def find_root(explicit: str | None, env: Mapping[str, str], cwd: Path) -> Path:
    """The brain a command is about; `explicit` is --brain."""
    named = explicit or env.get("BRAIN_HOME")
    if named:
        return Path(named).expanduser().absolute()
    for folder in (cwd, *cwd.parents):
        if (folder / NAME).is_file():
            return folder
    return default_root(env)


def default_root(env: Mapping[str, str]) -> Path:
    """Where a brain lives that was put nowhere: below the XDG data directory."""
    data = env.get("XDG_DATA_HOME") or ""
    base = Path(data) if data.startswith("/") else Path(env.get("HOME") or Path.home()) / ".local" / "share"
    return base / "brain"


def config_home(env: Mapping[str, str]) -> Path:
    """The XDG configuration directory."""
    given = env.get("XDG_CONFIG_HOME") or ""
    return Path(given) if given.startswith("/") else Path(env.get("HOME") or Path.home()) / ".config"


def root(explicit: str | None) -> Path:
    """`find_root` with the process's own environment."""
    try:
        cwd = Path.cwd()
    except FileNotFoundError:
        raise UsageError("The working directory is gone; nothing was done.", "cd to a folder that exists") from None
    return find_root(explicit, os.environ, cwd)


def environment() -> Mapping[str, str]:
    """The process's own."""
    return os.environ


def git_configs(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The person's own git config files, the one that counts first; Brain reads their name and address there."""
    given = env.get("GIT_CONFIG_GLOBAL")
    home = Path(env.get("HOME") or Path.home())
    return (Path(given),) if given else (home / ".gitconfig", config_home(env) / "git" / "config")


def open_store(explicit: str | None, *, write: bool) -> Store:
    """The brain's store, with what an earlier kill left finished or dropped, and said.

    A command that only reads goes on where repairing is not possible (a read-only disk, a busy writer).
    """
    from brain.store import Store

    store = Store.open(root(explicit), person=git_configs(os.environ))
    try:
        for line in store.recover():
            output.note(line)
    except BrainError as error:
        if write:
            raise
        output.note(f"brain: not repaired now: {error.message}")
    return store
