"""Which sessions a person wants taken in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from brain.ingest.catalogue import Known
from brain.ingest.placing import in_its_project
from brain.ingest.projects import Folders, Projects
from brain.ingest.reading import Draft
from brain.ingest.source import Skipped
from brain.model import Origin, Role, Session
from brain.text.counted import counted


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
    jobs: int = 1
    """Processes that read, where there is much to read; more than one needs a `__main__` that can be imported."""

    def refuses(self, agent: str, project: str | None, ended: datetime | None) -> str:
        """Why a session is not wanted; "" where it is."""
        if self.agent not in (None, agent):
            return f"of other agents than {self.agent}"
        if self.project is not None and self.project.casefold() != (project or "").casefold():
            return f"of other projects than {self.project}"
        if self.since and ended and ended < self.since:
            return f"that ended before {self.since.date()}"
        return ""


EXCLUDED = "left out by --exclude or ingest.exclude"


class Wanted:
    """Which sessions of one run come in, and what is said of the others."""

    def __init__(self, options: Options, excluded: Sequence[str], folders: Folders, projects: Projects) -> None:
        self._options = options
        self._excluded = (*excluded, *options.exclude)
        self._folders = folders
        self._projects = projects
        self._skipped: list[Skipped] = []
        self._unasked: Counter[str] = Counter()

    def is_excluded(self, *names: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self._excluded for name in names)

    def is_asked_for(self, agent: str, project: str | None, ended: datetime | None) -> bool:
        if why := self._options.refuses(agent, project, ended):
            self._unasked[why] += 1
        return not why

    def still_takes(self, known: Known, name: str) -> bool:
        """Whether a session that was taken in before is wanted this time."""
        if not self.is_asked_for(known.agent, known.project, known.ended_at):
            return False
        is_excluded = self.is_excluded(known.project or "")
        self._skipped += [Skipped(name, None, EXCLUDED)] if is_excluded else []
        return not is_excluded

    def takes(self, draft: Draft, name: str) -> bool:
        """Whether a session of the source of this name is wanted; by its folder's name and by that of its project."""
        session = draft.session
        if self._excluded or self._options.project is not None:
            session = in_its_project(session, draft, self._folders, self._projects)
        if not self.is_asked_for(session.agent, session.project, session.ended):
            return False
        why = f"{session.id}: marked as not to be remembered" if draft.is_incognito or is_incognito(session) else ""
        if not why and self.is_excluded(session.project or "", draft.session.project or "", draft.folder):
            why = EXCLUDED
        self._skipped += [Skipped(name, None, why)] if why else []
        return not why

    def told(self) -> Iterator[Skipped]:
        yield from self._skipped
        for why, count in self._unasked.items():
            yield Skipped("options", None, f"{counted(count, 'session')} {why}")


_INCOGNITO = re.compile(r"^\s*(?:[#/]incognito|\[incognito\]|<incognito\s*/?>)\s*$", re.IGNORECASE | re.MULTILINE)


def is_incognito(session: Session) -> bool:
    """The person wrote `#incognito` on a line of its own: nothing of that talk is to be kept."""
    own = (turn for turn in session.turns if turn.role is Role.USER and turn.origin is Origin.USER)
    return any(_INCOGNITO.search(turn.text) for turn in own)
