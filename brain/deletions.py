"""The deletion log: fingerprints of what the user made Brain forget; entries <-> text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from brain.model import Problem

HEADER = "# Deletions\n\nWhat was forgotten, by fingerprint: it must not come back.\n\n"

_ENTRY = re.compile(r"- (\S+) · ([0-9a-f]{16}) · ([a-z][a-z-]*) · (.*)")


@dataclass(frozen=True, slots=True)
class Deletion:
    at: datetime
    fingerprint: str
    """See evidence.fingerprint."""
    kind: str
    """`claim`, or what else was forgotten."""
    why: str


@dataclass(frozen=True, slots=True)
class Parsed:
    deletions: tuple[Deletion, ...]
    problems: tuple[Problem, ...]


def parse(text: str) -> Parsed:
    """Total: lines that a person wrote between the entries stay text, a list item that is no entry is a problem."""
    found: list[Deletion] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("- "):
            continue
        entry = _ENTRY.fullmatch(line.rstrip())
        at = _time(entry[1]) if entry else None
        if entry is None or at is None:
            problems.append(Problem("this line of the deletion log cannot be read", number))
        else:
            found.append(Deletion(at, entry[2], entry[3], entry[4]))
    return Parsed(tuple(found), tuple(problems))


def append(text: str, deletion: Deletion) -> str:
    """The log with one more entry at its end; what stands in it stays."""
    text = text or HEADER
    if not text.endswith("\n"):
        text += "\n"
    return f"{text}{render(deletion)}\n"


def render(deletion: Deletion) -> str:
    why = " ".join(deletion.why.split())
    return f"- {_stamp(deletion.at)} · {deletion.fingerprint} · {deletion.kind} · {why}"


def _stamp(at: datetime) -> str:
    text = at.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
