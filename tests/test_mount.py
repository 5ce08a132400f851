"""brain mount, for real: what lies there, what it refuses, what a kill or a dead source leaves behind."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import Result, Run, environment
from store_kit import move, new_brain, sh
from test_docs import COMMANDS_PAGE, differences, fences, read, section
from trees import ILYA, KESTREL, MARINA, world

from brain import index
from brain.layout import INDEX
from brain.model import Audience
from brain.sandbox import opening as sets
from brain.sandbox.isolation import Policy, bubblewrap
from brain.sandbox.isolation import run as run_isolated
from brain.sandbox.mount import cache, names, places
from brain.sandbox.mount.names import Blob
from brain.sandbox.opening import Wanted
from brain.store import Store
from brain.tree import blob_id, tree_of

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

_FILES = {path: text.encode() for path, text in world().items() if path != "brain.toml"}
HARBOUR = _FILES | index.files(tree_of(_FILES), 8000)
SESSION = "memory/sessions/2026/11/29-1f2e3d4c"
ODD = "memory/knowledge/people/a\nb \\ * 'ю' 日本.md"
BIG = f"{SESSION}/attachments/big.bin"
EMPTY = f"{SESSION}/attachments/empty"


@pytest.fixture(autouse=True)
def _needs() -> None:
    try:
        places.check_system()
    except places.MountMissing as missing:
        pytest.skip(missing.message)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = new_brain(tmp_path / "brain", HARBOUR)
    yield made
    made.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a server at a folder, and come back when it answers; at the end none is left."""
    running: list[tuple[Path, subprocess.Popen[str]]] = []

    def started(folder: Path, *command: str | Path) -> subprocess.Popen[str]:
        env = environment(tmp_path)
        with (tmp_path / "errors").open("a") as errors:
            line = [sys.executable, *map(str, command)]
            server = subprocess.Popen(line, env=env, stdout=subprocess.PIPE, stderr=errors, text=True)
        running.append((folder, server))
        assert server.stdout is not None
        assert server.stdout.readline(), (tmp_path / "errors").read_text()
        return server

    yield started
    for folder, server in running:
        if server.poll() is None:
            server.kill()
        with server:
            pass
        subprocess.run(["fusermount3", "-u", "-z", "--", str(folder)], capture_output=True, check=False)


