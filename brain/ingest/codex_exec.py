"""The event stream of `codex exec --json`: what the agent did in one run, without the prompt and without times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from brain.ingest.hosts import About, finished, taken
from brain.ingest.pieces import Call, Piece, Result, Words, dict_of, result_text, text_of
from brain.ingest.reading import Draft, first_objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation

NAME = "codex-exec"
_AGENT = "codex"
_EVENTS = frozenset(
    (
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
        "error",
    )
)


def detect(head: bytes, name: str) -> str:
    """By its events: a thread or an item with its id."""
    del name
    for line in first_objects(head):
        about = dict_of(line.get("item"))
        if line.get("type") == "thread.started" and "thread_id" in line:
            return ""
        if text_of(line.get("type")).startswith("item.") and {"id", "type"} <= about.keys():
            return ""
    return "no line starts a thread or tells of an item"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """A session for each thread: the agent's side of it."""
    stream = _Stream()
    yield from taken(source, stream.take, stream.unknown)
    for thread, talk in stream.talks.items():
        about = About(_AGENT, NAME, thread or source.stem, source.sha256_of_lines)
        yield from finished(source, talk, about)


class _Stream:
    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        self.talks: dict[str, Conversation] = {}
        self._thread = ""
        self._turn = 0
        """Ids of items begin anew in each run that was written into the same file."""

    def take(self, _: int, line: dict[str, object]) -> None:
        kind, about = text_of(line.get("type")), dict_of(line.get("item"))
        if kind not in _EVENTS:
            self.unknown[kind[:40] or "none"] += 1
        elif kind == "thread.started":
            self._thread = text_of(line.get("thread_id"))
            self._turn += 1
        elif about:
            talk = self.talks.setdefault(self._thread, Conversation())
            talk.assistant(self._pieces(about, is_done=kind == "item.completed"), None)

    def _pieces(self, about: dict[str, object], *, is_done: bool) -> Iterator[Piece]:
        kind, call_id = text_of(about.get("type")), f"{self._turn} {text_of(about.get('id'))}"
        if kind == "agent_message":
            if is_done:
                yield Words(text_of(about.get("text")))
        elif kind in _TOOLS:
            yield Call(call_id, *_called(kind, about))
            if is_done:
                yield Result(call_id, _given_back(about), _has_failed(about))


_TOOLS = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"})


def _called(kind: str, about: dict[str, object]) -> tuple[str, object]:
    match kind:
        case "mcp_tool_call":
            return f"mcp__{text_of(about.get('server'))}__{text_of(about.get('tool'))}", about.get("arguments")
        case "collab_tool_call":
            return text_of(about.get("tool")), {"prompt": about.get("prompt")}
        case _:
            return kind, next((about[key] for key in ("command", "changes", "query") if key in about), {})


def _given_back(about: dict[str, object]) -> str:
    error = dict_of(about.get("error")).get("message")
    return text_of(error) or text_of(about.get("aggregated_output")) or result_text(_content(about.get("result")))


def _content(result: object) -> object:
    return result.get("content", result) if isinstance(result, dict) else result


def _has_failed(about: dict[str, object]) -> bool:
    return about.get("status") in ("failed", "declined") or about.get("exit_code") not in (None, 0)
