"""ChatGPT's export: trees, tools, marks, and what is no turn."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from reading import read_text

from brain.ingest import FORMATS, Options, ingest
from brain.ingest.reading import Draft
from brain.model import Role, Session, Text, ToolCall, Trust
from brain.store import Store

Message = dict[str, Any]


def message(role: str, *parts: object, **more: Any) -> Message:
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    author = {"role": role, "name": more.pop("name", None), "metadata": {}}
    content = more.pop("content", {"content_type": kind, "parts": list(parts)})
    return {
        "author": author,
        "create_time": 1772355605.5,
        "content": content,
        "recipient": "all",
        "metadata": {},
        **more,
    }


def chain(*messages: Message | None, **more: Any) -> dict[str, Any]:
    """A conversation without branches."""
    ids = [f"m{n}" for n in range(len(messages))]
    mapping = {
        one: {"id": one, "parent": ids[n - 1] if n else None, "children": ids[n + 1 : n + 2], "message": messages[n]}
        for n, one in enumerate(ids)
    }
    return {"conversation_id": "c-1", "title": "T", "create_time": 1772355600.0, "mapping": mapping, **more}


def drafts(*conversations: object) -> list[Draft]:
    return read_text(json.dumps(list(conversations)))[0]


def one(*messages: Message | None, **more: Any) -> Session:
    (draft,) = drafts(chain(*messages, **more))
    return draft.session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in session.turns]


def test_calls_and_what_comes_back_over_several_messages() -> None:
    session = one(
        message("user", "Tides?"),
        message("assistant", "", content={"content_type": "code", "text": 'search("tides")'}, recipient="web.run"),
        message("tool", name="web", content={"content_type": "tether_browsing_display", "result": "two pages"}),
        message(
            "tool", name="web.run", content={"content_type": "tether_quote", "title": "A", "url": "u", "text": "high"}
        ),
        message("assistant", "draw it", recipient="dalle.text2im"),
        message("tool", {"content_type": "image_asset_pointer", "asset_pointer": "x"}, name="dalle.text2im"),
        message("assistant", "High at ten.", end_turn=True),
    )
    assert session.turns[1].blocks == (
        ToolCall("web.run", 'search("tides")', "two pages\n\nA\nu\nhigh"),
        ToolCall("dalle.text2im", "draw it", "[image]"),
        Text("High at ten."),
    )
    assert session.turns[1].trust is Trust.THIRD


def test_a_result_that_nobody_asked_for_is_what_the_service_put_in() -> None:
    session = one(
        message(
            "user", "See the file.", metadata={"attachments": [{"name": "plan.pdf", "mime_type": "application/pdf"}]}
        ),
        message("tool", "The plan: paint in May.", name="file_search"),
        message("assistant", "In May."),
    )
    assert session.turns[0].media == ("file",)
    assert session.turns[1].blocks == (ToolCall("file_search", "", "The plan: paint in May."), Text("In May."))


def test_a_failed_run_and_one_that_was_not_answered() -> None:
    failed = {"aggregate_result": {"status": "failed_with_in_kernel_exception"}}
    session = one(
        message("assistant", "1/0", recipient="python"),
        message("tool", "ZeroDivisionError", name="python", metadata=failed),
        message("assistant", "2/0", recipient="python"),
    )
    assert [(call.result, call.is_error) for call in session.turns[0].tool_calls] == [
        ("ZeroDivisionError", True),
        (None, False),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Oil it\ue200cite\ue202turn0search1\ue202turn0search2\ue201 twice.", "Oil it twice."),
        ('Ask \ue200entity\ue202["people","Ada Holm","smith"]\ue201 there.', "Ask Ada Holm there."),
        ("Ask \ue200entity\ue202[broken\ue201 there.", "Ask  there."),
        ("In May【12†minutes.txt】, says she【4:0†source】.", "In May, says she."),
        ("【note】 stays, so does †.", "【note】 stays, so does †."),
        ("cut off \ue200cite\ue202turn0", "cut off citeturn0"),
    ],
)
def test_marks_of_citations_go(text: str, words: str) -> None:
    assert one(message("assistant", text)).turns[0].text == words


def test_marks_in_a_persons_words_stay() -> None:
    assert one(message("user", "what is 【3†source】?")).turns[0].text == "what is 【3†source】?"


def test_what_is_no_turn() -> None:
    (draft,) = drafts(
        chain(
            None,
            message("system", "You are."),
            message("user", content={"content_type": "user_editable_context", "user_profile": "Odo"}),
            message("assistant", content={"content_type": "model_editable_context", "model_set_context": "likes cake"}),
            message("user", "hidden", metadata={"is_visually_hidden_from_conversation": True}),
            message("assistant", "thinking aloud", channel="analysis"),
            message("assistant", content={"content_type": "thoughts", "thoughts": []}),
            message("assistant", content={"content_type": "hologram", "x": 1}),
            message("critic", "who?"),
            message("user", "hello", weight=0.0),
        )
    )
    assert said(draft.session) == [("user", "hello")]
    assert draft.notes == {
        "custom instructions, which are no turns": 1,
        "saved memories, which a model wrote": 1,
        "messages of a type that Brain does not know: hologram": 1,
    }


def test_voice_is_words_and_a_mark() -> None:
    session = one(
        message(
            "user",
            {"content_type": "audio_transcription", "text": "Play it.", "direction": "in"},
            {"content_type": "audio_asset_pointer"},
        ),
        message("assistant", {"content_type": "audio_transcription", "text": "Here.", "direction": "out"}),
    )
    assert said(session) == [("user", "Play it."), ("assistant", "Here.")]
    assert session.turns[0].media == ("audio",)


def test_the_newest_leaf_where_the_current_node_is_not_told() -> None:
    def node(parent: str | None, text: str, time: float | None, role: str = "user") -> dict[str, object]:
        return {"parent": parent, "message": message(role, text, create_time=time)}

    mapping = {
        "a": node(None, "root", 1772355600),
        "b": node("a", "newer", 1772355700, "assistant"),
        "b2": node("b", "untimed", None),
        "c": node("a", "older", 1772355650, "assistant"),
    }
    for current in (None, "gone"):
        (draft,) = drafts({"id": "x", "mapping": mapping, "current_node": current})
        assert [turn.text for turn in draft.session.turns] == ["root", "newer", "untimed"]
        assert draft.notes == {"messages on branches that were given up": 1}


def test_parents_that_only_the_children_tell_and_circles() -> None:
    mapping = {
        "a": {"children": ["b"], "message": message("user", "one")},
        "b": {"children": [], "message": message("assistant", "two")},
    }
    (draft,) = drafts({"id": "x", "mapping": mapping, "current_node": "b"})
    assert said(draft.session) == [("user", "one"), ("assistant", "two")]
    for other in ("a", "b"):
        mapping[other]["parent"] = "b" if other == "a" else "a"
    (draft,) = drafts({"id": "x", "mapping": mapping})
    assert len(draft.session.turns) == 2


def test_a_long_conversation_takes_time_in_proportion() -> None:
    (draft,) = drafts(chain(*(message(("user", "assistant")[n % 2], f"word {n}") for n in range(20_000))))
    assert len(draft.session.turns) == 20_000


@pytest.mark.parametrize("time", [None, 0, -1, "x", 1e400, [], True])
def test_a_time_that_is_none(time: object) -> None:
    (draft,) = drafts(chain(message("user", "hello", create_time=time), create_time=time))
    assert (draft.session.turns[0].time, draft.session.started, draft.day) == (None, None, None)


def test_shapes_of_files() -> None:
    two = [chain(message("user", "a"), conversation_id="c-1"), chain(message("user", "b"), conversation_id="c-2")]
    texts = [json.dumps(two), json.dumps({"conversations": two}), "\n".join(map(json.dumps, two))]
    assert [[d.session.id for d in read_text(text)[0]] for text in texts] == [["c-1", "c-2"]] * 3
    (draft,) = read_text(json.dumps(chain(message("user", "a"), conversation_id=None)))[0]
    assert draft.session.id == "stdin#1"


def test_a_damaged_file_gives_what_is_whole() -> None:
    text = json.dumps([chain(message("user", "a"), conversation_id="c-1"), chain(message("user", "b")), None, {"x": 1}])
    drafts, skipped = read_text(text)
    assert [draft.session.id for draft in drafts] == ["c-1", "c-1"]
    assert [skip.why for skip in skipped] == ["value 3 holds no conversation", "value 4 holds no conversation"]
    drafts, skipped = read_text(text[: text.index('"b"')])
    assert [skip.why for skip in skipped] == ["value 2: the file ends in the middle of it"]
    assert len(drafts) == 1


@pytest.mark.parametrize(
    "value", [[], {}, [{"mapping": []}], {"mapping": {}}, [{"mapping": {"a": 1}}], [[1]], "x", None]
)
def test_look_alikes_are_refused(value: object) -> None:
    assert FORMATS["chatgpt"].detect(json.dumps(value).encode(), "conversations.json")


def test_a_long_first_conversation_is_known_by_its_start() -> None:
    conversation = chain(message("user", "x" * 600_000), message("assistant", "y"))
    assert len(drafts(conversation)[0].session.turns) == 2


def test_what_is_not_to_be_remembered_is_left_out(brain: Path, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chain(message("user", "a present"), is_do_not_remember=True)]))
    store = Store.open(brain)
    result = ingest(store, [path], now=datetime(2027, 1, 1, tzinfo=UTC), options=Options())
    store.close()
    assert (result.sessions, result.commits) == ((), ())
    assert [skip.why for skip in result.skipped] == ["c-1: marked as not to be remembered"]


def test_names_in_a_group() -> None:
    session = one(message("user", "soup", name="Ilse"), message("user", "fish", name="Bram"))
    assert [(turn.role, turn.speaker) for turn in session.turns] == [(Role.USER, "Ilse"), (Role.USER, "Bram")]


def test_injected_memory_is_dropped() -> None:
    words = "<brain-memory>\nNotes: x\n</brain-memory>\nhello"
    assert one(message("user", words)).turns[0].text == "hello"
