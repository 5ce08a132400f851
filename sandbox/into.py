"""brain recall WORDS --into DIR: not hits on the screen but the files that answer, in a sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, TypedDict
from zoneinfo import ZoneInfo

from brain import fence
from brain.cli import output
from brain.sandbox import planning, set_commands

if TYPE_CHECKING:
    from brain.sandbox.growing import Grown

NOTHING = (
    "Nothing in this memory answers that. Try: fewer or other words, a name, or memory/index.md for what it holds."
)
EXCERPT = 160
"""Characters of the nearest passage that are shown; the file has the whole."""
_STATES = {"held": " (here already)", "blocked": " (not laid down: something of yours stands there)"}


class Done(TypedDict):
    """What --json prints."""

    sandbox: str
    commit: str
    brought: list[dict[str, str]]
    notes: list[str]


def bring(folder: Path, words: str, brain_path: str | None, budget: int | None, now: datetime) -> Done:
    """Lay what answers these words into the sandbox. Raises: NotASandbox."""
    from brain.sandbox.growing import grow

    working = set_commands.find(folder)
    store = set_commands.store_of(working, brain_path)
    need = planning.Need(words, budget or planning.BUDGET, now=now, zone=ZoneInfo(store.settings.timezone))
    grown = grow(store, working, need, lambda paths: output.progress(paths, len(paths), "Reading"))
    return {
        "sandbox": str(working.folder),
        "commit": working.commit,
        "brought": list(_brought(grown)),
        "notes": [*grown.brought.notes, *_left_out(grown)],
    }


def show(done: Done) -> None:
    """For people and agents: each path with why, the nearest first."""
    for note in done["notes"]:
        output.note(note)
    lines = [line for item in done["brought"] for line in _lines(item)]
    output.say(fence.fenced("\n".join(lines)) if lines else NOTHING)


def _lines(item: dict[str, str]) -> Iterator[str]:
    yield f"{item['path']} · {item['why']}{_STATES.get(item['state'], '')}"
    if item["words"]:
        yield f"    {item['anchor']} {shorten(item['words'], EXCERPT, placeholder=' …')}".rstrip()


def _brought(grown: Grown) -> Iterator[dict[str, str]]:
    states = {path: "new" for path in grown.held.new} | {path: "held" for path in grown.held.already}
    states |= {path: "blocked" for path in grown.held.blocked}
    for place in grown.brought.places:
        if place.path in states:
            state = states[place.path]
            yield {"path": place.path, "why": place.why, "state": state, "anchor": place.anchor, "words": place.words}


def _left_out(grown: Grown) -> list[str]:
    if not (missing := grown.held.missing):
        return []
    return [f"{len(missing)} more are newer than this sandbox or not for its audience: brain sandbox refresh."]
