"""What all of Cursor's transcripts share: the person's words among what the editor adds, and times in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from brain.ingest.hosts import About, without_blocks
from brain.ingest.pieces import Media, Piece, Words, time_of
from brain.ingest.source import Input
from brain.model import SessionKind

AGENT = "cursor"
_QUERY = re.compile(r"<user_query>(.*?)(?:</user_query>|\Z)", re.DOTALL)
_TIME = re.compile(r"<timestamp>([^<]{0,200})</timestamp>")
_PICTURES = re.compile(r"<image_files>(.*?)</image_files>", re.DOTALL)
_PICTURE = re.compile(r"^\s*\d+\.\s", re.MULTILINE)
_WORDED = re.compile(
    r"(?:[A-Za-z]+,? )?(?P<month>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4}),?(?: at)? "
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?: ?(?P<half>[AP])\.?M\.?)?"
    r"(?: ?\(?(?:UTC|GMT)? ?(?P<zone>[+-]\d{1,2}(?::?\d\d)?)?\)?)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def asked(text: str, *, by_agent: bool = False) -> tuple[list[Piece], datetime | None]:
    """What a person wrote in a prompt, and when; what an agent asks of its helper has no frame of its own."""
    before = text.partition("<user_query>")[0]
    stamp, pictures = _TIME.search(before), _PICTURES.search(before)
    queries = [query.strip() for query in _QUERY.findall(text)]
    if not queries:
        rest = without_blocks(text, _is_stamp if by_agent else _is_host)
        queries = [rest]
    pieces: list[Piece] = [Words(query) for query in queries if query]
    if pictures:
        pieces += [Media("image")] * len(_PICTURE.findall(pictures[1]))
    return pieces, worded_time(stamp[1]) if stamp else None


def _is_stamp(tag: str) -> bool:
    return tag == "timestamp"


def _is_host(tag: str) -> bool:
    """The editor's own tags have more than one word."""
    return "_" in tag or tag in ("timestamp", "rules")


def answered(text: str) -> Iterator[Piece]:
    """What the agent said; a mark stands where its reasoning was taken out."""
    kept = "\n".join(line for line in text.split("\n") if line.strip() != "[REDACTED]").strip()
    if kept:
        yield Words(kept)


def worded_time(text: str) -> datetime | None:
    """A time as the editor words it: `Monday, Aug 31, 2026, 5:52 AM (UTC-4)`; without an offset it is UTC."""
    plain = " ".join(text.split())
    match = _WORDED.fullmatch(plain)
    if match is None or match["month"][:3].lower() not in _MONTHS:
        return time_of(plain)
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "P" else 0)
    month = _MONTHS.index(match["month"][:3].lower()) + 1
    try:
        at = datetime(
            int(match["year"]), month, int(match["day"]), hour, int(match["minute"]), int(match["second"] or 0)
        )
        return time_of(at.replace(tzinfo=_zone(match["zone"])).isoformat())
    except ValueError:
        return None


def _zone(text: str | None) -> timezone:
    if not text:
        return UTC
    digits = text[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    shift = timedelta(hours=hours, minutes=minutes)
    return timezone(-shift if text[0] == "-" else shift)


# --- where a transcript lies ---------------------------------------------------------------


def about(source: Input, format_: str, paths: list[str]) -> About:
    """By the place of the file: its session, the session that asked for it, the project; `paths` were named in it."""
    path = source.path.absolute() if source.path else None
    is_helper = path is not None and path.parent.name == "subagents"
    return About(
        agent=AGENT,
        format=format_,
        id=source.stem,
        sha256=source.sha256_of_lines,
        folder=_folder(_slug_of(path), paths) if path else "",
        kind=SessionKind.SUBAGENT if is_helper else SessionKind.MAIN,
        parent=path.parent.parent.name if path and is_helper else "",
    )


def _slug_of(path: Path) -> str:
    """What the editor made of the project's folder: letters and digits are left of it."""
    above = next((folder for folder in list(path.parents)[:4] if folder.name == "agent-transcripts"), None)
    return above.parent.name if above else ""


def _folder(slug: str, paths: list[str]) -> str:
    """The folder that gives this slug, where a path below it was named: the slug alone tells no folder."""
    for path in paths if slug else ():
        for end in (match.start() for match in re.finditer(r"[/\\]|$", path[:1000])):
            if re.sub(r"[^A-Za-z0-9]+", "-", path[:end]).strip("-") == slug:
                return path[:end]
    return ""


def paths_in(given: object) -> list[str]:
    """Whole paths among the inputs of a tool."""
    values = given.values() if isinstance(given, dict) else ()
    return [value for value in values if isinstance(value, str) and re.match(r"/|[A-Za-z]:[/\\]", value)]
