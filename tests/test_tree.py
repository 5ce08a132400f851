"""Tree: one view over a commit, a folder, or changes that lie nowhere yet."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import move, new_brain

from brain import transcript
from brain.files.folder import Folder
from brain.model import Role, Session, Source, Text, ToolCall, Turn
from brain.tree import ChangedMeanwhile, OnDisk, Tree, blob_id, changed, overlay, tree_of

PAGE = "memory/knowledge/people/Ilya Brandt.md"
NOTE = "memory/notes/home/Tide clock.md"
FOLDER = "memory/sessions/2026/11/29-1f2e3d4c"
SESSION = Session(
    id="1f2e3d4c-9331-4e22-a691-c75fe9779cf6",
    agent="claude-code",
    source=Source("claude-code", "a.jsonl", "00"),
    turns=(
        Turn(1, Role.USER, None, (Text("The clock drifts."),)),
        Turn(
            2,
            Role.ASSISTANT,
            None,
            (
                Text("I looked."),
                ToolCall("Read", "clock.py", "x = 1"),
                ToolCall("Fetch", "url", "cut …", attachment="t2-r2.txt"),
                ToolCall("Run", "make"),
            ),
        ),
    ),
)
CONTENTS: dict[str, str | bytes] = {
    "brain.toml": "format = 1\n",
    PAGE: "---\ntitle: Ilya Brandt\nkind: person\naliases: [Ilya]\n---\n\n# Ilya Brandt\n\nHe plays.\n",
    NOTE: "---\ntitle: Tide clock\ndomain: home\n---\n\n- ? · fact · 0.9 · It drifts. [cite:1] ^ab12\n",
    f"{FOLDER}/transcript.md": transcript.render(SESSION),
    f"{FOLDER}/attachments/t2-r2.txt": "the whole of it\n",
    f"{FOLDER}/summary.md": "---\nsession: sessions/2026/11/29-1f2e3d4c\ntitle: Clock\ndreamt: t2/3\n---\n",
    "memory/index.md": "# Index\n",
    "memory/knowledge/index.md": "# Knowledge\n",
    "memory/notes/index.md": "# Notes\n",
    "memory/notes/home/bytes.md": b"\xff\xfe not UTF-8",
}


@pytest.fixture
def tree() -> Tree:
    return tree_of(CONTENTS)


def test_what_is_in_a_tree(tree: Tree) -> None:
    assert tree.paths == tuple(sorted(CONTENTS))
    assert list(tree.pages()) == [PAGE]
    assert list(tree.notes()) == [NOTE, "memory/notes/home/bytes.md"]
    assert list(tree.sessions()) == [FOLDER]
    assert list(tree.summaries()) == [f"{FOLDER}/summary.md"]
    assert tree.session(FOLDER) == SESSION
    page = tree.page(PAGE)
    assert page is not None
    assert (page.title, page.aliases) == ("Ilya Brandt", ("Ilya",))
    assert tree.text("memory/notes/home/bytes.md").startswith("\ufffd\ufffd not")
    assert tree.problems == {}


def test_what_is_not(tree: Tree) -> None:
    assert "memory/none.md" not in tree
    assert tree.blob("memory/none.md") is None
    assert tree.page(NOTE) is None
    assert tree.note(PAGE) is None
    assert tree.session("memory/sessions/none") is None
    for read in (tree.bytes, tree.text, tree.pages().__getitem__):
        with pytest.raises(KeyError):
            read("memory/none.md")


def test_a_source_leads_to_its_turn_and_its_words(tree: Tree) -> None:
    below = FOLDER.removeprefix("memory/")
    assert tree.turn(f"{below}#t1") == SESSION.turns[0]
    assert tree.turn(f"{below}#t2.r9") == SESSION.turns[1]
    assert tree.cited_text(f"{below}#t1") == "The clock drifts."
    assert tree.cited_text(f"{below}#t2") == "I looked."
    assert tree.cited_text(f"{below}#t2.r1") == "x = 1"
    assert tree.cited_text(f"{below}#t2.r2") == "the whole of it\n"
    for none in (f"{below}#t3", f"{below}#t2.r3", f"{below}#t2.r4", "sessions/2026/11/29-00000000#t1", "x", ""):
        assert tree.cited_text(none) is None


def test_names_are_those_of_pages_and_notes(tree: Tree) -> None:
    assert tree.names().resolve("ilya") == PAGE
    assert tree.names().resolve("tide_clock") == NOTE
    assert tree.names().resolve("Index") is None


def test_what_two_trees_share_is_parsed_once(tree: Tree) -> None:
    above = overlay(tree, {NOTE: b"new\n"})
    assert above.page(PAGE) is tree.page(PAGE)
    assert above.note(NOTE) is not tree.note(NOTE)
    assert above.session(FOLDER) is tree.session(FOLDER)


def test_an_overlay_puts_in_and_takes_out(tree: Tree) -> None:
    above = overlay(tree, {NOTE: None, PAGE: b"other\n", "memory/notes/new.md": b"new\n", "memory/none.md": None})
    assert changed(tree, above) == {NOTE, PAGE, "memory/notes/new.md"}
    assert above.text(PAGE) == "other\n"
    assert NOTE not in above
    with pytest.raises(KeyError):
        above.bytes(NOTE)
    assert list(above.notes()) == ["memory/notes/home/bytes.md", "memory/notes/new.md"]
    assert changed(overlay(above, {NOTE: tree.bytes(NOTE)}), above) == {NOTE}
    assert changed(None, tree) == set(tree.paths)


@given(
    st.dictionaries(st.sampled_from("abcd"), st.binary(max_size=3)),
    st.dictionaries(st.sampled_from("abcd"), st.none() | st.binary(max_size=3)),
)
@settings(derandomize=True)
def test_an_overlay_is_the_tree_that_its_changes_make(base: dict[str, bytes], changes: dict[str, bytes | None]) -> None:
    whole = {path: data for path, data in (base | changes).items() if data is not None}
    above = overlay(tree_of(base), changes)
    assert {path: above.bytes(path) for path in above.paths} == whole
    assert above.blobs == tree_of(whole).blobs
    assert changed(tree_of(base), above) == {p for p in base.keys() | whole.keys() if base.get(p) != whole.get(p)}


@given(st.binary())
@settings(derandomize=True)
def test_a_blob_id_is_a_hash_of_kind_length_and_bytes(data: bytes) -> None:
    import hashlib

    assert blob_id(data) == hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()


def test_blob_ids_are_gits(tmp_path: Path) -> None:
    for data in (b"", b"one\n", "Чай\r\n".encode()):
        (tmp_path / "file").write_bytes(data)
        done = subprocess.run(["git", "hash-object", "file"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert blob_id(data) == done.stdout.strip()


# --- a folder ---------------------------------------------------------------------


def test_a_folder_that_is_no_brain_of_a_store_is_a_tree_too(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/a.md").write_bytes(b"a\n")
    (tmp_path / "memory/b.md").symlink_to("a.md")
    tree = Tree(OnDisk.scan(Folder(tmp_path)))
    assert tree.paths == ("memory/a.md",)
    assert list(tree.problems) == ["memory/b.md"]
    with pytest.raises(KeyError):
        tree.bytes("memory/b.md")


def test_a_file_that_changes_while_a_folder_is_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    for name in ("a.md", "b.md"):
        (tmp_path / "memory" / name).write_bytes(b"a\n")
    tree = Tree(OnDisk.scan(Folder(tmp_path)))
    (tmp_path / "memory/a.md").write_bytes(b"b\n")
    (tmp_path / "memory/b.md").unlink()
    for name in ("memory/a.md", "memory/b.md"):
        with pytest.raises(ChangedMeanwhile, match="changed while it was read"):
            tree.bytes(name)


def test_a_reader_that_main_moves_under_sees_one_state(tmp_path: Path) -> None:
    store = new_brain(tmp_path / "brain", {NOTE: b"old\n", "memory/notes/gone.md": b"gone\n"})
    before = store.working()
    assert before.paths
    move(store, {NOTE: b"new\n", "memory/notes/gone.md": None}, "one")
    assert before.text(NOTE) == "old\n"
    assert before.text("memory/notes/gone.md") == "gone\n"
    assert store.working().text(NOTE) == "new\n"
