"""Codex: what the samples do not show. Forks, helpers, streams that are told once, what nobody typed."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from reading import lines, read_text

from brain.ingest import FORMATS, Skipped, ingest
from brain.ingest.reading import Draft
from brain.ingest.source import opened
from brain.model import Origin, Session, SessionKind, Trust
from brain.store import Store

Line = dict[str, Any]
BORN = 1_790_000_000_000
"""Milliseconds at which the session of most tests began."""


def uuid7(millis: int, tail: str = "7abc-8def-0123456789ab") -> str:
    text = f"{millis:012x}"
    return f"{text[:8]}-{text[8:]}-{tail}"


OWN = uuid7(BORN)
PARENT = uuid7(BORN - 3_600_000)


def stamp(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).isoformat().replace("+00:00", "Z")


def line(kind: str, payload: Line, after: int = 0, **more: object) -> Line:
    """A line `after` milliseconds after the session began."""
    return {"timestamp": stamp(BORN + after), "type": kind, "payload": payload, **more}


def meta(**about: object) -> Line:
    return line(
        "session_meta", {"id": OWN, "timestamp": stamp(BORN), "cwd": "/home/odo/mill", "source": "cli", **about}
    )


def message(role: str, *texts: str, after: int = 0, **more: object) -> Line:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return line("response_item", {"type": "message", "role": role, "content": content}, after, **more)


def event(name: str, after: int = 0, **about: object) -> Line:
    return line("event_msg", {"type": name, **about}, after)


def item(kind: str, given: str, **about: object) -> Line:
    return event("item_completed", item={"type": kind, "id": given, **about})


def drafts(*given: object) -> list[Draft]:
    found, skipped = read_text(lines(given))
    assert skipped == []
    return found


def one(*given: object) -> Session:
    (draft,) = drafts(*given)
    return draft.session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in session.turns]


# --- which lines are the session's own -----------------------------------------------


def copied(*, turn_ids: bool = True) -> list[Line]:
    """The parent's rollout as a fork copies it: all at the time of the fork."""
    started = [event("task_started", 2, turn_id=uuid7(BORN - 60_000))] if turn_ids else []
    return [
        line("session_meta", {"id": PARENT, "cwd": "/home/odo/mill"}, 1),
        *started,
        message("user", "What drives the wheel?", after=3),
        message("assistant", "Water.", after=4),
    ]


def own(after: int = 5000, *, turn_ids: bool = True) -> list[Line]:
    started = [event("task_started", after, turn_id=uuid7(BORN + after))] if turn_ids else []
    return [
        *started,
        message("user", "And in winter?", after=after + 1),
        message("assistant", "A horse.", after=after + 2),
    ]


OWN_WORDS = [("user", "And in winter?"), ("assistant", "A horse.")]


@pytest.mark.parametrize("turn_ids", [True, False])
def test_a_fork_holds_only_what_came_after_the_copy(turn_ids: bool) -> None:
    given = [meta(forked_from_id=PARENT), *copied(turn_ids=turn_ids), *own(turn_ids=turn_ids)]
    (draft,) = drafts(*given)
    assert said(draft.session) == OWN_WORDS
    assert (draft.session.id, draft.session.kind, draft.session.parent) == (OWN, SessionKind.FORK, PARENT)
    assert draft.notes == {"messages copied from the session that this one came from": 2}


def test_a_copied_header_alone_says_that_it_is_a_fork() -> None:
    session = one(meta(), *copied(), *own())
    assert (session.kind, session.parent, said(session)) == (SessionKind.FORK, PARENT, OWN_WORDS)


def test_a_fork_in_which_nothing_was_said_yet_is_none() -> None:
    assert drafts(meta(forked_from_id=PARENT), *copied()) == []
    assert drafts(meta(forked_from_id=PARENT), *copied(turn_ids=False)) == []


@pytest.mark.parametrize(
    "about",
    [
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}},
        {"parent_thread_id": PARENT},
        {"thread_source": "subagent", "forked_from_id": PARENT},
    ],
)
def test_a_helper_begins_at_its_ordinal_and_its_prompt_is_an_agents(about: Line) -> None:
    given = [meta(subagent_history_start_ordinal=5, **about), *copied(), *own()]
    session = one(*({**value, "ordinal": n} for n, value in enumerate(given)))
    assert said(session) == OWN_WORDS
    assert (session.kind, session.parent) == (SessionKind.SUBAGENT, PARENT)
    assert (session.turns[0].origin, session.turns[0].trust) == (Origin.ASSISTANT, Trust.THIRD)


