"""One line of a Codex rollout -> entries: what was said and done, in which of the three streams it is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, IntEnum, auto

from brain.ingest.hosts import without_blocks
from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, list_of, result_text, text_of


class Stream(IntEnum):
    """The same thing is told up to three times; the first stream that tells anything counts."""

    RESPONSE = 0
    ITEM = 1
    EVENT = 2


class Kind(Enum):
    PERSON = auto()
    AGENT = auto()
    TOOL = auto()
    BACK = auto()
    """Takes the last `count` prompts away, and what followed them."""


@dataclass(frozen=True, slots=True)
class Entry:
    stream: Stream
    kind: Kind
    pieces: tuple[Piece, ...] = ()
    id: str = ""
    """Of a message, where it has one: the same id again replaces it."""
    count: int = 0
    has_bad_input: bool = False
    """Of a call whose arguments should be JSON and are not."""
    time: datetime | None = None


Reader = Callable[[dict[str, object]], Iterator[Entry]]

_HOST_TAGS = frozenset(
    (
        "additional_context",
        "apps_instructions",
        "collaboration_mode",
        "environment_context",
        "hook_prompt",
        "image",
        "instructions",
        "model_switch",
        "permissions",
        "personality_spec",
        "plugins_instructions",
        "recommended_plugins",
        "skill",
        "skills_instructions",
        "subagent_notification",
        "turn_aborted",
        "user_action",
        "user_instructions",
        "user_shell_command",
    )
)
_AGENTS_FILE = re.compile(r"# AGENTS\.md instructions\b[^\n]*\n\s*(?=<INSTRUCTIONS>)", re.IGNORECASE)
_NOT_TYPED = ("# AGENTS.md instructions", "</image>", "Another language model started to solve this problem")
_EDITOR = ("# Context from my IDE setup", "# Files mentioned by the user", "## My request")
_REQUEST = re.compile(r"^## My request(?: for Codex)?[^\S\n]*:?[^\S\n]*", re.MULTILINE)


def typed(text: str) -> str:
    """What of a text in the role of the user a person typed."""
    text = _AGENTS_FILE.sub("", text.strip(), count=1) if text.lstrip().startswith("# AGENTS.md") else text
    text = without_blocks(text, _HOST_TAGS.__contains__)
    if text.startswith(_NOT_TYPED):
        return ""
    if text.startswith(_EDITOR):
        request = _REQUEST.search(text)
        return text[request.end() :].strip() if request else ""
    return text


def content(given: object, *, by_person: bool) -> tuple[Piece, ...]:
    """The pieces of a message."""
    parts = [{"type": "text", "text": given}] if isinstance(given, str) else list_of(given)
    return tuple(piece for part in parts for piece in _part(dict_of(part), by_person=by_person))


def _part(part: dict[str, object], *, by_person: bool) -> Iterator[Piece]:
    match text_of(part.get("type")).lower():
        case "input_text" | "output_text" | "text":
            words = text_of(part.get("text"))
            words = typed(words) if by_person else words
            if words.strip():
                yield Words(words)
        case "input_image" | "image" | "local_image":
            yield Media("image")
        case "input_audio" | "audio":
            yield Media("audio")
        case "input_file" | "file":
            yield Media("file")


# --- the items of the model ------------------------------------------------------------

_SILENT = frozenset(
    (
        "reasoning",
        "ghost_snapshot",
        "compaction",
        "context_compaction",
        "compaction_trigger",
        "additional_tools",
        "other",
    )
)


def response(item: dict[str, object]) -> Iterator[Entry]:
    """An item as it went to the model and came back; unknown ones raise KeyError with their type."""
    kind, given = text_of(item.get("type")), text_of(item.get("id"))
    if kind == "message":
        yield from _message(item, given)
    elif kind == "agent_message":
        yield Entry(Stream.RESPONSE, Kind.PERSON, content(item.get("content"), by_person=False), _FROM_AGENT + given)
    elif kind.endswith("_output"):
        yield tool(Result(text_of(item.get("call_id")), *output(item.get("output", item.get("tools")))))
    elif kind.endswith("_call"):
        yield _called(item, kind)
    elif kind not in _SILENT:
        raise KeyError(kind)


_FROM_AGENT = "from an agent "


def is_from_agent(entry: Entry) -> bool:
    """Whether one agent wrote this to another: a prompt in the session of a helper, nothing elsewhere."""
    return entry.id.startswith(_FROM_AGENT)


def _message(item: dict[str, object], given: str) -> Iterator[Entry]:
    match item.get("role"):
        case "user":
            yield Entry(Stream.RESPONSE, Kind.PERSON, content(item.get("content"), by_person=True), given)
        case "assistant":
            yield Entry(Stream.RESPONSE, Kind.AGENT, content(item.get("content"), by_person=False), given)


def tool(piece: Piece, stream: Stream = Stream.RESPONSE) -> Entry:
    return Entry(stream, Kind.TOOL, (piece,))


def _called(item: dict[str, object], kind: str) -> Entry:
    given: object = next((item[key] for key in ("input", "action", "revised_prompt") if item.get(key)), {})
    is_bad = False
    if "arguments" in item:
        given = item["arguments"]
        try:
            given = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
        except (ValueError, RecursionError):
            is_bad = True
    call = Call(text_of(item.get("call_id")) or text_of(item.get("id")), _name(item, kind), given)
    return Entry(Stream.RESPONSE, Kind.TOOL, (call,), has_bad_input=is_bad)


def _name(item: dict[str, object], kind: str) -> str:
    name, space = text_of(item.get("name")), text_of(item.get("namespace"))
    if name and space and not name.startswith(space):
        return f"{space.rstrip('_')}__{name}"
    return name or kind.removesuffix("_call")


_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)", re.MULTILINE)


def output(given: object) -> tuple[str, bool]:
    """What a tool gave back, as text, and whether it failed."""
    if isinstance(given, dict):
        text = result_text(given.get("content", given.get("content_items")))
        return text, given.get("success") is False
    if not isinstance(given, str):
        return result_text(given), False
    about = _wrapped(given)
    if about is not None:
        code = dict_of(about.get("metadata")).get("exit_code")
        return text_of(about.get("output")), code not in (None, 0)
    head = given[:600].partition("\nOutput:")[0]
    code_line = _EXIT.search(head)
    return given, code_line is not None and int(code_line[1]) != 0


def _wrapped(given: str) -> dict[str, object] | None:
    """Older tools gave JSON in a text: the output and the exit code."""
    if not given.startswith("{"):
        return None
    try:
        about = json.loads(given)
    except (ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) and isinstance(about.get("output"), str) else None
