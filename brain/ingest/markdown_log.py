"""Markdown: a chat by headings or bold names, a log of stamped lines, or else a document.

What opens a turn stands at the start of a line and outside of fences, quotations, lists and
`<details>`. A file that is no log is one turn of origin import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date

from brain.ingest import injected, speakers
from brain.ingest.pieces import Words
from brain.ingest.reading import Draft, draft
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Origin, Role, Session, SessionKind, Source, Trust
from brain.text.front import FrontMatter

NAME = "markdown-log"
LARGEST = 64 << 20
_SUFFIXES = (".md", ".markdown", ".mdown")


def detect(head: bytes, name: str) -> str:
    """A log by what it holds; any other Markdown, as a document, by its name alone."""
    if b"\0" in head[:4096]:
        return "it is no text"
    if name.lower().endswith(_SUFFIXES):
        return ""
    return "" if speakers.openings(_decoded(head)) else "it is no Markdown, and no line begins with a time and a name"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """One session: a log with a turn for each message, or a document with one turn."""
    if source.size > LARGEST:
        yield Skipped(source.name, None, f"a text of more than {LARGEST >> 20} MB; it was not read")
        return
    front = FrontMatter.parse(_decoded(source.read()))
    found = speakers.openings(front.body)
    talk = Conversation()
    if found:
        _talk(found, talk)
    elif front.body.strip():
        talk.user([Words(front.body)], None, origin=Origin.IMPORT, trust=Trust.THIRD)
    done = talk.finish()
    if not done.turns:
        return
    session = Session(
        id=talk.line(source.stem),
        agent=NAME,
        source=Source(NAME, source.file_name, source.sha256),
        turns=(),
        project=talk.line(front.get_text("project") or "") or None,
        title=talk.line(front.get_text("title") or speakers.title(front.body)) or None,
        kind=SessionKind.MAIN if found else SessionKind.DOCUMENT,
    )
    yield draft(session, done, _day_of(front.values, source.stem))


def _talk(found: speakers.Log, talk: Conversation) -> None:
    for message in found.messages:
        if message.role is Role.ASSISTANT:
            talk.assistant([Words(message.text)], message.time, message.speaker)
        elif message.role is Role.USER:
            talk.user([Words(injected.without_host(message.text))], message.time, message.speaker)
    if found.before:
        talk.notes["lines before the first speaker"] = found.before


def _decoded(data: bytes) -> str:
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _day_of(values: Mapping[str, object], stem: str) -> date | None:
    for given in (values.get("date"), values.get("created"), stem):
        found = re.match(r"\d{4}-\d\d-\d\d", given) if isinstance(given, str) else None
        try:
            if found:
                return date.fromisoformat(found[0])
        except ValueError:
            continue
    return None
