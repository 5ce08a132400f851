"""The search table on disk: whatever happens to it, the answers are those of the files."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from search_corpus import Texts

from brain.files.locks import Lock
from brain.search import columns, lance, table
from brain.search.embed import HashingEmbedder
from brain.search.rank import Found, Hit, Question, find

ASKED = Question("ferry to the harbour")


@dataclass
class Counting:
    """An embedder that remembers what it was asked."""

    name: str = "counting"
    version: str = "1"
    dimension: int = 16
    texts: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self.texts += texts
        return HashingEmbedder(self.dimension).embed(texts)


@pytest.fixture
def texts() -> Texts:
    return Texts(
        {
            "a.md": "The ferry leaves the harbour at noon.",
            "b.md": "A dry well stands behind the forge.",
            "s/1": ["Hello.", "We took the ferry home.", "The harbour was cold."],
            "it's.md": "Nobody's harbour.",
        }
    )


def ask(home: Path, texts: Texts, question: Question = ASKED) -> Found:
    return find(home, texts, question, "hashing")


def anew(texts: Texts, tmp_path: Path) -> tuple[Hit, ...]:
    """What a table answers that was never anything else."""
    home = tmp_path / "anew"
    shutil.rmtree(home, ignore_errors=True)
    return ask(home, texts).hits


def test_the_same_answer_with_the_table_as_while_making_it(tmp_path: Path, texts: Texts) -> None:
    first = ask(tmp_path / "home", texts)
    assert first.hits and not first.notes
    assert ask(tmp_path / "home", texts) == first
    assert anew(texts, tmp_path) == first.hits


def test_only_what_changed_is_read_and_embedded(tmp_path: Path, texts: Texts) -> None:
    embedder = Counting()
    table.current(tmp_path, texts, embedder)
    texts.files["b.md"] = "The well holds water again."
    embedder.texts, texts.read = [], []
    table.current(tmp_path, texts, embedder)
    assert texts.read == ["b.md"]
    assert embedder.texts == ["The well holds water again."]
    table.current(tmp_path, texts, embedder)
    assert texts.read == ["b.md"]


def test_a_table_that_grew_answers_like_one_made_anew(tmp_path: Path, texts: Texts) -> None:
    ask(tmp_path / "home", texts)
    texts.files["c.md"] = "The harbour master owns a ferry."
    ask(tmp_path / "home", texts)
    del texts.files["a.md"]
    texts.files["it's.md"] = "The ferry is somebody's."
    texts.files["s/1"] = [*texts.files["s/1"], "The ferry was late."]
    found = ask(tmp_path / "home", texts)
    assert found.hits == anew(texts, tmp_path)
    assert not found.notes
    assert ask(tmp_path / "home", texts) == found


def test_growing_leaves_the_table_before_it_whole(tmp_path: Path, texts: Texts) -> None:
    """Somebody may be reading it; the two share files."""
    ask(tmp_path, texts)
    before = {path: path.read_bytes() for path in (tmp_path / "1").rglob("*") if path.is_file()}
    texts.files["c.md"] = "The harbour master."
    del texts.files["b.md"]
    ask(tmp_path, texts)
    assert (tmp_path / "current").read_text().startswith("2 ")
    assert before == {path: path.read_bytes() for path in (tmp_path / "1").rglob("*") if path.is_file()}


def test_tables_and_their_files_do_not_pile_up(tmp_path: Path, texts: Texts) -> None:
    for n in range(lance._MOST_FILES + 6):
        texts.files["c.md"] = f"Version {n} of the ferry."
        ask(tmp_path, texts)
    folders = sorted(path.name for path in tmp_path.iterdir() if path.is_dir())
    assert len(folders) == 2
    assert all(len(list((tmp_path / name).rglob("*.lance"))) <= lance._MOST_FILES + 2 for name in folders)
    assert ask(tmp_path, texts).hits == anew(texts, tmp_path)


@pytest.mark.parametrize("damage", ["emptied", "cut", "flipped", "gone"])
@pytest.mark.parametrize("which", ["current", "manifest.json", "columns.npz", "*.lance", "*.manifest"])
def test_a_damaged_table_is_made_again_and_says_so(tmp_path: Path, texts: Texts, which: str, damage: str) -> None:
    home = tmp_path / "home"
    ask(home, texts)
    _damage(home, which, damage)
    # LanceDB's own files are read only where the table must grow.
    texts.files["c.md"] = "The harbour master."
    again = ask(home, texts)
    assert again.hits == anew(texts, tmp_path)
    quiet = (which, damage) == ("current", "gone")  # as before the first question
    assert quiet or [note.startswith("The search table is made again") for note in again.notes] == [True]
    assert ask(home, texts) == Found(again.hits)


def test_a_question_reads_the_columns_and_never_opens_the_table(tmp_path: Path, texts: Texts) -> None:
    home = tmp_path / "home"
    good = ask(home, texts)
    _damage(home, "*.lance", "gone")
    assert ask(home, texts) == good
    _damage(home, "columns.npz", "flipped")
    assert ask(home, texts).notes == ("The search table is made again: its files are damaged.",)
    assert ask(home, texts) == good


def _damage(home: Path, which: str, damage: str) -> None:
    for path in [path for path in home.rglob(which) if path.is_file()]:
        data = path.read_bytes()
        middle = len(data) // 2
        match damage:
            case "emptied":
                path.write_bytes(b"")
            case "cut":
                path.write_bytes(data[:middle])
            case "flipped":
                path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
            case _:
                path.unlink()


def test_columns_are_read_as_they_were_written(tmp_path: Path, texts: Texts) -> None:
    rows = table.current(tmp_path, texts, HashingEmbedder()).rows
    data = columns.pack(rows)
    assert columns.pack(columns.unpack(data)) == data
    assert list(columns.unpack(data).names) == sorted(texts.files)
    empty = table.current(tmp_path / "empty", Texts({}), None).rows
    assert len(columns.unpack(columns.pack(empty))) == 0


@pytest.mark.parametrize("data", [b"", b"PK", b"\0" * 100])
def test_other_bytes_are_no_columns(data: bytes) -> None:
    with pytest.raises(ValueError):
        columns.unpack(data)


def test_another_embedder_makes_another_table(tmp_path: Path, texts: Texts) -> None:
    table.current(tmp_path, texts, Counting())
    other = Counting(version="2")
    opened = table.current(tmp_path, texts, other)
    assert "another one" in opened.notes[0]
    assert "The ferry leaves the harbour at noon." in other.texts
    assert table.current(tmp_path, texts, None).rows.vectors is None


def test_an_unwritable_home_answers_and_says_so(tmp_path: Path, texts: Texts) -> None:
    (tmp_path / "file").write_text("no folder")
    found = ask(tmp_path / "file", texts)
    assert found.hits == anew(texts, tmp_path)
    assert "not stored" in found.notes[0]


def test_while_another_process_writes_the_answer_is_whole(tmp_path: Path, texts: Texts) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with Lock(home / "lock", "test"):
        found = ask(home, texts)
    assert found.hits == anew(texts, tmp_path)
    assert not (home / "current").exists()


def test_a_build_that_was_killed_leaves_nothing_in_the_way(tmp_path: Path, texts: Texts) -> None:
    home = tmp_path / "home"
    ask(home, texts)
    (home / "2.tmp" / "passages.lance").mkdir(parents=True)
    (home / "2.tmp" / "manifest.json").write_text("{")
    texts.files["c.md"] = "Nothing of it."
    assert ask(home, texts).hits == anew(texts, tmp_path)
    assert not (home / "2.tmp").exists()


def _ask_often(home: Path, name: str) -> None:
    texts = Texts({"a.md": "The ferry leaves the harbour."})
    for n in range(5):
        texts.files[name] = f"{n} ferries"
        assert len(find(home, texts, ASKED, "hashing").hits) == 2


def test_many_at_once_never_see_half(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    askers = [spawn.Process(target=_ask_often, args=(tmp_path, f"{n}.md")) for n in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert [asker.exitcode for asker in askers] == [0, 0, 0]
    assert ask(tmp_path, Texts({"a.md": "The ferry leaves the harbour."})).hits
