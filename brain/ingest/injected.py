"""What Brain itself, or the host of an agent, put into a conversation: never words of a person, never evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from brain import fence

DREAM_MARK = "<brain-dream>"
"""A line of the first prompt that says: this session is a dream at work."""

_FENCE_START = fence.START.removesuffix(">")
_HOST_TAGS = ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics")
_MEMORY_NAMES = frozenset(
    (
        "search_memory",
        "memory_search",
        "recall_memory",
        "memory_recall",
        "recall",
        "memory",
        "read_memory",
        "get_memory",
        "memory_get",
        "bio",
        "memory_user_edits",
        "conversation_search",
        "recent_chats",
    )
)
_MEMORY_COMMAND = re.compile(r"(?:^|[\s;&|(\"'/`])brain\s+(?:recall|show|index|history|log|status)\b")
_OWN_FOLDER = re.compile(r"/\.brain/(?!sandboxes/.)")
_MEMORY_PATH = re.compile(r"\bmemory/(?:(?:knowledge|notes|sessions)/|index\.md)|\bSANDBOX\.md\b")


def without_memory(text: str) -> str:
    """The text without what stands between the fence lines of injected memory; an open fence drops nothing."""
    if _FENCE_START not in text:
        return text
    kept: list[str] = []
    opened: int | None = None
    for line in text.split("\n"):
        bare = line.strip()
        if opened is None and bare.startswith(_FENCE_START) and bare.endswith(">"):
            opened = len(kept)
        kept.append(line)
        if opened is not None and bare == fence.END:
            del kept[opened:]
            opened = None
    return "\n".join(kept)


def without_host(text: str) -> str:
    """The text without the reminders and the editor context that a host adds to a person's words."""
    for tag in _HOST_TAGS:
        text = _without_tag(text, f"<{tag}>", f"</{tag}>")
    return text


def _without_tag(text: str, opening: str, closing: str) -> str:
    parts, at = [], 0
    start = text.find(opening)
    while start != -1:
        end = text.find(closing, start)
        if end == -1:
            break
        parts.append(text[at:start])
        at = end + len(closing)
        start = text.find(opening, at)
    return "".join(parts) + text[at:] if parts else text


def is_dream(text: str) -> bool:
    return DREAM_MARK in text and any(line.strip() == DREAM_MARK for line in text.split("\n"))


def is_staged(folder: str) -> bool:
    """Whether a working folder lies in what a brain keeps for itself: a staged tree, not a sandbox for agents."""
    return bool(_OWN_FOLDER.search(folder.replace("\\", "/") + "/"))


def is_memory_call(name: str, text: str) -> bool:
    """Whether a tool call asked the memory: by the tool's name, by a command, or by reading its files."""
    server, _, tool = name.lower().replace(".", "__").rpartition("__")
    if tool in _MEMORY_NAMES or "brain" in server.split("__"):
        return True
    asked = text
    if text.startswith("{"):
        asked = _asked(text)
    return bool(_MEMORY_COMMAND.search(asked) or _MEMORY_PATH.search(asked))


def is_memory_text(text: str) -> bool:
    """Whether a tool gave back files of a memory, however it was asked: whole, or line by line as grep does."""
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:40]
    own = sum(bool(_MEMORY_LINE.search(line)) for line in lines)
    return bool(lines) and (2 * own >= len(lines) or bool(_MEMORY_HEAD.match(text)))


_MEMORY_LINE = re.compile(r"^(?:\./)?memory/(?:(?:knowledge|notes|sessions)/\S|index\.md\b)|\[cite:\d+\]")
_MEMORY_HEAD = re.compile(r"---\n(?:[^\n]*\n){1,60}?(?:citations:|turns: \d)(?:[^\n]*\n){1,4000}?---\n")


def _asked(text: str) -> str:
    """Of a JSON input the short texts: commands and paths, not the contents of a file that is written."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text[:2000]
    if not isinstance(value, Mapping):
        return text[:2000]
    return "\n".join(v[:2000] for k, v in value.items() if isinstance(v, str) and k not in _CONTENTS)


_CONTENTS = frozenset({"content", "new_string", "old_string", "file_text", "description", "prompt"})