@pytest.fixture
def serve(store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> Callable[..., Path]:
    """Mount the brain as `brain mount` does; the folder."""

    def served(*options: str) -> Path:
        start(tmp_path / "m", "-m", "brain", "mount", tmp_path / "m", "--brain", store.root, *options)
        return tmp_path / "m"

    return served


@pytest.fixture
def broken(store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> Callable[..., Path]:
    """Mount it with a source of tests/mount_server.py."""

    def served(kind: str, patience: float = 5.0) -> Path:
        start(
            tmp_path / "m", Path(__file__).with_name("mount_server.py"), kind, store.root, tmp_path / "m", str(patience)
        )
        return tmp_path / "m"

    return served


def lying(folder: Path) -> dict[str, bytes]:
    """What lies there, by path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def shell(folder: Path, line: str) -> tuple[int, str]:
    done = subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def is_mounted(folder: Path) -> bool:
    return f" {folder} " in Path("/proc/self/mountinfo").read_text()


def shape(option: str) -> object:
    """What docs/commands.md says of --json."""
    (text,) = fences(section(read(COMMANDS_PAGE), f"### `brain mount DIR {option} --json`"), "json")
    return json.loads(text)


def errno_of(action: Callable[[], object]) -> int | None:
    with pytest.raises(OSError) as caught:
        action()
    return caught.value.errno


# --- what lies there ----------------------------------------------------------------------


def test_the_whole_brain_lies_there_but_for_settings_and_orders(store: Store, serve: Callable[..., Path]) -> None:
    folder = serve()
    shown = {path: data for path, data in HARBOUR.items() if path not in ("brain.toml", "DREAM.md")}
    assert lying(folder) == shown | {"deletions.md": (store.root / "deletions.md").read_bytes()}
    assert not (folder / ".brain").exists() and not (folder / ".git").exists()


def test_names_sizes_and_modes_are_there_before_any_content(store: Store, broken: Callable[..., Path]) -> None:
    folder = broken("failing")
    found = {path.relative_to(folder).as_posix(): path.stat() for path in folder.rglob("*") if path.is_file()}
    assert {path: status.st_size for path, status in found.items() if path in HARBOUR} == {
        path: len(data) for path, data in HARBOUR.items() if path != "DREAM.md"
    }
    assert {status.st_mode & 0o7777 for status in found.values()} == {0o444}
    assert {path.stat().st_mode & 0o7777 for path in folder.rglob("*") if path.is_dir()} == {0o555}


def test_ordinary_tools_read_it(serve: Callable[..., Path]) -> None:
    folder = serve()
    assert shell(folder, "grep -rl 'Kestrel' memory | sort")[1].split("\n")[0].startswith("memory/")
    assert shell(folder, "find . -type f | wc -l") == (0, f"{len(lying(folder))}\n")
    assert shell(folder, f"cat '{MARINA}'") == (0, HARBOUR[MARINA].decode())
    assert shell(folder, "ls -lR . > /dev/null && du -s . > /dev/null && df . > /dev/null") == (0, "")
    assert shell(folder, "cp -r . ../copy && diff -r . ../copy") == (0, "")


def test_names_of_every_script_and_with_line_breaks(store: Store, serve: Callable[..., Path]) -> None:
    move(store, {"memory/knowledge/people/Жанна д'Арк.md": b"1\n"}, "names")
    blob = sh(store.root, "printf 'odd\\n' | git hash-object -w --stdin")
    add_raw(store, [("100644", blob, ODD)])
    folder = serve()
    assert (folder / ODD).read_bytes() == b"odd\n"
    assert (folder / "memory/knowledge/people/Жанна д'Арк.md").read_bytes() == b"1\n"
    assert Path(ODD).name in [path.name for path in (folder / "memory/knowledge/people").iterdir()]


def test_an_empty_file_and_one_of_fifty_megabytes(store: Store, serve: Callable[..., Path]) -> None:
    data = b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(50_000_000 // 32 + 1))
    move(store, {BIG: data, EMPTY: b""}, "sizes")
    folder = serve()
    assert (folder / EMPTY).read_bytes() == b""
    assert (folder / BIG).stat().st_size == len(data)
    assert blob_id((folder / BIG).read_bytes()) == blob_id(data)
    with (folder / BIG).open("rb") as file:
        file.seek(40_000_001)
        assert file.read(1000) == data[40_000_001:40_001_001]
        file.seek(len(data) + 5)
        assert file.read(10) == b""


def test_two_thousand_files_read_at_once(store: Store, serve: Callable[..., Path]) -> None:
    pages = {f"memory/knowledge/t{n % 40:02d}/page {n}.md": f"# {n}\n".encode() * (n % 90 + 1) for n in range(2000)}
    move(store, pages, "many")
    folder = serve()
    with ThreadPoolExecutor(32) as pool:
        found = dict(zip(pages, pool.map(lambda path: (folder / path).read_bytes(), pages), strict=True))
    assert found == pages
    held = [os.open(folder / path, os.O_RDONLY) for path in list(pages)[:500]]
    assert [os.read(fd, 1 << 20) for fd in held] == list(pages.values())[:500]
    for fd in held:
        os.close(fd)


def test_it_shows_one_commit_while_main_moves_on(store: Store, serve: Callable[..., Path], run: Run) -> None:
    folder = serve()
    move(store, {ILYA: HARBOUR[ILYA] + b"\nMore.\n", KESTREL: None}, "later")
    assert (folder / ILYA).read_bytes() == HARBOUR[ILYA]
    assert (folder / KESTREL).exists()
    other = folder.with_name("other")
    assert run("mount", other, "--brain", store.root, "--commit", "HEAD~1", "--background").status == 0
    try:
        assert lying(other) == lying(folder)
    finally:
        assert run("mount", other, "--unmount").status == 0


def test_a_brain_that_is_a_folder_of_a_repository(tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    sh(tmp_path, "git init -q -b main code && echo 1 > code/secret.md && cd code && git add . && git commit -qm 1")
    inside = new_brain(tmp_path / "code" / "brain", HARBOUR)
    start(tmp_path / "m", "-m", "brain", "mount", tmp_path / "m", "--brain", inside.root)
    assert sorted(path.name for path in (tmp_path / "m").iterdir()) == ["deletions.md", "dreams", "memory"]
    assert (tmp_path / "m" / ILYA).read_bytes() == HARBOUR[ILYA]
    inside.close()


# --- nothing can be written, nothing leads out -----------------------------------------------


WRITES: dict[str, Callable[[Path], object]] = {
    "new": lambda at: (at / "memory" / "new.md").write_text("x"),
    "over": lambda at: (at / ILYA).write_text("x"),
    "append": lambda at: (at / ILYA).open("a"),
    "both": lambda at: (at / ILYA).open("r+"),
    "truncate": lambda at: os.truncate(at / ILYA, 0),
    "mkdir": lambda at: (at / "memory" / "sub").mkdir(),
    "unlink": lambda at: (at / ILYA).unlink(),
    "rmdir": lambda at: (at / "memory").rmdir(),
    "rename": lambda at: (at / ILYA).rename(at / "memory" / "x.md"),
    "symlink": lambda at: (at / "memory" / "l").symlink_to("/etc"),
    "link": lambda at: os.link(at / ILYA, at / "memory" / "l"),
    "mkfifo": lambda at: os.mkfifo(at / "memory" / "p"),
    "chmod": lambda at: (at / ILYA).chmod(0o777),
    "utime": lambda at: os.utime(at / ILYA, (0, 0)),
    "chown": lambda at: os.chown(at / ILYA, 0, 0),
    "setxattr": lambda at: os.setxattr(at / ILYA, "user.x", b"1"),
    "removexattr": lambda at: os.removexattr(at / ILYA, "user.x"),
}


def test_every_change_is_refused(store: Store, serve: Callable[..., Path]) -> None:
    folder = serve()
    before = lying(folder)
    assert {name: errno_of(lambda write=write: write(folder)) for name, write in WRITES.items()} == dict.fromkeys(
        WRITES, errno.EROFS
    )
    assert lying(folder) == before


def add_raw(store: Store, entries: list[tuple[str, str, str]]) -> None:
    """A commit with (mode, id, path) as they are, which main then stands on."""
    lines = "".join(f"{mode} {blob}\t{path}\0" for mode, blob, path in entries)
    env = {"GIT_INDEX_FILE": str(store.root / ".git" / "raw")}
    line = ["git", "-C", str(store.root)]
    subprocess.run([*line, "read-tree", "HEAD"], env=os.environ | env, check=True)
    command = [*line, "update-index", "-z", "--index-info"]
    subprocess.run(command, env=os.environ | env, input=lines.encode(), check=True)
    tree = subprocess.run([*line, "write-tree"], env=os.environ | env, check=True, capture_output=True, text=True)
    commit = sh(store.root, f"git commit-tree {tree.stdout.strip()} -p HEAD -m raw")
    sh(store.root, f"git reset -q --soft {commit}")


def test_symlinks_are_files_with_the_links_words_and_submodules_are_not_there(
    store: Store, serve: Callable[..., Path]
) -> None:
    targets = {"memory/knowledge/out.md": "/etc/passwd", "memory/knowledge/up.md": "../../../secret.txt"}
    (store.root.parent / "secret.txt").write_text("secret")
    links = [
        ("120000", sh(store.root, f"printf %s {target} | git hash-object -w --stdin"), path)
        for path, target in targets.items()
    ]
    add_raw(store, [*links, ("160000", "1" * 40, "memory/knowledge/sub.md")])
    folder = serve()
    for path, target in targets.items():
        assert (folder / path).read_text() == target
        assert not (folder / path).is_symlink()
    assert not (folder / "memory/knowledge/sub.md").exists()
    assert shell(folder, "find . -type l -o -type b -o -type c -o -type p -o -type s") == (0, "")


def test_dots_lead_no_further_than_the_folder_above(store: Store, serve: Callable[..., Path]) -> None:
    folder = serve()
    assert (folder / "memory" / ".." / INDEX).read_bytes() == HARBOUR[INDEX]
    assert (folder / "..").samefile(folder.parent)
    assert errno_of((folder / ".brain" / "lock").read_bytes) == errno.ENOENT
    assert errno_of((folder / "memory" / "...").read_bytes) == errno.ENOENT


def test_names_that_no_folder_can_hold_are_left_out() -> None:
    blob = Blob("100644", "a" * 40, 3)
    bad = ["memory/../etc.md", "memory/./x.md", "memory//x.md", f"memory/{'x' * 256}.md", "memory/a.md/b.md"]
    built = names.build(dict.fromkeys(["memory/a.md", *bad], blob), 0)
    assert (built.files, built.left_out) == (1, len(bad))
    assert [node.is_folder for node in built.nodes] == [True, True, False]


def test_a_sandbox_gets_nothing_more_through_it(store: Store, serve: Callable[..., Path], run: Run) -> None:
    folder = serve()
    refused = run("sandbox", "exec", "--in", folder, "--", "cat", ILYA)
    assert refused.status == 2 and "no sandbox" in refused.err
    working = sets.open_in(store, folder.with_name("set"), Wanted())
    tried = run("sandbox", "exec", "--in", working.folder, "--", "sh", "-c", f"cat '{folder / ILYA}'; ls {folder}")
    assert tried.status != 0 and "Ilya" not in tried.out.replace(str(folder / ILYA), "")


@pytest.mark.skipif(not bubblewrap.works(), reason="bubblewrap does not work on this machine")
def test_a_mount_inside_bubblewrap_is_read_and_nothing_else(store: Store, serve: Callable[..., Path]) -> None:
    folder = serve()
    (folder.parent / "secret.txt").write_text("the-code-is-7731")
    policy = Policy(folder)
    assert run_isolated(["cat", ILYA], policy, how="bubblewrap").output == HARBOUR[ILYA].decode()
    tried = "cat ../secret.txt memory/../../secret.txt; echo x > memory/x.md; umount /memory; ls .brain"
    found = run_isolated(["sh", "-c", tried], policy, how="bubblewrap")
    assert found.status != 0 and "7731" not in found.output
    assert is_mounted(folder) and not (folder / "memory/x.md").exists()


# --- for others than the user ----------------------------------------------------------------


def test_the_public_has_what_a_public_sandbox_has_and_no_private_name(store: Store, serve: Callable[..., Path]) -> None:
    folder = serve("--audience", "public")
    working = sets.open_in(store, folder.with_name("set"), Wanted(Audience.PUBLIC))
    everything = sh(working.folder, "git ls-files -s").splitlines()
    assert {path: blob_id(data) for path, data in lying(folder).items()} == {
        line.partition("\t")[2].strip('"'): line.split()[1] for line in everything
    }
    assert lying(folder).keys() < HARBOUR.keys()
    assert not (folder / "deletions.md").exists()
    private = [path for path in HARBOUR if path not in lying(folder) and path.startswith("memory/sessions/2")]
    assert private and all(errno_of(lambda path=path: (folder / path).stat()) == errno.ENOENT for path in private)
    packs = b"".join(path.read_bytes() for path in (store.root / ".brain" / "mount" / "packs").iterdir())
    assert all(HARBOUR[path] not in packs for path in private)


# --- what is fetched ------------------------------------------------------------------------


def requests(server: subprocess.Popen[str]) -> list[int]:
    """Blobs of each request of a server with a `counting` source, once it has ended."""
    server.send_signal(signal.SIGTERM)
    out, _ = server.communicate()
    return [int(line) for line in out.split()]


def test_contents_come_by_folder_and_once(
    store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    pages = {f"memory/knowledge/t{n % 4}/{n}.md": b"%d\n" % n * 30_000 for n in range(40)}
    move(store, pages, "pages")
    folder = tmp_path / "m"
    line = (folder, Path(__file__).with_name("mount_server.py"), "counting", store.root, folder, "5")
    server = start(*line)
    assert shell(folder, "ls -lR . > /dev/null; find . > /dev/null; cat memory/knowledge/t2/2.md > /dev/null")[0] == 0
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: (folder / f"memory/knowledge/t2/{n}.md").read_bytes(), range(2, 40, 4)))
    (first,) = requests(server)
    assert first >= 10
    again = start(*line)
    assert all((folder / path).read_bytes() == data for path, data in pages.items())
    assert len(requests(again)) == 3, "one for each other folder"


def test_a_batch_is_whole_folders_or_pieces_of_one() -> None:
    blobs = {f"{top}/{n}": Blob("100644", f"{top}{n}", names.BATCH // 4) for top in "abc" for n in range(2)}
    blobs |= {f"d/{n}": Blob("100644", f"d{n}", names.BATCH // 3) for n in range(4)}
    blobs |= {"e/1": Blob("100644", "e1", names.BATCH * 50), "e/2": Blob("100644", "a0", names.BATCH // 4)}
    built = names.build(blobs, 0)
    assert [batch.blobs for batch in dict.fromkeys(built.batches.values())] == [
        ("a0", "a1", "b0", "b1"),
        ("c0", "c1"),
        ("d0", "d1", "d2"),
        ("d3",),
        ("e1",),
    ]


def test_an_emptied_cache_is_filled_again(store: Store, serve: Callable[..., Path]) -> None:
    folder = serve()
    assert (folder / ILYA).read_bytes() == HARBOUR[ILYA]
    shutil.rmtree(store.root / ".brain" / "mount")
    assert lying(folder)[MARINA] == HARBOUR[MARINA]
    assert list((store.root / ".brain" / "mount" / "packs").iterdir())


def test_spoiled_packs_are_thrown_away(store: Store, serve: Callable[..., Path], tmp_path: Path) -> None:
    kept = cache.Cache(tmp_path)
    kept.put({blob_id(b"one"): b"one", blob_id(b"two"): b"two"})
    assert cache.Cache(tmp_path).holds(blob_id(b"two"))
    (pack,) = tmp_path.glob("*.pack")
    for spoiled in (pack.read_bytes()[:-1] + b"X", pack.read_bytes()[:-2], b"", b"no pack", b"x y\n\n"):
        pack.write_bytes(spoiled)
        assert not cache.Cache(tmp_path).holds(blob_id(b"two"))
    with pytest.raises(cache.Gone):
        kept.read(blob_id(b"two"), 0, 3)


def test_a_brain_that_cannot_be_written_in_is_shown_too(
    store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    (store.root / ".brain" / "mount").write_text("in the way")
    folder = tmp_path / "m"
    server = start(folder, "-m", "brain", "mount", folder, "--brain", store.root)
    assert (folder / ILYA).read_bytes() == HARBOUR[ILYA]
    (line,) = (tmp_path / "errors").read_text().splitlines()
    beside = Path(line.split("kept in ")[1].split(" until")[0])
    assert list(beside.glob("*.pack"))
    server.terminate()
    assert server.wait(20) == 0
    assert not beside.exists()


# --- a source that is out of order --------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("hanging", "no answer within"), ("failing", "ConnectionResetError: the line was cut"), ("lying", "other bytes")],
)
def test_a_source_out_of_order_is_an_error_in_time(
    kind: str, reason: str, broken: Callable[..., Path], tmp_path: Path
) -> None:
    folder = broken(kind, 0.5)
    before = time.monotonic()
    assert errno_of((folder / ILYA).read_bytes) == errno.EIO
    status, said = shell(folder, "grep -r Kestrel memory")
    assert status == 2 and "Input/output error" in said
    assert time.monotonic() - before < 30, "one wait, not one for each file"
    (line,) = (tmp_path / "errors").read_text().splitlines()
    assert "could not be fetched" in line and reason in line
    assert (folder / ILYA).stat().st_size == len(HARBOUR[ILYA])


def test_a_source_that_is_back_is_asked_again(broken: Callable[..., Path]) -> None:
    folder = broken("recovering")
    assert errno_of((folder / ILYA).read_bytes) == errno.EIO
    assert (folder / ILYA).read_bytes() == HARBOUR[ILYA]


def test_one_that_hangs_can_still_be_ended(
    store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    folder = tmp_path / "m"
    server = start(folder, Path(__file__).with_name("mount_server.py"), "hanging", store.root, folder, "60")
    with subprocess.Popen(["cat", folder / ILYA], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
        assert shell(folder, "ls memory")[0] == 0, "others go on"
        server.terminate()
        assert server.wait(20) == 0
        assert reader.wait(20) == 1, "and who waited has an error"
    assert not is_mounted(folder)


# --- coming and going -----------------------------------------------------------------------


def test_interrupting_unmounts(store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]) -> None:
    folder = tmp_path / "m"
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        server = start(folder, "-m", "brain", "mount", folder, "--brain", store.root)
        assert (folder / ILYA).exists()
        server.send_signal(how)
        assert server.wait(20) == 0
        assert not is_mounted(folder) and not list(folder.iterdir())
    assert (tmp_path / "errors").read_text() == ""


def test_a_killed_server_is_cleaned_up_by_the_next(
    store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    folder = tmp_path / "m"
    command = (folder, "-m", "brain", "mount", folder, "--brain", store.root)
    server = start(*command)
    assert (folder / ILYA).exists()
    server.kill()
    server.wait()
    assert errno_of(lambda: lying(folder)) == errno.ENOTCONN
    start(*command)
    assert (folder / ILYA).read_bytes() == HARBOUR[ILYA]
    assert f"the earlier mount at {folder} had died" in (tmp_path / "errors").read_text()


def test_a_dead_one_can_be_unmounted(
    store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]], run: Run
) -> None:
    folder = tmp_path / "m"
    server = start(folder, "-m", "brain", "mount", folder, "--brain", store.root)
    server.kill()
    server.wait()
    assert run("mount", folder, "--unmount").out == f"Unmounted {folder}.\n"
    assert list(folder.iterdir()) == []


def test_one_that_stands_still_can_be_unmounted(
    store: Store, tmp_path: Path, start: Callable[..., subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "m"
    server = start(folder, "-m", "brain", "mount", folder, "--brain", store.root)
    server.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(places, "_WAIT", 0.5)
    places.unmount(places.place(folder))
    assert not is_mounted(folder)
    server.send_signal(signal.SIGCONT)
    assert server.wait(20) == 0


def test_in_the_background_it_answers_when_the_command_is_back(store: Store, tmp_path: Path, run: Run) -> None:
    folder = tmp_path / "новая папка" / "m"
    done = run("mount", folder, "--brain", store.root, "--background", "--json")
    try:
        assert (done.status, done.err) == (0, "")
        assert lying(folder)[ILYA] == HARBOUR[ILYA]
        told = json.loads(done.out)
        assert told == {
            "mount": str(folder),
            "commit": store.head(),
            "audience": "trusted",
            "files": len(lying(folder)),
        }
        again = run("mount", folder, "--brain", store.root, "--background")
        assert again.status == 2 and f"{folder} is mounted already" in again.err
    finally:
        ended = run("mount", folder, "--unmount", "--json")
    assert json.loads(ended.out) == {"unmounted": str(folder)}
    assert differences(json.loads(ended.out), shape("--unmount")) == []
    assert not is_mounted(folder)


def test_a_background_server_that_cannot_start_says_why(store: Store, tmp_path: Path, run: Run) -> None:
    done = run("mount", tmp_path / "m", "--brain", store.root, "--background", "--commit", "nowhere")
    assert (done.status, done.out) == (3, "")
    assert "no commit nowhere" in done.err and len(done.err.splitlines()) == 1


def test_folders_that_are_not_mounted_at(store: Store, serve: Callable[..., Path], tmp_path: Path, run: Run) -> None:
    folder = serve()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("Dear Nadia")
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(store.root / "memory")
    refused = {
        "full": "is not empty",
        "file": "is no folder",
        "brain": "lies in the brain",
        "brain/new": "lies in the brain",
        "link": "lies in the brain",
        "m": "is mounted already",
        "m/memory": "lies in the mount",
        "m/new": "lies in the mount",
    }
    for name, why in refused.items():
        done = run("mount", tmp_path / name, "--brain", store.root)
        assert done.status == 2 and why in done.err and len(done.err.splitlines()) == 1, (name, done)
    assert is_mounted(folder) and (folder / ILYA).exists()
    assert not (store.root / "new").exists()


def test_only_a_mount_of_a_brain_is_unmounted(tmp_path: Path, run: Run) -> None:
    for folder in (tmp_path, Path("/proc")):
        done = run("mount", folder, "--unmount")
        assert done.status == 2 and "is no mount of a brain" in done.err
    assert Path("/proc/self").exists()


def test_a_folder_in_use_stays_mounted(serve: Callable[..., Path], run: Run) -> None:
    folder = serve()
    with (folder / ILYA).open("rb") as held:
        done = run("mount", folder, "--unmount")
        assert done.status == 3 and "was not unmounted" in done.err
        assert held.read() == HARBOUR[ILYA]
    assert run("mount", folder, "--unmount").status == 0


@pytest.mark.parametrize("missing", ["fusermount3", "/dev/fuse", "pyfuse3"])
def test_what_is_missing_is_named(
    missing: str, store: Store, tmp_path: Path, call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing == "fusermount3":
        monkeypatch.setattr(places.shutil, "which", lambda _: None)
    elif missing == "/dev/fuse":
        monkeypatch.setattr(places, "_DEVICE", tmp_path / "none")
    else:
        monkeypatch.setitem(sys.modules, "pyfuse3", None)
    done = call("mount", tmp_path / "m", "--brain", store.root)
    assert done.status == 3 and done.out == "" and len(done.err.splitlines()) == 1
    assert (str(tmp_path / "none") if missing == "/dev/fuse" else missing) in done.err and "Try: " in done.err
    assert not (tmp_path / "m").exists()
