"""What a command in a sandbox may not do, tried for real: under bubblewrap and under Landlock, as root or not."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain.sandbox import isolation
from brain.sandbox.isolation import NoIsolation, Policy, Result, bubblewrap, landlock, run
from brain.sandbox.isolation.running import Refused

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

WORKS = {"bubblewrap": bubblewrap.works, "landlock": landlock.works}
SECRET = "the-code-is-7731"


@pytest.fixture(params=sorted(WORKS))
def how(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if not WORKS[name]():
        pytest.skip(f"{name} does not work on this machine")
    return name


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A working set beside a secret, with links that lead out of it."""
    folder = tmp_path / "set"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "a.md").write_text("the harbour gateway\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text(SECRET, encoding="utf-8")
    (folder / "memory" / "out.md").symlink_to(tmp_path / "secret.txt")
    (folder / "memory" / "up").symlink_to("../..")
    (folder / "memory" / "root").symlink_to("/")
    tool = folder / "tool.sh"
    tool.write_text("#!/bin/sh\necho ran\n", encoding="utf-8")
    tool.chmod(0o755)
    return folder


def sh(command: str, place: Path, how: str, **limits: float) -> Result:
    return run(["sh", "-c", command], Policy(place, **limits), how=how)  # type: ignore[arg-type]


def py(code: str, place: Path, how: str, **limits: float) -> Result:
    return run(["python3", "-I", "-c", code], Policy(place, **limits), how=how)  # type: ignore[arg-type]


# --- what it is for -----------------------------------------------------------------------


def test_grep_finds_and_its_status_is_passed_on(place: Path, how: str) -> None:
    found = sh("grep -rn harbour memory/a.md", place, how)
    assert (found.status, found.output, found.cut, found.how) == (0, "1:the harbour gateway\n", False, how)
    assert sh("exit 7", place, how).status == 7
    assert sh("kill -TERM $$", place, how).status == 128 + 15


def test_both_streams_come_in_their_order(place: Path, how: str) -> None:
    assert sh("echo one; echo two >&2; echo three", place, how).output == "one\ntwo\nthree\n"


def test_git_works_on_objects_that_are_lent(place: Path, how: str, tmp_path: Path) -> None:
    brain = tmp_path / "brain"
    line = ["git", "-C", str(brain), "-c", "user.name=M", "-c", "user.email=m@example.org"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(brain)], check=True)
    subprocess.run([*line, "commit", "-q", "--allow-empty", "-m", "First night"], check=True)
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(brain), str(place / "clone")], check=True)
    policy = Policy(place, also=(brain / ".git" / "objects",))
    assert "First night" in run(["git", "-C", "clone", "log", "--oneline"], policy, how=how).output
    assert sh("git -C clone log", place, how).status != 0, "without the loan there is nothing to read"


# --- files --------------------------------------------------------------------------------

READS = {
    "absolute": "cat {outside}/secret.txt",
    "up": "cat ../secret.txt; cat ../../secret.txt; cat memory/../../secret.txt",
    "link to a file": "cat memory/out.md",
    "link to a folder": "cat memory/up/secret.txt; ls memory/up; head memory/up/*.txt",
    "link to the root": "cat memory/root{outside}/secret.txt",
    "passwords": "cat /etc/passwd /etc/shadow /etc/hostname",
    "another process's root": "cat /proc/1/root{outside}/secret.txt /proc/self/root{outside}/secret.txt",
    "another process's folder": "cat /proc/$PPID/cwd/../secret.txt; ls /proc/*/cwd/",
    "homes": "ls -la /root /home; cat /root/.bashrc",
    "the kernel": "cat /proc/kcore | head -c 9; cat /dev/mem | head -c 9; cat /sys/class/net/*/address",
    "disks": "cat /dev/vda | head -c 9; cat /dev/sda | head -c 9; ls /dev/disk",
}


@pytest.mark.parametrize("attack", sorted(READS))
def test_nothing_else_can_be_read(attack: str, place: Path, how: str) -> None:
    found = sh(READS[attack].format(outside=place.parent), place, how)
    assert SECRET not in found.output
    assert "root:" not in found.output and found.output.strip(), "refused, and not in silence"


