"""Claude.ai's export: conversations.json, each conversation a list of messages that may branch.

The last leaf was said; other answers to the same message were given up. Summaries and memories were written by a
model, and what stands beside the conversations (memories.json, projects.json) is named and left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from brain.ingest.branch import leaves, way_to
from brain.ingest.claude_content import pieces_of
from brain.ingest.jsonvalues import beginning, values
from brain.ingest.pieces import Call, Handed, Media, Piece, Result, Words, dict_of, list_of, text_of, time_of
from brain.ingest.reading import Draft, draft
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Session, Source

NAME = "claude-ai"
_LISTS = ("conversations",)
_ROOT = "00000000-0000-4000-8000-000000000000"
_UNSUPPORTED = re.compile(r"(?:```\s*)?This block is not supported on your current device yet\.?(?:\s*```)?")
_BESIDE = {
    "conversations_memory": "memories that a model wrote",
    "prompt_template": "projects: their instructions and files are no conversation",
}
"""A key of what else an export holds -> what that is."""


def detect(head: bytes, name: str) -> str:
    """By its shape: a conversation with `chat_messages`, or what an export holds beside."""
    del name
    value = beginning(head)
    if value is None:
        return "it is no JSON"
    about = dict_of(value)
    listed = [dict_of(one) for one in [*list_of(value), *list_of(about.get("conversations")), about]]
    if any(isinstance(one.get("chat_messages"), list) or _beside(one) for one in listed):
        return ""
    return "nothing in it has chat_messages"


def _beside(about: dict[str, object]) -> str:
    has_id = "uuid" in about or "account_uuid" in about
    return next((what for key, what in _BESIDE.items() if key in about and has_id), "")


def read(source: Input) -> Iterator[Draft | Skipped]:
    """A session for each conversation in which anybody spoke."""
    beside: Counter[str] = Counter()
    for item in values(source, _LISTS):
        if isinstance(item, Skipped):
            yield item
            continue
        place, value = item
        about = dict_of(value)
        if isinstance(about.get("chat_messages"), list):
            yield from _session(source, about, place)
        elif what := _beside(about):
            beside[what] += 1
        else:
            yield Skipped(source.name, None, f"value {place} holds no conversation")
    yield from (Skipped(source.name, None, f"{count} {what}") for what, count in beside.items())


@dataclass(frozen=True, slots=True)
class _Message:
    parent: str
    sender: str
    about: dict[str, object]


def _session(source: Input, about: dict[str, object], place: int) -> Iterator[Draft]:
    messages = _messages(list_of(about["chat_messages"]))
    parents = {one: message.parent for one, message in messages.items()}
    current = text_of(about.get("current_leaf_message_uuid"))
    live = way_to(current if current in messages else list(leaves(parents) or [""])[-1], parents)
    talk = Conversation()
    for one in live:
        _take(talk, messages[one])
    chosen = set(live)
    beside = [message for one, message in messages.items() if one not in chosen and any(_words(message.about))]
    if beside:
        talk.notes["messages on branches that were given up"] = len(beside)
    done = talk.finish()
    if not done.turns:
        return
    session = Session(
        id=talk.line(text_of(about.get("uuid"))) or f"{source.stem}#{place}",
        agent=NAME,
        source=Source(NAME, source.file_name, source.sha256),
        turns=(),
        project=talk.line(text_of(dict_of(about.get("project")).get("name"))) or None,
        title=talk.line(text_of(about.get("name"))) or None,
    )
    yield draft(session, done, time_of(about.get("created_at")), is_incognito=about.get("is_temporary") is True)


def _messages(given: list[object]) -> dict[str, _Message]:
    """By uuid, a later copy in the place of an earlier; one whose parent is missing follows the one before."""
    messages: dict[str, _Message] = {}
    known = {text_of(dict_of(value).get("uuid")) for value in given}
    has_parents = any(text_of(dict_of(value).get("parent_message_uuid")) in known - {""} for value in given)
    before = ""
    for place, value in enumerate(given):
        about = dict_of(value)
        one = text_of(about.get("uuid")) or f"message {place}"
        parent = text_of(about.get("parent_message_uuid"))
        if not has_parents or (parent not in known and parent != _ROOT):
            parent = messages[one].parent if one in messages else before
        before = before if one in messages else one
        messages[one] = _Message("" if parent == _ROOT else parent, text_of(about.get("sender")), about)
    return messages


def _take(talk: Conversation, message: _Message) -> None:
    time = time_of(message.about.get("created_at"))
    if message.sender in ("human", "user"):
        talk.user([*_words(message.about), *_files(message.about)], time)
    elif message.sender == "assistant":
        talk.assistant(_words(message.about), time)
    else:
        talk.notes["messages of a sender that Brain does not know"] += 1


def _words(about: dict[str, object]) -> Iterator[Piece]:
    """The blocks of a message; where none of them says anything, its flat text."""
    blocks = [_spoken(block) for block in list_of(about.get("content"))]
    pieces = [_said(piece) for piece in _paired(pieces_of(blocks), text_of(about.get("uuid")))]
    yield from pieces
    if not any(isinstance(piece, Words) and piece.text.strip() for piece in pieces):
        yield _said(Words(text_of(about.get("text"))))


def _spoken(block: object) -> object:
    about = dict_of(block)
    return {"type": "text", "text": about.get("text")} if about.get("type") == "voice_note" else block


def _paired(pieces: Iterator[Piece], message: str) -> Iterator[Piece]:
    """Older exports give calls and results no ids: then a result is that of the call before it."""
    waiting = ""
    for n, piece in enumerate(pieces):
        if isinstance(piece, Call) and not piece.id:
            waiting = f"{message} {n}"
            yield Call(waiting, piece.name, piece.input)
        elif isinstance(piece, Result) and not piece.id and waiting:
            yield Result(waiting, piece.text, piece.is_error)
        else:
            yield piece


def _said(piece: Piece) -> Piece:
    return Words(_UNSUPPORTED.sub("", piece.text).strip()) if isinstance(piece, Words) else piece


def _files(about: dict[str, object]) -> Iterator[Piece]:
    """Attachments are material with a name; of other files an export holds the name alone."""
    held = set()
    for value in list_of(about.get("attachments")):
        given = dict_of(value)
        name, text = text_of(given.get("file_name")), text_of(given.get("extracted_content"))
        held.add(name)
        yield Handed(name, text) if text.strip() else Media("file")
    for value in list_of(about.get("files")):
        if text_of(dict_of(value).get("file_name")) not in held:
            yield Media("file")
