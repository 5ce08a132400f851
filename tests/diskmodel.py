"""What a disk would hold had a run been cut off: the calls of a record, replayed in memory.

Each state in between is rebuilt from one record: what a kill of the whole group leaves before call k,
and what a power cut leaves, which forgets what no fsync followed. `Disk` of the whole record must
equal the tree that the run left, else the record is not understood and nothing may be concluded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from recording import Call, text_of


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
        path = self._below(text_of(call.args[-1].partition("<")[2].rstrip(">"))) if "<" in call.args[-1] else None
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

    def _read(self, call: Call) -> None:
        fd = int(call.args[0], 16)
        offset = self.offsets.get((call.pid, fd))
        if offset is not None:
            self.offsets[call.pid, fd] = offset + call.result

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
            self.files[path] = File(target=text_of(call.args[0]))

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
