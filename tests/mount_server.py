"""A mount of a brain whose bytes come from a source that is out of order: `mount_server.py KIND BRAIN DIR PATIENCE`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from brain.model import Audience
from brain.sandbox.mount import opening, places
from brain.sandbox.mount.contents import Contents
from brain.sandbox.mount.operations import Operations
from brain.sandbox.mount.serving import serve
from brain.sandbox.mount.sources import Source
from brain.store import Store


class Hanging:
    """Never answers."""

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        threading.Event().wait()
        return {}


class Failing:
    """Fails at once."""

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        raise ConnectionResetError("the line\nwas cut")


class Lying:
    """Gives other bytes than it was asked for."""

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        return {blob: b"something else\n" for blob in blobs}


class Recovering:
    """Fails once, then is as good as the one behind it."""

    def __init__(self, behind: Source) -> None:
        self._behind = behind
        self._failed = False

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        if not self._failed:
            self._failed = True
            raise ConnectionResetError
        return self._behind.fetch(blobs)


class Counting:
    """Says on standard output how many blobs each request asks for."""

    def __init__(self, behind: Source) -> None:
        self._behind = behind

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        print(len(blobs), flush=True)
        return self._behind.fetch(blobs)


def main(kind: str, root: str, folder: str, patience: str) -> None:
    store = Store.open(Path(root))
    view = opening.view(store, None, Audience.TRUSTED)
    kinds: dict[str, Source] = {
        "hanging": Hanging(),
        "failing": Failing(),
        "lying": Lying(),
        "recovering": Recovering(view.source),
        "counting": Counting(view.source),
    }
    places.prepare(Path(folder), store.root)
    log = sys.stderr.write
    cache = opening.cache(store, log)
    pause = 0.0 if kind == "recovering" else 60.0
    contents = Contents(view.names, kinds[kind], cache, lambda line: log(f"{line}\n"), float(patience), pause)
    serve(Operations(view.names, contents), Path(folder), False, lambda: print("ready", flush=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
