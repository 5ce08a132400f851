"""Where the bytes of a mount come from; a store across a network is one more class with `fetch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from brain.git import Git


class Source(Protocol):
    """Gives blobs by their ids."""

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        """All of them in one request; called in a thread of its own, and left alone when it takes too long.

        Whatever it raises is an input/output error for those who wait for these files.
        """


class OfGit:
    """The objects of the brain's own repository."""

    def __init__(self, root: Path, limit: float) -> None:
        """`limit`: seconds that git may take."""
        self._git = Git(root, limit=limit)
        # Git is started now, and not by the first who reads.
        self._git.read_many(())

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        return dict(zip(blobs, self._git.read_many(blobs), strict=True))


class OfMemory:
    """Files that were made for this mount: the public part of a brain is in no commit."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        """By id."""
        self._contents = contents

    def fetch(self, blobs: Sequence[str]) -> Mapping[str, bytes]:
        return {blob: self._contents[blob] for blob in blobs}
