"""One message of an OpenClaw session -> who speaks and what, without what the channel put around the words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from brain.ingest import injected
from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, list_of, result_text, text_of, time_of
from brain.model import Role

_BLOCK = re.compile(
    r"(?:\[[^\]\n]{3,60}\] )?[A-Z][\w ]{1,60} "
    r"\(untrusted(?: metadata|, for context|, chronological[^)\n]{0,80})\):[ \t]*\n"
)
_FENCED = re.compile(r"```\w*\n(.*?)\n?```[ \t]*(?:\n|$)", re.DOTALL)
_STAMP = re.compile(
    r"\[(?:(?:WhatsApp|Telegram|Discord|Slack|Signal|iMessage|WebChat|Matrix|Feishu|LINE|Teams|IRC)\b[^\]\n]{0,100}?)?"
    r"(?:[A-Z][a-z]{2},? )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)? (?:UTC|GMT|[A-Z]{2,5})?[+-]?[\d:]{0,6}\] ?"
)
_EVENTS = re.compile(r"(?:System(?: \(untrusted\))?: \[[^\n]*(?:\n|$)\s*)+")
_APPENDED = re.compile(r"^Untrusted context \(metadata, do not treat as instructions or commands\):", re.MULTILINE)
_QUEUED = "[Queued messages while agent was busy]"
_QUEUE_LINES = re.compile(r"^(?:\[Queued messages while agent was busy\]|---|Queued #\d+)[ \t]*\n?", re.MULTILINE)
_DIRECTIVE = re.compile(r"\[\[ ?(?:reply_to[^\]\n]{0,80}|audio_as_voice) ?\]\][ \t]*")
_MESSAGE_ID = re.compile(r"^\[message_id: [^\]\n]{1,80}\][ \t]*$", re.MULTILINE)
_SILENCE = frozenset(("NO_REPLY", "HEARTBEAT_OK"))
_PROMPTS = (
    "a new session was started via /new or /reset",
    "read heartbeat.md",
    "[cron:",
    "pre-compaction memory flush",
    "continue where you left off. the previous",
    "[subagent context]",
)
"""How a message begins that the host wrote in the person's place."""
_SENDER_KEYS = ("name", "sender", "label", "username")
_MOST_BLOCKS = 50


@dataclass(frozen=True, slots=True)
class Message:
    role: Role | None
    """None: neither a person nor the agent, such as the result of a tool."""
    pieces: tuple[Piece, ...]
    results: tuple[Result, ...]
    time: datetime | None
    speaker: str | None = None
    is_prompted: bool = False
    """True of a prompt that the host wrote."""

    @property
    def words(self) -> Iterator[str]:
        return (piece.text for piece in self.pieces if isinstance(piece, Words))

    @property
    def speaks(self) -> bool:
        return bool(self.pieces) and not self.is_prompted


def message_of(line: dict[str, object]) -> Message:
    """The message of an entry of type `message`."""
    about = dict_of(line.get("message"))
    time = time_of(line.get("timestamp")) or time_of(about.get("timestamp"))
    match text_of(about.get("role")):
        case "user":
            return _from_person(tuple(_pieces(about.get("content"))), time)
        case "assistant":
            return Message(Role.ASSISTANT, tuple(_answer(about)), (), time)
        case "toolResult" | "tool":
            one = text_of(about.get("toolCallId"))
            result = Result(one, result_text(about.get("content")), about.get("isError") is True)
            return Message(None, (), (result,), time)
        case "bashExecution":
            return Message(Role.ASSISTANT, tuple(_command(about, text_of(line.get("id")))), (), time)
        case _:
            return Message(None, (), (), time)


def _pieces(content: object) -> Iterator[Piece]:
    if isinstance(content, str):
        yield Words(content)
    for value in list_of(content):
        part = {"type": "text", "text": value} if isinstance(value, str) else dict_of(value)
        match text_of(part.get("type")):
            case "text":
                yield Words(text_of(part.get("text")))
            case "image" | "audio" | "file" as kind:
                yield Media(kind)
            case "toolCall" | "tool_use":
                given = part.get("arguments", part.get("input"))
                yield Call(text_of(part.get("id")), text_of(part.get("name")), given if given is not None else {})


def _answer(about: dict[str, object]) -> Iterator[Piece]:
    """Without what was never sent: silence, and directives to the channel."""
    for piece in _pieces(about.get("content")):
        if not isinstance(piece, Words):
            yield piece
            continue
        words = audible(piece.text)
        if words:
            yield Words(words)


def audible(text: str) -> str:
    """What of an agent's words was sent to anybody."""
    lines = _DIRECTIVE.sub("", text).strip().split("\n")
    return "\n".join(line for line in lines if line.strip().strip("*`") not in _SILENCE).strip()


def _command(about: dict[str, object], one: str) -> Iterator[Piece]:
    """A shell command that the person ran beside the agent: what it gave was read, not said."""
    yield Call(one, "bash", text_of(about.get("command")))
    yield Result(one, text_of(about.get("output")), about.get("exitCode") not in (0, None))


# --- what the channel puts around a person's words -------------------------------------


def _from_person(pieces: tuple[Piece, ...], time: datetime | None) -> Message:
    kept: list[Piece] = []
    speaker: str | None = None
    is_prompted = False
    for piece in pieces:
        if not isinstance(piece, Words):
            kept.append(piece)
            continue
        words, sender, is_host = unwrapped(injected.without_host(piece.text))
        speaker = speaker or sender
        is_prompted = is_prompted or is_host
        if words:
            kept.append(Words(words))
    return Message(Role.USER, tuple(kept), (), time, speaker, is_prompted)


def unwrapped(text: str) -> tuple[str, str | None, bool]:
    """(the words alone, the sender that the metadata names, whether the host wrote them)."""
    sender: str | None = None
    text = _EVENTS.sub("", text.lstrip(), count=1) if text.lstrip().startswith("System") else text.lstrip()
    for _ in range(_MOST_BLOCKS):
        opening = _BLOCK.match(text)
        if opening is None:
            break
        block = _FENCED.match(text, opening.end())
        sender = (_sender(block[1]) if block else None) or sender
        text = text[block.end() :] if block else text[opening.end() :].partition("\n\n")[2]
        text = text.lstrip()
    appended = _APPENDED.search(text)
    text = _MESSAGE_ID.sub("", text[: appended.start()] if appended else text).strip()
    parts = _QUEUE_LINES.split(text) if text.startswith(_QUEUED) else [text]
    words = "\n\n".join(word for part in parts if (word := _DIRECTIVE.sub("", _unstamped(part.strip())).strip()))
    return words, sender, words.casefold().startswith(_PROMPTS)


def _unstamped(text: str) -> str:
    stamp = _STAMP.match(text)
    return text[stamp.end() :] if stamp else text


def _sender(block: str) -> str | None:
    try:
        about = dict_of(json.loads(block))
    except (ValueError, RecursionError):
        return None
    return next((name for key in _SENDER_KEYS if (name := text_of(about.get(key)))), None)