def test_a_helper_without_a_copy_is_read_from_its_start() -> None:
    session = one(meta(source={"subagent": "review"}), *own(100, turn_ids=False))
    assert (said(session), session.kind, session.parent) == (OWN_WORDS, SessionKind.SUBAGENT, None)


def test_what_an_agent_writes_to_another_is_a_prompt_for_that_one_only() -> None:
    task = line("response_item", {"type": "agent_message", "content": [{"type": "input_text", "text": "Count geese."}]})
    answer = message("assistant", "Seven.")
    assert said(one(meta(parent_thread_id=PARENT), task, answer)) == [("user", "Count geese."), ("assistant", "Seven.")]
    assert said(one(meta(), message("user", "hello"), task, answer)) == [("user", "hello"), ("assistant", "Seven.")]


def test_a_resumed_session_has_its_header_twice_and_is_no_fork() -> None:
    session = one(meta(), *own(10), meta(), *own(90_000))
    assert (session.kind, len(session.turns)) == (SessionKind.MAIN, 4)


# --- streams --------------------------------------------------------------------------


def test_finished_items_count_where_the_model_has_no_messages() -> None:
    session = one(
        meta(),
        message("user", "<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
        item(
            "UserMessage", "i1", content=[{"type": "text", "text": "Grind it."}, {"type": "local_image", "path": "/p"}]
        ),
        event("user_message", message="Grind it."),
        item("CommandExecution", "c1", command=["mill"], aggregated_output="dust", exit_code=2, status="failed"),
        item("McpToolCall", "c2", server="barn", tool="open", arguments={"n": 1}, status="completed"),
        item("Reasoning", "r1", summary_text=["thinking"]),
        item("AgentMessage", "i2", content=[{"type": "Text", "text": "It is fl"}]),
        item("AgentMessage", "i2", content=[{"type": "Text", "text": "It is flour."}]),
        event("agent_message", message="It is flour."),
    )
    assert said(session) == [("user", "Grind it."), ("assistant", "It is flour.")]
    assert session.turns[0].media == ("image",)
    assert [(c.name, c.result, c.is_error) for c in session.turns[1].tool_calls] == [
        ("exec_command", "dust", True),
        ("mcp__barn__open", "", False),
    ]


def test_events_count_where_nothing_else_speaks() -> None:
    session = one(
        meta(),
        event("user_message", message="Grind it.", images=["data:image/png;base64,AAAA"], local_images=["/a.png"]),
        event("user_message", kind="environment_context", message="cwd"),
        event("exec_command_end", call_id="c", command=["mill"], stdout="flour", stderr="", exit_code=0),
        event("agent_message", message="Done."),
    )
    assert said(session) == [("user", "Grind it."), ("assistant", "Done.")]
    assert session.turns[0].media == ("image", "image")
    assert [(c.name, c.result) for c in session.turns[1].tool_calls] == [("exec_command", "flour")]


def test_the_same_call_in_two_streams_is_one_and_takes_what_the_other_knows() -> None:
    call = {"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "mill"}', "call_id": "c"}
    session = one(
        meta(),
        message("user", "Grind."),
        line("response_item", call),
        item("CommandExecution", "c", command=["mill"], aggregated_output="dust", status="declined"),
    )
    (tool,) = session.turns[1].tool_calls
    assert (tool.name, tool.input, tool.result, tool.is_error) == ("exec_command", '{"cmd": "mill"}', "dust", True)


# --- going back -------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "left"), [(0, 3), (1, 2), (2, 1), (3, 0), (99, 0), (-1, 3), ("2", 3)])
def test_rolling_back_takes_prompts_and_what_followed(count: object, left: int) -> None:
    asked = [m for n in range(3) for m in (message("user", f"ask {n}"), message("assistant", f"answer {n}"))]
    session = one(meta(), *asked, event("thread_rolled_back", num_turns=count), message("user", "anew"))
    expected = [pair for n in range(left) for pair in (("user", f"ask {n}"), ("assistant", f"answer {n}"))]
    assert said(session) == [*expected, ("user", "anew")]


def test_two_rollbacks_add_up_and_a_notice_is_no_turn_to_take_back() -> None:
    notice = message("user", "<turn_aborted>\nstopped\n</turn_aborted>")
    session = one(
        meta(),
        *(message("user", f"ask {n}") for n in range(4)),
        notice,
        event("thread_rolled_back", num_turns=1),
        event("thread_rolled_back", num_turns=2),
    )
    assert said(session) == [("user", "ask 0")]


def test_a_call_that_was_rolled_back_is_gone_with_its_result() -> None:
    call = {"type": "function_call", "name": "rm", "arguments": "{}", "call_id": "c"}
    (draft,) = drafts(
        meta(),
        message("user", "no"),
        line("response_item", call),
        line("response_item", {"type": "function_call_output", "call_id": "c", "output": "gone"}),
        event("thread_rolled_back", num_turns=1),
        message("user", "yes"),
    )
    assert said(draft.session) == [("user", "yes")]
    assert draft.notes == {"messages that were rolled back": 1}


# --- who speaks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>", ""),
        ("# AGENTS.md instructions\n\nbe kind", ""),
        (
            "# AGENTS.md instructions\n\n<INSTRUCTIONS>a</INSTRUCTIONS><environment_context>b</environment_context>",
            "",
        ),
        ("<user_instructions>\nbe kind\n</user_instructions>", ""),
        ("<permissions instructions>\nno\n</permissions instructions>", ""),
        ("<skill>\n<name>mill</name>\n</skill>\n\nUse it on the rye.", "Use it on the rye."),
        ("<environment_context>never closed", ""),
        ("<b>bold</b> words stay", "<b>bold</b> words stay"),
        ("# Context from my IDE setup:\n\n## Open tabs:\n- a.py", ""),
        (
            "# Context from my IDE setup:\n## Open tabs:\n- a\n\n## My request for Codex:\nGrind\n## Notes\nfine",
            "Grind\n## Notes\nfine",
        ),
        ("# Files mentioned by the user:\n\n## a.png: /a.png\n\n## My request for Codex:\nLook.", "Look."),
        ("## My request: Grind", "Grind"),
        ("My plan:\n## My request for the mill\nGrind", "My plan:\n## My request for the mill\nGrind"),
    ],
)
def test_what_of_a_message_was_typed(given: str, typed: str) -> None:
    found = drafts(meta(), message("user", given))
    assert [turn.text for draft in found for turn in draft.session.turns] == ([typed] if typed else [])


