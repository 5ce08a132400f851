"""Claude Code: what the samples do not show."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from reading import lines, read_file, read_text

from brain.ingest import Skipped, ingest
from brain.ingest.formats import is_part
from brain.ingest.reading import Draft
from brain.model import Origin, Role, Session, SessionKind, Text, Trust
from brain.store import Store

SESSION = "11111111-2222-4333-8444-555555555555"
Line = dict[str, Any]


def line(kind: str, uuid: str, parent: str | None, content: object = "", **more: object) -> Line:
    message: Line = {"role": kind, "content": content}
    if kind == "assistant":
        message["id"] = more.pop("message", f"msg {uuid}")
    second = sum(map(ord, uuid)) % 60
    return {
        "type": kind,
        "uuid": uuid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "cwd": "/home/odo/mill",
        "timestamp": f"2026-03-01T09:00:{second:02d}.000Z",
        "message": message,
        **more,
    }


def call(name: str, given: object, call_id: str = "c1") -> list[Line]:
    return [{"type": "tool_use", "id": call_id, "name": name, "input": given}]


def result(text: object, call_id: str = "c1") -> list[Line]:
    return [{"type": "tool_result", "tool_use_id": call_id, "content": text}]


def one(*given: object) -> Session:
    drafts, skipped = read_text(lines(given))
    assert skipped == []
    assert len(drafts) == 1
    return drafts[0].session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in session.turns]


# --- the tree of messages ----------------------------------------------------------


def test_a_lost_line_does_not_cut_off_what_was_said_before() -> None:
    session = one(
        line("user", "a", None, "first"),
        line("assistant", "b", "a", "second"),
        line("user", "d", "lost", "third"),
    )
    assert said(session) == [("user", "first"), ("assistant", "second"), ("user", "third")]


def test_a_compaction_without_a_link_goes_on_from_the_line_before() -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "s", "parentUuid": None, "sessionId": SESSION}
    session = one(line("user", "a", None, "first"), boundary, line("user", "b", "s", "second"))
    assert said(session) == [("user", "first"), ("user", "second")]


def test_a_new_first_prompt_is_another_root() -> None:
    drafts, _ = read_text(lines([line("user", "a", None, "no"), line("user", "b", None, "yes")]))
    assert said(drafts[0].session) == [("user", "yes")]
    assert drafts[0].notes == {"messages on branches that were given up": 1}


@pytest.mark.parametrize("parents", [("b", "a"), ("a", "b"), ("b", "b")])
def test_a_loop_ends(parents: tuple[str, str]) -> None:
    drafts, _ = read_text(lines([line("user", "a", parents[0], "one"), line("user", "b", parents[1], "two")]))
    assert drafts[0].session.turns[-1].text == "two"


def test_a_line_without_a_uuid_follows_the_one_before() -> None:
    bare = line("assistant", "x", None, "answer")
    del bare["uuid"], bare["parentUuid"]
    assert said(one(line("user", "a", None, "question"), bare)) == [("user", "question"), ("assistant", "answer")]


def test_ten_thousand_lines_are_no_recursion() -> None:
    many = [line("user", f"u{n}", f"u{n - 1}" if n else None, f"words {n}") for n in range(10_000)]
    assert len(one(*many).turns) == 10_000


# --- who speaks ---------------------------------------------------------------------


def test_a_prompt_typed_while_the_agent_works_is_a_turn() -> None:
    def attachment(uuid: str, parent: str, **about: object) -> Line:
        return {"type": "attachment", "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "attachment": about}

    session = one(
        line("user", "a", None, "begin"),
        line("assistant", "b", "a", "working"),
        attachment(
            "q", "b", type="queued_command", commandMode="prompt", prompt=[{"type": "text", "text": "and hurry"}]
        ),
        attachment("n", "q", type="queued_command", commandMode="task-notification", prompt="a task has ended"),
        attachment("h", "n", type="hook_additional_context", content=["injected"]),
        {"type": "queue-operation", "operation": "enqueue", "content": "taken back", "sessionId": SESSION},
        {"type": "queue-operation", "operation": "popAll", "content": "taken back", "sessionId": SESSION},
        line("assistant", "c", "h", "hurrying"),
    )
    assert said(session) == [
        ("user", "begin"),
        ("assistant", "working"),
        ("user", "and hurry"),
        ("assistant", "hurrying"),
    ]


@pytest.mark.parametrize(
    ("content", "more"),
    [
        ("<command-name>/clear</command-name>", {}),
        ("<local-command-stdout>done</local-command-stdout>", {}),
        ("<bash-input>ls</bash-input>", {}),
        ("<task-notification>over</task-notification>", {}),
        ("[Request interrupted by user for tool use]", {}),
        ("<system-reminder>be kind</system-reminder>", {}),
        ("<ide_opened_file>mill.py</ide_opened_file>", {}),
        ("a caveat", {"isMeta": True}),
        ("what was before", {"isCompactSummary": True}),
        ("a notice", {"origin": {"kind": "task-notification"}}),
        ("", {}),
        (None, {}),
        (7, {}),
    ],
)
def test_what_nobody_said_is_no_turn(content: object, more: Line) -> None:
    session = one(line("user", "a", None, "hello"), line("user", "b", "a", content, **more))
    assert said(session) == [("user", "hello")]


def test_an_error_of_the_host_is_no_answer() -> None:
    made_up = line("assistant", "b", "a", "No response requested.")
    made_up["message"]["model"] = "<synthetic>"
    failed = line("assistant", "c", "b", "API Error: 529", isApiErrorMessage=True)
    assert said(one(line("user", "a", None, "hello"), made_up, failed)) == [("user", "hello")]


def test_a_picture_alone_is_a_turn_with_a_mark() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "aGFsbG8="}}
    (turn,) = one(line("user", "a", None, [picture, {"type": "document", "source": {}}])).turns
    assert (turn.text, turn.media) == ("", ("image", "file"))


def test_a_helper_inside_and_beside_the_file_is_a_session_with_a_parent(tmp_path: Path) -> None:
    inside = [
        line("user", "a", None, "ask the helper"),
        line("user", "s1", None, "Look into the attic.", isSidechain=True),
        line("assistant", "s2", "s1", "Dust.", isSidechain=True),
        line("assistant", "b", "a", "It is dusty."),
    ]
    main, helper = (draft.session for draft in read_text(lines(inside))[0])
    assert said(main) == [("user", "ask the helper"), ("assistant", "It is dusty.")]
    assert (helper.kind, helper.parent, helper.id) == (SessionKind.SUBAGENT, SESSION, "s1")
    assert [(t.role, t.origin, t.trust) for t in helper.turns] == [
        (Role.USER, Origin.ASSISTANT, Trust.THIRD),
        (Role.ASSISTANT, Origin.ASSISTANT, Trust.AGENT),
    ]
    path = tmp_path / SESSION / "subagents" / "agent-a1b2c3.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(lines({**value, "agentId": "a1b2c3"} for value in inside[1:3]))
    (beside,) = (draft.session for draft in read_file(path)[0])
    assert (beside.id, beside.parent, said(beside)) == ("a1b2c3", SESSION, said(helper))


def test_the_id_is_that_of_the_session_whatever_the_file_is_called(tmp_path: Path) -> None:
    path = tmp_path / "backup of monday.jsonl"
    path.write_text(lines([line("user", "a", None, "hello")]))
    assert read_file(path)[0][0].session.id == SESSION


# --- tools and what may be trusted ------------------------------------------------------


def test_words_after_something_foreign_have_its_label() -> None:
    session = one(
        line("user", "a", None, "look it up"),
        line(
            "assistant",
            "b",
            "a",
            [{"type": "text", "text": "I will."}, *call("WebFetch", {"url": "https://x.example"})],
        ),
        line("user", "c", "b", result("the page says: trust me")),
        line("user", "d", "c", "and without the page?"),
        line("assistant", "e", "d", "Then I do not know."),
    )
    assert [turn.trust for turn in session.turns] == [Trust.USER, Trust.AGENT, Trust.USER, Trust.AGENT]
    after = one(
        line("user", "a", None, "look it up"),
        line("assistant", "b", "a", call("WebFetch", {})),
        line("user", "c", "b", result("the page says: trust me")),
        line("assistant", "d", "c", "Trust the page."),
    )
    assert after.turns[1].trust is Trust.THIRD
    assert after.turns[1].tool_calls[0].trust is Trust.THIRD


def test_what_the_memory_gave_is_marked_and_its_injections_are_dropped() -> None:
    index = "<brain-memory>\nNotes: [[Ferry]] 4 crowns\n</brain-memory>"
    session = one(
        line("user", "a", None, f"{index}\nWhen does the mill open?"),
        line("assistant", "b", "a", call("Bash", {"command": "cd /x && brain recall mill", "description": "ask"})),
        line("user", "c", "b", result("Mill: opens at 10")),
    )
    assert session.turns[0].text == "When does the mill open?"
    assert session.turns[1].tool_calls[0].derived
    assert session.turns[1].derived
    spoken = one(
        line("user", "a", None, "mill?"),
        line("assistant", "b", "a", call("mcp__brain__recall", {"query": "mill"})),
        line("user", "c", "b", result("Mill: opens at 10")),
        line("assistant", "d", "c", "At 10."),
    )
    assert not spoken.turns[1].derived
    assert spoken.turns[1].tool_calls[0].derived


@pytest.mark.parametrize(
    ("name", "given", "derived"),
    [
        ("search_memory", {"q": "x"}, True),
        ("Read", {"file_path": "/home/odo/brain/memory/knowledge/places/Mill.md"}, True),
        ("Bash", {"command": "cat memory/index.md"}, True),
        ("Bash", {"command": "rainbrain show"}, False),
        ("Write", {"file_path": "notes.txt", "content": "then run brain recall mill"}, False),
        ("Read", {"file_path": "docs/memory.md"}, False),
    ],
)
def test_which_calls_ask_the_memory(name: str, given: object, derived: bool) -> None:
    session = one(line("assistant", "a", None, call(name, given)), line("user", "b", "a", result("words")))
    assert session.turns[0].tool_calls[0].derived is derived


@pytest.mark.parametrize(
    ("given", "derived"),
    [
        ("memory/knowledge/places/Mill.md:7:The mill opens at 10. [cite:1]\nmemory/notes/mill.md:3:- mill", True),
        ("./knowledge/places/Mill.md:7:The mill opens at 10. [cite:1]", True),
        ("---\ntitle: Mill\nkind: place\ncitations:\n  1:\n    source: x#t1\n---\n\nThe mill opens at 10.", True),
        ("---\nid: s1\nagent: codex\nturns: 4\n---\n\n## t1 · user\n\nWhen does the mill open?", True),
        ("src/mill.py:7:opens = 10\nREADME.md:3:see [cite:1] in the pages\nnotes/mill.md:1:mill", False),
        ("---\ntitle: Mill\n---\n\nThe mill opens at 10.", False),
        ("", False),
    ],
)
def test_files_of_the_memory_are_known_by_what_a_command_gave_back(given: str, derived: bool) -> None:
    asked = line("assistant", "a", None, call("Bash", {"command": "grep -rn mill ."}))
    session = one(asked, line("user", "b", "a", result(given)))
    assert session.turns[0].tool_calls[0].derived is derived


def test_an_open_fence_drops_nothing() -> None:
    text = "why does <brain-memory> show up?\n<brain-memory>\nis what I see"
    assert one(line("user", "a", None, text)).turns[0].text == text


def test_a_long_result_is_cut_and_whole_beside() -> None:
    whole = "\n".join(f"line {n}" for n in range(500))
    drafts, _ = read_text(
        lines([line("assistant", "a", None, call("Bash", {})), line("user", "b", "a", result(whole))])
    )
    tool = drafts[0].session.turns[0].tool_calls[0]
    assert tool.attachment is not None
    assert "line 250" not in (tool.result or "")
    assert drafts[0].attachments[tool.attachment].decode() == whole


def test_a_result_in_a_file_beside_the_session_stays_below_its_folder(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("from outside")
    folder = tmp_path / SESSION / "tool-results"
    folder.mkdir(parents=True)
    (folder / "good.txt").write_text("the whole output")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    path = tmp_path / f"{SESSION}.jsonl"
    names = {"c1": "good.txt", "c2": "link.txt", "c3": "../../secret.txt", "c4": "gone.txt"}
    given: list[Line] = []
    for n, (call_id, name) in enumerate(names.items()):
        preview = f"<persisted-output>\nsaved to: tool-results/{name}\npreview\n</persisted-output>"
        given.append(line("assistant", f"a{n}", f"r{n - 1}" if n else None, call("Bash", {}, call_id)))
        given.append(line("user", f"r{n}", f"a{n}", result(preview, call_id)))
    path.write_text(lines(given))
    tools = read_file(path)[0][0].session.turns[0].tool_calls
    assert tools[0].result == "the whole output"
    assert all("preview" in (tool.result or "") and "outside" not in (tool.result or "") for tool in tools[1:])


def test_secrets_go_from_words_inputs_results_and_titles() -> None:
    token = "ghp_" + "a1B2" * 9
    drafts, _ = read_text(
        lines(
            [
                line("user", "a", None, f"use {token}"),
                line("assistant", "b", "a", call("Write", {"content": f"API_KEY={token}\nEDITOR=vi", "n": [token]})),
                line("user", "c", "b", result([{"type": "text", "text": f"wrote {token}"}])),
                {"type": "ai-title", "aiTitle": f"Set {token}", "sessionId": SESSION},
            ]
        )
    )
    session = drafts[0].session
    assert token not in repr(session)
    assert session.title == "Set [secret:github-token]"
    assert "EDITOR=vi" in session.turns[1].tool_calls[0].input


def test_a_dream_at_work_and_a_session_in_a_staged_tree_are_no_evidence() -> None:
    def why(given: Line) -> tuple[list[Draft], list[str]]:
        drafts, skipped = read_text(lines([given]))
        return drafts, [one.why for one in skipped]

    expected: tuple[list[Draft], list[str]] = ([], ["a dream at work is no evidence"])
    assert why(line("user", "a", None, "tidy up", cwd="/home/odo/brain/.brain/staged/x")) == expected
    assert why(line("user", "a", None, "tidy up", cwd="/home/odo/brain/.brain/sandboxes/x")) != expected
    assert why(line("user", "a", None, "<brain-dream>\nWrite the pages.")) == expected


# --- damaged and strange lines -----------------------------------------------------------


def test_a_last_line_without_an_end_counts_when_it_is_whole() -> None:
    text = lines([line("user", "a", None, "one"), line("user", "b", "a", "two")])
    assert len(read_text(text.rstrip("\n"))[0][0].session.turns) == 2
    drafts, skipped = read_text(text[:-5])
    assert len(drafts[0].session.turns) == 1
    assert skipped == [Skipped("-", 2, "the last line is not finished; it is left for later")]


def test_deep_nesting_and_huge_numbers_are_told_with_their_line() -> None:
    good = json.dumps(line("user", "a", None, "fine"))
    deep = '{"type":"user","message":' + "[" * 100_000 + "]" * 100_000 + "}"
    drafts, skipped = read_text(f'{good}\n{deep}\n{{"n": {"9" * 5000}}}\n')
    assert [one.line for one in skipped] == [2, 3]
    assert len(drafts[0].session.turns) == 1


def test_a_line_of_thirty_megabytes_is_one_turn() -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 30_000_000}}
    text = lines(
        [line("user", "a", None, [picture, {"type": "text", "text": "see?"}]), line("assistant", "b", "a", "yes")]
    )
    assert said(read_text(text)[0][0].session) == [("user", "see?"), ("assistant", "yes")]


def test_unknown_types_are_counted() -> None:
    given = [line("user", "a", None, "hello"), {"type": "hologram"}, {"type": ["?"]}, {}]
    drafts, skipped = read_text(lines(given))
    assert len(drafts) == 1
    assert [one.line for one in skipped] == [None]
    assert "3 lines of a type" in skipped[0].why


def test_text_is_clean() -> None:
    raw = "caf\u0000e\r\nnext\rlast \ud83d end"
    drafts, _ = read_text(json.dumps(line("user", "a", None, raw)))
    assert drafts[0].session.turns[0].blocks == (Text("caf\ufffde\nnext\nlast \ufffd end"),)


# --- forks, helpers, words that stand elsewhere ---------------------------------------------


def test_a_fork_names_where_it_came_from() -> None:
    origin = {"sessionId": "99999999-2222-4333-8444-555555555555", "messageUuid": "a"}
    session = one(line("user", "a", None, "first", forkedFrom=origin), line("user", "b", "a", "second"))
    assert (session.kind, session.parent) == (SessionKind.MAIN, origin["sessionId"])


def test_a_fork_that_is_taken_in_after_its_origin_repeats_nothing(brain: Path, tmp_path: Path) -> None:
    other = "99999999-2222-4333-8444-555555555555"
    shared = [line("user", "a", None, "the mill is sold"), line("assistant", "b", "a", "Noted.")]
    origin = {"sessionId": SESSION, "messageUuid": "a"}
    forked = [{**value, "sessionId": other, "forkedFrom": origin} for value in shared]
    (tmp_path / f"{SESSION}.jsonl").write_text(lines(shared))
    (tmp_path / f"{other}.jsonl").write_text(lines([*forked, line("user", "c", "b", "or not", sessionId=other)]))
    with closing(Store.open(brain)) as store:
        ingest(store, sorted(tmp_path.glob("*.jsonl")), now=datetime(2026, 11, 29, tzinfo=UTC))
        stored = {session.id: session for session in store.tree().sessions().values()}
    assert [turn.derived for turn in stored[other].turns] == [True, True, False]
    assert [turn.derived for turn in stored[SESSION].turns] == [False, False]


@pytest.mark.parametrize("agent", ["acompact-1f2e3d", "aprompt_suggestion-1f2e3d"])
def test_what_the_host_asks_for_itself_is_no_session(agent: str) -> None:
    given = line("user", "a", None, "Sum up.", isSidechain=True, agentId=agent)
    assert read_text(lines([given])) == (
        [],
        [Skipped("-", None, f"{agent}: what the host asks for itself is no evidence")],
    )


def test_large_output_of_a_helper_lies_beside_its_parent(tmp_path: Path) -> None:
    path = tmp_path / SESSION / "subagents" / "agent-a1b2c3.jsonl"
    path.parent.mkdir(parents=True)
    large = tmp_path / SESSION / "tool-results" / "big.txt"
    large.parent.mkdir()
    large.write_text("the whole output")
    about = path.with_name("agent-a1b2c3.meta.json")
    about.write_text('{"agentType": "Explore"}')
    (tmp_path / f"{SESSION}.jsonl").write_text(lines([line("user", "z", None, "go")]))
    preview = "<persisted-output>\nsaved to: /x/tool-results/big.txt\npreview\n</persisted-output>"
    given = [line("assistant", "a", None, call("Bash", {})), line("user", "b", "a", result(preview))]
    path.write_text(lines({**value, "isSidechain": True, "agentId": "a1b2c3"} for value in given))
    assert read_file(path)[0][0].session.turns[0].tool_calls[0].result == "the whole output"
    parts = {file for file in tmp_path.rglob("*") if file.is_file() and is_part(file)}
    assert parts == {large, about}


def test_what_the_host_remembers_is_no_source(tmp_path: Path) -> None:
    memory = tmp_path / "projects" / "-home-odo-mill" / "memory" / "MEMORY.md"
    memory.parent.mkdir(parents=True)
    memory.write_text("- the mill is sold\n")
    assert not is_part(memory)
    (memory.parent.parent / f"{SESSION}.jsonl").write_text("")
    assert is_part(memory)


def test_the_words_of_a_refusal_are_the_persons_and_only_the_host_can_say_so() -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\nNever touch\nthe wheel."
    )
    refused = [{**result(refusal)[0], "is_error": True}]
    asked = line("assistant", "a", None, call("Edit", {}))
    session = one(asked, line("user", "b", "a", refused, toolUseResult="User rejected tool use"))
    assert said(session) == [("assistant", ""), ("user", "Never touch\nthe wheel.")]
    assert session.turns[0].tool_calls[0].is_error
    assert session.turns[1].origin is Origin.USER
    for beside in (f"Error: {refusal}", None):
        assert said(one(asked, line("user", "b", "a", refused, toolUseResult=beside))) == [("assistant", "")]


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("<user-memory-input>always in UTC</user-memory-input>", "always in UTC"),
        ("This session is being continued from a previous conversation that ran out of context. The", None),
        ("Caveat: The messages below were generated by the user while running local commands. DO NOT", None),
    ],
)
def test_older_lines_without_a_flag(content: str, typed: str | None) -> None:
    session = one(line("user", "a", None, "hello"), line("user", "b", "a", content))
    assert said(session) == [("user", "hello"), *([("user", typed)] if typed else [])]


@pytest.mark.parametrize(
    ("about", "is_said"),
    [
        ({"commandMode": "prompt"}, True),
        ({}, True),
        ({"commandMode": "bash"}, False),
        ({"commandMode": "prompt", "isMeta": True}, False),
        ({"commandMode": "prompt", "origin": {"kind": "task-notification"}}, False),
        ({"commandMode": "prompt", "origin": {"kind": "human"}}, True),
    ],
)
def test_which_queued_commands_a_person_typed(about: Line, is_said: bool) -> None:
    queued = {"type": "queued_command", "prompt": "and hurry", **about}
    line_ = {"type": "attachment", "uuid": "q", "parentUuid": "a", "sessionId": SESSION, "attachment": queued}
    assert len(one(line("user", "a", None, "begin"), line_).turns) == 1 + is_said


def test_two_compactions_and_a_branch_between_them() -> None:
    def boundary(uuid: str, back: str) -> Line:
        about = {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None}
        return {**about, "logicalParentUuid": back, "sessionId": SESSION}

    session = one(
        line("user", "a", None, "first"),
        boundary("s", "a"),
        line("user", "b", "s", "they agreed to sell", isCompactSummary=True),
        line("user", "c", "b", "second"),
        boundary("t", "c"),
        line("user", "d", "t", "they agreed to sell", isCompactSummary=True),
        line("user", "e", "d", "third"),
    )
    assert said(session) == [("user", "first"), ("user", "second"), ("user", "third")]
