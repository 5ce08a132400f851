"""Objects out of git through one process that stays: 10,000 files cost one start."""

from __future__ import annotations

import os
import select
import time
import weakref
from collections.abc import Sequence

from brain.files.disk import telling
from brain.git.line import Corrupt, GitError, GitLine, TimedOut, stop

_CHUNK = 1 << 20
_QUESTIONS = 500
"""So many fit into a pipe, so that nobody waits for room in it while git waits for its answers to be read."""


class CatFile:
    """`git cat-file --batch`."""

    def __init__(self, line: GitLine) -> None:
        self._limit = line.limit
        self._process = line.start("cat-file", "--batch")
        self._buffer = b""
        self.close = weakref.finalize(self, stop, self._process)
        """End the process; done by itself when nobody holds this any more."""

    def read_many(self, blobs: Sequence[str]) -> list[bytes]:
        """The bytes of objects by their ids. Raises: Corrupt, TimedOut, GitError."""
        found: list[bytes] = []
        for start in range(0, len(blobs), _QUESTIONS):
            asked = blobs[start : start + _QUESTIONS]
            until = time.monotonic() + self._limit
            self._ask(asked)
            found += [self._answer(blob, until) for blob in asked]
        return found

    def _ask(self, blobs: Sequence[str]) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write("".join(f"{blob}\n" for blob in blobs).encode("ascii"))
            pipe.flush()
        except (OSError, UnicodeEncodeError):
            raise self._ended(blobs[0]) from None

    def _answer(self, blob: str, until: float) -> bytes:
        header = self._line(blob, until).split(" ")
        if len(header) != 3:
            self.close()
            raise Corrupt(
                f"git does not have the object {blob} that the memory names.",
                "run git fsck in the brain, and fetch what it misses from a copy",
            )
        size = int(header[2])
        self._fill(blob, size + 1, until)
        data, self._buffer = self._buffer[:size], self._buffer[size + 1 :]
        return data

    def _line(self, blob: str, until: float) -> str:
        while b"\n" not in self._buffer:
            self._fill(blob, len(self._buffer) + 1, until)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace")

    def _fill(self, blob: str, size: int, until: float) -> None:
        """Read on until at least `size` bytes are there."""
        parts, have = [self._buffer], len(self._buffer)
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while have < size:
            ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self.close()
                raise TimedOut(f"git did not give the object {blob} within {self._limit:g} s.", "run it again")
            with telling("was not read", f"the object {blob}"):
                part = os.read(pipe, _CHUNK)
            if not part:
                raise self._ended(blob)
            parts.append(part)
            have += len(part)
        self._buffer = b"".join(parts)

    def _ended(self, blob: str) -> GitError:
        process = self._process
        # It may wait for the rest of a question that could not be written, and its words are read to the end.
        process.kill()
        said = process.stderr.read().decode("utf-8", "replace").strip() if process.stderr else ""
        self.close()
        return Corrupt(
            f"git stopped when the object {blob} was read: {said or 'no reason given'}.",
            "run git fsck in the brain, and fetch what it misses from a copy",
        )