def test_a_dream_and_a_staged_tree_are_no_evidence() -> None:
    for given in (
        [meta(cwd="/home/odo/brain/.brain/staged/x"), message("user", "tidy up")],
        [meta(), message("user", "<brain-dream>\nWrite.")],
    ):
        assert read_text(lines(given)) == ([], [Skipped("-", None, "a dream at work is no evidence")])


# --- tools ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "text", "failed"),
    [
        ("plain", "plain", False),
        ("Exit code: 0\nOutput:\nExit code: 3\n", "Exit code: 0\nOutput:\nExit code: 3\n", False),
        ("Chunk ID: a\nProcess exited with code 127\nOutput:\nno", None, True),
        ('{"output": "bad", "metadata": {"exit_code": 1}}', "bad", True),
        ('{"output": 1}', '{"output": 1}', False),
        ({"content": "x", "success": False}, "x", True),
        (
            {"content_items": [{"type": "input_text", "text": "y"}, {"type": "input_image", "image_url": "data:"}]},
            None,
            False,
        ),
        ([{"type": "input_text", "text": "z"}], "z", False),
        (None, "", False),
        (7, "7", False),
    ],
)
def test_outputs_in_all_their_shapes(output: object, text: str | None, failed: bool) -> None:
    call = {"type": "custom_tool_call", "name": "mill", "input": "[rye", "call_id": "c"}
    done = {"type": "custom_tool_call_output", "call_id": "c", "output": output}
    (tool,) = one(meta(), line("response_item", call), line("response_item", done)).turns[0].tool_calls
    assert tool.input == "[rye"
    assert tool.is_error is failed
    assert text is None or tool.result == text
    assert "data:" not in (tool.result or "")


def test_calls_of_every_kind() -> None:
    calls: list[Line] = [
        {"type": "function_call", "name": "f", "namespace": "mcp__barn__", "arguments": '{"a":', "call_id": "1"},
        {"type": "local_shell_call", "call_id": "2", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "web_search_call", "action": {"type": "search", "query": "rye"}},
        {"type": "web_search_call", "action": {"type": "search", "query": "oats"}},
        {"type": "image_generation_call", "id": "4", "result": "AAAA" * 99, "revised_prompt": "a mill"},
    ]
    (draft,) = drafts(meta(), *(line("response_item", call) for call in calls))
    found = draft.session.turns[0].tool_calls
    assert [(c.name, c.input) for c in found] == [
        ("mcp__barn__f", '{"a":'),
        ("local_shell", '{"type": "exec", "command": ["ls"]}'),
        ("web_search", '{"type": "search", "query": "rye"}'),
        ("web_search", '{"type": "search", "query": "oats"}'),
        ("image_generation", "a mill"),
    ]
    assert draft.notes == {"tool calls with arguments that are no JSON, kept as text": 1}


