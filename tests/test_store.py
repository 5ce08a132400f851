"""The store: main moves whole, a person's words win, and what a kill left is put right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_kit import AT, TOML, adopt, fsck, move, new_brain, put, sh, status

from brain import layout
from brain.config import NoBrain
from brain.files import disk, locks
from brain.files.locks import Busy, Lock
from brain.git.line import Locked, NotARepository
from brain.memory import settle
from brain.store import Moved, StateError, Store, Unfinished, Unsafe, indexlock, journal

NOTE = "memory/notes/home/Tide clock.md"
LINES = "".join(f"- line {n}\n" for n in range(20))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / "brain"
    new_brain(root, {NOTE: LINES.encode(), "memory/notes/home/Tea.md": b"Green.\n"}).close()
    return root


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(Path(shutil.copytree(template, tmp_path / "brain")))
    yield opened
    opened.close()


def edited(old: str, new: str) -> bytes:
    return LINES.replace(old, new).encode()


# --- init -------------------------------------------------------------------------


def test_init_makes_a_whole_brain(tmp_path: Path) -> None:
    store = Store.init(tmp_path / "a" / "brain", toml=TOML, at=AT)
    assert store.tree().paths == ("DREAM.md", "brain.toml", "deletions.md")
    assert store.git.branch() == "refs/heads/main"
    assert status(store.root) == ""
    assert fsck(store.root) == ""
    assert sh(store.root, "git log -1 --format=%B").splitlines() == [
        "Make a brain",
        "",
        "Brain-Command: init",
        "Brain-Id: init-20261129T030000",
    ]


def test_init_again_changes_nothing(store: Store) -> None:
    head = store.head()
    (store.root / "DREAM.md").write_text("Mine.\n")
    Store.init(store.root, toml="another", at=AT)
    assert store.head() == head
    assert (store.root / "DREAM.md").read_text() == "Mine.\n"


def test_init_completes_what_is_missing(tmp_path: Path) -> None:
    sh(
        tmp_path,
        "git init -q -b trunk; mkdir memory; echo one > memory/a.md; git add .; git commit -qm one; echo 1 > x",
    )
    store = Store.init(tmp_path, toml=TOML, at=AT)
    assert store.tree().paths == ("DREAM.md", "brain.toml", "deletions.md", "memory/a.md")
    assert status(tmp_path) == "?? x"
    assert sh(tmp_path, "git rev-parse --abbrev-ref HEAD") == "trunk"


def test_init_in_a_larger_repository_takes_a_folder_of_it(tmp_path: Path) -> None:
    sh(tmp_path, "git init -q -b main; echo 1 > code.py; git add .; git commit -qm code; echo 2 > code.py; git add .")
    store = Store.init(tmp_path / "docs" / "brain", toml=TOML, at=AT)
    assert not (store.root / ".git").exists()
    move(store, {NOTE: b"x\n"}, "one")
    assert status(tmp_path) == "M  code.py"
    assert sh(tmp_path, "git show --stat --format= HEAD").split("|")[0].strip() == f"docs/brain/{NOTE}"
    assert [e.run_id for e in store.git.log(store.head() or "", path=NOTE)] == ["one"]


def test_init_where_the_larger_repository_ignores_it_makes_its_own(tmp_path: Path) -> None:
    sh(tmp_path, "git init -q -b main; echo brain/ > .gitignore")
    store = Store.init(tmp_path / "brain", toml=TOML, at=AT)
    assert (store.root / ".git").is_dir()


def test_a_folder_without_settings_is_no_brain(tmp_path: Path) -> None:
    with pytest.raises(NoBrain):
        Store.open(tmp_path)


def test_a_brain_whose_repository_is_gone(tmp_path: Path) -> None:
    store = adopt(tmp_path)
    with pytest.raises(NotARepository):
        store.head()


# --- reading ----------------------------------------------------------------------


def test_a_tree_is_a_commit_whatever_happens_later(store: Store) -> None:
    first, before = store.head(), store.tree()
    move(store, {NOTE: b"new\n"}, "one")
    assert before.text(NOTE) == LINES
    assert store.tree(first).text(NOTE) == LINES
    assert store.tree().text(NOTE) == "new\n"


def test_the_folder_is_read_as_it_lies(store: Store) -> None:
    (store.root / NOTE).write_bytes(b"mine\n")
    (store.root / "memory/notes/home/Tea.md").unlink()
    (store.root / "memory/notes/New.md").write_bytes(b"new\n")
    (store.root / "memory/picture.png").write_bytes(b"png")
    assert store.working().text(NOTE) == "mine\n"
    assert store.tree().text(NOTE) == LINES
    assert store.edits() == {NOTE: b"mine\n", "memory/notes/home/Tea.md": None, "memory/notes/New.md": b"new\n"}


def test_a_symlink_is_no_edit_and_no_file(store: Store) -> None:
    (store.root / NOTE).unlink()
    (store.root / NOTE).symlink_to("/etc/passwd")
    assert store.edits() == {}
    assert NOTE not in store.working()
    assert store.working().problems == {NOTE: "it is a symlink, and none is followed"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_does_not_count_as_gone(store: Store) -> None:
    (store.root / "memory/notes").chmod(0)
    try:
        with pytest.raises(disk.Refused):
            store.edits()
    finally:
        (store.root / "memory/notes").chmod(0o755)


def test_reading_needs_no_writing(store: Store) -> None:
    head = store.head()
    lock = store.git.place.index_lock
    lock.touch()
    assert store.tree(head).text(NOTE) == LINES
    assert store.working().text(NOTE) == LINES
    assert store.edits() == {}
    assert store.recover() == ()
    assert lock.exists()


# --- writing ----------------------------------------------------------------------


def test_write_moves_nothing(store: Store) -> None:
    head = store.head()
    commit = put(store, {NOTE: b"new\n", "memory/notes/home/Tea.md": None, "memory/x/y/z.md": b"z\n"}, "one")
    assert store.head() == head
    assert status(store.root) == ""
    assert store.tree(commit).paths == ("DREAM.md", "brain.toml", "deletions.md", NOTE, "memory/x/y/z.md")


def test_write_without_a_difference_makes_no_commit(store: Store) -> None:
    assert put(store, {NOTE: LINES.encode(), "memory/none.md": None}, "one") == store.head()


def test_what_a_commit_says(store: Store) -> None:
    commit = store.write(
        {NOTE: b"new\n"},
        base=store.head(),
        message="Ночь\n\nBrain-Id: not this one\n",
        command="dream",
        run_id="2026-11-29T030000Z",
        at=AT,
        trailers={"Brain-Sessions": "3\nBrain-Id: nor this"},
    )
    store.advance(commit, store.head())
    assert sh(store.root, "git log -1 --format='%(trailers:only)'") == (
        "Brain-Command: dream\nBrain-Id: 2026-11-29T030000Z\nBrain-Sessions: 3 Brain-Id: nor this"
    )
    assert store.find_run("2026-11-29T030000Z") == commit
    for other in ("not this one", "nor this", "2026-11-29", "none"):
        assert store.find_run(other) is None


@pytest.mark.parametrize(
    "path",
    [
        "src/x.py",
        "memory/../../x.md",
        "memory/./x.md",
        "/etc/x.md",
        "memory/.git/x.md",
        "memory/.GIT/x.md",
        "memory/.gitattributes",
        ".gitmodules",
        ".brain/x.md",
        "memory/x.py",
        "memory/a\nb.md",
        "memory/a\0b.md",
        "memory/CON.md",
        "memory//x.md",
        "",
    ],
)
def test_what_is_no_path_of_a_brain_is_not_written(path: str, store: Store) -> None:
    with pytest.raises(Unsafe):
        put(store, {path: b"x"}, "one")


def test_main_moves_with_the_folder_and_gits_index(store: Store) -> None:
    move(store, {NOTE: b"new\n", "memory/notes/home/Tea.md": None, "memory/notes/work/Б.md": "я\n".encode()}, "one")
    assert (store.root / NOTE).read_bytes() == b"new\n"
    assert not (store.root / "memory/notes/home/Tea.md").exists()
    assert (store.root / "memory/notes/work/Б.md").read_text() == "я\n"
    assert status(store.root) == ""
    assert fsck(store.root) == ""
    assert not journal.exists(store.local())
    assert store.recover() == ()
    assert store.notes == []


def test_what_a_person_has_staged_stays_staged(tmp_path: Path) -> None:
    sh(tmp_path, "git init -q -b main; echo 1 > code.py; git add .; git commit -qm code; echo 2 > code.py; git add .")
    store = new_brain(tmp_path)
    (tmp_path / "code.py").write_text("3\n")
    move(store, {NOTE: b"x\n"}, "one")
    assert status(tmp_path) == "MM code.py"
    assert sh(tmp_path, "git show :code.py") == "2"


def test_main_that_moved_meanwhile_is_not_moved_back(store: Store) -> None:
    head = store.head()
    first, second = put(store, {NOTE: b"a\n"}, "one"), put(store, {NOTE: b"b\n"}, "two")
    store.advance(first, head)
    with pytest.raises(Moved, match=rf"it stands on {first[:12]}, not on {(head or '')[:12]} any more") as caught:
        store.advance(second, head)
    assert caught.value.exit_status == 3
    assert store.head() == first
    assert (store.root / NOTE).read_bytes() == b"a\n"
    assert status(store.root) == ""
    assert not journal.exists(store.local())
    assert not store.git.place.index_lock.exists()


def test_a_commit_that_a_person_made_meanwhile_is_kept(store: Store) -> None:
    head = store.head()
    mine = put(store, {NOTE: b"a\n"}, "one")
    sh(store.root, "echo by hand > memory/hand.md; git add .; git commit -qm hand")
    with pytest.raises(Moved):
        store.advance(mine, head)
    assert "memory/hand.md" in store.tree()
    assert status(store.root) == ""


# --- a person's words -------------------------------------------------------------


def test_an_edit_made_meanwhile_is_merged(store: Store) -> None:
    head = store.head()
    commit = put(store, {NOTE: edited("line 17\n", "dreamt 17\n")}, "one")
    (store.root / NOTE).write_bytes(edited("line 2\n", "mine 2\n"))
    store.advance(commit, head)
    text = (store.root / NOTE).read_text()
    assert "mine 2\n" in text
    assert "dreamt 17\n" in text
    assert store.edits() == {NOTE: text.encode()}
    assert store.notes == [f"{NOTE}: an edit made meanwhile was kept, merged with the new version"]
    assert not (store.root / layout.CONFLICTS).exists()


def test_where_both_changed_the_same_lines_the_person_wins(store: Store) -> None:
    head = store.head()
    commit = put(store, {NOTE: edited("line 2\n", "dreamt 2\n")}, "run-1")
    (store.root / NOTE).write_bytes(edited("line 2\n", "mine 2\n"))
    store.advance(commit, head)
    aside = store.root / layout.CONFLICTS / "run-1" / NOTE
    assert (store.root / NOTE).read_bytes() == edited("line 2\n", "mine 2\n")
    assert aside.read_bytes() == edited("line 2\n", "dreamt 2\n")
    assert store.notes == [
        f"{NOTE}: it was edited in the folder meanwhile; the other version is in conflicts/run-1/{NOTE}"
    ]
    assert store.tree().bytes(NOTE) == edited("line 2\n", "dreamt 2\n")


@pytest.mark.parametrize(
    ("by_hand", "by_brain", "left", "aside"),
    [
        (None, b"new\n", None, b"new\n"),
        (b"mine\n", None, b"mine\n", None),
        (None, None, None, None),
        (b"same\n", b"same\n", b"same\n", None),
    ],
    ids=["removed by hand", "removed by Brain", "removed by both", "the same edit"],
)
def test_removing_and_editing(
    by_hand: bytes | None, by_brain: bytes | None, left: bytes | None, aside: bytes | None, store: Store
) -> None:
    head = store.head()
    commit = put(store, {NOTE: by_brain}, "run-1")
    path, other = store.root / NOTE, store.root / layout.CONFLICTS / "run-1" / NOTE
    path.unlink()
    if by_hand is not None:
        path.write_bytes(by_hand)
    store.advance(commit, head)
    assert (path.read_bytes() if path.exists() else None) == left
    assert (other.read_bytes() if other.exists() else None) == aside


def test_two_new_files_of_one_name(store: Store) -> None:
    head = store.head()
    commit = put(store, {"memory/new.md": b"brain's\n"}, "run-1")
    (store.root / "memory/new.md").write_bytes(b"mine\n")
    store.advance(commit, head)
    assert (store.root / "memory/new.md").read_bytes() == b"mine\n"
    assert (store.root / "conflicts/run-1/memory/new.md").read_bytes() == b"brain's\n"


def test_what_lies_there_and_is_no_file_stays(store: Store) -> None:
    head = store.head()
    commit = put(store, {NOTE: b"new\n"}, "run-1")
    (store.root / NOTE).unlink()
    (store.root / NOTE).symlink_to("/etc/passwd")
    store.advance(commit, head)
    assert (store.root / NOTE).is_symlink()
    assert (store.root / "conflicts/run-1" / NOTE).read_bytes() == b"new\n"


def test_a_folder_that_leads_elsewhere_stops_the_run_before_it_moves(store: Store, tmp_path: Path) -> None:
    head = store.head()
    commit = put(store, {"memory/knowledge/people/A.md": b"a\n"}, "one")
    (tmp_path / "elsewhere").mkdir()
    (store.root / "memory/knowledge").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unsafe, match="leads through a symlink or a file"):
        store.advance(commit, head)
    assert store.head() == head
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert not journal.exists(store.local())


def test_a_local_folder_that_is_a_symlink_is_refused(store: Store, tmp_path: Path) -> None:
    sh(store.root, f"rm -r .brain; mkdir {tmp_path}/elsewhere; ln -s {tmp_path}/elsewhere .brain")
    with pytest.raises(Unsafe, match=r"\.brain is a symlink"):
        store.local("lock")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_local_folder_may_go_at_any_time(store: Store) -> None:
    sh(store.root, "rm -r .brain")
    move(store, {NOTE: b"new\n"}, "one")
    assert status(store.root) == ""


def test_an_edit_that_comes_between_the_decision_and_the_rename_is_seen(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = store.head()
    commit = put(store, {NOTE: edited("line 17\n", "dreamt 17\n"), "memory/notes/home/Tea.md": None}, "run-1")
    swap = store.git.swap

    def swap_and_edit(*arguments: object) -> bool:
        (store.root / NOTE).write_bytes(edited("line 2\n", "mine 2\n"))
        (store.root / "memory/notes/home/Tea.md").write_bytes(b"Black.\n")
        return swap(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store.git, "swap", swap_and_edit)
    store.advance(commit, head)
    text = (store.root / NOTE).read_text()
    assert "mine 2\n" in text
    assert "dreamt 17\n" in text
    assert (store.root / "memory/notes/home/Tea.md").read_bytes() == b"Black.\n"
    assert "memory/notes/home/Tea.md is gone from main; the file that was edited stays" in store.notes
    assert list(store.local("tmp").iterdir()) == []


# --- one at a time ----------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from store_kit import put
from brain.memory import settle
from brain.store import Moved, Store
store = Store.open(Path(sys.argv[1]))
done = 0
while done < 4:
    with store.lock("writer", wait=120):
        head = store.head()
        store.advance(put(store, {f"memory/{sys.argv[2]}-{done}.md": b"x"}, f"{sys.argv[2]}-{done}", head), head)
    done += 1
store.close()
"""


