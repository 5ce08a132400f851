"""Models that talk: one protocol, a client for any OpenAI-compatible endpoint, and a scripted one.

A model is handed messages and tools and gives words or calls; what it says is data like any other, checked by those who
asked. Keys come from the environment of the process and are written nowhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from brain.errors import BrainError


class ModelFailed(BrainError):
    """The endpoint did not answer, or refused to."""

    code = "model"


@dataclass(frozen=True, slots=True)
class Tool:
    """Something a model may call."""

    name: str
    about: str
    parameters: Mapping[str, str]
    """Name of each argument -> what it is; all of them are texts and needed."""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": {name: {"type": "string", "description": about} for name, about in self.parameters.items()},
            "required": list(self.parameters),
            "additionalProperties": False,
        }


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a model asks for."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    """`system`, `user`, `assistant` or `tool`."""
    text: str
    calls: tuple[Call, ...] = ()
    """Of the assistant."""
    answers: str = ""
    """Of a tool: the id of the call that it answers."""


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    calls: tuple[Call, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    is_cut: bool = False
    """True: it ran into its limit in the middle of a word."""


class ChatModel(Protocol):
    @property
    def name(self) -> str: ...
    def reply(self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None) -> Reply:
        """The next message; `schema`: as one JSON object of this shape. Raises: ModelFailed."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an OpenAI-compatible model answers."""

    model: str
    base_url: str
    key: str = field(default="", repr=False)
    seconds: float = 120.0
    """For one answer."""
    max_tokens: int = 1024
    retries: int = 4


class OpenAIChat:
    """A model behind an endpoint; tries again with growing pauses where that can help (the library's own retries)."""

    def __init__(self, endpoint: Endpoint) -> None:
        from openai import OpenAI

        self._endpoint = endpoint
        self._client = OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.key or "none",
            timeout=endpoint.seconds,
            max_retries=endpoint.retries,
        )

    @property
    def name(self) -> str:
        return self._endpoint.model

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None) -> Reply:
        from openai import OpenAIError

        asked: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": [_to_wire(message) for message in messages],
            "temperature": 0,
            "max_tokens": self._endpoint.max_tokens,
        }
        if tools:
            asked["tools"] = [_tool_to_wire(tool) for tool in tools]
        if schema:
            asked["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        try:
            return _from_wire(self._client.chat.completions.create(**asked), tools)
        except OpenAIError as error:
            raise ModelFailed(
                f"{self._endpoint.model} at {self._endpoint.base_url} gave no answer: {_one_line(error)}",
                "see whether the endpoint is up, and whether the key in the environment is right",
            ) from error


class ScriptedModel:
    """Gives the replies of a list, one after the other; then says that it has no more."""

    def __init__(self, replies: Sequence[Reply | str], name: str = "scripted") -> None:
        self.name = name
        self.heard: list[tuple[Message, ...]] = []
        """What it was asked, each time."""
        self._replies = iter([Reply(reply) if isinstance(reply, str) else reply for reply in replies])

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None) -> Reply:
        self.heard.append(tuple(messages))
        given = next(self._replies, None)
        if given is None:
            raise ModelFailed("the scripted model has no more replies", "give it a longer list")
        return (
            given
            if given.calls
            else Reply(given.text, spoken_calls(given.text, tools), given.tokens_in, given.tokens_out, given.is_cut)
        )


# --- the wire ---------------------------------------------------------------------------


def _to_wire(message: Message) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        wire["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(dict(c.arguments))}}
            for c in message.calls
        ]
    if message.answers:
        wire["tool_call_id"] = message.answers
    return wire


def _tool_to_wire(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.about, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _from_wire(completion: Any, tools: Sequence[Tool]) -> Reply:
    """Endpoints leave out what they do not know: usage, calls, even the choice."""
    if not completion.choices:
        raise ModelFailed("the model answered with nothing at all", "try again, or another model")
    choice, usage = completion.choices[0], completion.usage
    text = choice.message.content or ""
    asked = choice.message.tool_calls or []
    calls = tuple(Call(c.id, c.function.name, _arguments(c.function.arguments)) for c in asked if c.type == "function")
    return Reply(
        text,
        calls or spoken_calls(text, tools),
        usage.prompt_tokens if usage else 0,
        usage.completion_tokens if usage else 0,
        choice.finish_reason == "length",
    )


def _arguments(text: str) -> dict[str, Any]:
    """What a call's arguments say; what is no object says nothing, and the tool will tell the model so."""
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


# --- calls in prose ----------------------------------------------------------------------

_FENCE = re.compile(r"```[a-z_]*\n(.*?)```|<tool_call>(.*?)</tool_call>", re.DOTALL)


def spoken_calls(text: str, tools: Sequence[Tool]) -> tuple[Call, ...]:
    """Calls that a small model wrote into its words as JSON: `{"name": "shell", "arguments": {"command": "ls"}}`."""
    known = {tool.name for tool in tools}
    if not known:
        return ()
    found = [value for value in _objects(text) if value.get("name") in known]
    return tuple(Call(f"spoken-{n}", value["name"], _given(value)) for n, value in enumerate(found, 1))


def _given(value: Mapping[str, Any]) -> dict[str, Any]:
    given = value.get("arguments", value.get("parameters", {}))
    return _arguments(given) if isinstance(given, str) else given if isinstance(given, dict) else {}


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of a text, fenced or bare, each once."""
    pieces = [match[1] or match[2] for match in _FENCE.finditer(text)] or [text]
    decoder = json.JSONDecoder()
    for piece in pieces:
        at = piece.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(piece, at)
            except (ValueError, RecursionError):
                at = piece.find("{", at + 1)
                continue
            if isinstance(value, dict):
                yield value
            at = piece.find("{", end)


def json_object(text: str) -> dict[str, Any] | None:
    """The first JSON object of a text; None where there is none."""
    return next(_objects(text), None)