# --- damaged and strange --------------------------------------------------------------------


def test_unknown_lines_are_counted_and_a_file_without_words_is_no_error() -> None:
    found, skipped = read_text(lines([meta(), {"type": "hologram"}, line("response_item", {"type": "dance"})]))
    assert found == []
    assert [one.why for one in skipped] == ["2 lines of a type that Brain does not know: dance, hologram"]


def test_the_middle_generation_has_a_bare_header_and_bare_items() -> None:
    session = one(
        {"id": OWN, "timestamp": stamp(BORN), "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    )
    assert (session.id, said(session), session.turns[0].time) == (OWN, [("user", "hello")], None)


def test_a_first_line_longer_than_the_head_is_known_by_its_start() -> None:
    session = one(meta(base_instructions={"text": "x" * 600_000}), message("user", "hello"))
    assert said(session) == [("user", "hello")]


# --- codex exec --json ------------------------------------------------------------------------


def test_an_exec_stream_is_the_agents_side() -> None:
    def done(given: str, kind: str, **about: object) -> Line:
        return {"type": "item.completed", "item": {"id": given, "type": kind, **about}}

    run = [
        {"type": "turn.started"},
        {"type": "item.started", "item": {"id": "item_0", "type": "command_execution", "command": "ls"}},
        done("item_0", "command_execution", command="ls", aggregated_output="no", exit_code=2, status="failed"),
        done(
            "item_1",
            "mcp_tool_call",
            server="barn",
            tool="open",
            arguments={},
            error={"message": "shut"},
            status="failed",
        ),
        done("item_2", "todo_list", items=[]),
        done("item_3", "agent_message", text="Nothing there."),
        {"type": "turn.failed", "error": {"message": "over"}},
    ]
    found, skipped = read_text(lines([{"type": "thread.started", "thread_id": OWN}, *run] * 2 + [{"type": "new"}]))
    assert [skip.why for skip in skipped] == ["1 lines of a type that Brain does not know: new"]
    (draft,) = found
    assert (draft.session.agent, draft.session.source.format, draft.session.id) == ("codex", "codex-exec", OWN)
    assert said(draft.session) == [("assistant", "Nothing there.\n\nNothing there.")]
    assert [(c.name, c.result, c.is_error) for c in draft.session.turns[0].tool_calls] == [
        ("command_execution", "no", True),
        ("mcp__barn__open", "shut", True),
    ] * 2


def test_json_of_other_tools_is_refused() -> None:
    others: list[Line] = [
        {"type": "message", "role": "user", "content": "x"},
        {"id": "a", "timestamp": "b"},
        {"payload": {}},
        {"type": {}, "payload": {}},
    ]
    for value in others:
        data = json.dumps(value).encode() + b"\n"
        assert FORMATS["codex"].detect(data, "x.jsonl") and FORMATS["codex-exec"].detect(data, "x.jsonl")


# --- packed rollouts ----------------------------------------------------------------------------


def packed(path: Path, data: bytes) -> Path:
    with pyarrow.CompressedOutputStream(str(path), "zstd") as file:
        file.write(data)
    return path


def test_a_packed_rollout_is_the_session_that_it_was(brain: Path, tmp_path: Path) -> None:
    plain = tmp_path / f"rollout-{OWN}.jsonl"
    plain.write_text(lines([meta(), *own(10)]))
    path = packed(tmp_path / f"{plain.name}.zst", plain.read_bytes())
    source = opened(path, "x")
    assert (source.file_name, source.sha256) == (plain.name, opened(plain, "x").sha256)
    with closing(Store.open(brain)) as store:
        first = ingest(store, [path], now=datetime(2026, 11, 29, tzinfo=UTC))
        plain.write_text(lines([meta(), *own(10), *own(90_000)]))
        second = ingest(store, [tmp_path / plain.name], now=datetime(2026, 11, 29, tzinfo=UTC))
    assert [taken.known.turns for taken in (*first.sessions, *second.sessions)] == [2, 4]


@pytest.mark.parametrize("data", [b"", b"not packed at all", b"\x28\xb5\x2f\xfd\x00"])
def test_what_cannot_be_unpacked_is_told(brain: Path, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "rollout.jsonl.zst"
    path.write_bytes(data)
    with closing(Store.open(brain)) as store:
        result = ingest(store, [path], now=datetime(2026, 11, 29, tzinfo=UTC))
    assert result.sessions == ()
    assert all(skip.why.startswith("not read") for skip in result.skipped)


def test_what_unpacks_to_too_much_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="it unpacks to more than 16 MB"):
        opened(packed(tmp_path / "bomb.jsonl.zst", b" " * (20 << 20)), "x")
