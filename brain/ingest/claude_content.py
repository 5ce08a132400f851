"""One line of a Claude Code transcript -> an entry: its place in the tree of messages, and its pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from brain.ingest import injected
from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, list_of, result_text, text_of, time_of

_NOTICES = ("<command-", "<local-command-", "<bash-", "<task-notification>", "[Request interrupted")
"""How a line in the role of the user begins that no person wrote."""


class Kind(Enum):
    PERSON = auto()
    AGENT = auto()
    LINK = auto()
    """Holds the tree together and says nothing: notices, progress, boundaries."""
    BOUNDARY = auto()
    """Where the session was compacted: a root that goes on from the line before."""


@dataclass(slots=True)
class Entry:
    place: int
    """Line of its first occurrence: a copy further down replaces it where it stands."""
    uuid: str
    parent: str
    kind: Kind
    is_message: bool
    """True of `user` and `assistant` lines, whether anybody spoke in them or not."""
    message: str
    """Id that the lines of one answer share."""
    time: datetime | None
    pieces: tuple[Piece, ...]
    folder: str
    session: str
    helper: str
    """Of a sidechain: which one; "" elsewhere."""

    @property
    def results(self) -> Iterator[Result]:
        return (piece for piece in self.pieces if isinstance(piece, Result))

    @property
    def calls(self) -> Iterator[Call]:
        return (piece for piece in self.pieces if isinstance(piece, Call))

    @property
    def speaks(self) -> bool:
        return any(not isinstance(piece, Result) for piece in self.pieces)


def entry_of(line: dict[str, object], place: int, before: str) -> Entry:
    """The entry of a line that has a place in the tree; `before` is the uuid of the line before, for one without."""
    kind, pieces = _spoken(line)
    message = dict_of(line.get("message"))
    uuid = text_of(line.get("uuid"))
    parent = text_of(line.get("parentUuid")) or text_of(line.get("logicalParentUuid"))
    helper = ""
    if line.get("isSidechain") is True:
        helper = text_of(line.get("agentId")) or "?"
    return Entry(
        place=place,
        uuid=uuid or f"line {place}",
        parent=parent or ("" if uuid else before),
        kind=kind,
        is_message=line.get("type") in ("user", "assistant"),
        message=text_of(message.get("id")),
        time=time_of(line.get("timestamp")),
        pieces=pieces,
        folder=text_of(line.get("cwd")),
        session=text_of(line.get("sessionId")),
        helper=helper,
    )


def _spoken(line: dict[str, object]) -> tuple[Kind, tuple[Piece, ...]]:
    message = dict_of(line.get("message"))
    match line.get("type"):
        case "user":
            pieces = tuple(pieces_of(message.get("content")))
            said = tuple(_said(pieces)) if _is_person(line) else ()
            return Kind.PERSON, (*(piece for piece in pieces if isinstance(piece, Result)), *said)
        case "assistant":
            made_up = line.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>"
            return Kind.AGENT, () if made_up else tuple(pieces_of(message.get("content")))
        case "attachment":
            return Kind.PERSON, tuple(_said(tuple(_queued(dict_of(line.get("attachment"))))))
        case "system" if line.get("subtype") == "compact_boundary":
            return Kind.BOUNDARY, ()
        case _:
            return Kind.LINK, ()


def _is_person(line: dict[str, object]) -> bool:
    if any(line.get(key) is True for key in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")):
        return False
    origin = line.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return kind is None or kind == "human"


def _queued(attachment: dict[str, object]) -> Iterator[Piece]:
    """A prompt that was typed while the agent worked stands nowhere else."""
    if attachment.get("type") == "queued_command" and attachment.get("commandMode") == "prompt":
        yield from pieces_of(attachment.get("prompt"))


def _said(pieces: tuple[Piece, ...]) -> Iterator[Piece]:
    """What of a line in the role of the user a person wrote."""
    for piece in pieces:
        if isinstance(piece, Media):
            yield piece
        elif isinstance(piece, Words):
            words = injected.without_host(piece.text).strip()
            if words and not words.startswith(_NOTICES):
                yield Words(words)


def pieces_of(content: object) -> Iterator[Piece]:
    """The pieces of a message's content: text, or a list of blocks; reasoning is none."""
    if isinstance(content, str):
        yield Words(content)
    for item in list_of(content):
        yield from _block(item)


def _block(item: object) -> Iterator[Piece]:
    block = {"type": "text", "text": item} if isinstance(item, str) else dict_of(item)
    match text_of(block.get("type")):
        case "text":
            yield Words(text_of(block.get("text")))
        case "image":
            yield Media("image")
        case "document":
            yield Media("file")
        case kind if kind.endswith("tool_use"):
            yield Call(text_of(block.get("id")), text_of(block.get("name")), block.get("input"))
        case kind if kind.endswith("tool_result"):
            given = text_of(block.get("tool_use_id"))
            yield Result(given, result_text(block.get("content")), block.get("is_error") is True)
