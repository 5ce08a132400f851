"""LangChain's messages and LangGraph's states, in every shape in which they are saved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import lines, read_text

from brain.ingest import FORMATS
from brain.ingest.reading import Draft
from brain.model import Session, ToolCall


def drafts(value: object) -> list[Draft]:
    return read_text(json.dumps(value))[0]


def one(value: object) -> Session:
    (draft,) = drafts(value)
    return draft.session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.speaker or turn.role.value, turn.text) for turn in session.turns]


def flat(kind: str, content: object, **more: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, "additional_kwargs": {}, **more}


HELLO = [flat("human", "hello", id="1"), flat("ai", "hi", id="2")]


def constructor(name: str, **kwargs: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": kwargs}


@pytest.mark.parametrize(
    "value",
    [
        HELLO,
        [{"type": one["type"], "data": one} for one in HELLO],
        [constructor("HumanMessage", content="hello"), constructor("AIMessageChunk", content="hi")],
        [flat("HumanMessageChunk", "hello"), flat("AIMessageChunk", "hi")],
        [flat("chat", "hello", role="user"), flat("chat", "hi", role="Assistant"), flat("chat", "x", role="critic")],
        {"messages": HELLO},
        {"values": {"messages": HELLO}},
        {"channel_values": {"messages": HELLO}, "ts": "2026-09-12T05:30:00+00:00"},
        {"checkpoint": {"channel_values": {"messages": HELLO}}},
        {"outputs": {"messages": HELLO}, "inputs": {"messages": HELLO[:1]}},
        {"messages": [HELLO]},
        {"history": HELLO},
    ],
)
def test_every_shape(value: object) -> None:
    assert said(one(value)) == [("user", "hello"), ("assistant", "hi")]


def test_lines() -> None:
    assert said(read_text(lines(HELLO))[0][0].session) == [("user", "hello"), ("assistant", "hi")]
    states = [{"thread_id": name, "values": {"messages": HELLO}} for name in ("a", "b")]
    assert [draft.session.id for draft in read_text(lines(states))[0]] == ["a", "b"]


def test_a_history_of_one_thread_is_its_newest_state() -> None:
    def state(count: int, time: str | None) -> dict[str, Any]:
        about = {"configurable": {"thread_id": "forest"}}
        return {"values": {"messages": HELLO[:count]}, "config": about, "created_at": time}

    for history in (
        [state(2, "2026-09-12T05:31:00Z"), state(1, "2026-09-12T05:30:00Z")],
        [state(1, "2026-09-12T05:30:00Z"), state(2, "2026-09-12T05:31:00Z")],
        [state(2, None), state(1, None)],
    ):
        assert (one(history).id, len(one(history).turns)) == ("forest", 2)


def test_the_reducer() -> None:
    session = one(
        [
            flat("human", "gone", id="0"),
            flat("remove", "", id="__remove_all__"),
            flat("human", "draft", id="1"),
            flat("ai", "away", id="2"),
            flat("human", "final", id="1"),
            flat("remove", "", id="2"),
            flat("remove", "", id="never there"),
        ]
    )
    assert said(session) == [("user", "final")]


def test_calls_their_results_and_broken_ones() -> None:
    (draft,) = drafts(
        [
            flat("human", [{"type": "text", "text": "weigh"}, {"type": "image_url", "image_url": {}}], name="Runa"),
            flat(
                "ai",
                [{"type": "text", "text": "Weighing."}, {"type": "tool_use", "id": "c1", "name": "scale", "input": {}}],
                tool_calls=[{"name": "scale", "args": {"of": "basket"}, "id": "c1"}, {"name": "clock", "args": {}}],
                invalid_tool_calls=[{"name": "scale", "args": "{bad", "id": "c2"}],
            ),
            flat("tool", [{"type": "text", "text": "3 kg"}], tool_call_id="c1", status="success"),
            flat("tool", "broken", tool_call_id="c2", status="error"),
        ]
    )
    user, agent = draft.session.turns
    assert (user.speaker, user.text, user.media) == ("Runa", "weigh", ("image",))
    assert agent.tool_calls == (
        ToolCall("scale", '{"of": "basket"}', "3 kg"),
        ToolCall("clock", "{}"),
        ToolCall("scale", "{bad", "broken", is_error=True),
    )
    assert draft.notes == {"tool calls with arguments that are no JSON, kept as text": 1}


def test_functions_of_old() -> None:
    session = one(
        [
            flat("human", "weigh"),
            flat("ai", "", additional_kwargs={"function_call": {"name": "scale", "arguments": '{"of": 1}'}}),
            flat("function", "3 kg", name="scale"),
        ]
    )
    assert session.turns[1].tool_calls == (ToolCall("scale", '{"of": 1}', "3 kg"),)


def test_nothing_that_a_file_names_is_made() -> None:
    value = [constructor("HumanMessage", content="hello"), constructor("Popen", args=["false"]), HELLO[1]]
    drafts, skipped = read_text(json.dumps(value))
    assert said(drafts[0].session) == [("user", "hello"), ("assistant", "hi")]
    assert [skip.why for skip in skipped] == ["value 2 holds no messages"]


@pytest.mark.parametrize(
    "value",
    [
        [],
        {},
        [flat("system", "x")],
        [flat("tool", "x")],
        [{"type": "human"}],
        [{"role": "user", "content": "x"}],
        {"values": {"messages": []}},
        [constructor("Popen", content="x")],
        "human",
    ],
)
def test_look_alikes_are_refused(value: object) -> None:
    assert FORMATS["langchain"].detect(json.dumps(value).encode(), "messages.json")


def test_a_state_that_is_nested_without_end() -> None:
    value: dict[str, Any] = {"values": {"messages": HELLO}}
    for _ in range(50):
        value = {"state": value}
    assert FORMATS["langchain"].detect(json.dumps(value).encode(), "x.json")
