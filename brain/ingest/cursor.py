"""Cursor's agent transcripts: a line for each message, without times, ids or tool results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from brain.ingest.cursor_content import about, answered, asked, paths_in
from brain.ingest.hosts import asked_by, finished, taken
from brain.ingest.pieces import Call, Media, Piece, Result, dict_of, list_of, result_text, text_of
from brain.ingest.reading import Draft, first_objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import SessionKind

NAME = "cursor"
_EVENTS = frozenset({"turn_started", "turn_ended"})


def detect(head: bytes, name: str) -> str:
    """By its messages: a role beside a message with content, and nothing that would give it a place."""
    del name
    if any(_is_message(line) for line in first_objects(head)):
        return ""
    return "no line has a role beside a message with content"


def _is_message(line: dict[str, object]) -> bool:
    is_spoken = line.get("role") in ("user", "assistant") and "content" in dict_of(line.get("message"))
    return is_spoken and not {"uuid", "sessionId", "id", "content"} & line.keys()


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The one session of the file."""
    file = _File(about(source, NAME, []).kind)
    yield from taken(source, file.take, file.unknown)
    yield from finished(source, file.talk, about(source, NAME, file.paths))


class _File:
    def __init__(self, kind: SessionKind) -> None:
        self.talk = Conversation()
        self.unknown: Counter[str] = Counter()
        self.paths: list[str] = []
        self._kind = kind

    def take(self, _: int, line: dict[str, object]) -> None:
        content = dict_of(line.get("message")).get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
        match line.get("role"):
            case "user":
                self._ask([dict_of(block) for block in blocks])
            case "assistant":
                self.talk.assistant([p for block in blocks for p in self._answer(dict_of(block))], None)
            case _ if text_of(line.get("type")) not in _EVENTS:
                self.unknown[text_of(line.get("type"))[:40] or "none"] += 1

    def _ask(self, blocks: list[dict[str, object]]) -> None:
        text = "\n".join(text_of(block.get("text")) for block in blocks if block.get("type") == "text")
        pieces, time = asked(text, by_agent=self._kind is SessionKind.SUBAGENT)
        for block in blocks:
            if block.get("type") == "image":
                pieces.append(Media("image"))
            elif block.get("type") == "tool_result":
                pieces.append(_result(block))
        origin, trust = asked_by(self._kind)
        self.talk.user(pieces, time, origin=origin, trust=trust)

    def _answer(self, block: dict[str, object]) -> Iterator[Piece]:
        match block.get("type"):
            case "text":
                yield from answered(text_of(block.get("text")))
            case "tool_use":
                self.paths += paths_in(block.get("input")) if len(self.paths) < 200 else []
                yield Call(text_of(block.get("id")), text_of(block.get("name")), block.get("input", {}))
            case "tool_result":
                yield _result(block)


def _result(block: dict[str, object]) -> Result:
    return Result(text_of(block.get("tool_use_id")), result_text(block.get("content")), block.get("is_error") is True)
