"""One run under strace, with every byte it wrote: what it did to a tree, call by call."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_TRACED = (
    "openat,open,creat,write,pwrite64,writev,pwritev,ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat,chmod,fchmod,fchmodat,copy_file_range,sendfile,"
    "fsync,fdatasync,sync,syncfs,lseek,read"
)
_LINE = re.compile(r"^(?P<pid>\d+) +(?P<call>\w+)\((?P<args>.*)\) += (?P<ret>0x[0-9a-f]+|-?\d+)")
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
        return self.name not in _MOVES_ON and not (self.name == "write" and self.args[0].startswith(("1<", "2<")))

    def path(self, at: int) -> str:
        """A path argument, joined to the folder whose descriptor stands before it where the call has one."""
        folder = _FD.match(self.args[at - 1]) if at else None
        return os.path.normpath(Path(text_of(folder.group(2) or "") if folder else "", text_of(self.args[at])))

    def fd(self, at: int = 0) -> tuple[int, str | None]:
        """A descriptor and the path it stands for; None where that file is deleted or no file."""
        match = _FD.match(self.args[at])
        if match is None or match.group(3) or not match.group(2):
            return -1, None
        return int(match.group(1)), text_of(match.group(2))

    @property
    def data(self) -> bytes:
        return b"".join(_raw(found) for found in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', self.args[1]))


_MOVES_ON = frozenset({"lseek", "read"})
"""Calls that change where the next write goes, and nothing else."""
_ANYWHERE = frozenset(
    {"read", "sync", "rename", "link", "unlink", "mkdir", "rmdir", "symlink", "chmod", "creat", "truncate"}
)
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
    # What is read is not kept, only how much: it moves the place of the next write.
    kept = ["-e", f"trace={_TRACED}", "-e", "raw=read"]
    line = ["strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", *kept, "-o", str(log)]
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
        call = Call(int(match["pid"]), match["call"], tuple(match["args"].split(", ")), int(match["ret"], 0), n)
        if shown in line or call.name in _ANYWHERE or (call.name == "write" and call.args[0].startswith("1<")):
            yield call


def text_of(shown: str) -> str:
    return os.fsdecode(_raw(shown.strip('"')))


def _raw(shown: str) -> bytes:
    return bytes.fromhex(shown.replace("\\x", "")) if shown else b""
