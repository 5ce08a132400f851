"""Messages and items as OpenAI's interfaces pass them: chat messages, legacy function calls, Responses items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime

from brain.ingest import injected
from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, list_of, result_text, text_of, time_of
from brain.ingest.turns import Conversation

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SILENT = frozenset(("reasoning", "item_reference", "compaction", "compaction_summary", "message"))
"""Types of items that say nothing to a person."""
_GIVEN_BACK = ("error", "output", "outputs", "results")
"""Keys under which a hosted tool keeps what it gave."""
_TIMES = ("timestamp", "created_at", "time", "create_time", "date")


def is_item(value: object) -> bool:
    """Whether this is one message or item: of a known role with something to say, or of a known type."""
    item = dict_of(value)
    if text_of(item.get("role")) in ROLES and item.get("type") in (None, "message"):
        return any(key in item for key in ("content", "tool_calls", "function_call", "refusal"))
    kind = text_of(item.get("type"))
    named = kind.endswith(("_call", "_call_output")) and any(key in item for key in ("call_id", "id", "name", "output"))
    return named or (kind == "reasoning" and "summary" in item)


def time_in(item: dict[str, object]) -> datetime | None:
    return next((time for key in _TIMES if (time := time_of(item.get(key))) is not None), None)


class Reader:
    """Takes items in order into a conversation."""

    def __init__(self) -> None:
        self.talk = Conversation()
        self._waiting: list[tuple[str, str]] = []
        """Legacy calls have no ids: (made-up id, name) in the order of the calls."""
        self._calls = 0

    def take_all(self, items: Iterable[object], time: datetime | None = None) -> None:
        """`time` is that of items that carry none themselves."""
        for item in _once(items):
            self.take(item, time_in(item) or time)

    def take(self, item: dict[str, object], time: datetime | None) -> None:
        role, kind = text_of(item.get("role")), text_of(item.get("type"))
        if role in ("tool", "function"):
            self.talk.results([self._result(item, role)])
        elif role == "user":
            self.talk.user(said(parts_of(item.get("content"))), time, text_of(item.get("name")) or None)
        elif role == "assistant":
            self._count_cut(item)
            self.talk.assistant(self._answer(item), time, text_of(item.get("name")) or None)
        elif kind.endswith("_output"):
            self.talk.results([_output(item)])
        elif kind.endswith("_call"):
            self.talk.assistant(self._called(item, kind), time)
        elif role not in ROLES and kind not in _SILENT:
            self.talk.notes[f"items of a type that Brain does not know: {(kind or role)[:40] or 'none'}"] += 1

    def _answer(self, item: dict[str, object]) -> Iterator[Piece]:
        yield from parts_of(item.get("content"))
        yield Words(text_of(dict_of(item.get("audio")).get("transcript")))
        if isinstance(item.get("refusal"), str):
            yield Words(text_of(item["refusal"]))
        for given in list_of(item.get("tool_calls")):
            call = dict_of(given)
            function = dict_of(call.get("function")) or dict_of(call.get("custom"))
            arguments = function.get("arguments", function.get("input"))
            yield Call(self._id(call), text_of(function.get("name")), self._arguments(arguments))
        legacy = dict_of(item.get("function_call"))
        if legacy:
            name = text_of(legacy.get("name"))
            call_id = self._id({})
            self._waiting.append((call_id, name))
            yield Call(call_id, name, self._arguments(legacy.get("arguments")))

    def _id(self, call: dict[str, object]) -> str:
        self._calls += 1
        return text_of(call.get("call_id")) or text_of(call.get("id")) or f"call {self._calls}"

    def _arguments(self, given: object) -> object:
        """Arguments are JSON in a text, and now and then broken: then the text is what is kept."""
        if not isinstance(given, str) or not given.strip():
            return given or {}
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            self.talk.notes["tool calls with arguments that are no JSON, kept as text"] += 1
            return given

    def _result(self, item: dict[str, object], role: str) -> Result:
        text = result_text(item.get("content"))
        if role == "tool":
            return Result(text_of(item.get("tool_call_id")), text)
        name = text_of(item.get("name"))
        for n, (call_id, asked) in enumerate(self._waiting):
            if asked == name or not name:
                del self._waiting[n]
                return Result(call_id, text)
        return Result(f"no call {name}", text)

    def _called(self, item: dict[str, object], kind: str) -> Iterator[Piece]:
        """Any call: of a function by its name, of a hosted tool by its type; some carry their result with them."""
        call_id = self._id(item)
        given = item.get("arguments", item.get("input", item.get("action", item.get("queries", item.get("code")))))
        yield Call(call_id, text_of(item.get("name")) or kind.removesuffix("_call"), self._arguments(given))
        given_back = [item[key] for key in _GIVEN_BACK if item.get(key) not in (None, "", [])]
        if given_back or "output" in item:
            failed = item.get("error") not in (None, "")
            yield Result(call_id, result_text(given_back[0] if given_back else None), failed)

    def _count_cut(self, item: dict[str, object]) -> None:
        if item.get("status") == "incomplete":
            self.talk.notes["answers that were cut off"] += 1


def _output(item: dict[str, object]) -> Result:
    return Result(text_of(item.get("call_id")), result_text(item.get("output")))


def _once(items: Iterable[object]) -> Iterator[dict[str, object]]:
    """Each item; one with the id of an earlier one replaces that in its place."""
    kept: dict[str, dict[str, object]] = {}
    for n, value in enumerate(items):
        item = dict_of(value)
        given = text_of(item.get("id"))
        kept[f"id {given}" if given else f"place {n}"] = item
    yield from kept.values()


def parts_of(content: object) -> Iterator[Piece]:
    """The pieces of a content: text, or a list of parts; reasoning is none."""
    if isinstance(content, str):
        yield Words(content)
    for value in list_of(content):
        yield from _part({"type": "text", "text": value} if isinstance(value, str) else dict_of(value))


def _part(part: dict[str, object]) -> Iterator[Piece]:
    match text_of(part.get("type")):
        case "text" | "input_text" | "output_text":
            yield Words(text_of(part.get("text")))
        case "refusal":
            yield Words(text_of(part.get("refusal")))
        case "image_url" | "input_image" | "image":
            yield Media("image")
        case "input_audio" | "audio":
            yield Media("audio")
            yield Words(text_of(part.get("transcript")))
        case "file" | "input_file":
            yield Media("file")


def said(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """What of them a person wrote."""
    for piece in pieces:
        yield Words(injected.without_host(piece.text)) if isinstance(piece, Words) else piece
