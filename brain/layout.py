"""Where everything is: every path of the tree, one name each.

Paths are text with "/" relative to the brain's root; nothing here touches a disk.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from brain.model import Session, Turn

SETTINGS = "brain.toml"
INSTRUCTIONS = "DREAM.md"
DELETIONS = "deletions.md"
REPORTS = "dreams"
MEMORY = "memory"
SESSIONS = f"{MEMORY}/sessions"
NOTES = f"{MEMORY}/notes"
KNOWLEDGE = f"{MEMORY}/knowledge"
CONFLICTS = "conflicts"
INDEX = f"{MEMORY}/index.md"
SESSIONS_INDEX = f"{SESSIONS}/index.md"
NOTES_INDEX = f"{NOTES}/index.md"
KNOWLEDGE_INDEX = f"{KNOWLEDGE}/index.md"
INDEXES = (INDEX, SESSIONS_INDEX, NOTES_INDEX, KNOWLEDGE_INDEX)
LOCAL = ".brain"
_NOON = time(12)
TOP = (SETTINGS, INSTRUCTIONS, DELETIONS, REPORTS, MEMORY)
"""What stands at the root of a brain; nothing else in that folder is Brain's."""

TRANSCRIPT_NAME = "transcript.md"
SUMMARY_NAME = "summary.md"
ATTACHMENTS = "attachments"

_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def is_uuid(session_id: str) -> bool:
    """Whether an id is given once in the world, and not by a person or a counter."""
    return _UUID.fullmatch(session_id) is not None


def short_id(session_id: str, length: int = 8) -> str:
    """The part of a session's id that its folder carries: of a UUID its start, else of a SHA-256."""
    if is_uuid(session_id):
        return session_id.replace("-", "").lower()[:length]
    import hashlib  # loads OpenSSL: a third of the start-up of `brain index`

    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def session_folder(session_id: str, day: date | None, length: int = 8) -> str:
    """`memory/sessions/2026/11/29-1f2e3d4c`; `length` 12 where 8 characters are taken."""
    tail = short_id(session_id, length)
    if day is None:
        return f"{SESSIONS}/undated/{tail}"
    return f"{SESSIONS}/{day.year:04d}/{day.month:02d}/{day.day:02d}-{tail}"


_DAY = re.compile(rf"{SESSIONS}/(\d{{4}})/(\d{{2}})/(\d{{2}})-")


def session_day(folder: str) -> date | None:
    """The local day that a session's folder names; None: it names none."""
    match = _DAY.match(folder)
    try:
        return date.fromisoformat("-".join(match.groups())) if match else None
    except ValueError:
        return None


def said_at(turn: Turn, session: Session, folder: str, zone: ZoneInfo) -> datetime | None:
    """The time of a turn; noon of the session's day where its source gives that day and no time at all."""
    if turn.time is not None or any(other.time for other in session.turns):
        return turn.time
    day = session_day(folder)
    return datetime.combine(day, _NOON, zone) if day else None


def transcript_path(folder: str) -> str:
    return f"{folder}/{TRANSCRIPT_NAME}"


def summary_path(folder: str) -> str:
    return f"{folder}/{SUMMARY_NAME}"


def report_path(run_id: str) -> str:
    return f"{REPORTS}/{run_id}.md"


def source_of(folder: str, n: int, result: int | None = None) -> str:
    """A citation's source: `sessions/2026/11/29-1f2e3d4c#t12`, a tool result in it `…#t12.r3`."""
    below = folder.removeprefix(f"{MEMORY}/")
    return f"{below}#t{n}" if result is None else f"{below}#t{n}.r{result}"


_SOURCE = re.compile(r"(sessions/(?:\d{4}/\d{2}/\d{2}-|undated/)[0-9a-f]{8,64})#t([1-9]\d{0,8})(?:\.r([1-9]\d{0,8}))?")


def parse_source(source: str) -> tuple[str, int, int | None] | None:
    """(folder from the root, turn, tool result or None); None: no source of this form."""
    match = _SOURCE.fullmatch(source)
    if match is None:
        return None
    result = match.group(3)
    return f"{MEMORY}/{match.group(1)}", int(match.group(2)), int(result) if result else None


_IN_SESSION = re.compile(rf"({SESSIONS}/(?:\d{{4}}/\d{{2}}|undated)/[^/]+)/")


def session_of(path: str) -> str | None:
    """The folder of the session that a file belongs to; None: it belongs to none."""
    match = _IN_SESSION.match(path)
    return match[1] if match else None


def is_page(path: str) -> bool:
    return path.startswith(f"{KNOWLEDGE}/") and path.endswith(".md") and path != KNOWLEDGE_INDEX


def is_note(path: str) -> bool:
    return path.startswith(f"{NOTES}/") and path.endswith(".md") and path != NOTES_INDEX


def is_transcript(path: str) -> bool:
    return path.startswith(f"{SESSIONS}/") and path.endswith(f"/{TRANSCRIPT_NAME}")


def is_summary(path: str) -> bool:
    return path.startswith(f"{SESSIONS}/") and path.endswith(f"/{SUMMARY_NAME}")


def is_tracked(path: str) -> bool:
    """Whether a file at this path belongs to the memory: what else lies in the folder is the person's own."""
    if path in (SETTINGS, INSTRUCTIONS, DELETIONS):
        return True
    top, _, below = path.partition("/")
    if top not in (MEMORY, REPORTS) or any(part.startswith(".") for part in below.split("/")):
        return False
    return path.endswith(".md") or (path.startswith(f"{SESSIONS}/") and f"/{ATTACHMENTS}/" in path)
