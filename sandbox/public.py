"""The part of a brain that others may read, as files of its own.

Invariants: no private file is in it, no path of one, no title of one as a link; the generated indexes are made from
this part alone. Evidence that is private is named `withheld` where a shared page cites it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from brain import index, layout
from brain.audience import is_public
from brain.index.first_message import WITHHELD
from brain.names import stem, title_key
from brain.tree import Tree, tree_of

_SOURCE = re.compile(
    r"(?:memory/)?(sessions/(?:\d{4}/\d{2}/\d{2}-|undated/)[0-9a-f]{8,64})(?:#t\d+(?:\.r\d+)?)?(/[\w./-]*)?"
)
_FILE = re.compile(r"(?:memory/)?((?:knowledge|notes)/[^\n`\"'\[\]()|]+?\.md)")
_QUOTE = re.compile(r"\bquote: [0-9a-f]{12}/\d+")
_LINK = re.compile(r"!?\[\[([^\[\]\n]+)\]\]")
_ITEM = re.compile(r"\s*[-*] !?\[\[([^\[\]\n]+)\]\](?: · .*)?")
_GONE = "withheld"


def part(tree: Tree, budget: int) -> dict[str, bytes]:
    """path -> bytes; `budget` is that of the first message."""
    shown = [path for path in tree.paths if path not in layout.INDEXES and is_public(tree, path)]
    mask = _Mask(tree, shown)
    files = {path: mask.bytes(path) for path in shown}
    is_whole = len(shown) == len([path for path in tree.paths if path.startswith(f"{layout.MEMORY}/")])
    end = "" if is_whole else f"\n{WITHHELD}\n"
    maps = index.files(tree_of(files), budget - len(end))
    return files | maps | {layout.INDEX: maps[layout.INDEX] + end.encode()}


class _Mask:
    """Takes out of public files what names private ones."""

    def __init__(self, tree: Tree, shown: Iterable[str]) -> None:
        self._tree = tree
        self._shown = frozenset(shown)

    def bytes(self, path: str) -> bytes:
        data = self._tree.bytes(path)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return data
        kept = (self._line(line) for line in text.split("\n"))
        return "\n".join(line for line in kept if line is not None).encode("utf-8")

    def _line(self, line: str) -> str | None:
        """None: the line is a link to a private page and nothing else."""
        item = _ITEM.fullmatch(line)
        if item and self._is_private_link(item[1]):
            return None
        masked = _LINK.sub(lambda m: f"({_GONE})" if self._is_private_link(m[1]) else m[0], line)
        masked = _FILE.sub(lambda m: m[0] if self._may_name(m[1]) else _GONE, masked)
        cited = _SOURCE.sub(lambda m: m[0] if self._sessions.get(m[1], True) else _GONE, masked)
        return cited if cited == masked else _QUOTE.sub(f"quote: {_GONE}", cited)

    def _is_private_link(self, link: str) -> bool:
        target = link.partition("|")[0].partition("#")[0].rpartition("/")[2]
        names = {title_key(link.partition("|")[0]), title_key(target)}
        return bool(names & self._private_names) and not names & self._public_names

    def _may_name(self, below: str) -> bool:
        path = f"{layout.MEMORY}/{below}"
        return path in self._shown or path in layout.INDEXES or path not in self._tree

    @cached_property
    def _sessions(self) -> dict[str, bool]:
        """Session, as a citation names it -> whether it is public."""
        folders = {
            path.rpartition("/")[0]: path in self._shown for path in self._tree.paths if layout.is_transcript(path)
        }
        return {folder.removeprefix(f"{layout.MEMORY}/"): is_shown for folder, is_shown in folders.items()}

    @cached_property
    def _public_names(self) -> frozenset[str]:
        return frozenset(name for path in self._subjects if path in self._shown for name in self._names(path))

    @cached_property
    def _private_names(self) -> frozenset[str]:
        return frozenset(name for path in self._subjects if path not in self._shown for name in self._names(path))

    @property
    def _subjects(self) -> tuple[str, ...]:
        return (*self._tree.pages(), *self._tree.notes())

    def _names(self, path: str) -> Iterable[str]:
        record = self._tree.page(path) or self._tree.note(path)
        assert record is not None
        return map(title_key, (record.title, stem(path), *record.aliases))
