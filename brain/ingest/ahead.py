"""Several processes read, a few sources ahead of the one that is being taken in.

Reading (parsing, cleaning, looking for secrets) is half of the work and every file is by itself, so it is spread over
the cores; placing and writing stay in one process, in the order of the sources. What comes out is the same, whatever
the number of processes; a process that dies costs time and nothing else: its sources are read here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from brain.ingest.formats import FORMATS
from brain.ingest.reading import Draft, Format
from brain.ingest.source import Input, Skipped

Item = Draft | Skipped
WORTH = 16_000_000
"""Bytes to be read from which other processes pay: each takes half a second to start."""
_LARGEST = 32_000_000
"""Of one source that is handed over; a larger one is read here, turn by turn, and lies nowhere twice."""
_AHEAD = 64_000_000
"""Bytes of sources that are read and not yet taken in."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    source: Input
    format_: Format | None
    """None: there is nothing to read of it."""
    items: Future[list[Item]] | None
    """None: it is read here, when its turn has come."""


def read(
    sources: Iterable[Input], to_read: Callable[[Input], Format | None], jobs: int
) -> Iterator[tuple[Input, Iterable[Item]]]:
    """Each source with what it holds, in their order; a source that cannot be read raises when it is gone through."""
    if jobs <= 1:
        for source in sources:
            format_ = to_read(source)
            yield source, format_.read(source) if format_ else ()
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _begin, (os.getpid(),)) as pool:
        try:
            for waiting in _window(sources, to_read, pool):
                yield waiting.source, _items(waiting)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _window(
    sources: Iterable[Input], to_read: Callable[[Input], Format | None], pool: ProcessPoolExecutor
) -> Iterator[_Waiting]:
    """Hands sources over as long as there is room; gives back the one whose turn it is."""
    ahead: deque[_Waiting] = deque()
    for source in sources:
        ahead.append(_handed_over(source, to_read(source), pool))
        while sum(waiting.source.size for waiting in ahead if waiting.items) > _AHEAD:
            yield ahead.popleft()
    yield from ahead


def _handed_over(source: Input, format_: Format | None, pool: ProcessPoolExecutor) -> _Waiting:
    # What is packed or came over a pipe lies in this process; a database is read beside its log.
    plain = type(source) is Input and source.path is not None and source.size <= _LARGEST
    if format_ is None or not plain:
        return _Waiting(source, format_, None)
    try:
        return _Waiting(source, format_, pool.submit(_read, source, format_.name))
    except BrokenProcessPool:
        return _Waiting(source, format_, None)


def _items(waiting: _Waiting) -> Iterator[Item]:
    """Raises: OSError."""
    if waiting.format_ is None:
        return
    if waiting.items is not None:
        try:
            yield from waiting.items.result()
            return
        except BrokenProcessPool:
            pass
    yield from waiting.format_.read(waiting.source)


# --- in the other process -----------------------------------------------------------------


def _begin(parent: int) -> None:
    """Ctrl-C is for the one who asked; nobody reads on when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _read(source: Input, name: str) -> list[Item]:
    return list(FORMATS[name].read(source))
