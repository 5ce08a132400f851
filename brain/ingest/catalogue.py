"""Which sessions a tree holds, from the front matter of their transcripts; kept in .brain by blob id.

The cache only saves reading: without it the same is found in the tree.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path

from brain import files, layout
from brain.errors import BrainError
from brain.ingest.pieces import time_of
from brain.ingest.projects import Projects, Whereabouts
from brain.model import Session
from brain.store import Store
from brain.text.front import FrontMatter
from brain.tree import Tree

_CACHE = ("cache", "sessions.json")


@dataclass(frozen=True, slots=True)
class Known:
    """A stored session without its turns."""

    id: str
    folder: str
    turns: int
    started: str | None
    ended: str | None
    parent: str | None
    project: str | None = None
    repository: str | None = None
    place: str | None = None
    agent: str = ""

    @classmethod
    def of(cls, session: Session, folder: str) -> Known:
        started, ended = session.started, session.ended
        return cls(
            session.id,
            folder,
            len(session.turns),
            started.isoformat() if started else None,
            ended.isoformat() if ended else None,
            session.parent,
            session.project,
            session.repository,
            session.place,
            session.agent,
        )

    @property
    def ended_at(self) -> datetime | None:
        return time_of(self.ended)

    @property
    def whereabouts(self) -> Whereabouts:
        return Whereabouts(self.project or "", self.repository or "", self.place or "")


class Catalogue:
    """Sessions by id, by the short id that folders carry, and by the session they came from."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.by_id: dict[str, Known] = {}
        self.projects = Projects()
        self._short: dict[str, str] = {}
        self._children: dict[str, set[str]] = defaultdict(set)
        for one in known:
            self.add(one)

    @classmethod
    def read(cls, store: Store, tree: Tree, *, keep: bool = True) -> Catalogue:
        """The sessions of a tree; `keep`: what had to be read is put into the cache."""
        path = store.local(*_CACHE)
        cached = _load(path)
        known: dict[str, Known] = {}
        for transcript in filter(layout.is_transcript, tree.paths):
            blob = tree.blobs[transcript]
            folder = transcript.removesuffix(f"/{layout.TRANSCRIPT_NAME}")
            hit = cached.get(blob)
            known[blob] = hit if hit and hit.folder == folder else _read(tree, transcript, folder)
        if keep and known.keys() != cached.keys():
            save_cache(path, {blob: asdict(one) for blob, one in known.items()})
        return cls(known.values())

    def add(self, known: Known) -> None:
        self.by_id[known.id] = known
        self.projects.add(known.whereabouts)
        self._short.setdefault(layout.short_id(known.id), known.id)
        if known.parent:
            self._children[known.parent].add(known.id)

    def kin_of(self, session: Session) -> list[Known]:
        """The stored session that this one came from, and those that came from this one."""
        ids = {*self._children.get(session.id, ()), *([session.parent] if session.parent else [])} - {session.id}
        return [self.by_id[one] for one in sorted(ids) if one in self.by_id]

    def length_for(self, session_id: str) -> int:
        """Characters of the id in the name of its folder: 8, or more where another session has these."""
        taken = self._short.get(layout.short_id(session_id), session_id)
        if taken == session_id:
            return 8
        others = {layout.short_id(one, 12) for one in self.by_id if one != session_id}
        return 12 if layout.short_id(session_id, 12) not in others else 32


def _read(tree: Tree, path: str, folder: str) -> Known:
    front = FrontMatter.parse(tree.text(path))
    count = front.get_text("turns") or ""
    return Known(
        front.get_text("id") or folder,
        folder,
        int(count) if count.isascii() and count.isdigit() else 0,
        front.get_text("started"),
        front.get_text("ended"),
        front.get_text("parent"),
        front.get_text("project"),
        front.get_text("repository"),
        front.get_text("place"),
        front.get_text("agent") or "",
    )


def _load(path: Path) -> dict[str, Known]:
    """What the cache holds; a cache that cannot be read is none."""
    try:
        data = json.loads(path.read_bytes())
        names = {field.name for field in fields(Known)}
        return {blob: Known(**one) for blob, one in data.items() if one.keys() == names}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def save_cache(path: Path, data: object) -> None:
    """Keep a cache; on a disk that takes no writes the next run reads again."""
    try:
        files.make_folder(path.parent)
        files.replace(path, json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    except BrainError:
        return
