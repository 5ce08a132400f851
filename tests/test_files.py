"""Durable writes, locks, and a folder that nothing leads out of."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain import files, layout
from brain.files import disk, locks
from brain.files.folder import Folder, Stamp
from brain.files.locks import Busy, Lock
from brain.store.working import Working, like, same_words


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes: what a full disk looks like to a writer."""
    import signal

    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)


def in_child(code: str, *arguments: str) -> subprocess.Popen[str]:
    """A Python of its own that says `ready` and then waits for its input to end."""
    child = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


HOLD = """
import sys
from pathlib import Path
from brain.files.locks import Lock
with Lock(Path(sys.argv[1]), "a long dream"):
    print("ready", flush=True)
    sys.stdin.read()
"""


def end(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.communicate()


# --- replace, remove, make_folder -------------------------------------------------


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    files.replace(path, b"old")
    files.replace(path, b"new" * 1_000_000)
    assert path.read_bytes() == b"new" * 1_000_000
    assert [p.name for p in tmp_path.iterdir()] == ["page.md"]


def test_where_there_is_no_room_the_old_file_stays_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    files.replace(path, b"old")
    with largest_file(100), pytest.raises(disk.DiskFull, match=r"page\.md was not written"):
        files.replace(path, b"x" * 1000)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["page.md"]


def test_a_symlink_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"theirs")
    (tmp_path / "page.md").symlink_to(tmp_path / "outside")
    files.replace(tmp_path / "page.md", b"ours")
    assert (tmp_path / "outside").read_bytes() == b"theirs"
    assert not (tmp_path / "page.md").is_symlink()


def test_remove_and_make_folder_may_be_done_again(tmp_path: Path) -> None:
    files.make_folder(tmp_path / "a" / "b")
    files.make_folder(tmp_path / "a" / "b")
    files.replace(tmp_path / "a" / "b" / "c", b"")
    files.remove(tmp_path / "a" / "b" / "c")
    files.remove(tmp_path / "a" / "b" / "c")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_file_in_the_way_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(disk.DiskFault, match="was not made"):
        files.make_folder(tmp_path / "a" / "b")


@pytest.mark.parametrize(
    ("number", "kind", "status"),
    [
        (errno.ENOSPC, "disk-full", 3),
        (errno.EDQUOT, "disk-full", 3),
        (errno.EROFS, "read-only", 3),
        (errno.EACCES, "permission", 3),
        (errno.EIO, "io", 3),
        (errno.ENOTEMPTY, "io", 3),
    ],
)
def test_what_the_disk_says_is_told_in_one_line(number: int, kind: str, status: int) -> None:
    error = disk.told(OSError(number, os.strerror(number)), "was not written", "memory/a.md")
    assert (error.code, error.exit_status) == (kind, status)
    assert error.message.startswith("memory/a.md was not written: ")
    assert "\n" not in error.message


def test_a_temporary_file_of_a_dead_process_is_known(tmp_path: Path) -> None:
    child = in_child("print('ready', flush=True); import sys; sys.stdin.read()")
    name = f"{files.TEMPORARY}{child.pid}-abc"
    assert not files.is_dead(name)
    end(child)
    assert files.is_dead(name)
    assert not files.is_dead("page.md")
    assert not files.is_dead(f"{files.TEMPORARY}x-abc")


# --- locks ------------------------------------------------------------------------


def test_a_lock_that_is_held_names_its_holder(tmp_path: Path) -> None:
    child = in_child(HOLD, str(tmp_path / "lock"))
    try:
        with pytest.raises(Busy, match=rf"a long dream \(pid {child.pid}, start \d+\) since \d{{4}}-"):
            Lock(tmp_path / "lock", "ingest", wait=0).acquire()
        assert not locks.is_free(tmp_path / "lock")
    finally:
        end(child)


def test_a_lock_is_free_when_its_holder_is_killed(tmp_path: Path) -> None:
    end(in_child(HOLD, str(tmp_path / "lock")))
    with Lock(tmp_path / "lock", "ingest", wait=0) as lock:
        assert lock.fd is not None
        assert locks.holder(tmp_path / "lock").startswith(f"ingest (pid {os.getpid()}")
    assert locks.is_free(tmp_path / "lock")
    assert (tmp_path / "lock").exists()


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    child = in_child(HOLD, str(tmp_path / "lock"))
    thread = threading.Timer(0.2, end, [child])
    thread.start()
    with Lock(tmp_path / "lock", "ingest", wait=30):
        thread.join()
        assert child.returncode is not None


