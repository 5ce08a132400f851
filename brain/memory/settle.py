"""Hand edits become commits and evidence: what every command that builds on the tree does first.

A person edits files, or commits them with git; both count. One move of main brings the edit and the
session that holds its words, so a kill leaves both or neither, and doing it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from brain import layout, transcript
from brain.errors import BrainError
from brain.git.log import Entry
from brain.memory import handedits
from brain.model import Session
from brain.names import is_safe_path
from brain.store import Store
from brain.tree import Tree

COMMAND = "hand-edit"
_SETTLED = frozenset({COMMAND, "dream", "init"})
"""Commands that settle before they commit: below such a commit nothing is left to look at."""


class MemoryGone(BrainError):
    """The folder holds nothing of the memory any more."""

    code = "memory-gone"


@dataclass(frozen=True, slots=True)
class Settled:
    """What was made of a person's edits."""

    commit: str | None
    """Where main stands now on account of it; None: there was nothing to do."""
    paths: tuple[str, ...] = ()
    """Files that were edited and are committed now."""
    sessions: tuple[str, ...] = ()
    """Folders of the sessions that hold the words."""
    skipped: tuple[tuple[str, str], ...] = ()
    """(path, why) of what was left where it is."""


def settle(store: Store, now: datetime) -> Settled:
    """Commit what a person changed in the folder and record their words as evidence.

    Raises: MemoryGone where everything has vanished, which is taken for an accident; what Store.write
    and Store.advance raise.
    """
    with store.lock(COMMAND):
        # A run may have died while this one waited: what it has not laid down is no edit.
        store.notes += store.recover()
        head = store.head()
        edits, skipped = _edits(store)
        sessions = dict(_committed(store, head))
        tip = _commit_edits(store, head, edits, now)
        if tip != head and tip is not None and (made := _session(store, head, tip, now)):
            sessions[tip] = made
        folders = _fold(store, tip, sessions)
        if sessions:
            changes = {layout.transcript_path(folders[at]): transcript.render(sessions[at]).encode() for at in sessions}
            tip = _write(store, changes, tip, "Record what was written by hand", now)
        if tip is None or tip == head:
            return Settled(None, skipped=skipped)
        store.advance(tip, head)
        return Settled(tip, tuple(sorted(edits)), tuple(folders.values()), skipped)


def _edits(store: Store) -> tuple[dict[str, bytes | None], tuple[tuple[str, str], ...]]:
    found = store.edits()
    tree = store.tree()
    memory = [path for path in tree.paths if path.startswith(f"{layout.MEMORY}/")]
    if len(memory) > 1 and all(path in found and found[path] is None for path in memory):
        raise MemoryGone(
            f"Nothing was committed: of {store.root / layout.MEMORY} none of the {len(memory)} files is there.",
            "git restore memory brings them back; git rm -r memory and git commit is how to mean it",
        )
    unsafe = {path: why for path in found if (why := is_safe_path(path)) is not None}
    edits = {path: data for path, data in found.items() if path not in unsafe}
    return edits, (*unsafe.items(), *store.working().problems.items())


def _commit_edits(store: Store, head: str | None, edits: Mapping[str, bytes | None], now: datetime) -> str | None:
    if not edits:
        return head
    names = sorted(edits)
    named = names[0] if len(names) == 1 else f"{len(names)} files"
    return _write(store, edits, head, f"Hand edit of {named}", now)


def _write(store: Store, changes: Mapping[str, bytes | None], base: str | None, message: str, now: datetime) -> str:
    run_id = f"{COMMAND}-{now:%Y%m%dT%H%M%S}"
    return store.write(changes, base=base, message=message, command=COMMAND, run_id=run_id, at=now)


def _committed(store: Store, head: str | None) -> Iterator[tuple[str, Session]]:
    """Sessions of the commits a person made with git since the last command that settled; oldest first."""
    for entry in reversed(_by_hand(store, head) if head else []):
        before = entry.parents[0] if entry.parents else None
        made = _session(store, before, entry.commit, entry.date)
        if made is not None and not _is_recorded(store.tree(head), made):
            yield entry.commit, made


def _by_hand(store: Store, head: str) -> list[Entry]:
    """Commits without a Brain-Command, newest first, down to what has been settled; merges add no words."""
    found: list[Entry] = []
    limit = 50
    while True:
        entries = {entry.commit: entry for entry in store.git.log(head, limit=limit)}
        found, open_end = _walk(entries, head)
        if not open_end or len(entries) < limit:
            return found
        limit *= 10


def _walk(entries: Mapping[str, Entry], head: str) -> tuple[list[Entry], bool]:
    waiting, seen, found, open_end = [head], {head}, [], False
    while waiting:
        entry = entries.get(waiting.pop())
        if entry is None:
            open_end = True
            continue
        if entry.command in _SETTLED:
            continue
        if not entry.command and len(entry.parents) < 2:
            found.append(entry)
        fresh = [parent for parent in entry.parents if parent not in seen]
        seen.update(fresh)
        waiting += fresh
    return found, open_end


def _session(store: Store, before: str | None, after: str, at: datetime) -> Session | None:
    return handedits.session_of(store.tree(before) if before else None, store.tree(after), after, at)


def _is_recorded(tree: Tree, made: Session) -> bool:
    folders = (folder for folder in tree.sessions() if layout.short_id(made.id) in folder)
    return any(session is not None and session.id == made.id for session in map(tree.session, folders))


def _fold(store: Store, tip: str | None, sessions: Mapping[str, Session]) -> dict[str, str]:
    """commit -> folder of its session; the longer form where the short one is taken."""
    taken = set(store.tree(tip).sessions()) if sessions else set()
    folders: dict[str, str] = {}
    for commit, made in sessions.items():
        day = made.started.astimezone(store.settings.zone).date() if made.started else None
        short = layout.session_folder(made.id, day)
        folders[commit] = short if short not in taken else layout.session_folder(made.id, day, 12)
        taken.add(folders[commit])
    return folders
