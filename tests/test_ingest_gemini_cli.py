"""Gemini CLI: what the samples do not show. Going back, making room, named files, helpers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reading import lines, read_file, read_text

from brain.ingest import FORMATS
from brain.ingest.reading import Draft
from brain.model import Origin, Session, SessionKind, Trust

Line = dict[str, Any]
SESSION = "2a032f1d-da9a-468a-af48-c2f5346f7b87"
HEADER: Line = {"sessionId": SESSION, "projectHash": "5d3b", "startTime": "2026-02-10T08:30:00.000Z"}


def message(kind: str, given: str, content: object, **more: object) -> Line:
    return {
        "id": given,
        "timestamp": f"2026-02-10T08:30:{len(given):02d}.000Z",
        "type": kind,
        "content": content,
        **more,
    }


def drafts(*given: object) -> list[Draft]:
    found, skipped = read_text(lines([HEADER, *given]))
    assert skipped == []
    return found


def one(*given: object) -> Session:
    (draft,) = drafts(*given)
    return draft.session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in session.turns]


TALK = [
    message("user", "a", "one"),
    message("gemini", "b", "1"),
    message("user", "c", "two"),
    message("gemini", "d", "2"),
]


@pytest.mark.parametrize(
    ("back", "left", "given_up"),
    [
        ("c", [("user", "one"), ("assistant", "1")], 2),
        ("a", [], 4),
        ("gone", [], 4),
        ("d", [("user", "one"), ("assistant", "1"), ("user", "two")], 1),
    ],
)
def test_going_back_takes_the_message_and_all_after_it(back: str, left: list[tuple[str, str]], given_up: int) -> None:
    (draft,) = drafts(*TALK, {"$rewindTo": back}, message("user", "e", "three"))
    assert said(draft.session) == [*left, ("user", "three")]
    assert draft.notes == {"messages on branches that were given up": given_up}


def test_a_message_that_comes_again_after_going_back_stands_at_the_end() -> None:
    session = one(*TALK, {"$rewindTo": "c"}, message("user", "e", "three"), message("user", "c", "two again"))
    assert said(session) == [("user", "one"), ("assistant", "1"), ("user", "three"), ("user", "two again")]


def test_a_list_of_messages_begins_anew() -> None:
    session = one(*TALK, {"$set": {"messages": [TALK[2], message("gemini", "x", "other")]}})
    assert said(session) == [("user", "two"), ("assistant", "other")]


def test_making_room_loses_nothing_and_the_summary_was_never_said() -> None:
    room = [
        message("user", "s", [{"text": "<state_snapshot>\n<goal>sell the mill</goal>\n</state_snapshot>"}]),
        message("gemini", "t", [{"text": "Got it. Thanks for the additional context!"}]),
        *TALK[2:],
    ]
    session = one(*TALK, {"$set": {"messages": room, "lastUpdated": "x"}}, message("user", "e", "three"))
    assert said(session) == [*said(one(*TALK)), ("user", "three")]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "  \n",
        "/chat save",
        "?",
        [{"text": "/help"}],
        "<session_context>x",
        {"text": "<hook_context>y</hook_context>"},
        None,
        [],
        7,
        [None],
    ],
)
def test_what_nobody_asked_is_no_turn(content: object) -> None:
    assert said(one(message("user", "z", content), *TALK)) == said(one(*TALK))


@pytest.mark.parametrize("content", ["ask", {"text": "ask"}, [{"text": "ask"}], ["ask"]])
def test_content_in_all_its_shapes(content: object) -> None:
    assert said(one(message("user", "z", content))) == [("user", "ask")]


def test_files_that_the_host_read_in_are_not_typed() -> None:
    content = [
        {"text": "Shorten @mill.md"},
        {"text": "\n--- Content from referenced files ---"},
        {"text": "\nContent from @mill.md:\n"},
        {"text": "I never said this."},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
        {"text": "\n--- End of content ---"},
        {"text": "Thank you."},
    ]
    (turn,) = one(message("user", "a", content)).turns
    assert (turn.text, turn.media) == ("Shorten @mill.md\n\nThank you.", ("image",))


def test_calls_among_the_parts_and_beside_them_are_one() -> None:
    parts = [
        {"text": "weighing the rye", "thought": True},
        {"text": "I look."},
        {"functionCall": {"id": "1", "name": "read_file", "args": {"path": "rye"}}},
    ]
    beside = [
        {
            "id": "1",
            "name": "read_file",
            "args": {"path": "rye"},
            "status": "success",
            "result": {"functionResponse": {"response": {"output": "4 sacks"}}},
        },
        {"id": "2", "name": "shell", "args": {}, "status": "error", "resultDisplay": "no shell"},
        {"id": "3", "name": "shell", "args": {}, "status": "cancelled"},
        {
            "id": "4",
            "name": "see",
            "args": {},
            "status": "success",
            "result": [
                {"functionResponse": {"response": {"a": 1}}},
                {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
            ],
        },
    ]
    session = one(message("user", "a", "how much?"), message("gemini", "b", parts, toolCalls=beside))
    assert session.turns[1].text == "I look."
    assert [(c.name, c.result, c.is_error) for c in session.turns[1].tool_calls] == [
        ("read_file", "4 sacks", False),
        ("shell", "no shell", True),
        ("shell", None, False),
        ("see", '{"a": 1}\n[media]', False),
    ]


def test_calls_without_an_id_keep_their_results() -> None:
    beside = [{"name": "see", "status": "success", "result": [{"text": words}]} for words in ("one", "two")]
    session = one(message("gemini", "a", "I look.", toolCalls=beside))
    assert [call.result for call in session.turns[0].tool_calls] == ["one", "two"]


def test_results_in_a_message_of_the_user_are_paired_and_no_turn() -> None:
    back = [{"functionResponse": {"id": "1", "name": "f", "response": {"error": "shut"}}}]
    session = one(message("gemini", "a", [{"functionCall": {"id": "1", "name": "f"}}]), message("user", "b", back))
    assert [(c.result, c.is_error) for c in session.turns[0].tool_calls] == [("shut", True)]
    assert len(session.turns) == 1


def test_helpers_lie_in_a_folder_of_their_parent_and_the_project_tells_its_root(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "seed-library" / "chats"
    helper = chats / SESSION / "h1.jsonl"
    helper.parent.mkdir(parents=True)
    helper.write_text(
        lines([HEADER | {"sessionId": "h1", "kind": "subagent", "directories": ["/home/odo/seeds"]}, *TALK[:2]])
    )
    main = chats / "session-2026-02-10T08-30-2a032f1d.jsonl"
    main.write_text(lines([HEADER, *TALK]))
    (found,) = read_file(helper)[0]
    assert (found.session.id, found.session.kind, found.session.parent) == ("h1", SessionKind.SUBAGENT, SESSION)
    assert (found.session.turns[0].origin, found.session.turns[0].trust) == (Origin.ASSISTANT, Trust.THIRD)
    assert (found.folder, found.session.project) == ("/home/odo/seeds", "seeds")
    (found,) = read_file(main)[0]
    assert (found.folder, found.session.project, found.session.kind) == ("", "seed-library", SessionKind.MAIN)
    (chats.parent / ".project_root").write_text("/home/odo/old seeds\n")
    (found,) = read_file(main)[0]
    assert (found.folder, found.session.project) == ("/home/odo/old seeds", "old seeds")


def test_the_older_file_in_one_line_and_in_many_and_broken_off() -> None:
    whole = HEADER | {"messages": TALK, "summary": "Counting"}
    for text in (json.dumps(whole), json.dumps(whole, indent=2), json.dumps({"messages": TALK, **HEADER}, indent=1)):
        (draft,) = read_text("\ufeff" + text)[0]
        assert said(draft.session) == said(one(*TALK))
    found, skipped = read_text(json.dumps(whole, indent=2)[:-3])
    assert found == []
    assert skipped[0].why.startswith("not JSON")


def test_strange_lines_are_counted() -> None:
    found, skipped = read_text(lines([HEADER, {"id": "q", "type": "hologram"}, {"x": 1}, *TALK, 7]))
    assert len(found) == 1
    assert [(one.line, one.why) for one in skipped] == [
        (8, "a JSON number, not an object"),
        (None, "2 lines of a type that Brain does not know: hologram, none"),
    ]


def test_a_file_that_only_changes_data_is_no_conversation() -> None:
    assert drafts({"$set": {"summary": "nothing"}}) == []
    assert FORMATS["gemini-cli"].detect(b'{"sessionId": "x", "message": "y"}\n', "logs.json") != ""


def test_a_file_that_was_put_aside_is_the_session_that_was_written_anew(tmp_path: Path) -> None:
    name = "session-2026-02-10T08-30-2a032f1d.jsonl"
    (tmp_path / name).write_text(lines([HEADER, *TALK[:2]]))
    aside = tmp_path / f"{name}.unreadable-1770712000000"
    aside.write_bytes(b'{"sessionId": "2a0\xff\n' + lines(TALK).encode())
    (draft,), skipped = read_file(aside)
    assert (draft.session.id, len(draft.session.turns), [skip.line for skip in skipped]) == (SESSION, 4, [1])
    (tmp_path / name).unlink()
    assert read_file(aside)[0][0].session.id == aside.stem
