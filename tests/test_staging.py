"""The staged tree: a folder that lives as long as its dream."""

from __future__ import annotations

from pathlib import Path

import pytest
from nights import ILYA, store_of

from brain.dream.staging import StagedTree
from brain.store import Store

OTHER = "memory/notes/work/Tide clock.md"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(tmp_path / "brain")


def below(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def test_it_holds_the_changed_files_and_gives_the_tree_they_make(store: Store) -> None:
    base = store.tree()
    with StagedTree(store, "run") as staged:
        tree = staged.lay(base, {ILYA: b"one"})
        assert below(staged.folder) == {ILYA: b"one"}
        assert tree.bytes(ILYA) == b"one"
        assert set(tree.paths) == {*base.paths, ILYA}


def test_laying_again_leaves_exactly_the_new_changes(store: Store) -> None:
    with StagedTree(store, "run") as staged:
        staged.lay(store.tree(), {ILYA: b"one", OTHER: b"two"})
        staged.lay(store.tree(), {OTHER: b"three"})
        assert below(staged.folder) == {OTHER: b"three"}


def test_a_file_that_goes_is_gone_from_the_tree(store: Store) -> None:
    with StagedTree(store, "run") as staged:
        assert "DREAM.md" not in staged.lay(store.tree(), {"DREAM.md": None})


def test_nothing_is_left_of_it_in_the_end(store: Store) -> None:
    with StagedTree(store, "run") as staged:
        staged.lay(store.tree(), {ILYA: b"one"})
    assert list(store.local("staged").iterdir()) == []
    assert store.recover() == ()


def test_nothing_is_left_of_it_after_an_error(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), StagedTree(store, "run") as staged:
        staged.lay(store.tree(), {ILYA: b"one"})
        raise ZeroDivisionError
    assert list(store.local("staged").iterdir()) == []


def test_a_living_one_is_left_alone_and_a_dead_one_is_taken_away(store: Store) -> None:
    dead = store.local("staged", "dead") / ILYA
    dead.parent.mkdir(parents=True)
    dead.write_bytes(b"half")
    with StagedTree(store, "alive") as staged:
        staged.lay(store.tree(), {ILYA: b"one"})
        assert store.recover() == ("Removed the staged tree of dead, a run that died; nothing of it was in main.",)
        assert below(staged.folder) == {ILYA: b"one"}
    assert not dead.exists()


def test_the_last_rejected_tree_is_kept_and_no_other(store: Store) -> None:
    for run in ("first", "second"):
        with StagedTree(store, run) as staged:
            staged.lay(store.tree(), {ILYA: run.encode()})
            kept = staged.keep()
    assert [path.name for path in store.local("rejected").iterdir()] == ["second"]
    assert below(kept) == {ILYA: b"second"}
    assert store.recover() == ()