def test_its_holder_may_take_a_lock_again(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock", "dream", wait=0)
    with lock:
        with lock:
            pass
        assert not locks.is_free(tmp_path / "lock")
    assert locks.is_free(tmp_path / "lock")


def test_a_child_that_inherits_a_lock_keeps_it(tmp_path: Path) -> None:
    with Lock(tmp_path / "lock", "dream") as lock:
        assert lock.fd is not None
        child = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE, pass_fds=[lock.fd]
        )
        os.close(os.dup(lock.fd))
        assert not locks.is_free(tmp_path / "lock")
    child.communicate(b"")


def test_what_is_not_there_is_free_and_has_no_holder(tmp_path: Path) -> None:
    assert locks.is_free(tmp_path / "lock")
    assert locks.holder(tmp_path / "lock") == ""


@pytest.mark.skipif(not Path("/proc/self/mountinfo").exists(), reason="needs Linux's /proc")
def test_the_file_system_is_known(tmp_path: Path) -> None:
    assert locks.file_system(Path("/proc")) == "proc"
    assert locks.file_system(tmp_path) not in ("", "nfs")


# --- a folder ---------------------------------------------------------------------


def lay(root: Path, contents: dict[str, bytes]) -> None:
    for path, data in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def scratch(root: Path) -> Path:
    (root / ".brain").mkdir(exist_ok=True)
    return root / ".brain"


def temporary(root: Path, data: bytes) -> str:
    with disk.opened(scratch(root), disk.FOLDER) as at:
        return files.write_new(at, data)


def test_a_scan_finds_the_brains_files_and_names_what_is_none(tmp_path: Path) -> None:
    root = tmp_path / "brain"
    lay(
        root,
        {"brain.toml": b"", "memory/a.md": b"", "memory/.hidden/b.md": b"", "memory/pic.png": b"", "src/x.md": b""},
    )
    lay(root, {"memory/sessions/undated/12345678/attachments/t1-r1.txt": b""})
    (root / "memory/link.md").symlink_to("/etc/passwd")
    (root / "memory/folder").symlink_to("/etc")
    os.mkfifo(root / "memory/pipe.md")
    Path(os.fsdecode(os.fsencode(root / "memory") + b"/\xff")).mkdir()
    found = Folder(root).scan(layout.is_tracked, layout.TOP)
    assert set(found.stamps) == {
        "brain.toml",
        "memory/a.md",
        "memory/sessions/undated/12345678/attachments/t1-r1.txt",
    }
    assert found.problems == {
        "memory/folder": "it is a symlink, and none is followed",
        "memory/link.md": "it is a symlink, and none is followed",
        "memory/pipe.md": "it is no regular file",
        "memory/\\xff": "its name is not UTF-8",
    }


def test_nothing_outside_is_read(tmp_path: Path) -> None:
    lay(tmp_path, {"secret.md": b"secret", "brain/memory/a.md": b"a"})
    root = tmp_path / "brain"
    (root / "memory/up").symlink_to(tmp_path)
    (root / "memory/link.md").symlink_to(tmp_path / "secret.md")
    folder = Folder(root)
    assert folder.read("memory/a.md") == b"a"
    assert folder.read("memory/none.md") is None
    assert folder.read("../secret.md") is None
    assert folder.read("memory/../../secret.md") is None
    assert folder.read("memory/a.md/b.md") is None
    assert folder.read("memory/up/secret.md") is None
    with pytest.raises(disk.DiskFault, match="a symlink stands in the way"):
        folder.read("memory/link.md")


def test_nothing_outside_is_written(tmp_path: Path) -> None:
    root = tmp_path / "brain"
    lay(tmp_path, {"outside/a.md": b"theirs", "brain/memory/a.md": b"a"})
    (root / "memory/notes").symlink_to(tmp_path / "outside")
    folder = Folder(root)
    assert not folder.is_open("memory/notes")
    assert not folder.is_open("memory/a.md")
    assert folder.is_open("memory")
    assert folder.is_open("memory/new/deep")
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        folder.move_in(scratch(root), [("memory/notes/a.md", temporary(root, b"ours"), None)])
    assert folder.remove("memory/notes/a.md", Stamp.of((tmp_path / "outside/a.md").stat()))
    assert (tmp_path / "outside/a.md").read_bytes() == b"theirs"


