"""The command line's own part: the table, global options, and one clear line for everything that goes wrong."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import SAMPLE, Result, Run, environment

from brain import __version__
from brain.cli import COMMANDS, _unforeseen, output, world
from brain.layout import INDEX
from brain.text.counted import counted

Call = Callable[..., Result]

NEED_A_BRAIN = {
    "ingest": ("ingest", SAMPLE / "log"),
    "dream": ("dream",),
    "validate": ("validate",),
    "index": ("index",),
    "recall": ("recall", "anything"),
    "show": ("show", "anything"),
    "history": ("history", "anything"),
    "log": ("log",),
    "status": ("status",),
}


def test_every_command_but_these_is_about_a_brain() -> None:
    assert set(COMMANDS) - set(NEED_A_BRAIN) == {"init", "demo", "eval", "sandbox", "mount"}


def refused(done: Result, *statuses: int) -> str:
    """The one line of a command that could not; it printed nothing else, and no traceback."""
    assert done.status in (statuses or (2, 3)), done
    assert done.out == ""
    assert done.err.endswith("\n") and done.err.count("\n") == 1, done.err
    assert done.err.startswith("brain: ")
    return done.err


def refused_as_json(done: Result) -> dict[str, str]:
    """The `error` object of a command that could not."""
    assert done.status in (2, 3), done
    assert done.out == ""
    value = json.loads(done.err)
    assert list(value) == ["error"]
    assert list(value["error"]) == ["code", "message", "hint"]
    assert all(isinstance(text, str) for text in value["error"].values())
    return dict(value["error"])


def snapshot(root: Path) -> dict[str, str]:
    """Every file below a folder outside .git and .brain with what it holds, and where main stands."""
    files = {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".brain"} & set(path.relative_to(root).parts)
    }
    return files | {"HEAD": git(root, "rev-parse", "HEAD"), "status": git(root, "status", "--porcelain")}


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False).stdout


# --- the table and the options --------------------------------------------------


def test_help_lists_every_command(call: Call) -> None:
    done = call("--help")
    assert (done.status, done.err) == (0, "")
    listed = re.findall(r"^  ([a-z]+) {2,}\S", done.out.partition("Commands:")[2], re.MULTILINE)
    assert listed == list(COMMANDS)
    assert call("-h") == call() == done


def test_version(call: Call) -> None:
    assert call("--version") == Result(0, f"brain {__version__}\n", "")


@pytest.mark.parametrize("name", NEED_A_BRAIN)
def test_every_command_about_a_brain_takes_brain_and_json(name: str, call: Call) -> None:
    text = call(name, "--help").out
    assert "--brain PATH" in text
    assert "--json" in text


@pytest.mark.parametrize("arguments", [("no-such-command",), ("index", "--no-such-option"), ("index", "too-many")])
def test_used_wrongly_is_2_and_names_the_help(arguments: tuple[str, ...], call: Call) -> None:
    line = refused(call(*arguments), 2)
    assert "--help" in line
    error = refused_as_json(call(*arguments, "--json"))
    assert error["code"] == "usage"
    assert error["hint"].endswith("--help")


@pytest.mark.parametrize("time", ["tomorrow", "2026-13-01", ""])
def test_a_time_that_is_none_is_refused(time: str, call: Call, brain: Path) -> None:
    assert repr(time) in refused(call("dream", "--now", time, "--brain", brain), 2)


# --- which brain ------------------------------------------------------------------


def test_the_brain_is_the_one_named_else_the_environments_else_the_nearest_else_the_default(tmp_path: Path) -> None:
    nearest = tmp_path / "nearest"
    below = nearest / "memory" / "notes"
    below.mkdir(parents=True)
    (nearest / "brain.toml").touch()
    env = {"HOME": "/home/nadia"}
    assert world.find_root("/named", env | {"BRAIN_HOME": "/env"}, below) == Path("/named")
    assert world.find_root(None, env | {"BRAIN_HOME": "/env"}, below) == Path("/env")
    assert world.find_root(None, env, below) == nearest
    assert world.find_root(None, env, tmp_path) == Path("/home/nadia/.local/share/brain")
    assert world.find_root(None, env | {"XDG_DATA_HOME": "/data"}, tmp_path) == Path("/data/brain")
    assert world.find_root(None, env | {"XDG_DATA_HOME": "relative"}, tmp_path) == Path(
        "/home/nadia/.local/share/brain"
    )


def test_a_working_directory_that_is_gone(tmp_path: Path, run: Run) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = f"import os; os.rmdir({str(gone)!r}); from brain.cli import main; main(['index'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=gone, env=environment(run.home), capture_output=True, text=True, check=False
    )
    assert "working directory is gone" in refused(Result(done.returncode, done.stdout, done.stderr), 2)


# --- bad input: one line, 2 or 3, nothing changed ------------------------------------


@pytest.mark.parametrize("name", NEED_A_BRAIN)
def test_a_folder_that_is_no_brain(name: str, call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "no-brain"
    folder.mkdir()
    line = refused(call(*NEED_A_BRAIN[name], "--brain", folder), 2)
    assert f"{folder} is no brain" in line
    assert f"brain init {folder}" in line
    assert refused_as_json(call(*NEED_A_BRAIN[name], "--brain", folder, "--json"))["code"] == "no-brain"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", NEED_A_BRAIN)
def test_a_brain_that_is_not_there_is_not_made(name: str, call: Call, tmp_path: Path) -> None:
    refused(call(*NEED_A_BRAIN[name], "--brain", tmp_path / "missing"), 2)
    assert not (tmp_path / "missing").exists()


BROKEN = ("format = ", "[index]\nbudgte = 1\n", "format = 99\n", "\udcff")


@pytest.mark.parametrize(
    ("name", "text"), [*((name, BROKEN[0]) for name in NEED_A_BRAIN), *(("dream", text) for text in BROKEN[1:])]
)
def test_a_broken_brain_toml(name: str, text: str, call: Call, brain: Path) -> None:
    (brain / "brain.toml").write_text(text, encoding="utf-8", errors="surrogateescape")
    before = snapshot(brain)
    assert "brain.toml" in refused(call(*NEED_A_BRAIN[name], "--brain", brain), 2)
    assert refused_as_json(call(*NEED_A_BRAIN[name], "--brain", brain, "--json"))["code"] == "settings"
    assert snapshot(brain) == before


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("zeros.jsonl", bytes(4096)),
        ("passwd", b"root:x:0:0:root:/root:/bin/bash\nnadia:x:1000:1000::/home/nadia:/bin/sh\n"),
        ("list.txt", b"7018\n8018\n"),
        ("other.json", b'{"a": [1, 2, 3]}\n'),
        ("array.json", b"[]\n"),
        ("cut.json", b'[{"role": "user", "content": "hel'),
        ("deep.json", b"[" * 100_000),
    ],
)
def test_a_file_that_is_no_transcript(name: str, data: bytes, call: Call, brain: Path, tmp_path: Path) -> None:
    source = tmp_path / name
    source.write_bytes(data)
    before = snapshot(brain)
    assert name in refused(call("ingest", source, "--brain", brain))
    assert name in refused_as_json(call("ingest", source, "--brain", brain, "--json"))["message"]
    assert snapshot(brain) == before
    assert source.read_bytes() == data


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_a_file_with_nothing_in_it_is_a_session_not_begun(data: bytes, call: Call, brain: Path, tmp_path: Path) -> None:
    (tmp_path / "new.jsonl").write_bytes(data)
    before = snapshot(brain)
    assert call("ingest", tmp_path / "new.jsonl", "--brain", brain) == Result(0, "No sessions.\n", "")
    assert snapshot(brain) == before


def test_a_source_that_is_not_there(call: Call, brain: Path, tmp_path: Path) -> None:
    before = snapshot(brain)
    assert "missing.jsonl" in refused(call("ingest", tmp_path / "missing.jsonl", "--brain", brain))
    assert snapshot(brain) == before


def test_a_name_with_control_characters_does_not_reach_the_terminal(call: Call, brain: Path, tmp_path: Path) -> None:
    line = refused(call("ingest", f"{tmp_path}/\x1b[2Jred\nline", "--brain", brain))
    assert "\x1b" not in line


@pytest.mark.parametrize("reference", ["no-such-thing", "../../etc/passwd", "sessions/2026/01/01-00000000#t1", "-", ""])
@pytest.mark.parametrize("name", ["show", "history"])
def test_something_that_the_brain_does_not_hold(name: str, reference: str, call: Call, brain: Path) -> None:
    before = snapshot(brain)
    refused(call(name, "--brain", brain, "--", reference), 2)
    assert snapshot(brain) == before


def test_a_brain_without_its_repository(call: Call, brain: Path) -> None:
    shutil.rmtree(brain / ".git")
    before = snapshot(brain)
    for name in ("ingest", "dream", "log"):
        refused(call(*NEED_A_BRAIN[name], "--brain", brain))
        assert snapshot(brain) == before


# --- disks ------------------------------------------------------------------------------


@pytest.fixture
def mounts() -> None:
    """Mounts of our own, in a user namespace; skipped where the kernel gives none."""
    tried = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"no user namespaces here: {tried.stderr.strip()}")


def in_mounts(script: str, run: Run, *arguments: str | Path) -> Result:
    """A shell script in a mount namespace; `$0` is the interpreter, `$1`… the arguments."""
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", script, sys.executable, *map(str, arguments)],
        cwd=run.cwd,
        env=environment(run.home),
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


WRITING = {"ingest": f"ingest '{SAMPLE}/projects'", "dream": "dream"}


@pytest.mark.system
@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("name", WRITING)
def test_a_read_only_disk(name: str, run: Run, fed: Path) -> None:
    before = snapshot(fed)
    script = (
        f'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$0" -m brain {WRITING[name]} --brain "$1"'
    )
    assert "read-only" in refused(in_mounts(script, run, fed), 3)
    assert "read-only" in refused_as_json(in_mounts(script + " --json", run, fed))["code"]
    assert snapshot(fed) == before


@pytest.mark.system
@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("name", ["index", "show", "history", "log", "status", "validate", "recall"])
def test_reading_from_a_read_only_disk(name: str, run: Run, dreamt: Path) -> None:
    settings = (dreamt / "brain.toml").read_text(encoding="utf-8")
    (dreamt / "brain.toml").write_text(settings.replace('embedder = "use"', 'embedder = "none"'), encoding="utf-8")
    before = snapshot(dreamt)
    page = next((dreamt / "memory" / "knowledge").rglob("*/*.md")).relative_to(dreamt)
    argument = {"recall": "Ilya", "show": f"'{page}'", "history": f"'{page}'"}.get(name, "")
    script = (
        f'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$0" -m brain {name} {argument} --brain "$1"'
    )
    done = in_mounts(script, run, dreamt)
    assert done.status == 0, done
    assert "Traceback" not in done.err
    assert snapshot(dreamt) == before


@pytest.mark.system
@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk(name: str, run: Run, fed: Path, tmp_path: Path) -> None:
    """The command says so and leaves the brain as it was; with room again it does the same work.

    The one who looks writes nothing himself: git status would like to refresh its index, for which there is no room.
    """
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"""
    mount -t tmpfs -o size=64m tmpfs "$2" && cp -a "$1" "$2/brain" && cd "$2"
    state() {{ git -C brain rev-parse HEAD; git --no-optional-locks -C brain status --porcelain; }}
    state > before
    dd if=/dev/zero of=filler bs=4k 2>/dev/null
    "$0" -m brain {WRITING[name]} --brain "$2/brain"; status=$?
    state | cmp -s before - || {{ echo "changed" >&2; exit 9; }}
    rm filler
    "$0" -m brain {WRITING[name]} --brain "$2/brain" >/dev/null || exit 8
    state | cmp -s before - && exit 7
    exit $status
    """
    line = refused(in_mounts(script, run, fed, disk), 3)
    assert "full" in line


# --- interrupted, and nobody reads -------------------------------------------------------


@pytest.fixture
def blocked(brain: Path, run: Run) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`brain index` in the middle of reading, and the descriptor that it reads from."""
    (brain / INDEX).parent.mkdir(exist_ok=True)
    (brain / INDEX).unlink()
    os.mkfifo(brain / INDEX)
    process = subprocess.Popen(
        [sys.executable, "-m", "brain", "index", "--brain", brain],
        env=environment(run.home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        writer = os.open(brain / INDEX, os.O_WRONLY)
        yield process, writer
        os.close(writer)


def test_interrupted_is_130_in_one_line(blocked: tuple[subprocess.Popen[str], int]) -> None:
    process, _ = blocked
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err.startswith("brain: Interrupted") and err.count("\n") == 1


def test_a_reader_that_has_gone_is_no_error(blocked: tuple[subprocess.Popen[str], int]) -> None:
    process, writer = blocked
    assert process.stdout and process.stderr
    process.stdout.close()
    os.write(writer, b"a line\n")
    os.dup2(os.open(os.devnull, os.O_WRONLY), writer)
    assert process.stderr.read() == ""
    assert process.wait() == 0


# --- what no room has foreseen ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (OSError(errno.ENOSPC, "x", "/b/page.md"), "disk-full", "the disk is full (/b/page.md)"),
        (OSError(errno.EDQUOT, "x"), "disk-full", "quota"),
        (OSError(errno.EROFS, "x"), "read-only", "read-only"),
        (PermissionError(errno.EACCES, "x"), "permission", "permission was refused"),
        (OSError(errno.EIO, "x"), "io", "input/output"),
        (OSError(errno.EMFILE, "x"), "system", "too many files"),
        (OSError(errno.ELOOP, "Too many levels of symbolic links"), "system", "symbolic links"),
        (MemoryError(), "memory", "memory ran out"),
        (KeyError("x"), "internal", "KeyError: 'x'"),
    ],
)
def test_unforeseen_errors_have_a_code_and_a_line(error: Exception, code: str, said: str) -> None:
    given, message, hint = _unforeseen(error)
    assert given == code
    assert message.startswith("The command did not finish: ")
    assert said in message
    assert hint


# --- printing ----------------------------------------------------------------------------------


def test_no_control_character_reaches_a_terminal() -> None:
    assert output.clean("a\tb\nc") == "a\tb\nc"
    assert output.clean("\x1b[31mred\x07\x7f\x9b") == "\ufffd[31mred\ufffd\ufffd\ufffd"
    assert output.clean("Надя — 2.40 m") == "Надя — 2.40 m"


def test_a_table_is_aligned() -> None:
    assert output.table([("a", "22"), ("bbb", "4")], ("x", "n")) == "x    n\n---  --\na    22\nbbb  4"


@pytest.mark.parametrize(
    ("count", "word", "said"),
    [
        (1, "page", "1 page"),
        (0, "page", "0 pages"),
        (2, "summary", "2 summaries"),
        (1200, "turn", "1,200 turns"),
        (2, "new turn", "2 new turns"),
        (1, "new turn", "1 new turn"),
        (2, "file without text", "2 files without text"),
    ],
)
def test_how_many_of_a_thing(count: int, word: str, said: str) -> None:
    assert counted(count, word) == said
