"""LangChain's messages and LangGraph's states: as dicts, flat, or as constructors; nothing named in a file is made.

The same id replaces, `remove` deletes. There are no times but that of a saved state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from brain.ingest.jsonvalues import beginning, values
from brain.ingest.openai_items import parts_of, said
from brain.ingest.pieces import Call, Piece, Result, dict_of, list_of, result_text, text_of, time_of
from brain.ingest.reading import Draft, draft
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Session, Source

NAME = "langchain"
_KINDS = frozenset(("human", "ai", "system", "tool", "chat", "function", "remove", "developer"))
_TELLING = frozenset(("human", "ai", "chat"))
"""Kinds by which the format is known: the others are words of other formats too."""
_SPEAKERS = {"user": "human", "assistant": "ai", "human": "human", "ai": "ai"}
_CLEAR = "__remove_all__"
_STATES = ("values", "channel_values", "checkpoint", "state", "output", "outputs", "inputs")
"""Keys below which a state keeps its messages."""
_DEPTH = 4

Message = tuple[str, dict[str, object]]
"""(kind, fields)."""


def detect(head: bytes, name: str) -> str:
    """By its shape: messages of LangChain's types, in a list or somewhere in a state."""
    del name
    value = beginning(head)
    if value is None:
        return "it is no JSON"
    listed = [message for one in [*list_of(value), value] if (message := _message(one))]
    found = [*listed, *_messages(value), *(message for one in list_of(value) for message in _messages(one))]
    if any(kind in _TELLING for kind, _ in found):
        return ""
    return "nothing in it has a message of type human or ai"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The messages of a list or of lines are one session; each state is one by its thread, the newest of it."""
    alone: list[Message] = []
    states: dict[str, tuple[datetime | None, dict[str, object]]] = {}
    for item in values(source):
        if isinstance(item, Skipped):
            yield item
            continue
        place, value = item
        message, about = _message(value), dict_of(value)
        if message:
            alone.append(message)
        elif _messages(value):
            _keep_newest(states, _thread(about) or f"{source.stem}#{place}", about if about else {"messages": value})
        elif value not in (None, [], {}):
            yield Skipped(source.name, None, f"value {place} holds no messages")
    if alone:
        yield from _session(source, source.stem, alone, None)
    for thread, (time, state) in states.items():
        own = source.stem if len(states) == 1 and not alone and thread.startswith(f"{source.stem}#") else thread
        yield from _session(source, own, _messages(state), time)


def _keep_newest(
    states: dict[str, tuple[datetime | None, dict[str, object]]], thread: str, state: dict[str, object]
) -> None:
    """A history of states lists the newest first; what has a later time is newer."""
    time = time_of(state.get("created_at")) or time_of(state.get("ts"))
    held = states.get(thread)
    if held is None or (time is not None and (held[0] is None or time > held[0])):
        states[thread] = time, state


def _thread(state: dict[str, object]) -> str:
    config = dict_of(dict_of(state.get("config")).get("configurable"))
    about = dict_of(state.get("metadata"))
    given = (config.get("thread_id"), state.get("thread_id"), about.get("thread_id"), state.get("session_id"))
    return next((str(one) for one in given if isinstance(one, str | int) and one != ""), "")


# --- which messages ------------------------------------------------------------------


def _message(value: object) -> Message | None:
    """(kind, fields) of a message in any of the three shapes."""
    about = dict_of(value)
    if about.get("lc") is not None and isinstance(about.get("kwargs"), dict):
        name = text_of((list_of(about.get("id")) or [""])[-1])
        fields = dict_of(about["kwargs"])
        return _kind(name, fields) if name.endswith(("Message", "MessageChunk")) else None
    if isinstance(about.get("data"), dict):
        return _kind(text_of(about.get("type")), dict_of(about["data"]))
    if "content" in about or "tool_calls" in about or about.get("type") == "remove":
        return _kind(text_of(about.get("type")), about)
    return None


def _kind(name: str, fields: dict[str, object]) -> Message | None:
    kind = name.removesuffix("Chunk").removesuffix("Message").lower()
    return (kind, fields) if kind in _KINDS else None


def _messages(value: object, depth: int = 0) -> list[Message]:
    """The messages of a state, wherever it keeps them, as they stand after the reducer of message lists."""
    about = dict_of(value)
    listed = about.get("messages", about.get("history")) if about else value
    if isinstance(listed, list):
        given = [one for item in listed for one in (list_of(item) if isinstance(item, list) else [item])]
        if found := [message for one in given if (message := _message(one))]:
            return found
    if depth < _DEPTH:
        for key in _STATES:
            if isinstance(about.get(key), dict) and (found := _messages(about[key], depth + 1)):
                return found
    return []


def _reduced(messages: Iterable[Message]) -> Iterator[Message]:
    kept: dict[str, Message] = {}
    for place, (kind, fields) in enumerate(messages):
        one = text_of(fields.get("id"))
        if kind != "remove":
            kept[f"id {one}" if one else f"place {place}"] = kind, fields
        elif one == _CLEAR:
            kept.clear()
        else:
            kept.pop(f"id {one}", None)
    yield from kept.values()


# --- what they say ---------------------------------------------------------------------


def _session(source: Input, own: str, messages: Iterable[Message], time: datetime | None) -> Iterator[Draft]:
    talk = Conversation()
    for n, (kind, fields) in enumerate(_reduced(messages)):
        _take(talk, kind, fields, f"message {n}")
    done = talk.finish()
    if done.turns:
        given = Source(NAME, source.file_name, source.sha256)
        yield draft(Session(talk.line(own) or source.stem, NAME, given, ()), done, time)


def _take(talk: Conversation, kind: str, fields: dict[str, object], place: str) -> None:
    if kind == "chat":
        kind = _SPEAKERS.get(text_of(fields.get("role")).lower(), "system")
    time = time_of(dict_of(fields.get("additional_kwargs")).get("timestamp")) or time_of(fields.get("timestamp"))
    speaker = text_of(fields.get("name")) or None
    match kind:
        case "human":
            talk.user(said(parts_of(fields.get("content"))), time, speaker)
        case "ai":
            talk.assistant([*parts_of(fields.get("content")), *_calls(talk, fields, place)], time, speaker)
        case "tool":
            failed = fields.get("status") == "error"
            talk.results([Result(text_of(fields.get("tool_call_id")), result_text(fields.get("content")), failed)])
        case "function":
            talk.results([Result(f"function {text_of(fields.get('name'))}", result_text(fields.get("content")))])


def _calls(talk: Conversation, fields: dict[str, object], place: str) -> Iterator[Piece]:
    for n, given in enumerate(list_of(fields.get("tool_calls"))):
        call = dict_of(given)
        yield Call(text_of(call.get("id")) or f"{place} {n}", text_of(call.get("name")), call.get("args") or {})
    for n, given in enumerate(list_of(fields.get("invalid_tool_calls"))):
        call = dict_of(given)
        talk.notes["tool calls with arguments that are no JSON, kept as text"] += 1
        yield Call(text_of(call.get("id")) or f"{place} bad {n}", text_of(call.get("name")), call.get("args") or "")
    legacy = dict_of(dict_of(fields.get("additional_kwargs")).get("function_call"))
    if legacy:
        name = text_of(legacy.get("name"))
        yield Call(f"function {name}", name, legacy.get("arguments") or {})
