"""What a disk would hold had a run been cut off: the system calls of one run, replayed in memory.

The run is recorded once under strace, with every byte it wrote. From that record each state in
between is rebuilt: what a kill of the whole group leaves before call k, and what a power cut leaves,
which forgets what no fsync followed. `Disk` of the whole record must equal the tree that the run
left, else the record is not understood and nothing may be concluded from it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

_TRACED = (
    "openat,open,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat,chmod,fchmod,fchmodat,copy_file_range,sendfile,"
    "fsync,fdatasync,sync,syncfs,lseek"
)
_LINE = re.compile(r"^(?P<pid>\d+) +(?P<call>\w+)\((?P<args>.*)\) += (?P<ret>-?\d+)")
_BEGUN = re.compile(r"^(\d+) +(\w+)\(")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
_FD = re.compile(r"^(-?\d+|AT_FDCWD)(?:<([^>]*)>)?(\(deleted\))?$")


@dataclass(frozen=True, slots=True)
class Call:
    """One call that changed something below the tree, or that said something on standard output."""

    pid: int
    name: str
    args: tuple[str, ...]
    result: int
    n: int
    """Which call of this name it was in its process, from 1; what strace counts by."""

    @property
    def changes(self) -> bool:
        """Whether it can have changed something in the tree."""
        if self.name == "openat":
            return "O_CREAT" in self.args[2] or "O_TRUNC" in self.args[2]
        return self.name != "lseek" and not (self.name == "write" and self.args[0].startswith(("1<", "2<")))

    def path(self, at: int) -> str:
        """A path argument, joined to the folder whose descriptor stands before it where the call has one."""
        folder = _FD.match(self.args[at - 1]) if at else None
        return os.path.normpath(Path(_text(folder.group(2) or "") if folder else "", _text(self.args[at])))

    def fd(self, at: int = 0) -> tuple[int, str | None]:
        """A descriptor and the path it stands for; None where that file is deleted or no file."""
        match = _FD.match(self.args[at])
        if match is None or match.group(3) or not match.group(2):
            return -1, None
        return int(match.group(1)), _text(match.group(2))

    @property
    def data(self) -> bytes:
        return b"".join(_raw(found) for found in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', self.args[1]))


_ANYWHERE = frozenset({"sync", "rename", "link", "unlink", "mkdir", "rmdir", "symlink", "chmod", "creat", "truncate"})
"""Calls that name no descriptor, so that the tree need not stand in their line; what is outside is passed over."""


@dataclass(frozen=True, slots=True)
class Record:
    """One run: what it did, in order, and how it ended."""

    calls: tuple[Call, ...]
    status: int
    out: str
    err: str


def record(command: Sequence[str], root: Path, env: dict[str, str], log: Path) -> Record:
    """Run a command in `root` under strace and read what it did."""
    line = ["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-e", f"trace={_TRACED}", "-o", str(log)]
    done = subprocess.run([*line, *command], cwd=root, env=env, capture_output=True, text=True, check=False)
    lines = log.read_text("ascii", errors="replace").splitlines()
    return Record(tuple(_calls(lines, str(root))), done.returncode, done.stdout, done.stderr)


def _calls(lines: Sequence[str], root: str) -> Iterator[Call]:
    pending: dict[str, tuple[str, int]] = {}
    counted: Counter[tuple[str, str]] = Counter()
    shown = "".join(f"\\x{byte:02x}" for byte in os.fsencode(root))
    for shown_line in lines:
        line = shown_line
        if (resumed := _RESUMED.match(line)) and resumed.group(1) in pending:
            begin, n = pending.pop(resumed.group(1))
            line = f"{begin}{resumed.group(2)}"
        elif begun := _BEGUN.match(line):
            counted[begun.groups()] += 1
            n = counted[begun.groups()]
        if line.endswith(" <unfinished ...>"):
            pending[line.split(" ", 1)[0]] = (line.removesuffix(" <unfinished ...>"), n)
            continue
        match = _LINE.match(line)
        if match is None or match["ret"].startswith("-"):
            continue
        call = Call(int(match["pid"]), match["call"], tuple(match["args"].split(", ")), int(match["ret"]), n)
        if shown in line or call.name in _ANYWHERE or (call.name == "write" and call.args[0].startswith("1<")):
            yield call


def _text(shown: str) -> str:
    return os.fsdecode(_raw(shown.strip('"')))


def _raw(shown: str) -> bytes:
    return bytes.fromhex(shown.replace("\\x", "")) if shown else b""


@dataclass(slots=True)
class File:
    """One inode: what it holds, and what of it would survive."""

    data: bytes = b""
    synced: bytes | None = None
    """At the last fsync; None: never."""
    mode: int = 0o644
    target: str | None = None
    """Of a symlink."""


@dataclass(slots=True)
class Disk:
    """A tree in memory; paths are relative to its root."""

    root: str
    files: dict[str, File] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    offsets: dict[tuple[int, int], int | None] = field(default_factory=dict)
    """(pid, descriptor) -> where the next write goes; None: at the end."""
    acknowledged: list[str] = field(default_factory=list)
    """Lines of standard output that began with ACK."""

    @classmethod
    def read(cls, root: Path) -> Disk:
        disk = cls(str(root))
        for parent, folders, names in os.walk(root):
            for name in [*folders, *names]:
                path = Path(parent, name)
                below = path.relative_to(root).as_posix()
                if path.is_symlink():
                    disk.files[below] = File(target=str(path.readlink()))
                elif path.is_dir():
                    disk.folders.add(below)
                else:
                    data = path.read_bytes()
                    disk.files[below] = File(data, data, path.stat().st_mode & 0o777)
        return disk

    def copy(self) -> Disk:
        # Two names of one file stay one file.
        twins: dict[int, File] = {}
        for file in self.files.values():
            twins.setdefault(id(file), File(file.data, file.synced, file.mode, file.target))
        files = {path: twins[id(file)] for path, file in self.files.items()}
        return Disk(self.root, files, set(self.folders), dict(self.offsets), list(self.acknowledged))

    def write_to(self, root: Path) -> None:
        """Make the tree on a real disk."""
        root.mkdir(parents=True)
        for folder in sorted(self.folders):
            (root / folder).mkdir(parents=True, exist_ok=True)
        for below, file in self.files.items():
            path = root / below
            if file.target is not None:
                path.symlink_to(file.target)
            else:
                path.write_bytes(file.data)
                path.chmod(file.mode)

    def digest(self) -> str:
        """The same for two trees that hold the same; what was acknowledged counts too."""
        parts = [f"{path}\0{file.target or ''}\0{sha256(file.data).hexdigest()}" for path, file in self.files.items()]
        return sha256("\n".join(sorted(parts) + sorted(self.folders) + self.acknowledged).encode()).hexdigest()

    # --- what a power cut leaves --------------------------------------------------

    def least(self) -> Disk:
        """Every file as long as at its last fsync, a new one empty."""
        left = self.copy()
        for file in left.files.values():
            file.data = (file.synced or b"") if _grew(file) else b""
        return left

    def torn(self) -> Disk:
        """Half of what no fsync followed; of a file written over, its old bytes."""
        left = self.copy()
        for file in left.files.values():
            if _grew(file):
                start = len(file.synced or b"")
                file.data = file.data[: start + (len(file.data) - start) // 2]
            elif file.synced is not None:
                file.data = file.synced
        return left

    # --- replaying ----------------------------------------------------------------

    def apply(self, call: Call) -> None:
        handler = getattr(self, f"_{_SAME.get(call.name, call.name)}")
        handler(call)

    def _below(self, path: str | None) -> str | None:
        if path is not None and path.startswith("/"):
            return path[len(self.root) + 1 :] if path.startswith(self.root + "/") else None
        # Relative to the folder that the command was started in, which is the root.
        return path

    def _open(self, call: Call) -> None:
        path = self._below(_text(call.args[-1].partition("<")[2].rstrip(">"))) if "<" in call.args[-1] else None
        path = path or self._below(call.path(1 if call.name == "openat" else 0))
        flags = call.args[2] if call.name == "openat" else "O_CREAT|O_TRUNC|O_WRONLY"
        if path is None or path in self.folders or "O_DIRECTORY" in flags:
            return
        if "O_CREAT" in flags and path not in self.files:
            self.files[path] = File()
        if "O_TRUNC" in flags and path in self.files:
            self.files[path].data = b""
        self.offsets[call.pid, call.result] = None if "O_APPEND" in flags else 0

    def _write(self, call: Call) -> None:
        fd, path = call.fd()
        if fd == 1 and self._below(path) is None:
            said = call.data.decode("utf-8", "replace").splitlines()
            self.acknowledged += [line for line in said if line.startswith("ACK")]
            return
        file = self.files.get(self._below(path) or "")
        if file is None:
            return
        data = call.data[: call.result]
        offset = self.offsets.get((call.pid, fd))
        at = len(file.data) if offset is None else offset
        file.data = file.data[:at].ljust(at, b"\0") + data + file.data[at + len(data) :]
        if offset is not None:
            self.offsets[call.pid, fd] = at + len(data)

    def _pwrite64(self, call: Call) -> None:
        file = self.files.get(self._below(call.fd()[1]) or "")
        if file is not None:
            at, data = int(call.args[-1]), call.data[: call.result]
            file.data = file.data[:at].ljust(at, b"\0") + data + file.data[at + len(data) :]

    def _lseek(self, call: Call) -> None:
        fd, _ = call.fd()
        if (call.pid, fd) in self.offsets:
            self.offsets[call.pid, fd] = call.result

    def _ftruncate(self, call: Call) -> None:
        file = self.files.get(self._below(call.fd()[1]) or "")
        if file is not None:
            size = int(call.args[1])
            file.data = file.data[:size].ljust(size, b"\0")

    def _fallocate(self, call: Call) -> None:
        file = self.files.get(self._below(call.fd()[1]) or "")
        if file is not None and call.args[1] == "0":
            file.data = file.data.ljust(int(call.args[2]) + int(call.args[3]), b"\0")

    def _copy_file_range(self, call: Call) -> None:
        target, source = (2, 0) if call.name == "copy_file_range" else (0, 1)
        fd, path = call.fd(target)
        file = self.files.get(self._below(path) or "")
        given = call.fd(source)[1]
        if file is None or given is None:
            return
        inside = self._below(given)
        data = self.files[inside].data if inside in self.files else Path(given).read_bytes()
        at = len(file.data)
        file.data += data[at : at + call.result]
        self.offsets[call.pid, fd] = len(file.data)

    def _rename(self, call: Call) -> None:
        old, new = self._two(call)
        if old is None or new is None or old == new:
            return
        if old in self.files:
            self.files[new] = self.files.pop(old)
            return
        for path in [path for path in self.files if path.startswith(old + "/")]:
            self.files[new + path[len(old) :]] = self.files.pop(path)
        moved = {path for path in self.folders if path == old or path.startswith(old + "/")}
        self.folders = (self.folders - moved) | {new + path[len(old) :] for path in moved}

    def _link(self, call: Call) -> None:
        old, new = self._two(call)
        if old in self.files and new is not None:
            self.files[new] = self.files[old]

    def _two(self, call: Call) -> tuple[str | None, str | None]:
        first, second = (0, 1) if call.name in ("rename", "link") else (1, 3)
        return self._below(call.path(first)), self._below(call.path(second))

    def _unlink(self, call: Call) -> None:
        path = self._below(call.path(1 if call.name == "unlinkat" else 0))
        if path is not None:
            self.files.pop(path, None)
            self.folders.discard(path)

    def _mkdir(self, call: Call) -> None:
        path = self._below(call.path(1 if call.name == "mkdirat" else 0))
        if path is not None:
            self.folders.add(path)

    def _symlink(self, call: Call) -> None:
        path = self._below(call.path(2 if call.name == "symlinkat" else 1))
        if path is not None:
            self.files[path] = File(target=_text(call.args[0]))

    def _chmod(self, call: Call) -> None:
        path = call.fd()[1] if call.name == "fchmod" else call.path(1 if call.name == "fchmodat" else 0)
        file = self.files.get(self._below(path) or "")
        if file is not None:
            mode = call.args[{"chmod": 1, "fchmod": 1, "fchmodat": 2}[call.name]]
            file.mode = int(mode, 8)

    def _fsync(self, call: Call) -> None:
        file = self.files.get(self._below(call.fd()[1]) or "")
        if file is not None:
            file.synced = file.data

    def _sync(self, _call: Call) -> None:
        for file in self.files.values():
            file.synced = file.data


_SAME = {
    "openat": "open",
    "creat": "open",
    "writev": "write",
    "pwritev": "pwrite64",
    "renameat": "rename",
    "renameat2": "rename",
    "linkat": "link",
    "unlinkat": "unlink",
    "rmdir": "unlink",
    "mkdirat": "mkdir",
    "symlinkat": "symlink",
    "fchmod": "chmod",
    "fchmodat": "chmod",
    "sendfile": "copy_file_range",
    "fdatasync": "fsync",
    "syncfs": "sync",
    "truncate": "ftruncate",
}


def _grew(file: File) -> bool:
    return file.data.startswith(file.synced or b"")
