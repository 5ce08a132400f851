"""Mounts to measure, each in a process of its own: `python -m brain.eval.bench.mounted naive|brain FROM DIR SECONDS`.

`naive` passes each request of the kernel on to a folder and waits the round trip for it, as a file system over a
network does that keeps nothing. `brain` is `brain mount` with the same wait before each request to its source. Each
line on standard input is answered by the number of requests since the one before, `{"kernel": …, "source": …}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyfuse3
import trio
from pyfuse3 import EntryAttributes, FileHandleT, FileInfo, FileNameT, FlagT, FUSEError, InodeT, RequestContext

from brain.cli import output
from brain.model import Audience
from brain.sandbox.mount import opening, places
from brain.sandbox.mount.contents import Contents
from brain.sandbox.mount.operations import Operations
from brain.sandbox.mount.serving import serve
from brain.sandbox.mount.sources import Source
from brain.store import Store

_ASKED = ("lookup", "getattr", "opendir", "readdir", "releasedir", "open", "read", "release", "flush", "getxattr")


class Passthrough(pyfuse3.Operations):
    """A folder, looked at anew for every request."""

    supports_dot_lookup = False

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._paths = {pyfuse3.ROOT_INODE: folder}
        self._numbers = {folder: pyfuse3.ROOT_INODE}

    async def lookup(self, parent_inode: InodeT, name: FileNameT, ctx: RequestContext) -> EntryAttributes:
        return self._told(self._paths[parent_inode] / os.fsdecode(name))

    async def getattr(self, inode: InodeT, ctx: RequestContext) -> EntryAttributes:
        return self._told(self._paths[inode])

    async def opendir(self, inode: InodeT, ctx: RequestContext) -> FileHandleT:
        return FileHandleT(inode)

    async def readdir(self, fh: FileHandleT, start_id: int, token: pyfuse3.ReaddirToken) -> None:
        paths = sorted(self._paths[InodeT(fh)].iterdir())
        for at, path in enumerate(paths[start_id:], start_id + 1):
            if not pyfuse3.readdir_reply(token, FileNameT(os.fsencode(path.name)), self._told(path), at):
                return

    async def open(self, inode: InodeT, flags: FlagT, ctx: RequestContext) -> FileInfo:
        return FileInfo(fh=FileHandleT(os.open(self._paths[inode], os.O_RDONLY)), keep_cache=False)

    async def read(self, fh: FileHandleT, off: int, size: int) -> bytes:
        return os.pread(fh, size, off)

    async def release(self, fh: FileHandleT) -> None:
        os.close(fh)

    def _told(self, path: Path) -> EntryAttributes:
        try:
            status = path.lstat()
        except OSError as error:
            raise FUSEError(error.errno or 0) from None
        if path not in self._numbers:
            self._numbers[path] = InodeT(len(self._paths) + 1)
            self._paths[self._numbers[path]] = path
        told = EntryAttributes()
        told.st_ino = self._numbers[path]
        told.st_mode = pyfuse3.ModeT(status.st_mode)
        told.st_size = status.st_size
        told.st_blocks = status.st_blocks
        told.entry_timeout = told.attr_timeout = 0
        return told


class Delayed:
    """A source across a network."""

    def __init__(self, behind: Source, seconds: float, counts: Counter[str]) -> None:
        self._behind = behind
        self._seconds = seconds
        self._counts = counts

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        self._counts["source"] += 1
        time.sleep(self._seconds)
        return self._behind.fetch(blobs)


def _watched(operations: pyfuse3.Operations, counts: Counter[str], seconds: float) -> None:
    """Count what the kernel asks, and wait for it."""

    def watched(handler: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def asked(*arguments: Any) -> Any:
            counts["kernel"] += 1
            if seconds:
                counts["source"] += 1
                await trio.sleep(seconds)
            return await handler(*arguments)

        return asked

    for name in _ASKED:
        setattr(operations, name, watched(getattr(operations, name)))


def _answer(counts: Counter[str]) -> None:
    for _ in sys.stdin:
        print(json.dumps({name: counts.pop(name, 0) for name in ("kernel", "source")}), flush=True)  # noqa: T201


def main(kind: str, place: str, folder: str, seconds: str) -> None:
    counts: Counter[str] = Counter()
    operations: pyfuse3.Operations
    if kind == "naive":
        operations = Passthrough(Path(place))
        _watched(operations, counts, float(seconds))
    else:
        with contextlib.closing(Store.open(Path(place))) as store:
            view = opening.view(store, None, Audience.TRUSTED)
            source = Delayed(view.source, float(seconds), counts)
            contents = Contents(view.names, source, opening.cache(store, output.note), output.note)
            places.prepare(Path(folder), store.root)
        operations = Operations(view.names, contents)
        _watched(operations, counts, 0)
    threading.Thread(target=_answer, args=(counts,), daemon=True).start()
    serve(operations, Path(folder), False, lambda: print("ready", flush=True))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
