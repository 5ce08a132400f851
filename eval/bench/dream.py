"""What a night costs: the same ten new sessions on a small and on a large brain, a night without news, the pace."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from brain import config
from brain.dream import run
from brain.dream.dreamers import dreamer
from brain.dream.orient import orient
from brain.eval import world
from brain.eval.datasets import dataset
from brain.model import Session
from brain.store import Store

SIZES = (100, 1_000)
NEW = 10
TURNS = 40
"""Of the session that the pace is told in."""


def measure(scale: float) -> dict[str, float]:
    """Sessions of the personas, each size times `scale`; CPU seconds in this process, without embedding."""
    sessions = _sessions(max(SIZES) + NEW)
    figures: dict[str, float] = {}
    for size in SIZES:
        count = max(NEW, round(size * scale))
        figures |= {f"{size}_{name}": value for name, value in _measured(sessions, count).items()}
    small, large = (figures[f"{size}_night_s"] for size in SIZES)
    return figures | {"night_large_to_small": large / small}


def _sessions(count: int) -> list[Session]:
    """The first ones of all personas, one after the other in time; each under an id of its own."""
    found = [one for made in dataset("personas").load(None) for one in made.sessions][:count]
    return [replace(one, id=str(uuid5(NAMESPACE_URL, f"bench:{n}"))) for n, one in enumerate(found)]


def _measured(sessions: Sequence[Session], count: int) -> dict[str, float]:
    known, new = sessions[:count], sessions[-NEW:]
    now = datetime.fromisoformat("2030-01-01T03:00:00+00:00")
    with tempfile.TemporaryDirectory() as folder:
        text = config.default_toml("UTC", "Nadia").replace('embedder = "use"', 'embedder = "none"')
        store = Store.init(Path(folder) / "brain", toml=text, at=now)
        world.lay(store, known, now)
        pace = _pace(store, known, now)
        first = _night(store, now)
        world.lay(store, new, now + timedelta(hours=1))
        night = _night(store, now + timedelta(days=1))
        rest = _night(store, now + timedelta(days=2))
        store.close()
    return {"first_s": first, "night_s": night, "without_news_s": rest, "dreamer_sessions_of_40_turns_a_s": pace}


def _night(store: Store, now: datetime) -> float:
    start = time.process_time()
    run.dream(store, run.Options(now, dreamer("extractive")))
    return time.process_time() - start


def _pace(store: Store, sessions: Sequence[Session], now: datetime) -> float:
    """Of the dreamer alone: from the scope to the plan."""
    scope = orient(store.tree(), now, store.settings)
    start = time.process_time()
    dreamer("extractive").dream(scope)
    seconds = time.process_time() - start
    return sum(len(one.turns) for one in sessions) / TURNS / seconds