WRITES = {
    "a new file": "echo x > memory/new.md",
    "a file that is there": "echo x >> memory/a.md",
    "its rights": "chmod 777 memory/a.md",
    "its times": "touch -d 2001-01-01 memory/a.md",
    "remove": "rm -f memory/a.md",
    "rename": "mv memory/a.md memory/b.md",
    "a folder": "mkdir memory/sub",
    "a link": "ln -s /etc memory/etc2",
    "a hard link": "ln memory/a.md memory/hard.md",
    "the outside": "echo x > {outside}/x; cp memory/a.md {outside}/copy",
    "temporary folders": "echo x > /tmp/brain-escape && cat /tmp/brain-escape; echo x > /var/tmp/brain-escape",
    "shared memory": "echo x > /dev/shm/brain-escape && cat /dev/shm/brain-escape",
    "programs": "cp memory/a.md /usr/bin/brain-escape; cp memory/a.md /usr/local/bin/brain-escape",
    "a device": "mknod memory/null c 1 3",
    "a pipe": "mkfifo memory/pipe",
    "git": "git init -q memory/repo; git -C . config core.hooksPath /tmp",
    "remount": "mount -o remount,rw / ; mount -t tmpfs none memory",
}


def state(folder: Path) -> list[tuple[str, int, int, bytes]]:
    paths = sorted(path for path in folder.rglob("*") if "up/" not in str(path))
    files = [path for path in paths if path.is_file() and not path.is_symlink()]
    return [(str(p), p.stat().st_mode, p.stat().st_mtime_ns, p.read_bytes()) for p in files] + [
        (str(p), 0, 0, b"") for p in paths
    ]


@pytest.mark.parametrize("attack", sorted(WRITES))
def test_nothing_can_be_written(attack: str, place: Path, how: str) -> None:
    before = state(place.parent)
    found = sh(WRITES[attack].format(outside=place.parent), place, how)
    assert state(place.parent) == before
    assert found.output.strip(), "refused, and not in silence"
    for left in ("/tmp/brain-escape", "/var/tmp/brain-escape", "/dev/shm/brain-escape", "/usr/bin/brain-escape"):
        assert not Path(left).exists()


def test_no_program_of_the_memory_is_run(place: Path, how: str) -> None:
    found = sh("./tool.sh; /memory/tool.sh", place, how)
    if how == "landlock":
        assert "ran" not in found.output
    # Under bubblewrap it runs, as `sh tool.sh` would: it can do no more than any other command there.
    assert sh("sh tool.sh", place, how).output == "ran\n"


# --- other processes, the kernel, the network ------------------------------------------------

CALLS = {
    "socket": "import socket; socket.socket()",
    "udp": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "unix": "import socket; socket.socket(socket.AF_UNIX)",
    "abstract": "import socket; socket.socket(socket.AF_UNIX).connect(chr(0) + 'x')",
    "netlink": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "io_uring": "import ctypes; assert ctypes.CDLL(None).syscall(425, 1, 0) >= 0, 'refused'",
    "ptrace": "import ctypes; assert ctypes.CDLL(None).ptrace(16, {pid}, 0, 0) == 0, 'refused'",
    "reading memory": "open('/proc/{pid}/mem', 'rb').read(1)",
    "unshare": "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0, 'refused'",
    "clone": "import ctypes; assert ctypes.CDLL(None).syscall(56, 0x10000000 | 17, 0, 0, 0, 0) >= 0, 'refused'",
    "clone3": "import ctypes; b = (ctypes.c_ulong * 11)(0x10000000); "
    "assert ctypes.CDLL(None).syscall(435, b, 88) >= 0, 'refused'",
    "setns": "import ctypes, os; f = os.open('/proc/1/ns/net', 0); "
    "assert ctypes.CDLL(None).setns(f, 0) == 0, 'refused'",
    "chroot": "import os; os.chroot('/usr')",
    "keyring": "import ctypes; assert ctypes.CDLL(None).syscall(250, 0, -3, 0) >= 0, 'refused'",
    "bpf": "import ctypes; assert ctypes.CDLL(None).syscall(321, 0, 0, 0) >= 0, 'refused'",
    "system v memory": "import ctypes; assert ctypes.CDLL(None).shmget(7731, 4096, 0o1666) >= 0, 'refused'",
    "the host's name": "import socket; socket.sethostname('x')",
    "typing into the terminal": "import fcntl; fcntl.ioctl(0, 0x5412, b'x')",
    "another's limits": "import resource; resource.prlimit({pid}, resource.RLIMIT_NOFILE, (17, 17))",
    "another's priority": "import os; os.setpriority(os.PRIO_PROCESS, {pid}, 19)",
    "another's scheduler": "import os; os.sched_setscheduler({pid}, os.SCHED_IDLE, os.sched_param(0))",
    "the kernel's log": "import ctypes; b = ctypes.create_string_buffer(99); "
    "assert ctypes.CDLL(None).klogctl(3, b, 99) >= 0, 'refused'",
    "the clock": "import time; time.clock_settime(time.CLOCK_REALTIME, 0)",
}


