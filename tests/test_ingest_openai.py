"""OpenAI messages, Responses items and the Agents SDK's file: what the samples do not show."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from reading import lines, read_file, read_text

from brain.ingest import FORMATS, Input, Skipped, openai_messages
from brain.ingest.reading import Draft
from brain.model import Role, Session, Text, ToolCall, Trust

Message = dict[str, Any]


def one(value: object) -> Session:
    drafts, skipped = read_text(json.dumps(value))
    assert skipped == []
    assert len(drafts) == 1
    return drafts[0].session


def test_legacy_functions_are_paired_by_name_and_order() -> None:
    def ask(name: str) -> Message:
        return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}

    def answer(name: str, text: str) -> Message:
        return {"role": "function", "name": name, "content": text}

    session = one(
        [
            {"role": "user", "content": "?"},
            ask("tide"),
            ask("wind"),
            answer("wind", "W"),
            answer("tide", "T"),
            ask("tide"),
        ]
    )
    assert [(call.name, call.result) for call in session.turns[1].tool_calls] == [
        ("tide", "T"),
        ("wind", "W"),
        ("tide", None),
    ]


def test_blocks_stay_in_their_order_and_neighbouring_words_are_joined() -> None:
    def calls(call_id: str) -> list[Message]:
        return [{"id": call_id, "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]

    session = one(
        [
            {"role": "assistant", "content": "One."},
            {"role": "assistant", "content": "Two.", "tool_calls": calls("c1")},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "R"}]},
            {"role": "assistant", "content": None, "refusal": "I must not."},
        ]
    )
    assert session.turns[0].blocks == (
        Text("One.\n\nTwo."),
        ToolCall("f", '{"a": 1}', "R"),
        Text("I must not."),
    )
    assert session.turns[0].trust is Trust.THIRD


def test_what_a_file_gives_besides_is_used() -> None:
    session = one(
        {
            "id": "chat-7",
            "title": "The mill",
            "project": "mill",
            "messages": [
                {"role": "user", "content": "hello", "timestamp": "2026-03-01T09:00:00+02:00"},
                {"role": "assistant", "content": "hello", "created_at": 1772355605},
                {"role": "user", "content": "bye", "time": 1772355610000},
            ],
        }
    )
    assert (session.id, session.title, session.project) == ("chat-7", "The mill", "mill")
    assert [turn.time for turn in session.turns] == [
        datetime.fromisoformat("2026-03-01T09:00:00+02:00"),
        datetime(2026, 3, 1, 9, 0, 5, tzinfo=UTC),
        datetime(2026, 3, 1, 9, 0, 10, tzinfo=UTC),
    ]


@pytest.mark.parametrize("time", [0, None, "", "noon", "2026-03-01", -5, 1e300, True, [], "0001-01-01T00:00:00"])
def test_an_unreadable_time_is_unknown(time: object) -> None:
    session = one([{"role": "user", "content": "hello", "timestamp": time}])
    assert (session.turns[0].time, session.started) == (None, None)


def test_the_same_id_again_replaces_in_its_place() -> None:
    session = one(
        [
            {"role": "user", "id": "m1", "content": "draft"},
            {"role": "assistant", "id": "m2", "content": "answer"},
            {"role": "user", "id": "m1", "content": "final"},
        ]
    )
    assert [turn.text for turn in session.turns] == ["final", "answer"]


def test_lines_that_are_messages_are_one_conversation() -> None:
    text = lines([{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}])
    drafts, skipped = read_text(text + "null\n" + '{"role": "user", "cont')
    assert [turn.text for turn in drafts[0].session.turns] == ["one", "two"]
    assert [(skip.line, skip.why.split(":")[0]) for skip in skipped] == [
        (3, "a JSON null that holds no messages"),
        (4, "the last line is not finished; it is left for later"),
    ]


def test_a_list_of_conversations_is_many_sessions() -> None:
    conversation = [{"role": "user", "content": "hello"}]
    drafts, skipped = read_text(json.dumps([{"messages": conversation}, conversation, {"messages": []}, 5]))
    assert [draft.session.id for draft in drafts] == ["stdin#1", "stdin#2"]
    assert [skip.why for skip in skipped] == ["value 3 holds no messages", "value 4 holds no messages"]


def test_pictures_sound_and_files_are_marks() -> None:
    parts = [
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_audio", "input_audio": {"data": "AAAA"}, "transcript": "play it"},
        {"type": "file", "file": {"filename": "plan.pdf", "file_data": "AAAA"}},
        {"type": "hologram"},
        "and words",
    ]
    (turn,) = one([{"role": "user", "content": parts}]).turns
    assert (turn.text, turn.media) == ("play it\n\nand words", ("image", "audio", "file"))


def test_hosted_tools_are_calls_and_bring_their_results() -> None:
    items = [
        {"type": "mcp_call", "id": "m1", "name": "search_memory", "arguments": '{"q": "mill"}', "output": "at 10"},
        {"type": "mcp_call", "id": "m2", "name": "tides", "arguments": "{}", "error": "gone"},
        {"type": "computer_call", "call_id": "k", "action": {"type": "click"}},
        {"type": "computer_call_output", "call_id": "k", "output": {"type": "computer_screenshot"}},
        {"type": "function_call_output", "call_id": "nobody", "output": "lost"},
    ]
    drafts, _ = read_text(json.dumps(items))
    calls = drafts[0].session.turns[0].tool_calls
    assert [(call.name, call.is_error, call.derived) for call in calls] == [
        ("search_memory", False, True),
        ("tides", True, False),
        ("computer", False, False),
    ]
    assert drafts[0].notes == {"results without their call": 1}


@pytest.mark.parametrize(
    "value",
    [
        [{"title": "x", "mapping": {"a": {"message": {"author": {"role": "user"}}}}}],
        [{"uuid": "x", "chat_messages": [{"sender": "human", "text": "hello"}]}],
        [{"type": "human", "data": {"content": "hello"}}],
        {"sessionId": "s", "messages": [{"id": "1", "type": "user", "content": "hello"}]},
        {"info": {}, "messages": [{"info": {"role": "user"}, "parts": []}]},
        {"role": "user", "message": {"content": [{"type": "text", "text": "hello"}]}},
        {"timestamp": "t", "type": "response_item", "payload": {"role": "user"}},
        {"messages": []},
        [1, 2],
        {},
    ],
)
def test_look_alikes_are_refused_with_a_reason(value: object) -> None:
    head = json.dumps(value).encode()
    assert all(FORMATS[name].detect(head, "x.json") for name in ("openai-messages", "openai-agents", "markdown-log"))


def test_a_large_list_is_known_by_its_first_message(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 1000}] * 500}))
    assert len(read_file(path)[0][0].session.turns) == 500


def test_a_broken_list_gives_what_is_whole_and_is_told() -> None:
    drafts, skipped = read_text('[{"role": "user", "content": "hello"},\n{"role": "assi')
    assert [turn.text for turn in drafts[0].session.turns] == ["hello"]
    assert [skip.why for skip in skipped] == ["value 2: the file ends in the middle of it"]


def test_conversations_on_one_long_line_are_read_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_messages, "LARGEST", 1 << 20)
    path = tmp_path / "large.json"
    conversation = json.dumps({"messages": [{"role": "user", "content": "x y " * 25_000}]})
    path.write_text("[" + ", ".join([conversation] * 200) + "]\n")
    tracemalloc.start()
    count = sum(isinstance(found, Draft) for found in openai_messages.read(Input("-", path)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 200
    assert peak < path.stat().st_size / 2


def test_the_agents_file_is_read_while_it_is_in_use(tmp_path: Path) -> None:
    """With what only its write-ahead log holds, and without a lock or a new file beside it."""
    path = tmp_path / "agent.db"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data, created_at)")
        writer.execute("PRAGMA journal_mode=WAL")
        add = "INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (?, ?, ?)"
        writer.execute(add, ("s", '{"role": "user", "content": "first"}', "2026-02-01 09:00:05"))
        writer.commit()
        writer.execute(add, ("s", '{"role": "user", "content": "not committed"}', None))
        before = sorted(child.name for child in tmp_path.iterdir())
        drafts, skipped = read_file(path)
        assert sorted(child.name for child in tmp_path.iterdir()) == before
    assert skipped == []
    assert [(turn.role, turn.text, turn.time) for turn in drafts[0].session.turns] == [
        (Role.USER, "first", datetime(2026, 2, 1, 9, 0, 5, tzinfo=UTC))
    ]


def test_a_view_in_place_of_the_table_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "view.db"
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x AS session_id FROM n"
    with closing(sqlite3.connect(path)) as writer:
        writer.execute(f"CREATE VIEW agent_messages AS {endless}")
        writer.commit()
    assert FORMATS["openai-agents"].detect(Input("v", path).head, "v") == "SQLite finds no table in it"


def test_a_broken_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "broken.db"
    path.write_bytes(b"SQLite format 3\0" + b"agent_messages" + b"\xff" * 4000)
    source = Input("broken", path)
    assert FORMATS["openai-agents"].detect(source.head, "broken.db") == "SQLite finds no table in it"
    (skipped,) = FORMATS["openai-agents"].read(source)
    assert isinstance(skipped, Skipped)
    assert skipped.why.startswith("SQLite could not read it")


def agents_file(path: Path, rows: list[tuple[str, Message]], places: list[tuple[str, int, str]] | None = None) -> Path:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data, created_at)")
        for session, item in rows:
            writer.execute("INSERT INTO agent_messages VALUES (NULL, ?, ?, NULL)", (session, json.dumps(item)))
        if places is not None:
            writer.execute("CREATE TABLE message_structure (id INTEGER PRIMARY KEY, session_id, message_id, branch_id)")
            writer.executemany("INSERT INTO message_structure VALUES (NULL, ?, ?, ?)", places)
        writer.commit()
    return path


def test_the_newest_branch_of_a_session_is_what_was_said(tmp_path: Path) -> None:
    texts = ["one", "two", "three", "other three", "elsewhere"]
    rows = [("s" if text != "elsewhere" else "t", {"role": "user", "content": text}) for text in texts]
    places = [("s", n, "main") for n in (1, 2, 3)] + [("s", n, "b1") for n in (1, 2, 4)]
    drafts, _ = read_file(agents_file(tmp_path / "a.db", rows, places))
    assert [[turn.text for turn in draft.session.turns] for draft in drafts] == [
        ["one", "two", "other three"],
        ["elsewhere"],
    ]
    assert drafts[0].notes == {"messages on branches that were given up": 1}


def test_a_structure_that_is_another_ones_is_none(tmp_path: Path) -> None:
    path = agents_file(tmp_path / "a.db", [("s", {"role": "user", "content": "one"})])
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("CREATE TABLE message_structure (x)")
        writer.commit()
    assert len(read_file(path)[0]) == 1


def test_what_is_encrypted_is_told(tmp_path: Path) -> None:
    path = agents_file(tmp_path / "a.db", [("s", {"__enc__": 1, "v": 1, "payload": "gAAA"})])
    drafts, skipped = read_file(path)
    assert (drafts, [skip.why for skip in skipped]) == ([], ["s: its messages are encrypted"])


def test_items_of_another_kind_are_counted() -> None:
    items = [
        {"role": "user", "content": "hello"},
        {"type": "hologram"},
        {"type": "item_reference", "id": "x"},
        {"x": 1},
    ]
    drafts, _ = read_text(json.dumps({"items": items}))
    assert drafts[0].notes == {
        "items of a type that Brain does not know: hologram": 1,
        "items of a type that Brain does not know: none": 1,
    }
