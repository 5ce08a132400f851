"""Sources that are more than one file, or rows in a database, as nobody wrote them."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from mutations import MUTATIONS, mutated
from reading import TRANSCRIPTS
from test_ingest_properties import keepable

from brain.ingest import FORMATS, Input, Skipped

TREE = TRANSCRIPTS / "opencode" / "01-storage-tree" / "storage"
MAIN = "ses_72ab01ffeTideOrchard01"
AGENTS = TRANSCRIPTS / "openai-messages" / "03-agents-sdk-session" / "conversations.db"


def objects_below(folder: str) -> list[tuple[Path, bytes]]:
    return [(path, path.read_bytes()) for path in sorted((TREE / folder).rglob("*.json"))]


def opencode(path: Path) -> None:
    """The tree of the sample as its database."""
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE session (id TEXT PRIMARY KEY, parent_id, directory, title, revert, time_created)")
        owner.execute("CREATE TABLE message (id TEXT PRIMARY KEY, session_id, data)")
        owner.execute("CREATE TABLE part (id TEXT PRIMARY KEY, message_id, session_id, data)")
        for file, _ in objects_below("session"):
            owner.execute("INSERT INTO session VALUES (?, NULL, '/home/odo', 'Trees', NULL, 1)", (file.stem,))
        for file, data in objects_below("message"):
            owner.execute("INSERT INTO message VALUES (?, ?, ?)", (file.stem, file.parent.name, data.decode()))
        for file, data in objects_below("part"):
            owner.execute("INSERT INTO part VALUES (?, ?, '', ?)", (file.stem, file.parent.name, data.decode()))
        owner.commit()


def cursor(path: Path) -> None:
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        tool = {"name": "read", "toolCallId": "t", "rawArgs": '{"a": 1}', "result": "x", "status": "completed"}
        for n in range(4):
            bubbles: list[dict[str, object]] = [
                {"bubbleId": f"b{m}", "type": 1 + m % 2, "text": f"words {m}"} for m in range(4)
            ]
            bubbles[1] |= {"toolFormerData": tool, "createdAt": "2026-08-31T09:52:00.000Z"}
            value: dict[str, object] = {
                "fullConversationHeadersOnly": [{"bubbleId": one["bubbleId"]} for one in bubbles],
                "name": "Loom",
            }
            rows: dict[str, object] = {f"composerData:c{n}": value if n else {"conversation": bubbles}}
            rows |= {f"bubbleId:c{n}:{one['bubbleId']}": one for one in bubbles}
            owner.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", [(k, json.dumps(v)) for k, v in rows.items()])
        owner.commit()


TABLES = {"opencode-db": [("message", "data"), ("part", "data")], "cursor-db": [("cursorDiskKV", "value")]}
MAKERS = {"opencode-db": opencode, "cursor-db": cursor}


def check(source: Input, name: str) -> int:
    """How many sessions it holds; nothing raises, and what was left out says why."""
    count = 0
    for found in FORMATS[name].read(source):
        if isinstance(found, Skipped):
            assert found.why
        else:
            keepable(found)
            count += 1
    return count


def mutate_rows(name: str, path: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(path)) as owner:
        for table, column in TABLES[name]:
            for rowid, data in owner.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
                raw = data if isinstance(data, bytes) else str(data).encode()
                if chance.random() < 0.3:
                    odd = chance.choice([None, 7, "", mutated(raw, chance), mutated(raw, chance).decode("latin-1")])
                    owner.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (odd, rowid))
        owner.commit()


def some(name: str, folder: Path, seeds: range) -> None:
    whole = folder / "whole.db"
    MAKERS[name](whole)
    sessions = check(Input("whole", whole), name)
    assert sessions > 1
    for seed in seeds:
        chance = random.Random(f"{name} {seed}")
        rows = folder / "rows.db"
        shutil.copyfile(whole, rows)
        mutate_rows(name, rows, chance)
        assert check(Input("rows", rows), name) <= sessions
        damaged = MUTATIONS[chance.choice(["cut", "gap", "noise"])](whole.read_bytes(), chance)
        check(Input("-", None, damaged), name)
        assert isinstance(FORMATS[name].detect(Input("-", None, damaged).head, "x"), str)


@pytest.mark.parametrize("name", MAKERS)
def test_mutated_rows_and_damaged_databases_never_raise(name: str, tmp_path: Path) -> None:
    some(name, tmp_path, range(60))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", MAKERS)
def test_five_thousand_mutated_databases(name: str, tmp_path: Path) -> None:
    """Each with mutated rows and once with damaged pages."""
    some(name, tmp_path, range(100, 5100))


def some_trees(root: Path, seeds: range) -> None:
    shutil.copytree(TREE, root)
    session = root / "session" / "4c1de9a0b7f24c1de9a0b7f24c1de9a0b7f24c1d" / f"{MAIN}.json"
    files = sorted(path for path in root.rglob("*.json") if MAIN in path.name or path.parent.parent.name != "session")
    for seed in seeds:
        chance = random.Random(f"tree {seed}")
        chosen = {path: path.read_bytes() for path in chance.sample(files, 4)}
        for path, data in chosen.items():
            path.write_bytes(mutated(data, chance))
        assert check(Input("tree", session), "opencode") <= 1
        for path, data in chosen.items():
            path.write_bytes(data)


def test_a_tree_with_mutated_files_never_raises(tmp_path: Path) -> None:
    some_trees(tmp_path / "storage", range(150))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_ten_thousand_mutated_trees(tmp_path: Path) -> None:
    some_trees(tmp_path / "storage", range(1000, 11_000))


def agents_rows(path: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(path)) as owner:
        for rowid, data in owner.execute("SELECT id, message_data FROM agent_messages").fetchall():
            if chance.random() < 0.3:
                raw = str(data).encode()
                odd = chance.choice([7, "", mutated(raw, chance), mutated(raw, chance).decode("latin-1")])
                owner.execute("UPDATE agent_messages SET message_data = ? WHERE id = ?", (odd, rowid))
        owner.commit()


def some_agents(folder: Path, seeds: range) -> None:
    """Each seed with mutated rows, and once with damaged pages."""
    rows = folder / "rows.db"
    sessions = check(Input("agents", AGENTS), "openai-agents")
    for seed in seeds:
        chance = random.Random(f"agents {seed}")
        shutil.copyfile(AGENTS, rows)
        agents_rows(rows, chance)
        assert check(Input("rows", rows), "openai-agents") <= sessions
        damaged = MUTATIONS[chance.choice(["cut", "gap", "noise"])](AGENTS.read_bytes(), chance)
        check(Input("-", None, damaged), "openai-agents")


def test_the_agents_database_with_damaged_rows_and_pages_never_raises(tmp_path: Path) -> None:
    some_agents(tmp_path, range(60))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_ten_thousand_mutated_agents_databases(tmp_path: Path) -> None:
    some_agents(tmp_path, range(1000, 6000))