def test_four_writers_lose_nothing(store: Store) -> None:
    env = dict(os.environ, PYTHONPATH=f"{Path(__file__).parent}:{Path(__file__).parent.parent}")
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(store.root), str(n)], env=env, stderr=subprocess.PIPE)
        for n in range(4)
    ]
    for writer in writers:
        _, err = writer.communicate()
        assert writer.returncode == 0, err.decode()
    assert len([path for path in store.tree().paths if path.count("-") == 1]) == 16
    assert status(store.root) == ""
    assert fsck(store.root) == ""


def test_a_busy_brain_names_who_is_at_work(store: Store) -> None:
    with Lock(store.local("lock"), "the other"), pytest.raises(Busy, match="the other"):
        store.lock("me", wait=0).acquire()


def test_nothing_is_repaired_while_another_is_at_work(store: Store) -> None:
    (store.local("tmp") / "x").write_bytes(b"")
    with Lock(store.local("lock"), "the other"):
        assert store.recover() == ()
    assert store.recover() == ("Removed the scratch files of a run that died.",)
    assert store.recover() == ()


# --- where it goes wrong ----------------------------------------------------------


def test_a_lock_of_gits_is_waited_for(store: Store) -> None:
    lock = store.git.place.index_lock
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    move(store, {NOTE: b"new\n"}, "one")
    timer.join()
    assert status(store.root) == ""


