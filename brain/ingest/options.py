"""Which sessions a person wants taken in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from brain.model import Origin, Role, Session


@dataclass(frozen=True, slots=True)
class Options:
    agent: str | None = None
    """Only sessions of this agent."""
    project: str | None = None
    """Only sessions of the project of this name."""
    since: datetime | None = None
    """Only sessions that were still going on then, or whose time is unknown."""
    exclude: tuple[str, ...] = ()
    """Glob patterns beside those of brain.toml."""
    dry_run: bool = False
    """Say what would come in, and write nothing."""

    def refuses(self, agent: str, project: str | None, ended: datetime | None) -> str:
        """Why a session is not wanted; "" where it is."""
        if self.agent not in (None, agent):
            return f"of other agents than {self.agent}"
        if self.project is not None and self.project.casefold() != (project or "").casefold():
            return f"of other projects than {self.project}"
        if self.since and ended and ended < self.since:
            return f"that ended before {self.since.date()}"
        return ""


_INCOGNITO = re.compile(r"^\s*(?:[#/]incognito|\[incognito\]|<incognito\s*/?>)\s*$", re.IGNORECASE | re.MULTILINE)


def is_incognito(session: Session) -> bool:
    """The person wrote `#incognito` on a line of its own: nothing of that talk is to be kept."""
    own = (turn for turn in session.turns if turn.role is Role.USER and turn.origin is Origin.USER)
    return any(_INCOGNITO.search(turn.text) for turn in own)
