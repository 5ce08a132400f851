"""OpenAI-style messages: a bare list, a list under a key, a stored response, or a conversation (or message) a line.

The format has no times and no ids of its own; what a file gives besides (id, title, a time with each
message) is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from brain.ingest.jsonvalues import values
from brain.ingest.openai_items import Reader, is_item, time_in
from brain.ingest.pieces import BadLine, dict_of, json_kind, load, text_of
from brain.ingest.reading import UNFINISHED, Draft, draft
from brain.ingest.source import Input, Skipped
from brain.model import Session, Source

NAME = "openai-messages"
LARGEST = 64 << 20
"""Bytes of a first line that is read to see whether it is a value of its own."""
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
    """A conversation for each list of messages; messages that stand in no list of their own are one together."""
    yield from _lines(source) if _is_by_line(source) else _values(source)


def _is_by_line(source: Input) -> bool:
    """Whether the first line is a value of its own and another follows; one that is too long for that is not read."""
    end = 0
    for chunk in source.chunks():
        at = chunk.find(b"\n")
        end += at if at >= 0 else len(chunk)
        if at >= 0 or end > LARGEST:
            break
    lines = source.lines() if end <= LARGEST else iter(())
    try:
        first = next(lines, None)
        return first is not None and load(first.data) is not None and next(lines, None) is not None
    except BadLine:
        return False


def _values(source: Input) -> Iterator[Draft | Skipped]:
    messages: list[object] = []
    held: tuple[int, object] | None = None
    count = 0
    for item in values(source):
        if isinstance(item, Skipped):
            yield item
        elif is_item(item[1]):
            messages.append(item[1])
        elif _items(item[1]) is None:
            yield Skipped(source.name, None, f"value {item[0]} holds no messages")
        else:
            # Whether it is the only one, and so needs no number, is seen when the next one comes.
            yield from _conversations(source, held)
            held, count = item, count + 1
    is_alone = count == 1 and not messages and held is not None and held[0] == 1
    yield from _conversations(source, (0, held[1]) if is_alone and held else held)
    yield from _conversations(source, (0, messages))


def _conversations(source: Input, held: tuple[int, object] | None) -> Iterator[Draft]:
    if held is not None and (found := _conversation(source, held[1], held[0])):
        yield found


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
