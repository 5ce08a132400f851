"""The front matter of a file: read as text values, changed line by line.

Whatever a person wrote in it stays: a change touches the lines of the keys that change
and no other byte, and a block that cannot be read is never rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from brain.errors import UsageError
from brain.model import Problem
from brain.text.front import simple
from brain.text.front.reading import MAX_BYTES, MAX_DEPTH, Entry, Reading, Value
from brain.text.front.write import Bare, Writable, as_read, render_entry, render_value

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "Bare",
    "FrontMatter",
    "Locked",
    "Value",
    "Writable",
    "body_start",
    "tag_list",
    "text_list",
]

Path: TypeAlias = str | tuple[str, str]
"""A key, or a key and one below it."""

_OPEN = re.compile(r"\ufeff?---[ \t]*(\r?\n|$)")
_CLOSE = re.compile(r"^---[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)


class Locked(UsageError):
    """The front matter cannot be changed without losing what stands in it."""

    code = "front-matter-locked"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The whole text of a file, and what its front matter says."""

    text: str
    values: dict[str, Value]
    problems: tuple[Problem, ...] = ()
    """Lines are 1-based, in the file."""
    block_start: int = 0
    """Offset of the first line between the two `---`; 0: there is no block."""
    block_end: int = 0
    """Offset of the closing `---`."""
    body_start: int = 0
    editable: bool = True
    """False: broken, or a key stands twice; every change is refused."""

    @classmethod
    def parse(cls, text: str) -> FrontMatter:
        """Total: a block that cannot be read gives a problem, and the whole file is then text."""
        opening = _OPEN.match(text)
        if opening is None:
            start = 1 if text.startswith("\ufeff") else 0
            return cls(text, {}, body_start=start)
        closing = _CLOSE.search(text, opening.end())
        if closing is None:
            problem = Problem("the front matter has no closing `---`", 1)
            return cls(text, {}, (problem,), editable=False)
        return cls._read(text, opening.end(), closing)

    @classmethod
    def _read(cls, text: str, start: int, closing: re.Match[str]) -> FrontMatter:
        reading = _read(text[start : closing.start()])
        problems = tuple(_in_file(p) for p in reading.problems)
        if reading.broken:
            return cls(text, {}, problems, editable=False)
        return cls(
            text,
            reading.values,
            problems,
            start,
            closing.start(),
            closing.end(),
            reading.editable and not problems,
        )

    @classmethod
    def build(cls, values: Mapping[str, Writable], body: str = "") -> FrontMatter:
        """A new file with these keys, in their order."""
        block = "".join(render_entry(key, value) for key, value in values.items())
        return cls.parse(f"---\n{block}---\n{body}")

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Where each key stands; offsets are those of the block."""
        return _read(self.text[self.block_start : self.block_end], places=True).entries if self.block_start else ()

    @property
    def body(self) -> str:
        return self.text[self.body_start :]

    @property
    def body_line(self) -> int:
        """1-based line of the file on which the body begins."""
        return self.text.count("\n", 0, self.body_start) + 1

    @property
    def eol(self) -> str:
        """The file's own line end: that of its first line."""
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def render(self) -> str:
        return self.text

    def line_of(self, key: str, below: str = "") -> int:
        """1-based line of a key (of a key below it) in the file; 0: it does not stand there."""
        first = self.text.count("\n", 0, self.block_start) + 1
        entry = _find(self.entries, (key, below) if below else (key,)) or _find(self.entries, (key,))
        return first + entry.line if entry else 0

    def get_text(self, key: str) -> str | None:
        """The value of a key that should be one text; None: missing, empty, a list or a mapping."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def with_body(self, body: str) -> FrontMatter:
        return FrontMatter.parse(self.text[: self.body_start] + body)

    def set(self, key: Path, value: Writable) -> FrontMatter:
        """The same file with this key changed or added, and no other line.

        Raises: Locked where the block cannot be changed safely.
        """
        self._check_editable()
        path = (key,) if isinstance(key, str) else key
        entry = _find(self.entries, path)
        if entry is None and len(path) == 2:
            return self.extend(path[0], {path[1]: value})
        changed = FrontMatter.parse(self._replaced(entry, path, value) if entry else self._with_line(path[0], value))
        if changed.problems or _at(changed.values, path) != as_read(value):
            raise Locked(f"The key `{'.'.join(path)}` was not written: its lines cannot be told apart.")
        return changed

    def extend(self, parent: str, children: Mapping[str, Writable]) -> FrontMatter:
        """The same file with these new keys below `parent`, behind those that are there; as often `set` as keys.

        Raises: Locked where the block cannot be changed safely.
        """
        self._check_editable()
        entry, known = _find(self.entries, (parent,)), _parent(self.values, (parent, ""))
        if entry is None or not entry.children or known.keys() & children.keys():
            return self.set(parent, {**known, **children})
        last, at = entry.children[-1], self.block_start
        indent = self.text[at + last.start : at + last.key_start]
        lines = "".join(render_entry(key, value, indent, self.eol) for key, value in children.items())
        changed = FrontMatter.parse(self.text[: at + last.end] + lines + self.text[at + last.end :])
        found = _parent(changed.values, (parent, ""))
        if changed.problems or any(found.get(key) != as_read(value) for key, value in children.items()):
            raise Locked(f"Keys below `{parent}` were not written: its lines cannot be told apart.")
        return changed

    def delete(self, key: Path) -> FrontMatter:
        """Raises: Locked where the block cannot be changed safely."""
        self._check_editable()
        path = (key,) if isinstance(key, str) else key
        entry = _find(self.entries, path)
        if entry is None:
            if _at(self.values, path) is None and path[-1] not in _parent(self.values, path):
                return self
            left = {k: v for k, v in _parent(self.values, path).items() if k != path[-1]}
            return self.set(path[0], left)
        start = self.block_start
        return FrontMatter.parse(self.text[: start + entry.start] + self.text[start + entry.end :])

    def _check_editable(self) -> None:
        if not self.editable:
            why = self.problems[0] if self.problems else Problem("it is one flow mapping", 2)
            raise Locked(
                f"The front matter was not changed: {why.reason} (line {why.line}).",
                "Mend the block by hand; the text below it can still be read.",
            )

    def _replaced(self, entry: Entry, path: tuple[str, ...], value: Writable) -> str:
        at, text = self.block_start, self.text
        lines = render_entry(path[-1], value, eol="\n")
        if entry.inline and lines.count("\n") == 1:
            new = render_value(value)
            if new and text[at + entry.value_start - 1] not in " \t":
                new = f" {new}"
            return text[: at + entry.value_start] + new + text[at + entry.value_end :]
        indent = text[at + entry.start : at + entry.key_start]
        new = render_entry(path[-1], value, indent, self.eol)
        return text[: at + entry.start] + new + text[at + entry.end :]

    def _with_line(self, key: str, value: Writable) -> str:
        line = render_entry(key, value, eol=self.eol)
        if self.block_start:
            return self.text[: self.block_end] + line + self.text[self.block_end :]
        bom = self.text[: self.body_start]
        return f"{bom}---{self.eol}{line}---{self.eol}{self.body}"


def body_start(text: str) -> int:
    """Offset of the first character behind the front matter, whether that can be read or not; 0: there is none."""
    opening = _OPEN.match(text)
    closing = _CLOSE.search(text, opening.end()) if opening else None
    return closing.end() if closing else 0


def text_list(value: Value) -> tuple[str, ...]:
    """A list of texts that may have been written as one text, or not at all."""
    items = value if isinstance(value, list) else [value]
    return tuple(item for item in items if isinstance(item, str) and item.strip())


def tag_list(value: Value) -> tuple[str, ...]:
    """Tags without `#`, whether written as a list or as one text with spaces or commas."""
    parts = (part for text in text_list(value) for part in re.split(r"[\s,]+", text))
    return tuple(tag for part in parts if (tag := part.lstrip("#")))


def _read(block: str, places: bool = False) -> Reading:
    reading = simple.read(block, places)
    if reading is not None:
        return reading
    # YAML and python-frontmatter take longer to load than a whole run of `brain index` may last.
    from brain.text.front.subset import through_frontmatter

    return through_frontmatter(block)


def _in_file(problem: Problem) -> Problem:
    # The opening `---` is the file's first line, the block's first line its second.
    other = problem.other_line + 2 if problem.other_line else 0
    return Problem(problem.reason, problem.line + 2, problem.key, other)


def _find(entries: tuple[Entry, ...], path: tuple[str, ...]) -> Entry | None:
    for entry in entries:
        if entry.key == path[0]:
            return entry if len(path) == 1 else _find(entry.children, path[1:])
    return None


def _parent(values: dict[str, Value], path: tuple[str, ...]) -> dict[str, Value]:
    if len(path) == 1:
        return values
    parent = values.get(path[0])
    return parent if isinstance(parent, dict) else {}


def _at(values: dict[str, Value], path: tuple[str, ...]) -> Value:
    return _parent(values, path).get(path[-1])
