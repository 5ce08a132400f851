"""Bug cases 11 to 15: every point of their expected.md."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from store_kit import AT, TOML, adopt, case, fsck, move, new_brain, put, sh, status

from brain.git.line import Identity, Locked
from brain.memory import settle
from brain.store import StateError, Store, indexlock, leftovers, worktrees
from brain.store.worktrees import State

T = TypeVar("T")

# --- 11: a lock file left in the repository -----------------------------------------


@pytest.fixture(params=["fresh", "old"])
def locked(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    case("11", tmp_path / "brain", request.param)
    return adopt(tmp_path / "brain")


def test_11_a_write_waits_seconds_and_names_the_lock(locked: Store) -> None:
    head, began = locked.head(), time.monotonic()
    with pytest.raises(Locked, match=r"index\.lock stands there, \d+ s old") as caught:
        settle(locked, AT)
    assert 2.5 < time.monotonic() - began < 60
    assert caught.value.exit_status != 0
    assert (locked.root / "memory/notes/b.md").read_text() == "second, not yet committed\n"
    assert (locked.root / ".git/index.lock").exists()
    assert locked.head() == head


def test_11_it_is_named_with_its_age_and_removed_when_asked_for(locked: Store) -> None:
    found = indexlock.found(locked.git)
    assert found is not None
    assert found.path == locked.root / ".git/index.lock"
    assert found.holders == ()
    indexlock.remove(locked.git, found)
    assert indexlock.found(locked.git) is None
    settled = settle(locked, AT)
    assert settled.paths == ("brain.toml", "memory/notes/b.md")
    assert status(locked.root) == ""


def test_11_a_lock_that_changed_since_it_was_seen_is_not_removed(locked: Store) -> None:
    found = indexlock.found(locked.git)
    assert found is not None
    found.path.unlink()
    (locked.root / ".git/other").touch()
    found.path.touch()
    with pytest.raises(Locked):
        indexlock.remove(locked.git, found)
    assert found.path.exists()


def test_11_a_lock_that_a_process_has_open_names_it_and_stays(locked: Store) -> None:
    with (locked.root / ".git/index.lock").open("w"):
        found = indexlock.found(locked.git)
        assert found is not None
        assert found.holders == (os.getpid(),)
        with pytest.raises(Locked):
            indexlock.remove(locked.git, found)
    assert found.path.exists()


def test_11_reading_works(locked: Store) -> None:
    assert locked.tree().text("memory/notes/a.md") == "first\n"
    assert "memory/notes/b.md" in locked.working()
    assert locked.recover() == ()


# --- 12: the person's own git settings ----------------------------------------------


def test_12_nothing_of_the_persons_settings_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case("12", tmp_path)
    home = tmp_path / "home"
    for name in [name for name in os.environ if name.startswith(("GIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    before = (home / ".gitconfig").read_bytes()
    store, base = _timed(lambda: new_brain(tmp_path / "repo"))
    assert base < 10
    head = store.head()
    commit = put(store, {"memory/a.md": b"one\n"}, "one")
    _, taken = _timed(lambda: store.advance(commit, head))
    assert taken < 10
    store.git.merge_file(*(store.root / "DREAM.md",) * 3)
    (store.local("tmp") / "left").touch()
    assert store.recover() != ()
    names = subprocess.run(
        ["git", "log", "--format=%an <%ae> %cn <%ce>"],
        cwd=store.root,
        env={"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(names.stdout.splitlines()) == {"Brain <brain@localhost> Brain <brain@localhost>"}
    assert (home / ".gitconfig").read_bytes() == before
    assert not (home / "hook-ran").exists()


def test_12_the_persons_name_is_used_where_they_have_set_one(tmp_path: Path) -> None:
    case("12", tmp_path)
    config = tmp_path / "home" / ".gitconfig"
    config.write_text(config.read_text() + "[user]\n\tname = Надя\n\temail = nadia@example.org\n")
    before = config.read_bytes()
    store = Store.init(tmp_path / "repo", toml=TOML, at=AT, person=(config,))
    assert sh(store.root, "git -c core.pager=cat log --format='%an <%ae> %cn'") == "Надя <nadia@example.org> Надя"
    assert store.git.identity == Identity("Надя", "nadia@example.org")
    assert config.read_bytes() == before
    assert not (tmp_path / "home/hook-ran").exists()


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    began = time.monotonic()
    return call(), time.monotonic() - began


# --- 13: what a crashed night leaves behind -----------------------------------------


@pytest.fixture
def crashed(tmp_path: Path) -> Store:
    case("13", tmp_path / "brain")
    return adopt(tmp_path / "brain")


def test_13_all_four_are_listed_with_their_state(crashed: Store) -> None:
    found = {tree.branch: (tree.state, tree.merged) for tree in worktrees.found(crashed.git)}
    assert found == {
        "refs/heads/dream/gone": (State.GONE, False),
        "refs/heads/dream/locked": (State.GONE, True),
        "refs/heads/dream/dirty": (State.DIRTY, True),
        "refs/heads/dream/done": (State.DONE, True),
    }


def test_13_the_next_run_starts_and_nothing_is_lost(crashed: Store) -> None:
    dirty = crashed.root / ".trees/dirty"
    notes = crashed.recover()
    assert notes == (
        f"Kept the worktree {dirty} of dream/dirty: it holds unsaved changes.",
        "Removed the worktree of dream/done, which main has all of.",
        "Removed the worktree of dream/gone; the branch stays: main does not have its last commit.",
        "Removed the worktree of dream/locked, which main has all of.",
    )
    branches = sh(crashed.root, "git branch --format='%(refname:short)'").split()
    assert branches == ["dream/dirty", "dream/gone", "main"]
    assert sh(crashed.root, "git show dream/gone:memory/d.md") == "three"
    assert (dirty / "memory/c.md").read_text() == "a thought that was never committed\n"
    assert (dirty / "memory/a.md").read_text() == "one\nchanged\n"
    assert len(sh(crashed.root, "git worktree list").splitlines()) == 2
    assert not (crashed.root / ".trees/done").exists()
    assert fsck(crashed.root) == ""
    assert crashed.recover() == (notes[0],)
    move(crashed, {"memory/e.md": b"e\n"}, "next")


def test_13_the_lock_of_a_process_that_lives_is_kept(crashed: Store) -> None:
    (crashed.root / ".git/worktrees/locked/locked").write_text(f"dream pid {os.getpid()}")
    states = {tree.entry.name: tree.state for tree in worktrees.found(crashed.git)}
    assert states["locked"] is State.LOCKED
    crashed.recover()
    assert (crashed.root / ".git/worktrees/locked").exists()


def test_13_a_worktree_that_git_was_killed_in_the_middle_of_making_is_removed(crashed: Store) -> None:
    (crashed.root / ".git/worktrees/locked/locked").write_text("initializing")
    assert "Removed the worktree of dream/locked, which main has all of." in crashed.recover()


def test_13_a_folder_that_an_entry_only_claims_is_not_touched(crashed: Store, tmp_path: Path) -> None:
    sh(tmp_path, "mkdir mine; echo x > mine/memory")
    (crashed.root / ".git/worktrees/done/gitdir").write_text(f"{tmp_path}/mine/.git\n")
    crashed.recover()
    assert (tmp_path / "mine/memory").read_text() == "x\n"
    assert (crashed.root / ".trees/done").exists()


def test_13_worktrees_of_the_person_are_not_touched(crashed: Store) -> None:
    sh(crashed.root, "git worktree add -q -b theirs .trees/theirs main; rm -r .trees/theirs")
    crashed.recover()
    assert (crashed.root / ".git/worktrees/theirs").exists()


def test_13_twenty_crashes_leave_no_more_than_one_of_each(tmp_path: Path) -> None:
    store = new_brain(tmp_path / "brain", {"memory/a.md": b"a\n"})
    for number in range(20):
        store.recover()
        folder = store.local("staged", f"run-{number}")
        folder.mkdir(parents=True)
        (folder / "x.md").touch()
        (store.local("tmp") / str(number)).mkdir()
    assert len(leftovers.dead_staged(store.local())) == 1
    assert len(list(store.local("tmp").iterdir())) == 1


# --- 14: detached head, unfinished merge, unborn branch -----------------------------


@pytest.mark.parametrize(
    ("state", "named", "advice"),
    [
        ("detached", "HEAD is on no branch", "git switch"),
        ("merging", "a merge is not finished", "git merge --abort"),
        ("rebasing", "a rebase is not finished", "git rebase --abort"),
    ],
)
def test_14_in_the_middle_of_something_nothing_is_written(state: str, named: str, advice: str, tmp_path: Path) -> None:
    root = tmp_path / "brain"
    case("14", root, state)
    (root / "memory/notes/mine.md").write_text("mine\n")
    store = adopt(root)
    before = sh(root, "git for-each-ref; git rev-parse HEAD; git count-objects -v; git ls-files -s")
    assert store.recover() == ()
    for write in (lambda: settle(store, AT), lambda: put(store, {"memory/x.md": b"x"}, "one")):
        with pytest.raises(StateError, match=named) as caught:
            write()
        assert advice in caught.value.hint
        assert caught.value.exit_status == 3
    assert sh(root, "git for-each-ref; git rev-parse HEAD; git count-objects -v; git ls-files -s") == before
    assert (root / "memory/notes/mine.md").read_text() == "mine\n"
    assert "memory/notes/a.md" in store.tree()


def test_14_a_move_that_a_merge_came_between_is_not_made(tmp_path: Path) -> None:
    case("14", tmp_path / "brain", "merging")
    store = adopt(tmp_path / "brain")
    head = store.head()
    with pytest.raises(StateError):
        store.advance(head or "", head)


def test_14_the_first_commit_goes_to_the_branch_that_is_named(tmp_path: Path) -> None:
    root = tmp_path / "brain"
    case("14", root, "unborn")
    store = adopt(root)
    assert store.tree().paths == ()
    settle(store, AT)
    assert sh(root, "git for-each-ref --format='%(refname)'") == "refs/heads/trunk"
    assert "memory/notes/a.md" in store.tree()
    assert status(root) == ""


def test_14_in_a_code_repository_only_the_memory_is_committed(tmp_path: Path) -> None:
    root = tmp_path / "brain"
    case("14", root, "subdir")
    store = adopt(root)
    head = store.head()
    settle(store, AT)
    assert status(root) == "A  src/x.py"
    paths = sh(root, f"git diff --name-only {head} HEAD").splitlines()
    assert {path.split("/")[0] for path in paths} == {"brain.toml", "memory"}
    assert "src/x.py" not in sh(root, "git ls-tree -r --name-only HEAD")


def test_14_in_a_submodule_the_outer_repository_is_not_touched(tmp_path: Path) -> None:
    case("14", tmp_path, "submodule")
    outer, root = tmp_path / "outer", tmp_path / "outer/memory-repo"
    store = adopt(root)
    before = sh(outer, "git rev-parse HEAD; git ls-files -s; git count-objects -v")
    settle(store, AT)
    assert status(root) == ""
    assert "memory/notes/b.md" in store.tree()
    assert sh(outer, "git rev-parse HEAD; git ls-files -s; git count-objects -v") == before


# --- 15: changes that are none ------------------------------------------------------


@pytest.fixture
def crlf(tmp_path: Path) -> Store:
    root = tmp_path / "brain"
    case("15", root)
    store = Store.init(root, toml=TOML, at=AT)
    assert status(root) == ""
    return store


def test_15_the_state_is_the_one_that_git_gives(crlf: Store) -> None:
    assert crlf.edits() == {}
    assert Store.open(crlf.root).edits() == {}


def test_15_a_night_without_news_makes_no_commit(crlf: Store) -> None:
    settle(crlf, AT)
    head = crlf.head()
    assert settle(crlf, AT).commit is None
    assert crlf.head() == head


def test_15_one_line_that_changes_is_one_line(crlf: Store) -> None:
    settle(crlf, AT)
    head = crlf.head()
    before = {path.name: path.read_bytes() for path in (crlf.root / "memory").glob("*.md")}
    move(crlf, {"memory/disk-crlf.md": b"one\nTWO\n"}, "one")
    assert sh(crlf.root, f"git diff --numstat {head} HEAD") == "1\t1\tmemory/disk-crlf.md"
    after = {path.name: path.read_bytes() for path in (crlf.root / "memory").glob("*.md")}
    assert after == before | {"disk-crlf.md": b"one\r\nTWO\r\n"}
    assert status(crlf.root) == ""


@pytest.mark.parametrize("name", ["disk-crlf.md", "stored-crlf.md"])
def test_15_one_line_that_a_person_changes_is_one_line(name: str, crlf: Store) -> None:
    settle(crlf, AT)
    head = crlf.head()
    (crlf.root / "memory" / name).write_bytes(b"one\r\nTWO\r\n")
    settle(crlf, AT)
    assert sh(crlf.root, f"git diff --numstat {head} HEAD -- memory/{name}") == f"1\t1\tmemory/{name}"
    assert (crlf.root / "memory" / name).read_bytes() == b"one\r\nTWO\r\n"
    assert status(crlf.root) == ""


def test_15_an_editor_that_changes_all_line_ends_has_changed_nothing(tmp_path: Path) -> None:
    store = new_brain(tmp_path / "brain", {"memory/a.md": b"one\ntwo\n"})
    (store.root / "memory/a.md").write_bytes(b"one\r\ntwo\r\n")
    assert store.edits() == {}
    move(store, {"memory/a.md": b"one\nTWO\n"}, "one")
    assert (store.root / "memory/a.md").read_bytes() == b"one\r\nTWO\r\n"
