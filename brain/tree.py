"""Tree: a read-only view of one revision or folder, parsed lazily.

A tree never changes. What is parsed is kept by blob id, so that two trees that share a file
(a commit and the staged tree over it) parse it once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Protocol, TypeVar, cast

from brain import layout, links, note, page, summary, transcript
from brain.errors import BrainError
from brain.files.folder import Folder
from brain.model import Session, Summary, ToolCall, Turn

T = TypeVar("T")
Cache = dict[tuple[str, str], object]
"""(kind, blob id) -> what was parsed."""


class Files(Protocol):
    """Where a tree gets its bytes: a git revision, a folder, changes over another tree."""

    def blobs(self) -> Mapping[str, str]:
        """path -> git blob id."""

    def read(self, path: str) -> bytes:
        """Raises: KeyError where `path` is not among the blobs."""

    def problems(self) -> Mapping[str, str]:
        """What lies there and is no file of a brain (a symlink): path -> why."""


class Parsed(Mapping[str, T]):
    """path -> record, parsed when it is asked for."""

    def __init__(self, keys: tuple[str, ...], parse: Callable[[str], T]) -> None:
        self._keys = dict.fromkeys(keys)
        self._parse = parse

    def __getitem__(self, key: str) -> T:
        if key not in self._keys:
            raise KeyError(key)
        return self._parse(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


class Tree:
    """The files of a brain in one state."""

    def __init__(self, source: Files, cache: Cache | None = None) -> None:
        self.files = source
        self.cache: Cache = {} if cache is None else cache

    @cached_property
    def blobs(self) -> Mapping[str, str]:
        return self.files.blobs()

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Sorted."""
        return tuple(sorted(self.blobs))

    @cached_property
    def problems(self) -> Mapping[str, str]:
        """Symlinks and the like, which are not among the paths: path -> why."""
        return self.files.problems()

    def __contains__(self, path: object) -> bool:
        return path in self.blobs

    def blob(self, path: str) -> str | None:
        return self.blobs.get(path)

    def bytes(self, path: str) -> bytes:
        """Raises: KeyError."""
        return self.files.read(path)

    def text(self, path: str) -> str:
        """The file as text; bytes that are no UTF-8 become U+FFFD. Raises: KeyError."""
        return self.bytes(path).decode("utf-8", "replace")

    @cached_property
    def _pages(self) -> Mapping[str, page.Page]:
        return Parsed(tuple(filter(layout.is_page, self.paths)), self._parser("page", page.parse))

    @cached_property
    def _notes(self) -> Mapping[str, note.Note]:
        return Parsed(tuple(filter(layout.is_note, self.paths)), self._parser("note", note.parse))

    @cached_property
    def _summaries(self) -> Mapping[str, Summary]:
        paths = tuple(filter(layout.is_summary, self.paths))
        return Parsed(paths, self._parser("summary", lambda text: summary.parse(text).summary))

    @cached_property
    def _sessions(self) -> Mapping[str, Session]:
        tail = len(layout.TRANSCRIPT_NAME) + 1
        folders = tuple(path[:-tail] for path in self.paths if layout.is_transcript(path))
        read = self._parser("transcript", lambda text: transcript.parse(text).session)
        return Parsed(folders, lambda folder: read(layout.transcript_path(folder)))

    def pages(self) -> Mapping[str, page.Page]:
        """By path."""
        return self._pages

    def notes(self) -> Mapping[str, note.Note]:
        """By path."""
        return self._notes

    def summaries(self) -> Mapping[str, Summary]:
        """By path of the summary.md."""
        return self._summaries

    def sessions(self) -> Mapping[str, Session]:
        """By folder, `memory/sessions/2026/11/29-1f2e3d4c`."""
        return self._sessions

    def page(self, path: str) -> page.Page | None:
        return self._pages.get(path)

    def note(self, path: str) -> note.Note | None:
        return self._notes.get(path)

    def session(self, folder: str) -> Session | None:
        return self._sessions.get(folder)

    def turn(self, source: str) -> Turn | None:
        """The turn that a citation's source names, also where it names a tool result in it."""
        address = layout.parse_source(source)
        session = self.session(address[0]) if address else None
        if address is None or session is None:
            return None
        return next((turn for turn in session.turns if turn.n == address[1]), None)

    def cited_text(self, source: str) -> str | None:
        """The words a source stands for: of a turn its text, of a tool result the whole of it."""
        address, turn = layout.parse_source(source), self.turn(source)
        if address is None or turn is None:
            return None
        folder, _, result = address
        if result is None:
            return turn.text
        calls = turn.tool_calls
        return self._result(folder, calls[result - 1]) if result <= len(calls) else None

    def _result(self, folder: str, call: ToolCall) -> str | None:
        path = f"{folder}/{layout.ATTACHMENTS}/{call.attachment}"
        return self.text(path) if call.attachment and path in self else call.result

    @cached_property
    def _names(self) -> links.Names:
        pages = {path: (record.title, record.aliases) for path, record in self.pages().items()}
        notes = {path: (record.title, record.aliases) for path, record in self.notes().items()}
        return links.Names(pages, notes)

    def names(self) -> links.Names:
        """What a wikilink in this tree may name."""
        return self._names

    def _parser(self, kind: str, parse: Callable[[str], T]) -> Callable[[str], T]:
        def read(path: str) -> T:
            key = (kind, self.blobs[path])
            if key not in self.cache:
                self.cache[key] = parse(self.text(path))
            return cast(T, self.cache[key])

        return read


