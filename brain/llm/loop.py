"""A model at work with tools: ask, carry out what it calls for, tell it what came, until it answers or a limit ends it.

What a tool gives back is data: it is fenced, and no line of it can close the fence. A wrong call is told to the model
and costs it a step; it ends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from brain.llm import Call, ChatModel, Message, Reply, Tool, spoken_calls

Ended = Literal["answered", "steps", "tokens", "cut"]


class ToolError(Exception):
    """A call that could not be carried out; its words go back to the model."""


@dataclass(frozen=True, slots=True)
class Handled:
    """A tool and what carries it out."""

    tool: Tool
    run: Callable[[Mapping[str, Any]], str]
    """Arguments -> what came of it. Raises: ToolError."""


@dataclass(frozen=True, slots=True)
class Limits:
    steps: int = 12
    """Answers of the model."""
    tokens: int = 100_000
    """In and out, together."""
    output: int = 8_000
    """Characters of one tool's result that the model is shown."""


@dataclass(frozen=True, slots=True)
class Talk:
    """How it went."""

    messages: tuple[Message, ...]
    text: str
    """The last words of the model."""
    ended: Ended
    calls: int
    tokens_in: int
    tokens_out: int


def converse(
    model: ChatModel,
    messages: Sequence[Message],
    tools: Sequence[Handled],
    limits: Limits,
    must_look: Callable[[str], bool] | None = None,
) -> Talk:
    """`must_look`: of an answer that was given without calling anything, whether a call is asked for, once.

    Raises: ModelFailed.
    """
    talk, calls = list(messages), 0
    spent_in = spent_out = 0
    ended: Ended = "steps"
    text = ""
    for _ in range(limits.steps):
        reply = model.reply(talk, [handled.tool for handled in tools], None)
        if must_look and not reply.calls and not calls and must_look(reply.text):
            must_look, looked = None, _call_asked_for(model, talk, tools)
            looked = replace(looked, tokens_in=looked.tokens_in + reply.tokens_in)
            reply = replace(looked, tokens_out=looked.tokens_out + reply.tokens_out, text=looked.text or reply.text)
        spent_in, spent_out = spent_in + reply.tokens_in, spent_out + reply.tokens_out
        text = reply.text
        talk.append(Message("assistant", reply.text, reply.calls))
        if not reply.calls:
            ended = "cut" if reply.is_cut else "answered"
            break
        calls += len(reply.calls)
        talk += _answers(reply, tools, limits)
        if spent_in + spent_out >= limits.tokens:
            ended = "tokens"
            break
    return Talk(tuple(talk), text, ended, calls, spent_in, spent_out)


def _call_asked_for(model: ChatModel, talk: Sequence[Message], tools: Sequence[Handled]) -> Reply:
    """Through a schema, since small models write no calls of their own; without calls where it gives none even so."""
    known = [handled.tool for handled in tools]
    said = "; ".join(f"{tool.name} ({', '.join(tool.parameters)}): {tool.about}" for tool in known)
    asked = Message("user", f"You have not looked yet. Which tool do you call first, with what? {said}")
    names = sorted({name for tool in known for name in tool.parameters})
    arguments = {"type": "object", "properties": {name: {"type": "string", "maxLength": 300} for name in names}}
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "enum": [tool.name for tool in known]}, "arguments": arguments},
        "required": ["name", "arguments"],
    }
    reply = model.reply([*talk, asked], (), schema)
    return replace(reply, calls=reply.calls or spoken_calls(reply.text, known))


def _answers(reply: Reply, tools: Sequence[Handled], limits: Limits) -> list[Message]:
    by_name = {handled.tool.name: handled for handled in tools}
    return [Message("tool", _carried_out(call, by_name, limits), answers=call.id) for call in reply.calls]


def _carried_out(call: Call, tools: Mapping[str, Handled], limits: Limits) -> str:
    handled = tools.get(call.name)
    if handled is None:
        return f"There is no tool {call.name}; there are: {', '.join(tools)}."
    wrong = [name for name in handled.tool.parameters if not isinstance(call.arguments.get(name), str)]
    if wrong:
        return f"{call.name} was not run: it needs {', '.join(wrong)} as text."
    try:
        return _shown(handled.run(call.arguments), limits.output)
    except ToolError as error:
        return f"{call.name} did nothing: {error}"


def _shown(text: str, most: int) -> str:
    """Beginning and end of what is too long, with a word on what is missing."""
    if len(text) > most:
        half = most // 2
        text = f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
    return f"<output>\n{text.replace('</output', '</ output')}\n</output>"