def test_files_are_moved_in_unless_another_has_come_meanwhile(tmp_path: Path) -> None:
    lay(tmp_path, {"memory/a.md": b"old", "memory/b.md": b"old"})
    folder = Folder(tmp_path)
    seen = {path: folder.stamp(path) for path in ("memory/a.md", "memory/b.md", "memory/new/c.md")}
    (tmp_path / "memory/b.md").write_bytes(b"a person's")
    moves = [(path, temporary(tmp_path, b"new"), stamp) for path, stamp in seen.items()]
    assert folder.move_in(scratch(tmp_path), moves) == ["memory/b.md"]
    assert (tmp_path / "memory/a.md").read_bytes() == b"new"
    assert (tmp_path / "memory/b.md").read_bytes() == b"a person's"
    assert (tmp_path / "memory/new/c.md").read_bytes() == b"new"
    assert list(scratch(tmp_path).iterdir()) == []


def test_a_file_is_removed_with_the_folders_that_are_empty_then(tmp_path: Path) -> None:
    lay(tmp_path, {"memory/notes/home/a.md": b"a", "memory/b.md": b"b"})
    folder = Folder(tmp_path)
    stamp = folder.stamp("memory/notes/home/a.md")
    (tmp_path / "memory/notes/home/a.md").write_bytes(b"a person's")
    assert not folder.remove("memory/notes/home/a.md", stamp)
    assert folder.remove("memory/notes/home/a.md", folder.stamp("memory/notes/home/a.md"))
    assert folder.remove("memory/notes/home/a.md", None)
    assert sorted(p.name for p in (tmp_path / "memory").iterdir()) == ["b.md"]


# --- the stat cache ---------------------------------------------------------------


def working(root: Path) -> Working:
    (root / ".brain/cache").mkdir(parents=True, exist_ok=True)
    return Working(Folder(root), root / ".brain/cache/files.json")


def settled(root: Path) -> None:
    """Make every file old enough for the cache to take it up."""
    for path in root.rglob("*.md"):
        os.utime(path, ns=(1_000_000_000, 1_000_000_000))


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:
    lay(tmp_path, {"memory/a.md": b"one"})
    settled(tmp_path)
    before = working(tmp_path).scan().blobs()["memory/a.md"]
    (tmp_path / "memory/a.md").write_bytes(b"two")
    settled(tmp_path)
    assert working(tmp_path).scan().blobs()["memory/a.md"] != before


def test_a_file_that_was_touched_just_now_is_never_taken_from_the_cache(tmp_path: Path) -> None:
    lay(tmp_path, {"memory/a.md": b"one"})
    first = working(tmp_path)
    first.scan()
    assert working(tmp_path)._entries == {}


def test_what_the_cache_holds_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {"memory/a.md": b"one"})
    # As if the disk's clock had moved on since the file was written.
    monkeypatch.setattr("brain.store.working._SLACK_NS", -(10**12))
    blobs = working(tmp_path).scan().blobs()
    (tmp_path / "memory/a.md").chmod(0)
    again = working(tmp_path)
    monkeypatch.setattr(again.root, "read", lambda path: pytest.fail(f"{path} was read"))
    (tmp_path / "memory/a.md").chmod(0o644)
    stamp = again.root.stamp("memory/a.md")
    again._entries = {path: (stamp, *entry[1:]) for path, entry in again._entries.items()}
    assert again.scan().blobs() == blobs


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 1, "files": {"memory/a.md": 3}}', b"\xff"])
def test_a_broken_cache_is_no_cache(tmp_path: Path, content: bytes) -> None:
    lay(tmp_path, {"memory/a.md": b"one", ".brain/cache/files.json": content})
    assert list(working(tmp_path).scan().blobs()) == ["memory/a.md"]


def test_line_ends_alone_are_no_change() -> None:
    assert same_words(b"a\r\nb\r\n", b"a\nb\n")
    assert not same_words(b"a\rb", b"a\nb")


@pytest.mark.parametrize(
    ("data", "model", "result"),
    [
        (b"a\r\nB\r\n", b"a\nb\n", b"a\nB\n"),
        (b"a\nB\n", b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a\r\nB\n", b"a\r\nb\n", b"a\r\nB\n"),
        (b"a\r\n", None, b"a\r\n"),
        (b"a\r\n", b"no line end", b"a\r\n"),
    ],
)
def test_line_ends_follow_the_file_that_was_there(data: bytes, model: bytes | None, result: bytes) -> None:
    assert like(data, model) == result
