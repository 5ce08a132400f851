"""What the sessions of all coding agents have in common: a working folder, helpers, tools that fail."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from brain.ingest import injected
from brain.ingest.projects import last_name
from brain.ingest.reading import Draft, draft, objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Origin, Role, Session, SessionKind, Source, Trust

DREAM = "a dream at work is no evidence"
BAD_ARGUMENTS = "tool calls with arguments that are no JSON, kept as text"


@dataclass(frozen=True, slots=True)
class About:
    """What a source tells of a session besides its words."""

    agent: str
    format: str
    id: str
    sha256: str
    folder: str = ""
    project: str = ""
    """"": the name of the folder."""
    title: str = ""
    kind: SessionKind = SessionKind.MAIN
    parent: str = ""
    day: datetime | None = None
    remote: str = ""
    """Address of the repository, where the source tells it."""


def finished(source: Input, talk: Conversation, about: About) -> Iterator[Draft | Skipped]:
    """The session, if anybody said anything in it and it is no dream at work."""
    done = talk.finish()
    asked = next((turn.text for turn in done.turns if turn.role is Role.USER), "")
    if injected.is_staged(about.folder) or injected.is_dream(asked):
        yield Skipped(source.name, None, DREAM)
    elif done.turns:
        session = Session(
            id=talk.line(about.id) or source.stem,
            agent=about.agent,
            source=Source(about.format, source.file_name, about.sha256),
            turns=(),
            project=talk.line(about.project or last_name(about.folder)) or None,
            title=talk.line(about.title) or None,
            kind=about.kind,
            parent=talk.line(about.parent) or None,
        )
        yield replace(draft(session, done, about.day, about.folder), remote=about.remote)


def asked_by(kind: SessionKind) -> tuple[Origin, Trust]:
    """Whose words the prompts of a session are: those of a helper were written by another agent."""
    return (Origin.ASSISTANT, Trust.THIRD) if kind is SessionKind.SUBAGENT else (Origin.USER, Trust.USER)


def without_blocks(text: str, is_host: Callable[[str], bool]) -> str:
    """The text without the host's blocks `<tag …>…</tag>` that it begins with; one never closed takes all of it."""
    text = text.strip()
    while opening := _OPENING.match(text):
        name = opening[1].lower()
        if not is_host(name):
            break
        closing = text.lower().find(f"</{name}>", opening.end())
        if closing == -1:
            return ""
        text = text[closing + len(name) + 3 :].strip()
    return text


_OPENING = re.compile(r"<([A-Za-z][\w-]{0,60})(?:\s[^<>]{0,2000})?>")


def taken(
    source: Input, take: Callable[[int, dict[str, object]], None], unknown: Mapping[str, int]
) -> Iterator[Skipped]:
    """Hand every line's object, with its number, to `take`; what could not be read or is `unknown` is told."""
    for found in objects(source):
        if isinstance(found, Skipped):
            yield found
        else:
            take(*found)
    yield from unknown_lines(source, unknown)


def unknown_lines(source: Input, kinds: Mapping[str, int]) -> Iterator[Skipped]:
    """One remark on all lines of types that nobody here knows."""
    if kinds:
        names = ", ".join(sorted(kinds)[:5])
        yield Skipped(source.name, None, f"{sum(kinds.values())} lines of a type that Brain does not know: {names}")
