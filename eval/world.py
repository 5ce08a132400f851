"""A world -> a brain, night by night, and the commit at which each question is asked.

Both arms look at the same commits: sessions are laid in as they happened, dreams come in between, and a question
that was asked in mid-history sees what had been said by then and no more.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from brain import config, index, layout, transcript
from brain.dream import run
from brain.dream.plan import Dreamer
from brain.eval.task import World
from brain.files import make_folder, replace
from brain.git import Git
from brain.model import Session
from brain.store import Store
from brain.tree import overlay
from brain.validators.registry import Rule

START = datetime(2020, 1, 1, tzinfo=UTC)
"""When nothing in a world says when it was."""
MARK = "eval-built.json"
NIGHTS = 12
"""Dreams in a world's history, at most: each sees the sessions since the last one."""


@dataclass(frozen=True, slots=True)
class Built:
    store: Store
    commits: Mapping[int, str]
    """How many sessions had been said -> the commit that holds them, and what had been dreamt of them by then."""
    folders: Mapping[str, str]
    """Id of a session -> its folder below memory/, as citations name it."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Sessions `start` to `end` come in; then, it may be, a night."""

    start: int
    end: int
    night: bool


def built(
    world: World, root: Path, dreamer: Dreamer, nights: int = NIGHTS, rules: Mapping[str, Rule] | None = None
) -> Built:
    """The world's brain, made once: what a kill left half done is thrown away and made again."""
    mark = root / layout.LOCAL / MARK
    if mark.exists():
        read = json.loads(mark.read_bytes())
        commits = {int(count): commit for count, commit in read["commits"].items()}
        return Built(Store.open(root), commits, read["folders"])
    shutil.rmtree(root, ignore_errors=True)
    made = build(world, root, dreamer, nights, rules)
    replace(mark, json.dumps({"commits": made.commits, "folders": made.folders}).encode())
    return made


def build(
    world: World, root: Path, dreamer: Dreamer, nights: int = NIGHTS, rules: Mapping[str, Rule] | None = None
) -> Built:
    """The world's brain in the folder `root`, which must be empty; `rules` of the gate, None: all."""
    make_folder(root)
    git = Git(root)
    git.init()
    git.close()
    at = _times(world.sessions)
    store = Store.init(root, toml=config.default_toml(world.timezone, world.person or ""), at=at[0])
    commits: dict[int, str] = {}
    folders: dict[str, str] = {}
    for step in _steps(world, nights):
        folders |= lay(store, world.sessions[step.start : step.end], at[step.end])
        # Asked before the night: the newest sessions are there as they were said.
        commits[step.end] = store.head() or ""
        if step.night:
            run.dream(store, run.Options(at[step.end] + timedelta(hours=8), dreamer, rules=rules))
    commits[len(world.sessions)] = store.head() or ""
    return Built(store, commits, folders)


def _steps(world: World, nights: int) -> Iterator[_Step]:
    """Cut where a question is asked and where a night falls; the last night is after everything."""
    count = len(world.sessions)
    asked = {sample.after for sample in world.samples if sample.after is not None and 0 < sample.after <= count}
    dreamt = {round(count * n / nights) for n in range(1, nights + 1)} - {0}
    start = 0
    for end in sorted(asked | dreamt):
        yield _Step(start, end, end in dreamt)
        start = end


def _times(sessions: Sequence[Session]) -> list[datetime]:
    """[0] before everything, [n] when the first n sessions had ended; never backwards."""
    times: list[datetime] = []
    for session in sessions:
        said = session.ended or session.started or max((turn.time for turn in session.turns if turn.time), default=None)
        latest = times[-1] if times else START
        times.append(max(latest, said) if said else latest)
    first = sessions[0].started if sessions else None
    return [(first or START) - timedelta(days=1), *times]


def lay(store: Store, sessions: Sequence[Session], now: datetime) -> dict[str, str]:
    """Put sessions into main as they are; id -> folder."""
    zone = store.settings.zone
    placed = {session.id: _folder(session, zone) for session in sessions}
    if not placed:
        return {}
    changes: dict[str, bytes | None] = {
        layout.transcript_path(placed[session.id]): transcript.render(session).encode() for session in sessions
    }
    head = store.head()
    changes |= index.files(overlay(store.tree(head), changes), store.settings.index.budget)
    run_id = f"ingest-{len(sessions)}-{now:%Y%m%dT%H%M%S}"
    commit = store.write(changes, base=head, message="Sessions", command="ingest", run_id=run_id, at=now)
    store.advance(commit, head)
    return {name: folder.removeprefix(f"{layout.MEMORY}/") for name, folder in placed.items()}


def _folder(session: Session, zone: ZoneInfo) -> str:
    start = session.started or next((turn.time for turn in session.turns if turn.time), None)
    return layout.session_folder(session.id, start.astimezone(zone).date() if start else None)
