"""The names of one commit, numbered for the kernel, with sizes and modes; no content.

Invariants: nothing here changes once it is built; no name is `.`, `..` or empty; there are no links: what git keeps as
a symlink is a file that holds the link's words.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

BATCH = 1 << 20
"""Bytes that come together in one request; a larger file comes alone."""
_LONGEST = 255
_EXECUTABLE = "100755"


class Blob(NamedTuple):
    """What git says of a file."""

    mode: str
    id: str
    size: int


@dataclass(frozen=True, slots=True)
class Node:
    """A folder or a file."""

    number: int
    """The kernel's inode; 1 is the root."""
    mode: int
    size: int = 0
    blob: str = ""
    """Id of the bytes; "": a folder."""
    children: dict[bytes, Node] = field(default_factory=dict)

    @property
    def is_folder(self) -> bool:
        return not self.blob


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """What is fetched together; one is told from another by being itself."""

    blobs: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Names:
    """All of one commit."""

    nodes: tuple[Node, ...]
    """By number, the root first."""
    batches: Mapping[str, Batch]
    """Blob -> what comes with it."""
    left_out: int
    """Files whose names no folder can hold."""
    at: int
    """Nanoseconds since 1970: the time of everything."""

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @property
    def files(self) -> int:
        return sum(not node.is_folder for node in self.nodes)


def build(blobs: Mapping[str, Blob], at: int) -> Names:
    """The names of these files; path -> blob."""
    nodes = [Node(1, stat.S_IFDIR | 0o555)]
    shown = []
    for path in sorted(blobs, key=lambda path: path.split("/")):
        if _add(nodes, path, blobs[path]):
            shown.append(path)
    batches = {blob: batch for batch in _batches(shown, blobs) for blob in batch.blobs}
    return Names(tuple(nodes), batches, len(blobs) - len(shown), at)


def _add(nodes: list[Node], path: str, blob: Blob) -> bool:
    """Put a file and the folders above it among the nodes; False where its path cannot stand."""
    parts = [os.fsencode(part) for part in path.split("/")]
    if any(part in (b"", b".", b"..") or len(part) > _LONGEST for part in parts):
        return False
    at = nodes[0]
    for part in parts[:-1]:
        if part not in at.children:
            _append(nodes, at, part, Node(len(nodes) + 1, stat.S_IFDIR | 0o555))
        at = at.children[part]
        if not at.is_folder:
            return False
    if parts[-1] in at.children:
        return False
    rights = 0o555 if blob.mode == _EXECUTABLE else 0o444
    _append(nodes, at, parts[-1], Node(len(nodes) + 1, stat.S_IFREG | rights, blob.size, blob.id))
    return True


def _append(nodes: list[Node], parent: Node, name: bytes, node: Node) -> None:
    parent.children[name] = node
    nodes.append(node)


def _batches(paths: Iterable[str], blobs: Mapping[str, Blob]) -> Iterator[Batch]:
    """Whole folders that stand side by side, up to `BATCH` bytes; a larger folder in pieces."""
    held: dict[str, int] = {}
    seen: set[str] = set()
    for _, folder in groupby(paths, key=lambda path: path.rpartition("/")[0]):
        for piece in _pieces(blobs[path] for path in folder):
            new = {blob: size for blob, size in piece.items() if blob not in seen}
            seen.update(new)
            if held and sum(held.values()) + sum(new.values()) > BATCH:
                yield _batch(held)
                held = {}
            held |= new
    if held:
        yield _batch(held)


def _batch(sizes: Mapping[str, int]) -> Batch:
    return Batch(tuple(sizes), sum(sizes.values()))


def _pieces(blobs: Iterable[Blob]) -> Iterator[dict[str, int]]:
    held: dict[str, int] = {}
    size = 0
    for blob in blobs:
        if held and size + blob.size > BATCH:
            yield held
            held, size = {}, 0
        held[blob.id] = blob.size
        size += blob.size
    yield held
