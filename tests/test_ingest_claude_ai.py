"""Claude.ai's export: blocks, branches, files, and what stands beside the conversations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from reading import read_text

from brain.ingest import FORMATS
from brain.ingest.reading import Draft
from brain.model import Session, Text, ToolCall, Trust

ROOT = "00000000-0000-4000-8000-000000000000"
Message = dict[str, Any]


def message(uuid: str, sender: str, text: str = "", parent: str | None = None, **more: Any) -> Message:
    about: Message = {"uuid": uuid, "sender": sender, "text": text, "created_at": "2026-04-02T18:00:01.123456+00:00"}
    return about | ({"parent_message_uuid": parent} if parent else {}) | more


def conversation(*messages: Message, **more: Any) -> dict[str, Any]:
    return {
        "uuid": "c-1",
        "name": "Paint",
        "created_at": "2026-04-02T18:00:00Z",
        "chat_messages": list(messages),
        **more,
    }


def draft_of(*messages: Message, **more: Any) -> Draft:
    (draft,) = read_text(json.dumps([conversation(*messages, **more)]))[0]
    return draft


def said(session: Session) -> list[str]:
    return [turn.text for turn in session.turns]


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words, "citations": []}


def test_blocks_are_the_words_and_the_flat_text_only_where_they_say_nothing() -> None:
    unsupported = "```\nThis block is not supported on your current device yet.\n```"
    session = draft_of(
        message("a", "human", "flat", content=[text("block")]),
        message("b", "assistant", f"Before. {unsupported} After.", content=[]),
        message("c", "human", "", content=[{"type": "voice_note", "title": "x", "text": "spoken"}]),
        message("d", "assistant", unsupported, content=[{"type": "thinking", "thinking": "hm"}, text(unsupported)]),
        message("e", "human", "flat again", content=[{"type": "hologram"}, text("")]),
    ).session
    assert said(session) == ["block", "Before.  After.", "spoken", "flat again"]


def test_tools_with_and_without_ids() -> None:
    session = draft_of(
        message("a", "human", "look"),
        message(
            "b",
            "assistant",
            content=[
                {"type": "tool_use", "id": None, "name": "repl", "input": {"code": "1"}},
                {"type": "tool_result", "tool_use_id": None, "content": [text("one")]},
                {"type": "tool_use", "id": "t2", "name": "conversation_search", "input": {"query": "paint"}},
                {"type": "tool_result", "tool_use_id": "t2", "content": [text("On 9 May.")], "is_error": False},
                {"type": "tool_use", "id": "t3", "name": "web_search", "input": {}},
                {"type": "tool_result", "tool_use_id": "t3", "content": [text("no")], "is_error": True},
                text("Done."),
            ],
        ),
    ).session
    assert session.turns[1].blocks == (
        ToolCall("repl", '{"code": "1"}', "one"),
        ToolCall("conversation_search", '{"query": "paint"}', "On 9 May.", derived=True),
        ToolCall("web_search", "{}", "no", is_error=True),
        Text("Done."),
    )
    assert session.turns[1].trust is Trust.THIRD


def test_files_are_material() -> None:
    session = draft_of(
        message(
            "a",
            "human",
            "read",
            attachments=[
                {"file_name": "m.txt", "extracted_content": "Always pay in advance.\n" * 50},
                {"file_name": "empty.txt", "extracted_content": ""},
            ],
            files=[{"file_name": "m.txt"}, {"file_name": "roof.png"}, "odd"],
        )
    )
    (turn,) = session.session.turns
    (file,) = turn.tool_calls
    assert (file.name, file.is_file, file.trust, turn.text) == ("m.txt", True, Trust.THIRD, "read")
    assert file.attachment in session.attachments
    assert turn.media == ("file", "file", "file")


def test_the_last_leaf_and_what_was_given_up() -> None:
    draft = draft_of(
        message("a", "human", "one", ROOT),
        message("b", "assistant", "first", "a"),
        message("c", "assistant", "second", "a"),
        message("d", "human", "edited away", "c"),
        message("e", "human", "edited", "c"),
        message("f", "assistant", "end", "e"),
    )
    assert said(draft.session) == ["one", "second", "edited", "end"]
    assert draft.notes == {"messages on branches that were given up": 2}


def test_the_leaf_that_the_service_names() -> None:
    draft = draft_of(
        message("a", "human", "one", ROOT),
        message("b", "assistant", "first", "a"),
        message("c", "assistant", "second", "a"),
        current_leaf_message_uuid="b",
    )
    assert said(draft.session) == ["one", "first"]


def test_lost_parents_copies_and_circles() -> None:
    messages = [
        message("a", "human", "draft", ROOT),
        message("b", "assistant", "two", "gone"),
        message("a", "human", "one", ROOT),
        message("c", "human", "three", "b"),
    ]
    assert said(draft_of(*messages).session) == ["one", "two", "three"]
    circle = [message("a", "human", "one", "b"), message("b", "assistant", "two", "a")]
    assert sorted(said(draft_of(*circle).session)) == ["one", "two"]


def test_copies_in_a_list_without_parents_stay_in_their_places() -> None:
    draft = draft_of(
        message("a", "human", "Which red?"),
        message("b", "assistant", "Oxide, I think."),
        message("b", "assistant", "Oxide."),
        message("c", "human", "And white?"),
        message("a", "human", "Which red is it?"),
        message("d", "assistant", "Lime."),
    )
    assert said(draft.session) == ["Which red is it?", "Oxide.", "And white?", "Lime."]
    assert draft.notes == {}


def test_other_senders_are_told() -> None:
    draft = draft_of(message("a", "human", "hello"), message("b", "moderator", "stop"))
    assert said(draft.session) == ["hello"]
    assert draft.notes == {"messages of a sender that Brain does not know": 1}


def test_what_is_known_of_a_conversation() -> None:
    draft = draft_of(message("a", "human", "x"), name="", summary="It is all settled.", project={"name": "Boat house"})
    assert (draft.session.title, draft.session.project, draft.session.id) == (None, "Boat house", "c-1")
    assert str(draft.day) == "2026-04-02 18:00:00+00:00"
    assert draft_of(message("a", "human", "x"), is_temporary=True).is_incognito


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([{"conversations_memory": "likes cake", "account_uuid": "x"}], "1 memories that a model wrote"),
        (
            [{"uuid": "p", "name": "Boat", "prompt_template": "Always sail.", "docs": []}] * 2,
            "2 projects: their instructions and files are no conversation",
        ),
    ],
)
def test_what_stands_beside_is_told(value: object, why: str) -> None:
    drafts, skipped = read_text(json.dumps(value))
    assert (drafts, [skip.why for skip in skipped]) == ([], [why])


def test_an_empty_conversation_is_none_and_a_strange_value_is_told() -> None:
    drafts, skipped = read_text(json.dumps([conversation(), {"x": 1}]))
    assert (drafts, [skip.why for skip in skipped]) == ([], ["value 2 holds no conversation"])


@pytest.mark.parametrize("value", [[], {}, [{"chat_messages": 1}], {"prompt_template": "x"}, [[]], 5])
def test_look_alikes_are_refused(value: object) -> None:
    assert FORMATS["claude-ai"].detect(json.dumps(value).encode(), "conversations.json")