@pytest.mark.parametrize("attack", sorted(CALLS))
def test_calls_that_lead_out_are_refused(attack: str, place: Path, how: str) -> None:
    found = py(CALLS[attack].format(pid=os.getpid()), place, how)
    assert found.status != 0
    assert "Error" in found.output, found.output


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def test_no_signal_reaches_another_process(victim: subprocess.Popen[bytes], place: Path, how: str) -> None:
    found = sh(f"kill -9 {victim.pid}; kill -9 -1; kill -9 {os.getpid()}", place, how)
    time.sleep(0.05)
    assert victim.poll() is None
    assert found.status != 0


def test_a_server_of_this_machine_is_not_reached(place: Path, how: str, socket_enabled: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        port = server.getsockname()[1]
        found = py(f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)", place, how)
        with pytest.raises(TimeoutError):
            server.accept()
    assert "Error" in found.output


def test_a_setuid_program_gives_no_rights(place: Path, how: str) -> None:
    found = sh("grep NoNewPrivs /proc/self/status || python3 -c 'import ctypes; print(ctypes.CDLL(None).prctl(39,0,0,0,0))'", place, how)  # fmt: skip  # noqa: E501
    assert found.output.split()[-1] == "1"


def test_nothing_of_this_process_is_handed_on(place: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", SECRET)
    monkeypatch.setenv("LD_PRELOAD", "/nonexistent/evil.so")
    opened = os.open(place.parent / "secret.txt", os.O_RDONLY)
    os.set_inheritable(opened, True)
    try:
        found = sh("env; read line; echo end", place, how)
        left = py(_OPEN, place, how)
    finally:
        os.close(opened)
    assert SECRET not in found.output and "LD_PRELOAD" not in found.output
    assert found.output.rstrip().endswith("end"), "standard input is empty and ends at once"
    assert left.output == "[]\n"


_OPEN = """
import os
def is_open(n):
    try:
        return bool(os.fstat(n))
    except OSError:
        return False
print([n for n in range(3, 256) if is_open(n)])
"""


# --- limits -----------------------------------------------------------------------------------


def test_what_takes_too_long_is_killed(place: Path, how: str) -> None:
    start = time.monotonic()
    found = sh("trap '' TERM INT HUP; sleep 50", place, how, seconds=0.5)
    assert found.ended == "time" and found.status == 137
    assert time.monotonic() - start < 10


def test_what_is_left_running_does_not_outlive_the_call(place: Path, how: str) -> None:
    mark = "71.7317"
    sh(f"(setsid sleep {mark} &) ; (sleep {mark} &) ; nohup sleep {mark} & sleep 0.1", place, how, seconds=5)
    left = subprocess.run(["pgrep", "-f", f"sleep {mark}"], capture_output=True, text=True, check=False).stdout
    assert left == ""


def test_output_is_cut_and_a_flood_ends_the_command(place: Path, how: str) -> None:
    found = sh("head -c 2000 /dev/zero | tr '\\0' x", place, how, output=1000)
    assert found.cut and found.output == "x" * 1000 + "\n[output cut here: 1,000 bytes more]\n"
    flood = sh("yes", place, how, output=1000, seconds=30)
    assert flood.ended == "output" and len(flood.output) < 1100


def test_a_bomb_of_forks_stays_small(place: Path, how: str) -> None:
    found = sh("b() { b | b & }; b; sleep 30", place, how, seconds=1.5, processes=20)
    assert found.ended in ("time", "processes")
    assert "fork" in found.output.lower() or found.ended == "processes"


def test_memory_is_held(place: Path, how: str) -> None:
    one = py("x = bytearray(600 << 20)", place, how, memory=300 << 20)
    assert "MemoryError" in one.output
    code = "import os, time\nfor _ in range(8): os.fork()\nx = bytearray(b'x' * (40 << 20)); time.sleep(20)"
    many = py(code, place, how, memory=400 << 20, processes=60, seconds=20)
    assert many.ended in ("memory", "processes") or "Error" in many.output


def test_terminal_controls_are_taken_out(place: Path, how: str) -> None:
    found = sh(r"printf 'a\033[31mred\033[0m\033]0;title\007b\bc\r\nd\0e\302\233x\n'", place, how)
    assert found.output == "aredbc\ndex\n"


def test_words_that_turn_the_text_around_are_taken_out(place: Path, how: str) -> None:
    assert sh(r"printf 'ab\342\200\256cd\n'", place, how).output == "abcd\n"


# --- refusals ---------------------------------------------------------------------------------


def test_a_command_that_is_not_there_says_so(place: Path, how: str) -> None:
    try:
        found = run(["no-such-command"], Policy(place), how=how)
    except Refused as error:
        assert "no-such-command" in error.message
    else:
        assert found.status != 0 and "no-such-command" in found.output


def test_without_isolation_nothing_is_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = isolation.Method(lambda: False, bubblewrap.prepare)
    monkeypatch.setattr(isolation, "_METHODS", {"bubblewrap": never, "landlock": never})
    assert isolation.available() is None
    with pytest.raises(NoIsolation, match="was not run"):
        run(["sh", "-c", "echo ran"], Policy(place))
    assert run(["sh", "-c", "echo ran"], Policy(place), how="direct").output == "ran\n"


def test_several_commands_at_a_time(place: Path, how: str) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda n=n: found.append(sh(f"echo {n}", place, how).output)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [f"{n}\n" for n in range(6)]


# --- as somebody who is not root ----------------------------------------------------------------

AS_NOBODY = """
import sys
from pathlib import Path
from brain.sandbox.isolation import Policy, run
place, how = Path(sys.argv[1]), sys.argv[2]
for command in ("cat memory/a.md", "cat ../secret.txt memory/out.md", "echo x > memory/new.md",
                "python3 -c 'import socket; socket.socket()'", "b() { b | b & }; b; sleep 9"):
    result = run(["sh", "-c", command], Policy(place, seconds=1.5, processes=20), how=how)
    print(result.ended, result.status, result.output[:300].replace(chr(10), " "))
"""


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv")
def test_it_holds_for_an_ordinary_user_too(place: Path, how: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(
        Path(isolation.__file__).parents[2], source / "brain", symlinks=False, ignore=_only_what_is_imported
    )
    for path in (*tmp_path.parents, *tmp_path.rglob("*"), tmp_path):
        if str(path).startswith("/tmp/"):
            path.chmod(path.stat().st_mode | 0o055)
    line = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", AS_NOBODY]
    if subprocess.run([*line[:5], "-c", "import sys; sys.exit(sys.version_info < (3, 11))"], check=False).returncode:
        pytest.skip("the system's Python is older than 3.11")
    environment = {"PYTHONPATH": str(source), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*line, str(place), how], env=environment, capture_output=True, text=True, cwd="/", timeout=60, check=False
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 5, done.stderr
    assert lines[0] == "itself 0 the harbour gateway "
    assert SECRET not in done.stdout and lines[1].startswith("itself 1 ")
    assert not (place / "memory" / "new.md").exists() and not lines[2].startswith("itself 0")
    assert "PermissionError" in lines[3]
    assert lines[4].split()[0] in ("time", "processes")


def _only_what_is_imported(folder: str, names: list[str]) -> set[str]:
    at = Path(folder)
    if at.name == "brain":
        return set(names) - {"__init__.py", "errors.py", "sandbox"}
    if at.name == "sandbox":
        return set(names) - {"__init__.py", "isolation"}
    return {name for name in names if name == "__pycache__"}
