"""Which sources have been read to their end, by the hash of their bytes: they need not be read again.

A cache in .brain: what it says counts only as far as the tree holds the sessions with all their turns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from brain.ingest.catalogue import Catalogue, Known, save_cache
from brain.store import Store

_CACHE = ("cache", "sources.json")
_READER = 1
"""Raised when a reader learns to find more in what it has read before."""


class Remembered:
    """key of a source -> its sessions and how many turns each has."""

    def __init__(self, store: Store) -> None:
        self._path = store.local(*_CACHE)
        self._sources: dict[str, dict[str, int]] = {}
        try:
            data = json.loads(self._path.read_bytes())
            if data["reader"] == _READER:
                self._sources = {key: {one: int(n) for one, n in ids.items()} for key, ids in data["sources"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return

    def sessions(self, key: str, catalogue: Catalogue) -> list[Known] | None:
        """The sessions of a source as they are stored; None: it must be read."""
        turns = self._sources.get(key)
        if turns is None:
            return None
        known = [catalogue.by_id.get(one) for one in turns]
        whole = [one for one in known if one is not None and one.turns >= turns[one.id]]
        return whole if len(whole) == len(turns) else None

    def add(self, sources: Mapping[str, Mapping[str, int]]) -> None:
        """Keep what was read, once its sessions are in main."""
        new = {key: dict(ids) for key, ids in sources.items() if self._sources.get(key) != ids}
        if new:
            self._sources |= new
            save_cache(self._path, {"reader": _READER, "sources": self._sources})
