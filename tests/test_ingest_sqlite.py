"""SQLite files that belong to somebody else: read while they are written to, and left as they are."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from brain.ingest import Input, sqlite

ADD = "INSERT INTO thing VALUES (?)"
ALL = "SELECT name FROM thing ORDER BY rowid"


@pytest.fixture(params=["wal", "delete"])
def owned(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A file with one row, and the connection of its owner, which stays open."""
    path = tmp_path / "strange #1 %41.db"
    with closing(sqlite3.connect(path, timeout=0)) as owner:
        owner.execute(f"PRAGMA journal_mode={request.param}")
        owner.execute("CREATE TABLE thing (name)")
        owner.execute(ADD, ("first",))
        owner.commit()
        yield path, owner


def names(path: Path) -> list[str]:
    with sqlite.opened(path) as reader:
        return [row[0] for row in reader.execute(ALL)]


def test_what_is_committed_is_read_and_nothing_is_left_behind(owned: tuple[Path, sqlite3.Connection]) -> None:
    path, owner = owned
    owner.execute(ADD, ("not yet",))
    before = {child.name: child.read_bytes() for child in path.parent.iterdir() if child.suffix != ".db-shm"}
    assert names(path) == ["first"]
    assert {child.name for child in path.parent.iterdir() if child.suffix != ".db-shm"} == set(before)
    assert all((path.parent / name).read_bytes() == data for name, data in before.items())
    owner.commit()
    assert names(path) == ["first", "not yet"]


def test_its_owner_can_write_while_it_is_read(owned: tuple[Path, sqlite3.Connection]) -> None:
    path, owner = owned
    with sqlite.opened(path) as reader:
        rows = reader.execute(ALL)
        assert rows.fetchone() == ("first",)
        owner.execute(ADD, ("second",))
        owner.commit()
    assert names(path) == ["first", "second"]


def test_a_log_that_a_killed_owner_left_is_read_without_touching_it(tmp_path: Path) -> None:
    path, left = tmp_path / "live.db", tmp_path / "left"
    left.mkdir()
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode=WAL")
        owner.execute("CREATE TABLE thing (name)")
        owner.execute(ADD, ("only in the log",))
        owner.commit()
        for tail in ("", "-wal"):
            shutil.copyfile(f"{path}{tail}", left / f"left.db{tail}")
    assert Input("x", left / "left.db").head == b"SQLite format 3\0\nthing\n"
    assert names(left / "left.db") == ["only in the log"]
    assert sorted(child.name for child in left.iterdir()) == ["left.db", "left.db-wal"]


def test_a_transaction_that_was_broken_off_never_happened(tmp_path: Path) -> None:
    path, left = tmp_path / "live.db", tmp_path / "left"
    left.mkdir()
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA cache_size=1")
        owner.execute("CREATE TABLE thing (name)")
        owner.execute(ADD, ("first",))
        owner.commit()
        owner.executemany(ADD, [("x" * 3000,)] * 50)
        for tail in ("", "-journal"):
            shutil.copyfile(f"{path}{tail}", left / f"left.db{tail}")
    assert names(left / "left.db") == ["first"]
    assert sorted(child.name for child in left.iterdir()) == ["left.db", "left.db-journal"]


def test_the_state_changes_with_the_log(owned: tuple[Path, sqlite3.Connection]) -> None:
    path, owner = owned
    before = Input("x", path).state
    assert Input("x", path).state == before
    owner.execute(ADD, ("second",))
    owner.commit()
    assert Input("x", path).state != before


def test_what_is_no_table_is_not_named(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("CREATE TABLE thing (name)")
        owner.execute(
            "CREATE VIEW endless AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x FROM n"
        )
        owner.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        owner.commit()
    head = Input("x", path).head
    assert sqlite.refusal(head, "thing") == ""
    assert sqlite.refusal(head, "thing", "endless") == "it has no table endless"
    assert sqlite.refusal(head, "words") == "it has no table words"
    assert sqlite.refusal(b"{}", "thing") == "it is no SQLite file"
    assert sqlite.tables(None, path.read_bytes()) == sqlite.tables(path)


def test_files_beside_a_database_are_no_sources(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(sqlite.MAGIC)
    assert sqlite.is_beside(tmp_path / "x.db-wal")
    assert not sqlite.is_beside(tmp_path / "x.db")
    assert not sqlite.is_beside(tmp_path / "y.db-wal")
