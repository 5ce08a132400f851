"""A corpus of plain texts, for the tests of the search: what a tree is to them, without a store."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from brain.search.passages import Kind, Passage, pieces


@dataclass
class Texts:
    """path -> its text (a page), or the texts of its turns (a session)."""

    files: dict[str, str | Sequence[str]]
    private: frozenset[str] = frozenset()
    read: list[str] = field(default_factory=list)

    @property
    def blobs(self) -> Mapping[str, str]:
        return {path: hashlib.sha1(repr(text).encode()).hexdigest() for path, text in self.files.items()}

    def passages(self, path: str) -> tuple[Passage, ...]:
        self.read.append(path)
        text = self.files[path]
        if isinstance(text, str):
            whole = [Passage("", Kind.PAGE, text, private=path in self.private)]
        else:
            whole = [
                Passage(f"t{n}", Kind.TURN, turn, evidence=(f"{path}#t{n}",), private=path in self.private)
                for n, turn in enumerate(text, 1)
            ]
        return tuple(piece for passage in whole for piece in pieces(passage))