def test_files_that_cannot_follow_main_follow_with_the_next_command(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = store.head()
    commit = put(store, {NOTE: b"new\n", "memory/deep/new.md": b"n\n"}, "run-1")

    make = os.mkdir

    def full(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if path == "deep":
            raise OSError(28, os.strerror(28))
        make(path, mode, dir_fd=dir_fd)

    with monkeypatch.context() as patched:
        # The first call that needs room once main has moved.
        patched.setattr(os, "mkdir", full)
        with pytest.raises(Unfinished, match="the disk is full") as caught:
            store.advance(commit, head)
    assert caught.value.hint == "mend that; the next command lays the rest down"
    assert store.head() == commit
    assert store.recover() == (f"Finished run-1, a run that died after it had moved main to {commit[:12]}.",)
    assert (store.root / "memory/deep/new.md").read_bytes() == b"n\n"
    assert status(store.root) == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_brain_that_may_not_be_written_says_so_and_can_be_read(store: Store) -> None:
    for folder in (store.root / ".brain", store.root / ".git/objects", store.root):
        folder.chmod(0o555)
    try:
        assert store.tree().text(NOTE) == LINES
        with pytest.raises(disk.Refused):
            put(store, {NOTE: b"new\n"}, "one")
    finally:
        for folder in (store.root, store.root / ".brain", store.root / ".git/objects"):
            folder.chmod(0o755)


def test_our_own_lock_without_a_journal_is_taken_over(store: Store) -> None:
    with indexlock.held(store.git, 0):
        mark = store.git.place.index_lock.read_bytes()
    store.git.place.index_lock.write_bytes(mark)
    move(store, {NOTE: b"new\n"}, "one")
    assert not store.git.place.index_lock.exists()


def test_a_disk_without_hard_links_will_do(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    move(store, {NOTE: b"new\n"}, "one")
    store.git.place.index_lock.touch()
    with pytest.raises(Locked):
        move(store, {NOTE: b"newer\n"}, "two")


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="needs a second file system")
def test_a_repository_on_another_disk_will_do(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as other:
        root = tmp_path / "brain"
        sh(tmp_path, f"git init -q -b main --separate-git-dir {other}/git brain")
        store = new_brain(root, {NOTE: b"one\n"})
        move(store, {NOTE: b"two\n"}, "one")
        assert status(root) == ""
        assert store.git.place.git_dir == Path(other, "git")
        store.close()


def test_a_network_disk_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "file_system", lambda path: "nfs4")
    with pytest.raises(locks.NetworkDisk, match=r"lies on a network disk \(nfs4\)"):
        put(store, {NOTE: b"new\n"}, "one")


# --- repair -----------------------------------------------------------------------


def test_a_journal_of_a_move_that_was_not_made_is_dropped(store: Store) -> None:
    head = store.head()
    commit = put(store, {NOTE: b"new\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", head, commit, "run-1"))
    (store.root / ".git/refs/heads/main.lock").write_text(commit[:20])
    (store.root / ".git/HEAD.lock").touch()
    assert store.recover() == ("Dropped run-1, a run that died before it moved main; nothing of it was in main.",)
    assert store.head() == head
    assert list((store.root / ".git").rglob("*.lock")) == []
    move(store, {NOTE: b"new\n"}, "run-1")


def test_a_lock_on_a_ref_that_is_not_ours_stays(store: Store) -> None:
    commit = put(store, {NOTE: b"new\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", store.head(), commit, "run-1"))
    (store.root / ".git/refs/heads/main.lock").write_text("0" * 40 + "\n")
    store.recover()
    assert (store.root / ".git/refs/heads/main.lock").exists()
    with pytest.raises(Locked, match=r"main\.lock"):
        move(store, {NOTE: b"new\n"}, "run-1")


def test_a_lock_stays_while_a_git_is_at_work(store: Store) -> None:
    commit = put(store, {NOTE: b"new\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", store.head(), commit, "run-1"))
    lock = store.root / ".git/HEAD.lock"
    lock.touch()
    other = subprocess.Popen(["git", "hash-object", "--stdin"], cwd=store.root, stdin=subprocess.PIPE, stdout=-1)
    try:
        _wait_for(lambda: _name(other.pid) == "git")
        with pytest.raises(Locked, match=r"HEAD\.lock"):
            store.recover()
        assert lock.exists()
    finally:
        other.communicate(b"")
    assert len(store.recover()) == 1
    assert not lock.exists()


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def _wait_for(condition: object) -> None:
    assert callable(condition)
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until


def test_a_move_whose_files_are_missing_is_finished_beside_an_edit(store: Store) -> None:
    head = store.head()
    commit = put(store, {NOTE: edited("line 17\n", "dreamt 17\n"), "memory/notes/home/Tea.md": None}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", head, commit, "run-1"))
    store.git.swap("refs/heads/main", commit, head, "test")
    (store.root / NOTE).write_bytes(edited("line 2\n", "mine 2\n"))
    notes = store.recover()
    assert notes == (
        f"Finished run-1, a run that died after it had moved main to {commit[:12]}.",
        f"{NOTE}: an edit made meanwhile was kept, merged with the new version",
    )
    assert not (store.root / "memory/notes/home/Tea.md").exists()
    assert status(store.root) == f' M "{NOTE}"'


def test_a_move_whose_run_died_while_this_one_waited_is_finished_first(store: Store) -> None:
    head = store.head()
    first = put(store, {NOTE: b"first\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", head, first, "run-1"))
    store.git.swap("refs/heads/main", first, head, "test")
    store.advance(put(store, {NOTE: b"second\n"}, "run-2"), first)
    assert store.notes == [f"Finished run-1, a run that died after it had moved main to {first[:12]}."]
    assert (store.root / NOTE).read_bytes() == b"second\n"
    assert status(store.root) == ""


def test_what_a_dead_run_has_not_laid_down_is_no_edit(store: Store) -> None:
    head = store.head()
    first = put(store, {NOTE: b"first\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", head, first, "run-1"))
    store.git.swap("refs/heads/main", first, head, "test")
    assert settle(store, AT).commit is None
    assert (store.root / NOTE).read_bytes() == b"first\n"


def test_conflicts_do_not_lead_elsewhere(store: Store, tmp_path: Path) -> None:
    head = store.head()
    commit = put(store, {NOTE: b"new\n"}, "../../run 1")
    (store.root / NOTE).write_bytes(b"mine\n")
    (tmp_path / "elsewhere").mkdir()
    (store.root / layout.CONFLICTS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unsafe):
        store.advance(commit, head)
    assert store.head() == head
    (store.root / layout.CONFLICTS).unlink()
    store.advance(commit, head)
    assert (store.root / "conflicts/------run-1" / NOTE).read_bytes() == b"new\n"


def test_a_person_who_committed_over_a_move_that_was_cut_off_keeps_both(store: Store) -> None:
    head = store.head()
    commit = put(store, {"memory/new.md": b"new\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", head, commit, "run-1"))
    store.git.swap("refs/heads/main", commit, head, "test")
    sh(store.root, "echo hand > memory/hand.md; git add memory/hand.md; git commit -qm hand -- memory/hand.md")
    store.recover()
    assert (store.root / "memory/new.md").read_bytes() == b"new\n"
    assert {"memory/new.md", "memory/hand.md"} <= set(store.tree().paths)
    assert status(store.root) == ""


def test_a_journal_that_says_nothing_is_taken_away(store: Store) -> None:
    store.local("journal").write_bytes(b"{")
    assert store.recover() == ("Removed a journal that cannot be read; main is as it was.",)
    assert store.recover() == ()


def test_staged_trees_of_the_dead_go_and_of_the_living_stay(store: Store) -> None:
    for name in ("dead", "living"):
        store.local("staged", name).mkdir(parents=True)
    (store.local("staged", "dead") / "x.md").write_bytes(b"x")
    with Lock(store.local("staged", "living", ".alive"), "a dream"):
        assert store.recover() == ("Removed the staged tree of dead, a run that died; nothing of it was in main.",)
        assert [p.name for p in store.local("staged").iterdir()] == ["living"]


def test_objects_that_a_git_did_not_finish_go_with_the_rest(store: Store) -> None:
    left = store.root / ".git/objects/aa"
    left.mkdir(exist_ok=True)
    (left / "tmp_obj_x").touch()
    (store.local("tmp") / "x").mkdir()
    store.recover()
    assert not (left / "tmp_obj_x").exists()


def test_nothing_is_repaired_in_the_middle_of_a_merge(store: Store) -> None:
    commit = put(store, {NOTE: b"new\n"}, "run-1")
    journal.begin(store.local(), journal.Move("refs/heads/main", store.head(), commit, "run-1"))
    sh(store.root, "git rev-parse HEAD > .git/MERGE_HEAD")
    with pytest.raises(StateError, match="a merge is not finished"):
        store.recover()
    sh(store.root, "rm .git/MERGE_HEAD")
    assert len(store.recover()) == 1
