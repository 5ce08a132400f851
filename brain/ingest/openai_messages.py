"""OpenAI-style messages: a bare list, a list under a key, a stored response, or a conversation (or message) a line.

The format has no times and no ids of its own; what a file gives besides (id, title, a time with each
message) is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from brain.ingest.openai_items import Reader, is_item, time_in
from brain.ingest.pieces import BadLine, dict_of, json_kind, load, text_of
from brain.ingest.reading import UNFINISHED, Draft, draft
from brain.ingest.source import Input, Skipped
from brain.model import Session, Source

NAME = "openai-messages"
LARGEST = 256 << 20
"""Bytes of a file that is one JSON value: it must be read as a whole."""
_LISTS = ("messages", "items", "input", "output")
_IDS = ("id", "conversation_id", "session_id", "thread_id", "uuid")
_FIRST_ITEM = re.compile(
    r'\s*(?:\[\s*)?(?:\{.{0,20000}?"(?:messages|items|input|output)"\s*:\s*)?(?:\[\s*)?', re.DOTALL
)
_FIRST_LIST = re.compile(r"\s*(?:\[\s*){1,2}")


def detect(head: bytes, name: str) -> str:
    """By its shape: objects with a known role or type, in a list, under a key, or line by line."""
    del name
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if not text.startswith(("[", "{")):
        return "it is neither a JSON list nor a JSON object"
    starts = {0, *(m.end() for pattern in (_FIRST_LIST, _FIRST_ITEM) if (m := pattern.match(text)))}
    return (
        "" if any(is_item(_decoded(text, start)) for start in starts) else "its first value is no message with a role"
    )


def _decoded(text: str, start: int) -> object:
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def read(source: Input) -> Iterator[Draft | Skipped]:
    """A conversation for each list of messages; lines that are messages themselves are one together."""
    if _is_by_line(source):
        yield from _lines(source)
    elif source.size > LARGEST:
        yield Skipped(source.name, None, f"one JSON value of more than {LARGEST >> 20} MB; it was not read")
    else:
        yield from _whole(source)


def _is_by_line(source: Input) -> bool:
    """Whether the first line is a value of its own and another follows."""
    lines = source.lines()
    first = next(lines, None)
    try:
        return first is not None and load(first.data) is not None and next(lines, None) is not None
    except BadLine:
        return False


def _whole(source: Input) -> Iterator[Draft | Skipped]:
    try:
        value = load(source.read())
    except BadLine as error:
        yield Skipped(source.name, None, str(error))
        return
    if is_item(value):
        value = [value]
    many = isinstance(value, list) and not any(is_item(item) for item in value)
    conversations = value if many and isinstance(value, list) else [value]
    for n, conversation in enumerate(conversations, 1):
        found = _conversation(source, conversation, n if len(conversations) > 1 else 0)
        if found:
            yield found
        elif _items(conversation) is None:
            yield Skipped(source.name, None, f"value {n} holds no messages")


def _lines(source: Input) -> Iterator[Draft | Skipped]:
    messages: list[object] = []
    for line in source.lines():
        try:
            value = load(line.data)
        except BadLine as error:
            yield Skipped(source.name, line.number, str(error) if line.whole else UNFINISHED)
            continue
        if is_item(value):
            messages.append(value)
        elif _items(value) is None:
            yield Skipped(source.name, line.number, f"a JSON {json_kind(value)} that holds no messages")
        elif found := _conversation(source, value, line.number):
            yield found
    if found := _conversation(source, messages, 0):
        yield found


def _items(value: object) -> list[object] | None:
    """The messages of one conversation; None: it is none."""
    lists = [value] if isinstance(value, list) else [dict_of(value).get(key) for key in _LISTS]
    return next((given for given in lists if isinstance(given, list) and any(map(is_item, given))), None)


def _conversation(source: Input, value: object, place: int) -> Draft | None:
    about = dict_of(value)
    reader, time = Reader(), time_in(about)
    reader.take_all(_items(value) or [], time if about.get("object") == "response" else None)
    talk = reader.talk.finish()
    if not talk.turns:
        return None
    given = next((str(about[key]) for key in _IDS if isinstance(about.get(key), str | int) and about[key] != ""), "")
    session = Session(
        id=reader.talk.line(given) or (f"{source.stem}#{place}" if place else source.stem),
        agent=NAME,
        source=Source(NAME, source.file_name, source.sha256),
        turns=(),
        project=reader.talk.line(text_of(about.get("project"))) or None,
        title=reader.talk.line(text_of(about.get("title"))) or None,
    )
    return draft(session, talk, time)
