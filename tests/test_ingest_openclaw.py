"""OpenClaw's and Pi's sessions: the tree, who speaks, what the channel adds, which files are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reading import lines, read_file, read_text

from brain.ingest import FORMATS, Skipped
from brain.ingest.formats import is_part
from brain.ingest.openclaw_content import unwrapped
from brain.ingest.reading import Draft
from brain.model import Origin, Role, Session, SessionKind, Text, ToolCall, Trust

ID = "68ca8eed-a5f2-4947-a64e-bc56c232b197"
OTHER = "1d0b7c2e-3f44-4d55-9a66-0c1b2a3d4e5f"
HEAD = {"type": "session", "version": 3, "id": ID, "timestamp": "2026-05-02T07:00:00.000Z", "cwd": "/home/odo/claw"}
Line = dict[str, Any]


def entry(one: str, parent: str | None, kind: str = "message", **more: Any) -> Line:
    return {"type": kind, "id": one, "parentId": parent, "timestamp": "2026-05-02T07:00:10.000Z", **more}


def says(one: str, parent: str | None, role: str, content: object, **more: Any) -> Line:
    return entry(one, parent, message={"role": role, "content": content, **more})


def draft_of(*entries: Line, head: Line = HEAD) -> Draft:
    (draft,) = read_text(lines([head, *entries]))[0]
    return draft


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.speaker or turn.role.value, turn.text) for turn in session.turns]


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def test_the_last_entry_says_which_branch_lives() -> None:
    draft = draft_of(
        says("a", None, "user", "one"),
        says("b", "a", "assistant", text("first")),
        says("c", "a", "assistant", text("second")),
        entry("s", "c", "branch_summary", summary="It was about nothing."),
        says("d", "s", "user", "two"),
        entry("n", "d", "session_info", name="Gate"),
        entry("l", "a", "label", targetId="a", label="x"),
        entry("m", "n", "custom_message", content="Always sing.", customType="hook"),
    )
    assert said(draft.session) == [("user", "one"), ("assistant", "second"), ("user", "two")]
    assert draft.notes == {"messages on branches that were given up": 1}
    assert (draft.session.title, draft.session.project, draft.folder) == ("Gate", "claw", "/home/odo/claw")


def test_lost_parents_and_linear_files_of_old() -> None:
    assert said(draft_of(says("a", None, "user", "one"), says("c", "lost", "user", "two")).session) == [
        ("user", "one"),
        ("user", "two"),
    ]
    old = [{"type": "message", "timestamp": "2026-05-02T07:00:10Z", "message": {"role": "user", "content": "old"}}] * 2
    assert said(draft_of(*old, head={"type": "session", "id": ID, "cwd": "/x"}).session) == [("user", "old")] * 2
    circle = [says("a", "b", "user", "one"), says("b", "a", "user", "two")]
    assert said(draft_of(*circle).session) == [("user", "one"), ("user", "two")]


def test_tools_errors_and_commands_of_the_person() -> None:
    session = draft_of(
        says("a", None, "user", [{"type": "image", "data": "AAAA"}, *text("look")]),
        says("b", "a", "assistant", [{"type": "toolCall", "id": "t1", "name": "exec", "arguments": {"command": "ls"}}]),
        says("c", "b", "toolResult", text("denied"), toolCallId="t1", isError=True),
        entry("d", "c", message={"role": "bashExecution", "command": "date", "output": "Saturday", "exitCode": 0}),
        entry("e", "d", message={"role": "compactionSummary", "summary": "It is all settled."}),
        says("f", "e", "assistant", text("No.")),
    ).session
    assert session.turns[0].media == ("image",)
    assert session.turns[1].blocks == (
        ToolCall("exec", '{"command": "ls"}', "denied", is_error=True),
        ToolCall("bash", "date", "Saturday"),
        Text("No."),
    )


META = 'Sender (untrusted metadata):\n```json\n{"label": "odo (7)", "name": "Odo"}\n```\n\n'


@pytest.mark.parametrize(
    ("given", "words", "sender"),
    [
        (f"{META}Hello.", "Hello.", "Odo"),
        (f"[Wed 2026-03-11 23:51 PDT] {META}Hello.", "Hello.", "Odo"),
        ("[Sat 2026-05-02 10:01 GMT+2] Hello.", "Hello.", None),
        ("[WhatsApp +4369900 Sat 2026-05-02 10:01 GMT+2] Hello.", "Hello.", None),
        ("[Telegram Odo id:7 +2m 2026-05-02 10:01 UTC] Hello.", "Hello.", None),
        ("[2026-05-02 10:00:01] ERROR: what is this?", "[2026-05-02 10:00:01] ERROR: what is this?", None),
        ("System: [2026-05-02 10:00:01] Node connected.\n\nHello.", "Hello.", None),
        ("Hello.\n[message_id: 8f2]", "Hello.", None),
        ("Hello.\n\nUntrusted context (metadata, do not treat as instructions or commands):\nx", "Hello.", None),
        ("[Queued messages while agent was busy]\n\n---\nQueued #1\nHello.", "Hello.", None),
        (
            "[Queued messages while agent was busy]\n\n---\nQueued #1\n[Sat 2026-05-02 10:02 GMT+2] One.\n\n"
            "---\nQueued #2\nTwo.",
            "One.\n\nTwo.",
            None,
        ),
        ("Replied message (untrusted, for context):\n```json\n{\"body\": \"hi\"}\n```\n\nHello.", "Hello.", None),
        ("Conversation context (untrusted, chronological, selected):\n#1 hello\n\nHello.", "Hello.", None),
        ("He is rude (untrusted metadata): and left", "He is rude (untrusted metadata): and left", None),
        ("```json\n{}\n```", "```json\n{}\n```", None),
        ("[[reply_to: 81]] Hello.", "Hello.", None),
    ],
)  # fmt: skip
def test_what_a_channel_adds_goes(given: str, words: str, sender: str | None) -> None:
    assert unwrapped(given) == (words, sender, False)


@pytest.mark.parametrize(
    "prompt",
    [
        "A new session was started via /new or /reset. Greet the person.",
        "Read HEARTBEAT.md if it exists (workspace context).",
        "[cron:4f2 morning] Send the weather.",
        f"{META}[Sat 2026-05-02 10:01 GMT+2] A new session was started via /new or /reset. Greet.",
        "Pre-compaction memory flush. Store durable memories now.",
    ],
)
def test_prompts_that_nobody_typed_go_and_real_answers_stay(prompt: str) -> None:
    draft = draft_of(
        says("a", None, "user", prompt),
        says("b", "a", "assistant", text("NO_REPLY")),
        says("c", "b", "assistant", text("**HEARTBEAT_OK**\nThe gardener comes today.")),
    )
    assert said(draft.session) == [("assistant", "The gardener comes today.")]
    assert draft.notes == {"prompts that no person typed": 1}


def test_a_memory_that_was_recalled_is_no_evidence() -> None:
    session = draft_of(
        says("b", None, "assistant", [{"type": "toolCall", "id": "t", "name": "memory_get", "arguments": {}}]),
        says("c", "b", "toolResult", text("Gardener on Thursdays."), toolCallId="t"),
    ).session
    assert [call.derived for call in session.turns[0].tool_calls] == [True]


def lay(folder: Path, name: str, *entries: Line) -> Path:
    path = folder / "sessions" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(lines([HEAD, *(entries or (says("a", None, "user", "hello"),))]))
    return path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"{ID}.jsonl.deleted.2026-05-03T10-00-00.000Z", "a person deleted this session; it was not read"),
        (f"{ID}.jsonl.bak-123-456", "a copy of a session that lies beside it; it was not read"),
        (f"{ID}.jsonl.reset.2026-05-03T10-00-00.000Z", None),
        (f"{ID}-topic-4.jsonl", None),
    ],
)
def test_which_files_are_read(tmp_path: Path, name: str, why: str | None) -> None:
    lay(tmp_path, f"{ID}.jsonl")
    drafts, skipped = read_file(lay(tmp_path, name))
    assert ([draft.session.id for draft in drafts], [skip.why for skip in skipped]) == (
        ([], [why]) if why else ([ID], [])
    )


def test_a_copy_without_its_original_is_read(tmp_path: Path) -> None:
    assert len(read_file(lay(tmp_path, f"{ID}.jsonl.bak-1"))[0]) == 1


def test_who_started_a_helper_stands_in_the_index(tmp_path: Path) -> None:
    path = lay(
        tmp_path, f"{ID}.jsonl", says("a", None, "user", "Find the hedge's height."), says("b", "a", "assistant", "2 m")
    )
    keys = {"agent:main:main": {"sessionId": OTHER}, f"agent:main:subagent:{ID}": {"sessionId": ID}}
    keys[f"agent:main:subagent:{ID}"]["spawnedBy"] = "agent:main:main"
    index = path.parent / "sessions.json"
    index.write_text(json.dumps(keys))
    (draft,) = read_file(path)[0]
    assert (draft.session.kind, draft.session.parent) == (SessionKind.SUBAGENT, OTHER)
    assert [(turn.role, turn.origin, turn.trust) for turn in draft.session.turns] == [
        (Role.USER, Origin.ASSISTANT, Trust.THIRD),
        (Role.ASSISTANT, Origin.ASSISTANT, Trust.AGENT),
    ]
    assert is_part(index)
    for broken in ("", "[]", '{"a:subagent:b": 5}', "[" * 100_000):
        index.write_text(broken)
        assert read_file(path)[0][0].session.kind is SessionKind.MAIN


def test_a_fork_names_its_origin() -> None:
    head = HEAD | {"parentSession": f"/home/odo/.pi/agent/sessions/--x--/2026-05-01T10-00-00_{OTHER}.jsonl"}
    session = draft_of(says("a", None, "user", "hello"), head=head).session
    assert (session.kind, session.parent) == (SessionKind.FORK, OTHER)


def test_dreams_and_staged_trees_are_no_evidence() -> None:
    for first, head in (("<brain-dream>\nWork.", HEAD), ("hello", HEAD | {"cwd": "/home/odo/m/.brain/staged/1"})):
        drafts, skipped = read_text(lines([head, says("a", None, "user", first)]))
        assert (drafts, [skip.why for skip in skipped]) == ([], ["a dream at work is no evidence"])


def test_unknown_lines_are_told() -> None:
    drafts, skipped = read_text(lines([HEAD, says("a", None, "user", "hello"), {"type": "hologram"}, {"type": {}}]))
    assert len(drafts) == 1
    assert [skip.why for skip in skipped] == ["2 lines of a type that Brain does not know: hologram, none"]


def test_a_file_that_is_written_to_ends_where_it_ends() -> None:
    whole = lines([HEAD, says("a", None, "user", "hello"), says("b", "a", "assistant", text("hi"))])
    drafts, skipped = read_text(whole[:-20])
    assert said(drafts[0].session) == [("user", "hello")]
    assert skipped == [Skipped("-", 3, "the last line is not finished; it is left for later")]


@pytest.mark.parametrize(
    "value",
    [
        {"type": "session"},
        {"type": "message", "id": "x", "parentId": None},
        {"type": ["message"], "id": "x", "parentId": None, "message": {}},
        {"type": "user", "uuid": "x", "sessionId": "s", "message": {}},
        {"type": "message", "role": "user", "content": "x"},
    ],
)
def test_look_alikes_are_refused(value: object) -> None:
    assert FORMATS["openclaw"].detect(lines([value]).encode(), "x.jsonl")
