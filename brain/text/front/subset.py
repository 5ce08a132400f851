"""The strict subset of YAML, read through python-frontmatter with a handler of our own.

PyYAML gives the events and we build text from them: no type is guessed, an anchor, an
alias, a tag or a merge key is refused, a key that stands twice is reported and counts
as it first stood. Nothing recurses, so no depth of nesting can exhaust the stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import frontmatter
import yaml
from frontmatter.default_handlers import BaseHandler

from brain.model import Problem
from brain.text.front.reading import MAX_DEPTH, Entry, Reading, Value, refused
from brain.text.front.write import render_value

# Tabs behind a key's colon and at the end of a line: fine for people and for libyaml, not for the Python parser.
_TAB = re.compile(r"(?<=[\w\"']:)[ \t]++|(?<![ \t])[ \t]++(?=\r?$)", re.MULTILINE)
_SURROGATE = re.compile("[\\ud800-\\udfff]")
_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)


class Handler(BaseHandler):  # type: ignore[misc]
    """`frontmatter.loads(text, handler=Handler())` reads as Brain does; `reading` then holds the whole result."""

    FM_BOUNDARY = _FENCE
    START_DELIMITER = END_DELIMITER = "---"

    def __init__(self, block: str | None = None) -> None:
        super().__init__()
        self.block = block
        self.reading = Reading({})

    def split(self, text: str) -> tuple[str, str]:
        # The library strips the text and turns its line ends around before it asks, which would
        # move every position: a block that was cut out of the file as it stands goes first.
        if self.block is not None:
            return self.block, ""
        block, content = super().split(text)
        return block.removeprefix("\n"), content

    def load(self, fm: str) -> dict[str, Value]:
        self.reading = read(fm)
        return self.reading.values

    def export(self, metadata: dict[str, Value], **kwargs: object) -> str:
        return "\n".join(f"{render_value(key)}: {render_value(value)}" for key, value in metadata.items())


def through_frontmatter(block: str) -> Reading:
    """The block of a file (the lines between its two `---`), read."""
    handler = Handler(block)
    frontmatter.parse("---\n---\n", handler=handler)
    return handler.reading


def read(block: str, loader: type | None = None) -> Reading:
    """With the C parser where PyYAML has it; `loader` chooses."""
    if problem := refused(block):
        return Reading({}, problems=(problem,), broken=True)
    try:
        return _build(_TAB.sub(lambda m: " " * len(m[0]), block), loader or _fastest(block))
    except (yaml.YAMLError, ValueError) as error:
        # ValueError: the Python parser's answer to an escape beyond Unicode.
        if loader is yaml.SafeLoader:
            mark = getattr(error, "problem_mark", None)
            return _broken("the front matter is no YAML that can be read", mark.line if mark else 0)
        # The C parser is stricter in corners and words its errors in its own way: the Python one decides.
        return read(block, yaml.SafeLoader)
    except _Refused as error:
        return _broken(str(error), error.line)


def _fastest(block: str) -> type:
    # The two disagree about tabs, and what a file says must not depend on how PyYAML was built.
    return yaml.CSafeLoader if yaml.__with_libyaml__ and "\t" not in block else yaml.SafeLoader


def _broken(reason: str, line: int) -> Reading:
    return Reading({}, problems=(Problem(reason, line),), broken=True)


class _Refused(Exception):
    """YAML, but not of the subset."""

    def __init__(self, reason: str, event: yaml.Event) -> None:
        super().__init__(reason)
        self.line: int = _line(event)


@dataclass(slots=True)
class _Frame:
    """A mapping or list that is open while its events come in."""

    value: list[Value] | dict[str, Value]
    start: int
    flow: bool
    path: str = ""
    key: yaml.ScalarEvent | None = None
    """The key whose value comes next."""
    lines: dict[str, int] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    end: int = 0
    """Behind the last character of its content so far."""


def _build(block: str, loader: type) -> Reading:
    builder = _Builder(block)
    for event in yaml.parse(block, Loader=loader):
        builder.take(event)
    root = builder.root
    if root is None or not isinstance(root.value, dict):
        return Reading({})
    editable = not root.flow and all(not block[e.start : e.key_start].strip() for e in _all(root.entries))
    return Reading(root.value, tuple(root.entries), tuple(builder.problems), editable=editable)


def _all(entries: Iterable[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield entry
        yield from entry.children


class _Builder:
    def __init__(self, block: str) -> None:
        self.block = block
        self.stack: list[_Frame] = []
        self.root: _Frame | None = None
        self.problems: list[Problem] = []
        self.documents = 0

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.AliasEvent():
                raise _Refused("the front matter holds an alias (`*name`)", event)
            case yaml.ScalarEvent():
                self.scalar(event)
            case yaml.MappingStartEvent():
                self.open(event, {})
            case yaml.SequenceStartEvent():
                self.open(event, [])
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.close(event)
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1 or event.explicit:
                    raise _Refused("the front matter holds a document of its own", event)

    def open(self, event: yaml.CollectionStartEvent, value: list[Value] | dict[str, Value]) -> None:
        _check_node(event)
        if len(self.stack) >= MAX_DEPTH:
            raise _Refused(f"the front matter is nested deeper than {MAX_DEPTH}", event)
        parent = self.stack[-1] if self.stack else None
        if parent is None and not isinstance(value, dict):
            raise _Refused("the front matter is no mapping of keys to values", event)
        if parent and isinstance(parent.value, dict) and parent.key is None:
            raise _Refused("a key of the front matter is no text", event)
        path = _join(parent.path, parent.key) if parent else ""
        self.stack.append(_Frame(value, _start(event), bool(event.flow_style), path))

    def close(self, event: yaml.CollectionEndEvent) -> None:
        frame = self.stack.pop()
        if not self.stack:
            self.root = frame
            return
        end = _end(event) if frame.flow else frame.end
        self.add(frame.value, frame.start, end, () if frame.flow else tuple(frame.entries))

    def scalar(self, event: yaml.ScalarEvent) -> None:
        _check_node(event)
        if _SURROGATE.search(event.value):
            raise _Refused("the front matter holds half of a character", event)
        plain = event.implicit[0]
        frame = self.stack[-1] if self.stack else None
        if frame is None:
            if event.value or not plain:
                raise _Refused("the front matter is no mapping of keys to values", event)
        elif isinstance(frame.value, dict) and frame.key is None:
            if plain and event.value in ("", "<<"):
                raise _Refused("the front matter holds an empty key or a merge key (`<<`)", event)
            frame.key = event
        else:
            value = None if plain and not event.value else str(event.value)
            self.add(value, _start(event), _end(event), ())

    def add(self, value: Value, start: int, end: int, children: tuple[Entry, ...]) -> None:
        frame = self.stack[-1]
        frame.end = max(frame.end, end)
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        key, frame.key = frame.key, None
        assert key is not None
        name, line = str(key.value), _line(key)
        if name in frame.value:
            path, first = _join(frame.path, key), frame.lines[name]
            self.problems.append(Problem(f"the key `{path}` stands twice", first, path, line))
            return
        frame.lines[name] = line
        frame.value[name] = value
        if not frame.flow and len(self.stack) <= 2:
            frame.entries.append(_entry(self.block, key, (start, end), children))


def _entry(block: str, key: yaml.ScalarEvent, value: tuple[int, int], children: tuple[Entry, ...]) -> Entry:
    begin, (start, end) = _start(key), value
    first = block.rfind("\n", 0, begin) + 1
    last = max(_end(key), len(block[:end].rstrip()))
    line_end = block.find("\n", last)
    return Entry(
        key=str(key.value),
        line=_line(key),
        start=first,
        end=len(block) if line_end < 0 else line_end + 1,
        key_start=begin,
        value_start=start,
        value_end=end,
        inline="\n" not in block[begin:end],
        children=children,
    )


def _start(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.index


def _end(event: yaml.Event) -> int:
    assert event.end_mark is not None
    return event.end_mark.index


def _line(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.line


def _check_node(event: yaml.ScalarEvent | yaml.CollectionStartEvent) -> None:
    if event.anchor is not None:
        raise _Refused("the front matter holds an anchor (`&name`)", event)
    if event.tag is not None:
        raise _Refused("the front matter holds a tag (`!name`)", event)


def _join(path: str, key: yaml.ScalarEvent | None) -> str:
    name = str(key.value) if key else "-"
    return f"{path}.{name}" if path else name
