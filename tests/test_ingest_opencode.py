"""OpenCode: what the samples do not show. The same talk as files, database and export; growth, orphans, undoing."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from reading import TRANSCRIPTS, read_file, read_text

from brain.ingest import FORMATS, Input, Skipped, ingest
from brain.ingest.formats import is_part
from brain.ingest.reading import Draft
from brain.model import Origin, Session, SessionKind, Trust
from brain.store import Store

Value = dict[str, Any]
TREE = TRANSCRIPTS / "opencode" / "01-storage-tree" / "storage"
NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
SESSION = "ses_mill"


def info(given: str, role: str, second: int | None, **more: object) -> Value:
    time = {} if second is None else {"created": 1_768_212_000_000 + 1000 * second}
    return {"id": given, "sessionID": SESSION, "role": role, "time": time, **more}


def text(given: str, words: object, **more: object) -> Value:
    return {"id": given, "sessionID": SESSION, "type": "text", "text": words, **more}


ABOUT: Value = {
    "id": SESSION,
    "projectID": "p",
    "directory": "/home/odo/mill",
    "title": "Rye",
    "time": {"created": 1_768_212_000_000},
}
Talk = list[tuple[Value, list[Value]]]
TALK: Talk = [
    (info("msg_1", "user", 1), [text("prt_1", "How much rye?")]),
    (info("msg_2", "assistant", 2), [text("prt_2", "Four sacks.")]),
    (info("msg_3", "user", 3), [text("prt_3", "And oats?")]),
    (info("msg_4", "assistant", 4), [text("prt_5", "and dry."), text("prt_4", "None,")]),
]


def exported(talk: Talk, **about: object) -> str:
    return json.dumps({"info": ABOUT | about, "messages": [{"info": one, "parts": parts} for one, parts in talk]})


def written(root: Path, talk: Talk, **about: object) -> Path:
    """The talk as a tree of files; the file of its session."""
    session = root / "storage" / "session" / "p" / f"{SESSION}.json"
    put(session, ABOUT | about)
    for one, parts in talk:
        put(root / "storage" / "message" / SESSION / f"{one['id']}.json", one)
        for part in parts:
            put(root / "storage" / "part" / one["id"] / f"{part['id']}.json", part | {"messageID": one["id"]})
    return session


def put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), "utf-8")


def database(path: Path, talk: Talk, **about: object) -> sqlite3.Connection:
    """The talk as rows, in the write-ahead log of an owner that has it open."""
    owner = sqlite3.connect(path)
    owner.execute("PRAGMA journal_mode=WAL")
    owner.execute("CREATE TABLE session (id TEXT PRIMARY KEY, parent_id, directory, title, revert, time_created)")
    owner.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id, time_created, data)")
    owner.execute("CREATE TABLE part (id TEXT PRIMARY KEY, message_id, session_id, data)")
    row = (SESSION, about.get("parentID"), ABOUT["directory"], ABOUT["title"], about.get("revert"), 1_768_212_000_000)
    owner.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)", row)
    for one, parts in talk:
        insert(owner, one, parts)
    owner.commit()
    return owner


def insert(owner: sqlite3.Connection, one: Value, parts: list[Value]) -> None:
    bare = {key: value for key, value in one.items() if key not in ("id", "sessionID")}
    owner.execute("INSERT INTO message VALUES (?, ?, 0, ?)", (one["id"], SESSION, json.dumps(bare)))
    for part in parts:
        bare = {key: value for key, value in part.items() if key not in ("id", "sessionID")}
        owner.execute("INSERT INTO part VALUES (?, ?, ?, ?)", (part["id"], one["id"], SESSION, json.dumps(bare)))


def one(found: tuple[list[Draft], list[Skipped]]) -> Session:
    drafts, skipped = found
    assert skipped == []
    assert len(drafts) == 1
    return drafts[0].session


def said(session: Session) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in session.turns]


SAID = [
    ("user", "How much rye?"),
    ("assistant", "Four sacks."),
    ("user", "And oats?"),
    ("assistant", "None,\n\nand dry."),
]


# --- one talk, three shapes --------------------------------------------------------------


def test_files_database_and_export_tell_the_same_session(tmp_path: Path) -> None:
    with closing(database(tmp_path / "opencode.db", TALK)):
        found = [
            one(read_file(written(tmp_path, TALK))),
            one(read_file(tmp_path / "opencode.db")),
            one(read_text(exported(TALK))),
            one(read_text("Exporting session: ses_mill\n\n" + exported(TALK) + "\n")),
        ]
    for session in found:
        assert said(session) == SAID
        assert session.turns == found[0].turns
        assert (session.id, session.title, session.project) == (SESSION, "Rye", "mill")
        assert (session.agent, session.source.format, session.kind) == ("opencode", "opencode", SessionKind.MAIN)


def test_all_three_taken_in_are_one_session(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "opencode"
    written(root, TALK)
    with closing(database(root / "opencode.db", TALK)):
        (root / "export.json").write_text(exported(TALK))
        result = ingest(store, [root], now=NOW)
    assert [(taken.known.id, taken.known.turns, taken.new_turns) for taken in result.sessions] == [(SESSION, 4, 4)]
    assert result.skipped == ()


@pytest.fixture
def store(brain: Path) -> Iterator[Store]:
    opened = Store.open(brain)
    yield opened
    opened.close()


def test_a_database_in_an_archive_is_read_too(store: Store, tmp_path: Path) -> None:
    with closing(database(tmp_path / "opencode.db", TALK)) as owner:
        owner.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with zipfile.ZipFile(tmp_path / "backup.zip", "w") as archive:
        archive.write(tmp_path / "opencode.db", "share/opencode.db")
    result = ingest(store, [tmp_path / "backup.zip"], now=NOW)
    assert [(taken.known.id, taken.known.turns) for taken in result.sessions] == [(SESSION, 4)]


def test_the_older_tree_lies_below_the_sessions(tmp_path: Path) -> None:
    new = written(tmp_path, TALK)
    root = tmp_path / "older" / "storage" / "session"
    put(root / "info" / f"{SESSION}.json", json.loads(new.read_text()))
    shutil.copytree(tmp_path / "storage" / "message", root / "message")
    for message in (tmp_path / "storage" / "part").iterdir():
        shutil.copytree(message, root / "part" / SESSION / message.name)
    assert said(one(read_file(root / "info" / f"{SESSION}.json"))) == SAID
    sources = [path for path in (tmp_path / "older").rglob("*.json") if not is_part(path)]
    assert sources == [root / "info" / f"{SESSION}.json"]


# --- the tree grows --------------------------------------------------------------------------


def test_a_part_that_comes_later_is_taken_in_though_the_session_file_is_the_same(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "opencode"
    early = [*TALK[:3], (TALK[3][0], [part for part in TALK[3][1] if part["id"] == "prt_4"])]
    written(root, early)
    ingest(store, [root], now=NOW)
    assert ingest(store, [root], now=NOW).commits == ()
    written(root, TALK)
    assert len(ingest(store, [root], now=NOW).commits) == 1
    assert said(next(iter(store.tree().sessions().values()))) == SAID


def test_the_database_is_read_again_when_its_log_grows(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(database(path, TALK[:2])) as owner:
        assert [taken.known.turns for taken in ingest(store, [path], now=NOW).sessions] == [2]
        assert ingest(store, [path], now=NOW).commits == ()
        for message, parts in TALK[2:]:
            insert(owner, message, parts)
        owner.commit()
        assert [taken.known.turns for taken in ingest(store, [path], now=NOW).sessions] == [4]
    assert said(next(iter(store.tree().sessions().values()))) == SAID


def test_a_run_over_a_tree_tells_orphans_once_and_nothing_else(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "opencode" / "storage"
    shutil.copytree(TREE, root)
    for n in range(3):
        put(root / "message" / "ses_lost" / f"msg_y{n}.json", info(f"msg_y{n}", "user", 1))
    put(root / "session_diff" / "ses_72ab01ffeTideOrchard01.json", [])
    put(root / "todo" / "ses_72ab01ffeTideOrchard01.json", [])
    result = ingest(store, [root.parent], now=NOW)
    assert len(result.sessions) == 2
    assert [skip.why for skip in result.skipped] == ["it belongs to ses_lost, whose own file is not there"]


def test_a_file_that_is_half_written_or_a_link_costs_no_more_than_itself(tmp_path: Path) -> None:
    session = written(tmp_path, TALK)
    parts = tmp_path / "storage" / "part"
    (parts / "msg_2" / "prt_2.json").write_text('{"id": "prt_2", "type": "te')
    (tmp_path / "outside.json").write_text(json.dumps(text("prt_9", "from outside")))
    (parts / "msg_1" / "prt_9.json").symlink_to(tmp_path / "outside.json")
    drafts, skipped = read_file(session)
    assert [turn.text for turn in drafts[0].session.turns] == ["How much rye?", "And oats?", "None,\n\nand dry."]
    assert [(skip.source, skip.why.split(":")[0]) for skip in skipped] == [
        (str(parts / "msg_2" / "prt_2.json"), "not JSON")
    ]


def test_a_session_whose_messages_lie_elsewhere_says_nothing(tmp_path: Path) -> None:
    put(tmp_path / "alone.json", ABOUT | {"id": "../../etc"})
    assert read_file(tmp_path / "alone.json") == ([], [])


# --- what counts --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("revert", "left", "given_up"),
    [
        ({"messageID": "msg_3"}, SAID[:2], 2),
        ({"messageID": "msg_4", "partID": "prt_5"}, [*SAID[:3], ("assistant", "None,")], 0),
        ({"messageID": "gone"}, SAID, 0),
        (None, SAID, 0),
        ("x", SAID, 0),
    ],
)
def test_what_was_undone_is_given_up(revert: object, left: list[tuple[str, str]], given_up: int) -> None:
    (draft,) = read_text(exported(TALK, revert=revert))[0]
    assert said(draft.session) == left
    assert sum(draft.notes.values()) == given_up


def test_what_was_undone_in_the_database(tmp_path: Path) -> None:
    with closing(database(tmp_path / "o.db", TALK, revert='{"messageID": "msg_3"}')):
        assert said(one(read_file(tmp_path / "o.db"))) == SAID[:2]


def test_messages_come_by_time_or_by_id_where_a_time_is_missing(tmp_path: Path) -> None:
    swapped = [(TALK[0][0] | {"time": {"created": 1_768_219_000_000}}, TALK[0][1]), *TALK[1:]]
    assert said(one(read_file(written(tmp_path / "a", swapped))))[-1] == ("user", "How much rye?")
    untimed = [(info(given["id"], given["role"], None), parts) for given, parts in swapped[1:]]
    assert said(one(read_file(written(tmp_path / "b", [swapped[0], *untimed])))) == SAID


def test_only_what_a_person_wrote_is_theirs() -> None:
    parts = [
        text("a", "typed"),
        text("b", "a file", synthetic=True),
        text("c", "a plugin", ignored=True),
        {"id": "d", "type": "file", "mime": "image/png", "url": "data:image/png;base64,AAAA"},
        {"id": "e", "type": "file", "mime": "text/plain", "url": "file:///home/odo/x"},
        {"id": "f", "type": "file", "mime": "application/pdf", "url": "data:application/pdf;base64,AAAA"},
        {"id": "g", "type": "file", "mime": "application/x-directory"},
        {"id": "h", "type": "subtask", "prompt": "count the geese"},
        {"id": "i", "type": "agent", "name": "explore"},
        {"id": "j", "type": "compaction", "auto": True},
        {"id": "k", "type": "hologram"},
        7,
    ]
    (turn,) = one(read_text(exported([(info("m", "user", 1), parts)]))).turns  # type: ignore[list-item]
    assert (turn.text, turn.media) == ("typed", ("image", "file"))


def test_answers_that_only_sum_up_are_no_evidence() -> None:
    for about in ({"summary": True}, {"mode": "compaction"}, {"agent": "compaction"}):
        talk = [TALK[0], (info("m", "assistant", 2, **about), [text("p", "The person sells the mill.")])]
        assert said(one(read_text(exported(talk)))) == SAID[:1]
    titled = [(info("m", "user", 1, summary={"title": "Rye"}), [text("p", "How much rye?")])]
    assert said(one(read_text(exported(titled)))) == SAID[:1]


def test_calls_in_all_their_states() -> None:
    def tool(given: str, **state: object) -> Value:
        return {"id": given, "type": "tool", "callID": given, "tool": "mill", "state": state}

    parts = [
        tool("a", status="completed", input={"n": 1}, output="flour"),
        tool("b", status="error", input={}, error="no wind"),
        tool("c", status="running", input={}),
        tool("d", status="completed", input={}, output="[Old tool result content cleared]"),
        tool("e", status="completed", output=None),
        {"id": "f", "type": "tool", "state": 7},
    ]
    calls = one(read_text(exported([(info("m", "assistant", 1), parts)]))).turns[0].tool_calls
    assert [(c.input, c.result, c.is_error) for c in calls] == [
        ('{"n": 1}', "flour", False),
        ("{}", "no wind", True),
        ("{}", None, False),
        ("{}", None, False),
        ("{}", "", False),
        ("{}", None, False),
    ]


def test_a_child_was_asked_by_an_agent(tmp_path: Path) -> None:
    with closing(database(tmp_path / "o.db", TALK, parentID="ses_up")):
        for session in (one(read_file(tmp_path / "o.db")), one(read_text(exported(TALK, parentID="ses_up")))):
            assert (session.kind, session.parent) == (SessionKind.SUBAGENT, "ses_up")
            assert (session.turns[0].origin, session.turns[0].trust) == (Origin.ASSISTANT, Trust.THIRD)


# --- damaged --------------------------------------------------------------------------------------


def test_rows_that_cannot_be_read_are_told_with_their_number(tmp_path: Path) -> None:
    with closing(database(tmp_path / "o.db", TALK)) as owner:
        owner.execute("UPDATE part SET data = '{' WHERE id = 'prt_2'")
        owner.execute("UPDATE message SET data = x'ff' WHERE id = 'msg_3'")
        owner.commit()
        drafts, skipped = read_file(tmp_path / "o.db")
    assert said(drafts[0].session) == [SAID[0], SAID[3]]
    assert [(skip.line, skip.why.split(":")[0]) for skip in skipped] == [(3, "row 3"), (2, "row 2")]


def test_tables_of_another_make_are_told(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "o.db")) as owner:
        for table in ("session", "message", "part"):
            owner.execute(f"CREATE TABLE {table} (id)")
        owner.execute("INSERT INTO session VALUES ('s')")
        owner.commit()
    drafts, (skipped,) = read_file(tmp_path / "o.db")
    assert drafts == []
    assert skipped.why.startswith("SQLite could not read it: no such column")


def test_an_export_that_is_broken_off_is_told() -> None:
    drafts, skipped = read_text(exported(TALK)[:-9])
    assert drafts == []
    assert [skip.why for skip in skipped] == ["not JSON, or not to its end"]


def test_other_json_is_refused() -> None:
    others: list[object] = [
        {"id": "x", "title": "y", "time": {}},
        [],
        {"role": "user", "content": "x"},
        {"messages": []},
    ]
    for value in others:
        assert FORMATS["opencode"].detect(json.dumps(value).encode(), "x.json") != ""
    assert FORMATS["opencode-db"].detect(b"{}", "x") == "it is no SQLite file"
    assert (
        FORMATS["opencode-db"].detect(Input("x", None, b"SQLite format 3\0").head, "x") == "SQLite finds no table in it"
    )
