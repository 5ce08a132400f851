"""Markdown logs: a chat by headings or bold names, or stamped lines.

What opens a turn stands at the start of a line and outside of fences, quotations, lists and `<details>`.
"""

from __future__ import annotations

from collections.abc import Iterator

from brain.ingest import injected, speakers
from brain.ingest.document import LARGEST, MARKDOWN, day_of, decoded, is_text, read_text
from brain.ingest.pieces import Words
from brain.ingest.reading import Draft, draft, too_large
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Role, Session, Source
from brain.text.front import FrontMatter

NAME = "markdown-log"


def detect(head: bytes, name: str) -> str:
    """By what it holds: somebody speaks in it."""
    if not is_text(head):
        return "it is no text"
    if speakers.openings(FrontMatter.parse(decoded(head)).body):
        return ""
    if name.lower().endswith(MARKDOWN):
        return "nobody speaks in it"
    return "it is no Markdown, and no line begins with a time and a name"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """One session with a turn for each message; a text in which nobody speaks is a document."""
    if refused := too_large(source, LARGEST):
        yield refused
        return
    front = FrontMatter.parse(decoded(source.read()))
    found = speakers.openings(front.body)
    if found is None:
        yield from read_text(source, front)
        return
    talk = Conversation()
    _talk(found, talk)
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
    )
    yield draft(session, done, day_of(front.values, source.stem))


def _talk(found: speakers.Log, talk: Conversation) -> None:
    for message in found.messages:
        if message.role is Role.ASSISTANT:
            talk.assistant([Words(message.text)], message.time, message.speaker)
        elif message.role is Role.USER:
            talk.user([Words(injected.without_host(message.text))], message.time, message.speaker)
    if found.before:
        talk.notes["lines before the first speaker"] = found.before