class Overlay:
    """Changes over another tree."""

    def __init__(self, base: Tree, changes: Mapping[str, bytes | None]) -> None:
        self._base = base
        self._changes = dict(changes)

    def blobs(self) -> Mapping[str, str]:
        merged = {path: blob for path, blob in self._base.blobs.items() if path not in self._changes}
        return merged | {path: blob_id(data) for path, data in self._changes.items() if data is not None}

    def read(self, path: str) -> bytes:
        if path not in self._changes:
            return self._base.bytes(path)
        data = self._changes[path]
        if data is None:
            raise KeyError(path)
        return data

    def problems(self) -> Mapping[str, str]:
        return {path: why for path, why in self._base.problems.items() if path not in self._changes}


class InMemory:
    """Files that are nowhere but here."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = dict(contents)

    def blobs(self) -> Mapping[str, str]:
        return {path: blob_id(data) for path, data in self._contents.items()}

    def read(self, path: str) -> bytes:
        return self._contents[path]

    def problems(self) -> Mapping[str, str]:
        return {}


class ChangedMeanwhile(BrainError):
    """A file is not what it was when the folder was looked at."""

    code = "changed-meanwhile"


class OnDisk:
    """The files of a brain as they lay in a folder when it was looked at.

    A file that changed since is read from git, where its old bytes are if they were ever committed: a
    reader that main moves under still sees one state.
    """

    def __init__(
        self,
        root: Folder,
        ids: Mapping[str, str],
        problems: Mapping[str, str],
        read_blob: Callable[[str], bytes] | None = None,
    ) -> None:
        self._root = root
        self._ids = ids
        self._problems = problems
        self._read_blob = read_blob

    @classmethod
    def scan(cls, root: Folder) -> OnDisk:
        found = root.scan(layout.is_tracked, layout.TOP)
        contents = {path: root.read(path) for path in found.stamps}
        return cls(root, {path: blob_id(data) for path, data in contents.items() if data is not None}, found.problems)

    def blobs(self) -> Mapping[str, str]:
        return self._ids

    def read(self, path: str) -> bytes:
        blob = self._ids[path]
        data = self._root.read(path)
        if data is not None and blob_id(data) == blob:
            return data
        try:
            if self._read_blob is not None:
                return self._read_blob(blob)
        except BrainError:
            pass
        raise ChangedMeanwhile(
            f"{self._root.root / path} changed while it was read; nothing was done.", "run the same command again"
        )

    def problems(self) -> Mapping[str, str]:
        return self._problems


def tree_of(contents: Mapping[str, str | bytes]) -> Tree:
    """A tree of the given files; text is taken as UTF-8."""
    return Tree(InMemory({path: data.encode() if isinstance(data, str) else data for path, data in contents.items()}))


def overlay(base: Tree, changes: Mapping[str, bytes | None]) -> Tree:
    """`base` with files put in or, where None, taken out."""
    return Tree(Overlay(base, changes), base.cache)


def changed(base: Tree | None, tree: Tree) -> frozenset[str]:
    """Paths whose bytes differ, or that only one of the two has."""
    before = base.blobs if base is not None else {}
    return frozenset(path for path in before.keys() | tree.blobs.keys() if before.get(path) != tree.blobs.get(path))


def blob_id(data: bytes) -> str:
    """The id git gives to these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
