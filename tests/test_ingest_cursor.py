"""Cursor: what the samples do not show. Three shapes of one talk, times in words, what the editor adds."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from reading import lines, read_file, read_text

from brain.ingest import FORMATS, Skipped, ingest
from brain.ingest.cursor_content import worded_time
from brain.ingest.reading import Draft
from brain.model import Origin, Session, SessionKind, Trust
from brain.store import Store

Value = dict[str, Any]
SESSION = "1554b289-300c-4de2-ac42-023953843d6b"
NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)


def line(role: str, *blocks: object) -> Value:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "message": {"content": content}}


def ask(words: str, stamp: str = "") -> Value:
    before = f"<timestamp>{stamp}</timestamp>\n" if stamp else ""
    return line("user", f"{before}<user_query>\n{words}\n</user_query>")


def tool(name: str, **given: object) -> Value:
    return {"type": "tool_use", "name": name, "input": given}


def one(found: tuple[list[Draft], list[Skipped]]) -> Session:
    drafts, skipped = found
    assert skipped == []
    assert len(drafts) == 1
    return drafts[0].session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in session.turns]


# --- lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("<user_query>\nWeave.\n</user_query>", "Weave."),
        ("<user_query>Weave", "Weave"),
        ("<user_query>a</user_query>\n<system_reminder>x</system_reminder>\n<user_query>b</user_query>", "a\n\nb"),
        ("<open_and_recently_viewed_files>\n- x\n</open_and_recently_viewed_files>\nWeave.", "Weave."),
        ("<timestamp>Monday</timestamp>\n<system_notification>done</system_notification>", None),
        ("Weave without a frame.", "Weave without a frame."),
        ("<b>bold</b> words", "<b>bold</b> words"),
        ("<system_reminder>never closed", None),
        ("", None),
    ],
)
def test_what_of_a_prompt_was_typed(text: str, typed: str | None) -> None:
    session = one(read_text(lines([line("user", text), line("assistant", "Yes.")])))
    assert said(session) == [*([("user", typed)] if typed else []), ("assistant", "Yes.")]


def test_pictures_that_were_handed_over_are_marks() -> None:
    prompt = "<image_files>\nThe pictures:\n1. /a.png\n2. /b.png\n</image_files>\n<user_query>Look.</user_query>"
    (turn,) = one(read_text(lines([line("user", prompt, {"type": "image", "data": "AAAA"})]))).turns
    assert (turn.text, turn.media) == ("Look.", ("image", "image", "image"))


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("Monday, Aug 31, 2026, 5:52 AM (UTC-4)", "2026-08-31T05:52:00-04:00"),
        ("Monday, August 31, 2026 at 12:05\u202fPM (UTC+5:30)", "2026-08-31T12:05:00+05:30"),
        ("Aug 31, 2026, 12:00 AM (UTC)", "2026-08-31T00:00:00+00:00"),
        ("Monday, Aug 31, 2026, 17:52:09 (GMT+2)", "2026-08-31T17:52:09+02:00"),
        ("Monday, Aug 31, 2026, 5:52 AM", "2026-08-31T05:52:00+00:00"),
        ("2026-08-31T05:52:00+02:00", "2026-08-31T05:52:00+02:00"),
        ("Monday, Aug 32, 2026, 5:52 AM (UTC-4)", None),
        ("Monday, Mor 31, 2026, 5:52 AM (UTC-4)", None),
        ("Monday, Aug 31, 2026, 5:52 AM (UTC+99)", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_times_in_words(text: str, iso: str | None) -> None:
    time = worded_time(text)
    assert (time.isoformat() if time else None) == iso


def test_an_answer_has_no_mark_of_its_reasoning_and_no_time() -> None:
    session = one(
        read_text(
            lines(
                [
                    ask("Weave."),
                    line("assistant", "I look.\n\n[REDACTED]", tool("Read", path="x")),
                    {"type": "turn_ended"},
                    line("assistant", "[REDACTED]", "Done."),
                ]
            )
        )
    )
    assert said(session) == [("user", "Weave."), ("assistant", "I look.\n\nDone.")]
    assert session.turns[1].time is None
    assert [(call.name, call.input, call.result) for call in session.turns[1].tool_calls] == [
        ("Read", '{"path": "x"}', None)
    ]


def test_the_folder_is_the_one_whose_name_the_project_has(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "home-odo-loom-card" / "agent-transcripts" / SESSION / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    calls = [tool("Read", path="/etc/hosts"), tool("Read", target="/home/odo/loom.card/weave/a.py", n=1)]
    path.write_text(lines([ask("Weave."), line("assistant", *calls)]))
    (draft,) = read_file(path)[0]
    assert (draft.folder, draft.session.project, draft.session.id) == ("/home/odo/loom.card", "loom.card", SESSION)
    path.write_text(lines([ask("Weave.")]))
    (draft,) = read_file(path)[0]
    assert (draft.folder, draft.session.project) == ("", None)


def test_a_helper_was_asked_by_an_agent_in_whatever_words(tmp_path: Path) -> None:
    path = tmp_path / SESSION / "subagents" / "871dbb7b-8ac5-4c04-ae04-a214dd89311f.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(lines([line("user", "<task_list>\ncount\n</task_list>"), line("assistant", "Three.")]))
    session = one(read_file(path))
    assert said(session)[0] == ("user", "<task_list>\ncount\n</task_list>")
    assert (session.kind, session.parent) == (SessionKind.SUBAGENT, SESSION)
    assert (session.turns[0].origin, session.turns[0].trust) == (Origin.ASSISTANT, Trust.THIRD)


def test_strange_lines_are_counted() -> None:
    given = [
        ask("Weave."),
        {"type": "hologram"},
        {"role": "system"},
        {"role": "user", "message": 7},
        {"role": "user", "message": {"content": "as text"}},
    ]
    drafts, skipped = read_text(lines(given))
    assert said(drafts[0].session) == [("user", "Weave."), ("user", "as text")]
    assert [skip.why for skip in skipped] == ["2 lines of a type that Brain does not know: hologram, none"]


# --- text --------------------------------------------------------------------------------------


def test_text_with_everything_in_one_answer() -> None:
    text = "\n".join(
        [
            "user:",
            "<timestamp>Monday, Aug 31, 2026, 5:52 AM (UTC-4)</timestamp>",
            "<user_query>",
            "What does this mean?",
            "",
            "assistant:",
            "nobody",
            "</user_query>",
            "",
            "assistant:",
            "[Thinking] Let me see.",
            "I look.",
            "[Tool call] Write",
            "  path: /home/odo/a.yml",
            "  contents: user:",
            "name: x",
            "",
            "    deep",
            "[Tool call] Grep",
            "  pattern: y",
            "",
            "[Tool result] Grep",
            "found",
            "",
            "",
            "assistant:",
            "[Tool result] Write",
            "",
            "assistant:",
            "[Thinking]",
            "one thought",
            "goes on",
            "",
            "It means nothing.",
        ]
    )
    session = one(read_text("\ufeff" + text.replace("\n", "\r\n")))
    assert said(session) == [
        ("user", "What does this mean?\n\nassistant:\nnobody"),
        ("assistant", "I look.\n\nIt means nothing."),
    ]
    assert session.turns[0].time == datetime(2026, 8, 31, 9, 52, tzinfo=UTC)
    assert [(call.name, call.input, call.result) for call in session.turns[1].tool_calls] == [
        ("Write", json.dumps({"path": "/home/odo/a.yml", "contents": "user:\nname: x\n\n    deep"}), ""),
        ("Grep", '{"pattern": "y"}', "found"),
    ]


def test_a_frame_that_is_never_closed_hides_no_answer() -> None:
    text = "user:\n<user_query>\nWeave.\n\nassistant:\nYes.\n\nuser:\n<user_query>\nMore.\n</user_query>\n"
    assert said(one(read_text(text))) == [("user", "Weave."), ("assistant", "Yes."), ("user", "More.")]


@pytest.mark.parametrize("text", ["user:\nhello\n", "To the user:\n\nassistant:\n", "assistant: yes\n\nuser: no\n", ""])
def test_other_texts_are_refused(text: str) -> None:
    assert FORMATS["cursor-text"].detect(text.encode(), "x.txt") != ""


# --- the database ---------------------------------------------------------------------------------


def database(path: Path, values: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        owner.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for key, value in values.items():
            data = value if value is None or isinstance(value, bytes) else json.dumps(value)
            owner.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, data))
        owner.commit()


def bubble(given: str, kind: int, text: str, second: int | None = None, **more: object) -> tuple[str, Value]:
    time = {"createdAt": f"2026-08-31T09:52:{second:02d}.123Z"} if second is not None else {}
    return f"bubbleId:{SESSION}:{given}", {"bubbleId": given, "type": kind, "text": text, **time, **more}


def composer(*order: str, **more: object) -> tuple[str, Value]:
    headers = [{"bubbleId": given, "type": 1} for given in order]
    return f"composerData:{SESSION}", {"composerId": SESSION, "fullConversationHeadersOnly": headers, **more}


CALL = {
    "name": "read_file",
    "toolCallId": "t1",
    "rawArgs": '{"path": "x"}',
    "result": '{"contents": "y"}',
    "status": "completed",
}


def test_the_conversation_tells_the_order_and_each_bubble_what_was_said(tmp_path: Path) -> None:
    failed = {"name": "edit", "toolCallId": "t2", "params": "{broken", "status": "error", "error": "no such line"}
    database(
        tmp_path / "state.vscdb",
        dict(
            [
                composer(
                    "z",
                    "y",
                    "x",
                    "w",
                    "gone",
                    name="Print on A5",
                    createdAt=1_788_169_920_000,
                    workspaceIdentifier={"uri": {"fsPath": "/home/odo/loom"}},
                ),
                bubble("w", 2, "Done."),
                bubble("x", 2, "", toolFormerData=failed),
                bubble("y", 2, "", 5, toolFormerData=CALL),
                bubble("z", 1, "Weave.", 1, images=[{}], context={"selectedImages": [{}, {}]}),
                bubble("lost", 2, "of no conversation"),
                (f"bubbleId:{SESSION}:v", None),
                ("composerData:empty", None),
                ("composerData:draft", {"fullConversationHeadersOnly": []}),
                ("messageRequestContext:1", {"x": 1}),
            ]
        ),
    )
    (draft,), skipped = read_file(tmp_path / "state.vscdb")
    assert skipped == []
    assert said(draft.session) == [("user", "Weave."), ("assistant", "Done.")]
    assert (draft.session.id, draft.session.title, draft.folder) == (SESSION, "Print on A5", "/home/odo/loom")
    assert draft.day == datetime(2026, 8, 31, 9, 52, tzinfo=UTC)
    assert draft.session.turns[0].media == ("image", "image")
    assert [(call.name, call.input, call.is_error) for call in draft.session.turns[1].tool_calls] == [
        ("read_file", '{"path": "x"}', False),
        ("edit", "{broken", True),
    ]
    assert draft.notes == {"messages that the database names and does not hold": 1}


def test_older_conversations_hold_their_messages_themselves(tmp_path: Path) -> None:
    inline = [{"type": 1, "text": "Weave."}, {"type": 2, "text": "hm", "isThought": True}, {"type": 2, "text": "Yes."}]
    database(tmp_path / "a.vscdb", {f"composerData:{SESSION}": {"conversation": inline}})
    assert said(one(read_file(tmp_path / "a.vscdb"))) == [("user", "Weave."), ("assistant", "Yes.")]
    database(tmp_path / "b.vscdb", dict([composer(), bubble("z", 1, "Weave.", 1), bubble("a", 2, "Yes.", 2)]))
    assert said(one(read_file(tmp_path / "b.vscdb"))) == [("user", "Weave."), ("assistant", "Yes.")]


def test_calls_without_an_id_are_not_taken_for_one(tmp_path: Path) -> None:
    call = {"name": "read_file", "params": "{}", "result": "y"}
    rows = [(key, {"type": 2, "toolFormerData": call}) for key, _ in (bubble("a", 2, ""), bubble("b", 2, ""))]
    database(tmp_path / "a.vscdb", dict([composer("a", "b"), *rows]))
    calls = one(read_file(tmp_path / "a.vscdb")).turns[0].tool_calls
    assert [(tool.name, tool.result) for tool in calls] == [("read_file", "y")] * 2


def test_rows_that_cannot_be_read_are_told_with_their_number(tmp_path: Path) -> None:
    key, _ = bubble("b", 2, "")
    database(
        tmp_path / "a.vscdb",
        dict([composer("a", "b"), bubble("a", 1, "Weave."), (key, b"{\xff"), ("composerData:x", b"no")]),
    )
    drafts, skipped = read_file(tmp_path / "a.vscdb")
    assert said(drafts[0].session) == [("user", "Weave.")]
    assert [(skip.line, skip.why) for skip in skipped] == [
        (3, "row 3: not JSON: Expecting property name enclosed in double quotes"),
        (4, "row 4: not JSON: Expecting value"),
    ]


# --- one talk, told twice -----------------------------------------------------------------------------


@pytest.fixture
def store(brain: Path) -> Iterator[Store]:
    opened = Store.open(brain)
    yield opened
    opened.close()


BUBBLES = [
    bubble("a", 1, "Weave.", 1),
    bubble("b", 2, "I look.", 2),
    bubble("c", 2, "", 3, toolFormerData=CALL),
    bubble("d", 2, "Done.", 4),
    bubble("e", 1, "yes", 5),
    bubble("f", 2, "Good.", 6),
    bubble("g", 1, "yes", 7),
]
LINES = [
    ask("Weave.", "Monday, Aug 31, 2026, 5:52 AM (UTC-4)"),
    line("assistant", "I look.", tool("Read", path="x")),
    line("assistant", "Done."),
    ask("yes", "Monday, Aug 31, 2026, 5:52 AM (UTC-4)"),
    line("assistant", "Good."),
    ask("yes", "Monday, Aug 31, 2026, 5:52 AM (UTC-4)"),
]
SAID = [("user", "Weave."), ("assistant", "I look.\n\nDone."), ("user", "yes"), ("assistant", "Good."), ("user", "yes")]


@pytest.mark.parametrize("first", ["file", "database"])
@pytest.mark.parametrize("start", [1, 2, 4, 7])
def test_a_talk_in_a_file_and_in_the_database_is_stored_once(
    store: Store, tmp_path: Path, first: str, start: int
) -> None:
    """Whichever comes first, and however far it had come then."""
    order = [one["bubbleId"] for _, one in BUBBLES]
    path, db = tmp_path / "cursor" / f"{SESSION}.jsonl", tmp_path / "editor" / "state.vscdb"
    path.parent.mkdir()
    path.write_text(lines(LINES[: start if first == "file" else len(LINES)]))
    database(db, dict([composer(*order[: start if first == "database" else len(order)]), *BUBBLES]))
    for source in (path, db) if first == "file" else (db, path):
        ingest(store, [source], now=NOW)
    (session,) = store.tree().sessions().values()
    assert said(session) == SAID
    assert session.source.format == (
        "cursor+cursor-db" if start < 7 else "cursor-db" if first == "database" else "cursor"
    )
    for source in (path, db, path):
        ingest(store, [source], now=NOW)
    assert said(next(iter(store.tree().sessions().values()))) == SAID
    path.write_text(lines([*LINES, line("assistant", "Ready.")]))
    ingest(store, [path], now=NOW)
    assert said(next(iter(store.tree().sessions().values()))) == [*SAID, ("assistant", "Ready.")]
