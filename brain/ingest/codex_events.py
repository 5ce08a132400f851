"""The events of a Codex rollout: what they tell of the talk, in their newer shape and in their older ones."""

from __future__ import annotations

from collections.abc import Iterator

from brain.ingest.codex_items import Entry, Kind, Stream, content, tool, typed
from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, list_of, result_text, text_of


def item(about: dict[str, object]) -> Iterator[Entry]:
    """An item of the newer events; each is written once, when it is finished."""
    kind, given = text_of(about.get("type")), text_of(about.get("id"))
    match kind:
        case "UserMessage":
            yield Entry(Stream.ITEM, Kind.PERSON, content(about.get("content"), by_person=True), given)
        case "AgentMessage":
            yield Entry(Stream.ITEM, Kind.AGENT, content(about.get("content"), by_person=False), given)
        case "Plan":
            yield Entry(Stream.ITEM, Kind.AGENT, (Words(text_of(about.get("text"))),), given)
        case _ if kind in _ITEM_TOOLS:
            yield from _both(Stream.ITEM, given, *_ITEM_TOOLS[kind](about))


def _both(stream: Stream, call_id: str, name: str, given: object, result: str | None, failed: bool) -> Iterator[Entry]:
    yield tool(Call(call_id, name, given), stream)
    if result is not None:
        yield tool(Result(call_id, result, failed), stream)


_Tool = tuple[str, object, str | None, bool]


def _command(about: dict[str, object]) -> _Tool:
    printed = about.get("aggregated_output") or f"{text_of(about.get('stdout'))}{text_of(about.get('stderr'))}"
    return "exec_command", about.get("command"), text_of(printed), _has_failed(about)


def _change(about: dict[str, object]) -> _Tool:
    printed = f"{text_of(about.get('stdout'))}{text_of(about.get('stderr'))}"
    return "apply_patch", about.get("changes"), printed, _has_failed(about)


def _mcp(about: dict[str, object]) -> _Tool:
    asked = dict_of(about.get("invocation")) or about
    name = f"mcp__{text_of(asked.get('server'))}__{text_of(asked.get('tool'))}"
    result = dict_of(about.get("result"))
    error = dict_of(about.get("error")).get("message", result.get("Err"))
    done = dict_of(result.get("Ok")) or result
    failed = error is not None or done.get("isError") is True or _has_failed(about)
    return name, asked.get("arguments"), result_text(error if error is not None else done.get("content")), failed


def _dynamic(about: dict[str, object]) -> _Tool:
    text = result_text(about.get("error") or about.get("content_items"))
    return text_of(about.get("tool")), about.get("arguments"), text, _has_failed(about)


def _search(about: dict[str, object]) -> _Tool:
    return "web_search", about.get("action") or {"query": about.get("query")}, None, False


def _view(about: dict[str, object]) -> _Tool:
    return "view_image", {"path": about.get("path")}, None, False


def _agents(about: dict[str, object]) -> _Tool:
    return f"agents {text_of(about.get('tool'))}", {"prompt": about.get("prompt")}, None, _has_failed(about)


_ITEM_TOOLS = {
    "CommandExecution": _command,
    "FileChange": _change,
    "McpToolCall": _mcp,
    "DynamicToolCall": _dynamic,
    "WebSearch": _search,
    "ImageView": _view,
    "CollabAgentToolCall": _agents,
}


def _has_failed(about: dict[str, object]) -> bool:
    code = about.get("exit_code")
    return about.get("status") in ("failed", "declined") or about.get("success") is False or code not in (None, 0)


# --- older events --------------------------------------------------------------------------

_EVENT_TOOLS = {
    "exec_command_end": _command,
    "patch_apply_end": _change,
    "mcp_tool_call_end": _mcp,
    "web_search_end": _search,
}


def event(about: dict[str, object]) -> Iterator[Entry]:
    """An event that says something of the talk; the others say how it went and are none."""
    kind = text_of(about.get("type"))
    match kind:
        case "item_completed":
            yield from item(dict_of(about.get("item")))
        case "user_message" if about.get("kind") in (None, "plain"):
            pictures = len(list_of(about.get("images"))) + len(list_of(about.get("local_images")))
            words = typed(text_of(about.get("message")))
            said: list[Piece] = [Words(words)] if words else []
            yield Entry(Stream.EVENT, Kind.PERSON, (*said, *[Media("image")] * pictures))
        case "agent_message":
            yield Entry(Stream.EVENT, Kind.AGENT, (Words(text_of(about.get("message"))),))
        case "thread_rolled_back":
            turns = about.get("num_turns")
            yield Entry(Stream.EVENT, Kind.BACK, count=turns if isinstance(turns, int) and turns > 0 else 0)
        case _ if kind in _EVENT_TOOLS:
            yield from _both(Stream.EVENT, text_of(about.get("call_id")), *_EVENT_TOOLS[kind](about))
