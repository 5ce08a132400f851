"""The sample dreamt night by night, and what the next session gets from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path

from brain import config, index, layout, page
from brain.dream import run
from brain.dream.dreamers import dreamer
from brain.dream.result import DreamResult
from brain.files import make_folder
from brain.git import Git
from brain.ingest import ingest
from brain.page import Page
from brain.store import Store
from brain.tree import Tree

TIMEZONE = "Europe/Copenhagen"
PERSON = "Nadia"
START = datetime.fromisoformat("2026-08-01T00:00:00+00:00")


@dataclass(frozen=True, slots=True)
class Night:
    """One night of the sample: which sessions came in before it, and when the dream ran."""

    at: datetime
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A night as it went."""

    night: Night
    result: DreamResult


def nights() -> tuple[Night, ...]:
    """The nights of the sample, in order."""
    entries = json.loads(resources.files("brain.eval").joinpath("sample", "nights.json").read_text("utf-8"))
    return tuple(Night(datetime.fromisoformat(e["night"]), tuple(e["sessions"])) for e in entries)


def build(root: Path, nights: int | None = None) -> Store:
    """A brain at `root` made from the sample, as far as the first `nights` nights (None: all)."""
    store = make(root)
    for _ in dream_all(store, nights):
        pass
    return store


def make(root: Path) -> Store:
    """An empty brain for the person of the sample, in a repository of its own.

    A demo stands where it is tried, often in somebody's checkout: it must not commit there.
    """
    make_folder(root)
    git = Git(root)
    git.init()
    git.close()
    return Store.init(root, toml=config.default_toml(TIMEZONE, PERSON), at=START)


def dream_all(store: Store, count: int | None = None) -> Iterator[Step]:
    """Take in and dream night after night; yields each when it is done."""
    for night in nights()[:count]:
        with ExitStack() as stack:
            sample = stack.enter_context(resources.as_file(resources.files("brain.eval").joinpath("sample")))
            sources = [path for name in night.sessions for path in sorted(sample.rglob(f"{name}.*"))]
            ingest(store, sources, now=night.at, maps=lambda tree: index.files(tree, store.settings.index.budget))
        yield Step(night, run.dream(store, run.Options(night.at, dreamer(store.settings.dream.dreamer))))


def changed_its_mind(tree: Tree) -> tuple[str, Page] | None:
    """The page that has the most to say of itself and a line under History."""
    found = [(len(p.history) > 0, len(page.claims(p)), path) for path, p in tree.pages().items() if p.history]
    if not found:
        return None
    path = max(found)[2]
    return path, tree.pages()[path]


def evidence_of(record: Page) -> str | None:
    """The source of the newest claim that holds."""
    cited = [c for section in record.sections for c in section.claims if c.cites] or [c for c in record.lead if c.cites]
    newest = max(cited, key=lambda c: c.date or "", default=None)
    return record.citations[newest.cites[0]].source if newest else None


def turn_text(tree: Tree, source: str) -> str:
    """The lines of the transcript that a citation leads to."""
    parsed = layout.parse_source(source)
    assert parsed is not None, source
    folder, n, _ = parsed
    lines = tree.text(layout.transcript_path(folder)).split("\n")
    start = next(k for k, line in enumerate(lines) if line.startswith(f"## t{n} · "))
    end = next((k for k in range(start + 1, len(lines)) if lines[k].startswith("## t")), len(lines))
    return "\n".join(lines[start:end]).rstrip()
