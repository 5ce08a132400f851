"""brain status: where the brain is and how it is. It reads; no network, no model, and nothing is repaired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click

from brain import layout, note, page
from brain.cli import output, world
from brain.dream import orient
from brain.dream.nights import PastNight, nights
from brain.files import locks
from brain.search import table
from brain.search.corpus import TreeCorpus
from brain.store import Store, journal, leftovers
from brain.text.counted import counted
from brain.tree import Tree


@dataclass(frozen=True, slots=True)
class IndexState:
    characters: int
    budget: int
    written: str | None
    """When a commit last changed it; None: there is none yet."""


@dataclass(frozen=True, slots=True)
class Status:
    """What there is to know; the order of fields is that of --json."""

    brain: str
    branch: str | None
    head: str | None
    sessions: int
    waiting: int
    """Sessions with words that no dream has read."""
    pages: int
    notes: int
    claims: int
    edited: int
    """Files that a person changed since main; the next dream takes them in."""
    last_dream: PastNight | None
    index: IndexState
    search_behind: int | None
    """Files that the search table has not read as they are now; None: there is no table yet."""
    lock: str | None
    """Who is writing to the brain now."""
    leftovers: list[str]
    """What a command that was killed has left; the next one that writes clears it."""


@click.command()
@world.brain_option
@world.json_option
def status(brain_path: str | None, as_json: bool) -> None:
    """Say where the brain is and how it is.

    \b
    Example:
      brain status
      brain status --json
    """
    store = Store.open(world.root(brain_path))
    found = look(store)
    if as_json:
        output.emit(asdict(found))
    else:
        output.say("\n".join(_lines(found)))


def look(store: Store) -> Status:
    """The state of a brain now."""
    head, tree = store.head(), store.tree()
    return Status(
        brain=str(store.root),
        branch=(store.git.branch() or "").removeprefix("refs/heads/") or None,
        head=head,
        sessions=len(tree.sessions()),
        waiting=sum(1 for _ in orient.new_turns(tree)),
        pages=len(tree.pages()),
        notes=len(tree.notes()),
        claims=_claims(tree),
        edited=len(store.edits()),
        last_dream=next(iter(nights(store, 1)), None),
        index=_index(store, tree, head),
        search_behind=table.behind(store.local("search"), TreeCorpus(tree).blobs),
        lock=_holder(store),
        leftovers=list(_leftovers(store)),
    )


def _claims(tree: Tree) -> int:
    pages = (len(page.claims(one)) for one in tree.pages().values())
    notes = (len(note.claims(one)) for one in tree.notes().values())
    return sum(pages) + sum(notes)


def _index(store: Store, tree: Tree, head: str | None) -> IndexState:
    there = layout.INDEX in tree
    entries = store.git.log(head, path=layout.INDEX, limit=1) if head and there else []
    return IndexState(
        len(tree.text(layout.INDEX)) if there else 0,
        store.settings.index.budget,
        next((entry.date.isoformat() for entry in entries), None),
    )


def _holder(store: Store) -> str | None:
    path = store.local("lock")
    return None if locks.is_free(path) else locks.holder(path) or "another process"


def _leftovers(store: Store) -> Iterator[str]:
    home = store.local()
    if journal.exists(home):
        yield "a move of main that is not finished"
    if leftovers.has_scratch(home):
        yield "scratch files"
    for folder in leftovers.dead_staged(home):
        yield f"the staged tree of {folder.name}"


def _lines(found: Status) -> Iterator[str]:
    yield f"brain   {found.brain} (branch {found.branch or 'none'}, commit {(found.head or 'none')[:8]})"
    kinds = ("session", found.sessions), ("page", found.pages), ("note", found.notes), ("claim", found.claims)
    yield f"in it   {', '.join(counted(number, kind) for kind, number in kinds)}"
    yield f"waiting {counted(found.waiting, 'session')} for the next dream" + (
        f", {counted(found.edited, 'file')} edited by hand" if found.edited else ""
    )
    last = found.last_dream
    yield f"dream   {f'{last.time}, {last.subject} (run {last.run})' if last else 'none yet: brain dream'}"
    index = found.index
    size = f"{index.characters:,} of {index.budget:,} characters"
    yield f"index   {f'{size}, written {index.written}' if index.written else 'none yet: a dream writes it'}"
    yield f"search  {_search(found.search_behind)}"
    if found.lock:
        yield f"writing {found.lock}"
    yield from (f"left    {left}; the next command that writes clears it" for left in found.leftovers)


def _search(behind: int | None) -> str:
    if behind is None:
        return "no table yet: the first recall makes it"
    return f"the table is {counted(behind, 'file')} behind: the next recall reads them" if behind else "up to date"
