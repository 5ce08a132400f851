"""OpenCode: what was said in a session, whether it lay in single files, in a database or in an export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from brain.ingest.hosts import About, asked_by
from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, text_of, time_of
from brain.ingest.turns import Conversation
from brain.model import SessionKind

NAME = "opencode"
_CLEARED = "[Old tool result content cleared]"


@dataclass(frozen=True, slots=True)
class Message:
    info: dict[str, object]
    parts: tuple[dict[str, object], ...]

    @property
    def id(self) -> str:
        return text_of(self.info.get("id"))

    @property
    def created(self) -> object:
        return dict_of(self.info.get("time")).get("created")


def message(info: dict[str, object], parts: Iterable[dict[str, object]]) -> Message:
    """A message with its parts in the order of their ids."""
    return Message(info, tuple(sorted(parts, key=lambda part: text_of(part.get("id")))))


def in_order(messages: Iterable[Message]) -> list[Message]:
    """Messages that lie in no order: by their times, or by their ids where a time is missing."""
    found = sorted(messages, key=lambda one: one.id)
    times = [time_of(one.created) for one in found]
    known = [time for time in times if time is not None]
    if len(known) < len(found):
        return found
    return [found[n] for n in sorted(range(len(found)), key=known.__getitem__)]


def about(info: dict[str, object], stem: str, sha256: str) -> About:
    parent = text_of(info.get("parentID")) or text_of(info.get("parent_id"))
    created = dict_of(info.get("time")).get("created", info.get("time_created"))
    return About(
        agent=NAME,
        format=NAME,
        id=text_of(info.get("id")) or stem,
        sha256=sha256,
        folder=text_of(info.get("directory")),
        title=text_of(info.get("title")),
        kind=SessionKind.SUBAGENT if parent else SessionKind.MAIN,
        parent=parent,
        day=time_of(created),
    )


def talk_of(info: dict[str, object], messages: Sequence[Message], kind: SessionKind) -> Conversation:
    """The talk without what was taken back and without the host's own summaries."""
    talk = Conversation()
    origin, trust = asked_by(kind)
    kept = _without_undone(dict_of(info.get("revert")), messages)
    for one in kept:
        time = time_of(one.created)
        pieces = [piece for part in one.parts for piece in _part(part)]
        if one.info.get("role") == "user":
            talk.user(pieces, time, origin=origin, trust=trust)
        elif one.info.get("role") == "assistant" and not _is_summary(one.info):
            talk.assistant(pieces, time)
    if len(kept) < len(messages):
        talk.notes["messages on branches that were given up"] = len(messages) - len(kept)
    return talk


def _is_summary(info: dict[str, object]) -> bool:
    return info.get("summary") is True or "compaction" in (info.get("mode"), info.get("agent"))


def _without_undone(revert: dict[str, object], messages: Sequence[Message]) -> list[Message]:
    """The person went back to before a message, or to before a part of it."""
    first, part = text_of(revert.get("messageID")), text_of(revert.get("partID"))
    place = next((n for n, one in enumerate(messages) if first and one.id == first), len(messages))
    kept = list(messages[:place])
    if part and place < len(messages):
        undone = messages[place]
        kept.append(Message(undone.info, tuple(p for p in undone.parts if text_of(p.get("id")) < part)))
    return kept


def _part(part: dict[str, object]) -> Iterator[Piece]:
    match part.get("type"):
        case "text" if part.get("synthetic") is not True and part.get("ignored") is not True:
            yield Words(text_of(part.get("text")))
        case "file" if kind := _kind_of_file(text_of(part.get("mime"))):
            yield Media(kind)
        case "tool":
            call_id = text_of(part.get("callID")) or text_of(part.get("id"))
            yield from _called(call_id, text_of(part.get("tool")), dict_of(part.get("state")))


def _kind_of_file(mime: str) -> str:
    """A picture, a recording, a file; "" of text and of folders, which are only named in the words."""
    kind = mime.partition("/")[0]
    if kind in ("image", "audio"):
        return kind
    return "" if kind == "text" or mime in ("", "application/x-directory") else "file"


def _called(call_id: str, name: str, state: dict[str, object]) -> Iterator[Piece]:
    yield Call(call_id, name, state.get("input", {}))
    if state.get("status") == "error":
        yield Result(call_id, text_of(state.get("error")), True)
    elif state.get("status") == "completed" and state.get("output") != _CLEARED:
        yield Result(call_id, text_of(state.get("output")))
