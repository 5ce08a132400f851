"""What a dream came to: for the command that prints it, and for whoever called it from Python."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from brain.dream.apply import Dropped
from brain.dream.plan import Skipped, target
from brain.validators.findings import Finding


class DreamStatus(StrEnum):
    """What became of the night's work."""

    SYNCED = "synced"
    NO_CHANGE = "no_change"
    REJECTED = "rejected"
    PROPOSED = "proposed"
    """Valid, and not in main: dream.mode is "propose", or it was a dry run."""


@dataclass(frozen=True, slots=True)
class DreamResult:
    run: str
    status: DreamStatus
    commit: str | None = None
    """Where main stands on account of it, or the commit that is proposed."""
    subject: str = ""
    """The night in one line; "" where nothing changed."""
    report: str = ""
    """The text of dreams/<run>.md; "" where nothing changed."""
    sessions: tuple[str, ...] = ()
    """Folders of the sessions that it took on."""
    operations: int = 0
    """How many were applied."""
    dropped: tuple[Dropped, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What the gate said of the staged tree in the end; an error among them where it was rejected."""
    skipped: tuple[Skipped, ...] = ()
    model_calls: int = 0
    notes: tuple[str, ...] = ()
    """What else a person should know: repairs, edits that were taken in, where a rejected tree lies."""

    def as_json(self, seconds: float) -> dict[str, object]:
        return {
            "run": self.run,
            "status": self.status.value,
            "commit": self.commit,
            "sessions": len(self.sessions),
            "operations": self.operations,
            "dropped": [
                {"operation": f"{type(one.operation).__name__} {target(one.operation)}", "why": one.why}
                for one in self.dropped
            ],
            "findings": [finding.as_json() for finding in self.findings],
            "model_calls": self.model_calls,
            "seconds": round(seconds, 3),
        }
