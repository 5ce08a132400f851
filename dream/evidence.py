"""Sources of a plan -> citations with quote, day and origin, looked up in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from brain import layout
from brain.evidence import Match, matches, quote
from brain.model import Citation, Origin, Trust, Turn
from brain.text.meta import Days
from brain.tree import Tree


class NotApplicable(Exception):
    """An operation that cannot be applied to this tree; its text is the reason. Never leaves `apply`."""


class Evidence:
    """What turns of one tree a plan may stand on."""

    def __init__(self, tree: Tree, zone: ZoneInfo) -> None:
        self._tree = tree
        self._zone = zone
        self._known: dict[str, tuple[Citation, str]] = {}

    def citation(self, source: str) -> Citation:
        """Raises: NotApplicable where the source is no turn, has no words, or must not be evidence."""
        return self._look_up(source)[0]

    def days(self, sources: Iterable[str]) -> Days:
        """`created` and `updated` of a file that begins with these sources; nothing where their days are unknown."""
        days = [day for source in sources if (day := self.citation(source).date)]
        return {"created": min(days), "updated": max(days)} if days else {}

    def is_quoted(self, known: Citation) -> bool:
        """Whether an entry of a file still quotes what its source says."""
        try:
            text = self._look_up(known.source)[1]
        except NotApplicable:
            return False
        return matches(known.quote, text) is Match.MATCH

    def _look_up(self, source: str) -> tuple[Citation, str]:
        if source not in self._known:
            self._known[source] = self._read(source)
        return self._known[source]

    def _read(self, source: str) -> tuple[Citation, str]:
        address, turn, text = layout.parse_source(source), self._tree.turn(source), self._tree.cited_text(source)
        if address is None or turn is None or text is None:
            raise NotApplicable(f"its evidence {source} is not in the tree")
        if not text.strip():
            raise NotApplicable(f"its evidence {source} holds no words")
        if turn.derived:
            raise NotApplicable(f"its evidence {source} repeats what the memory had given")
        result = address[2]
        if _trust(turn, result) is Trust.HIDDEN:
            raise NotApplicable(f"its evidence {source} is in quarantine")
        origin = turn.origin if result is None else Origin.TOOL
        day = turn.time.astimezone(self._zone).date().isoformat() if turn.time else None
        return Citation(source, quote(text), day, origin), text


def _trust(turn: Turn, result: int | None) -> Trust:
    return turn.trust if result is None else min(turn.trust, turn.tool_calls[result - 1].trust)
