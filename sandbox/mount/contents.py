"""The bytes of a mount: fetched by batch, once, then read from the disk for ever.

Invariants: nobody waits longer than the patience; what a source gives is believed only where it has the right id; after
a failure nothing is asked for a while, so that a `grep -r` over a dead network ends too. Each failure logs one line.
Who reads one batch after the other has the next one fetched ahead.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

import trio

from brain.errors import BrainError
from brain.sandbox.mount.cache import Cache, Gone
from brain.sandbox.mount.names import Batch, Names
from brain.sandbox.mount.sources import Source
from brain.tree import blob_id

PATIENCE = 5.0
"""Seconds for a request, and one more for each `_RATE` bytes."""
PAUSE = 10.0
"""Seconds after a failure in which no other request is made."""
_RATE = 4 << 20


class Unavailable(Exception):
    """The bytes cannot be had now."""


class Contents:
    """Of the files of one commit; for the threads of trio's loop alone."""

    def __init__(
        self,
        names: Names,
        source: Source,
        cache: Cache,
        log: Callable[[str], None],
        patience: float = PATIENCE,
        pause: float = PAUSE,
    ) -> None:
        self._names = names
        self._source = source
        self._cache = cache
        self._log = log
        self._patience = patience
        self._pause = pause
        self._here: set[Batch] = set()
        order = list(dict.fromkeys(names.batches.values()))
        self._next = dict(pairwise(order))
        self._last: Batch | None = None
        self._locks: defaultdict[Batch, trio.Lock] = defaultdict(trio.Lock)
        self._quiet_until = 0.0

    async def bring(self, blob: str) -> None:
        """Make sure that a blob is on this disk. Raises: Unavailable."""
        batch = self._names.batches[blob]
        if batch not in self._here:
            await self._once(batch)
        if batch is not self._last:
            self._look_ahead(batch)

    def _look_ahead(self, batch: Batch) -> None:
        """Who goes from one batch to the one that follows it wants the one after that too."""
        before, self._last = self._last, batch
        following = self._next.get(batch)
        if before is not None and self._next.get(before) is batch and following and following not in self._here:
            trio.lowlevel.spawn_system_task(self._ahead, following)

    async def _ahead(self, batch: Batch) -> None:
        with contextlib.suppress(Unavailable):
            await self._once(batch)

    async def _once(self, batch: Batch) -> None:
        async with self._locks[batch]:
            if batch not in self._here:
                await self._bring(batch)
        self._locks.pop(batch, None)

    def at_hand(self, blob: str, size: int) -> bytes | None:
        """The bytes of a blob whose batch is here; None: nobody has asked for it, or the cache was emptied."""
        if self._names.batches[blob] not in self._here:
            return None
        try:
            return self._cache.read(blob, 0, size)
        except Gone:
            return None

    async def read(self, blob: str, offset: int, size: int) -> bytes:
        """A part of a blob, fetched again where somebody has emptied the cache. Raises: Unavailable."""
        try:
            return self._cache.read(blob, offset, size)
        except Gone:
            self._here.discard(self._names.batches[blob])
        await self.bring(blob)
        try:
            return self._cache.read(blob, offset, size)
        except Gone:
            raise Unavailable from None

    async def _bring(self, batch: Batch) -> None:
        if trio.current_time() < self._quiet_until:
            raise Unavailable
        patience = self._patience + batch.size / _RATE
        reason = f"no answer within {patience:.1f} s"
        with trio.move_on_after(patience):
            try:
                # A thread that hangs must not keep the next request from having one.
                limiter = trio.CapacityLimiter(1)
                await trio.to_thread.run_sync(self._fetch, batch, abandon_on_cancel=True, limiter=limiter)
                self._here.add(batch)
                return
            except Exception as error:  # whatever a source's fault is, it must not end the mount
                reason = error.message if isinstance(error, BrainError) else f"{type(error).__name__}: {error}"
        self._quiet_until = trio.current_time() + self._pause
        self._log(f"brain: {len(batch.blobs)} files could not be fetched: {' '.join(reason.split())}")
        raise Unavailable

    def _fetch(self, batch: Batch) -> None:
        """In a thread; one that was given up may still end, and what it brought is used then."""
        missing = [blob for blob in batch.blobs if not self._cache.holds(blob)]
        if not missing:
            return
        found = self._source.fetch(missing)
        if wrong := [blob for blob in missing if blob_id(found[blob]) != blob]:
            raise ValueError(f"{len(wrong)} came with other bytes than their ids say, {wrong[0]} first")
        self._cache.put({blob: found[blob] for blob in missing})
