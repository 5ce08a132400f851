"""The common shapes of a block, read without a YAML parser.

`key: text`, quoted text, flow lists and flow mappings of such, and one level of all this
below a key: what Brain itself writes. Anything else gives None, and the YAML reader decides.
Where this reader answers it says exactly what the other would (held by a test), at a
fraction of the time, and without loading YAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from brain.text.front.reading import Entry, Reading, Value, refused

_KEY = r"[A-Za-z0-9][A-Za-z0-9_-]*+"
_FLOW = r'(?:"[^"\\\t\n]*+"|[^\W_](?:[^][{}:#,"\'\s]| (?=[^][{}:#,"\'\s]))*+)'
_PAIR = rf"{_KEY}: {_FLOW}"
_LINE = re.compile(
    rf"( *+)({_KEY}):(?:[ \t]++(?:"
    r'"((?:[^"\\\t\n]|\\["\\])*+)"'
    r"|'([^'\t\n]*+)'"
    r"|([^\W_](?:[^:#\t\r\n]|:(?=\S))*+)"
    rf"|\{{((?:{_PAIR}(?:, {_PAIR})*+)?)\}}"
    rf"|\[((?:{_FLOW}(?:, {_FLOW})*+)?)\]"
    r")?)?[ \t]*+(?:\r?\n|\Z)"
)
_SKIPPED = re.compile(r" *+(?:#[^\n]*)?\r?(?:\n|\Z)")
_PAIRS = re.compile(rf'({_KEY}): (?:"([^"]*)"|([^,]+))')
_ITEMS = re.compile(r'(?:"([^"]*)"|([^,"]+))(?:, |$)')
_ESCAPE = re.compile(r"\\(.)")


class _Other(Exception):
    """Not one of the common shapes."""


def read(block: str, places: bool = True) -> Reading | None:
    """`places` False: without entries, which only an edit needs."""
    if refused(block):
        return None
    reader = _Reader(block, places)
    try:
        reader.run()
    except _Other:
        return None
    return Reading(reader.values, tuple(reader.entries))


@dataclass(slots=True)
class _Reader:
    block: str
    places: bool
    values: dict[str, Value] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    children: list[Entry] = field(default_factory=list)
    key: str = ""
    """The last key of the block itself."""
    number: int = 0
    """0-based line that is being read."""
    indent: int = 0
    """Of the lines below that key; 0: there are none so far."""

    def run(self) -> None:
        at, size = 0, len(self.block)
        while at < size:
            line = _LINE.match(self.block, at)
            if line:
                self.take(line)
            else:
                line = _SKIPPED.match(self.block, at)
                if line is None:
                    raise _Other
            at = line.end()
            self.number += 1
        self.close()

    def take(self, line: re.Match[str]) -> None:
        indent, key = len(line[1]), line[2]
        into = self.values
        if indent:
            into = self.below(indent)
        else:
            self.close()
            self.key, self.indent = key, 0
        if key in into:
            raise _Other
        into[key] = _value(line)
        if self.places:
            (self.children if indent else self.entries).append(self.entry(line))

    def below(self, indent: int) -> dict[str, Value]:
        """The mapping that an indented line belongs to."""
        parent = self.values.get(self.key, "")
        if parent is None:
            parent = self.values[self.key] = {}
            self.indent = indent
        if self.indent != indent:
            raise _Other
        assert isinstance(parent, dict)
        return parent

    def entry(self, line: re.Match[str]) -> Entry:
        start = end = line.end(2) + 1
        group = line.lastindex or 0
        if group > 2:
            # Quotes and brackets are part of the value as it is written, spaces behind it are not.
            margin = 0 if group == 5 else 1
            start, end = line.start(group) - margin, line.end(group) + margin
            if group == 5:
                end = start + len(line[5].rstrip(" "))
        return Entry(line[2], self.number, line.start(), line.end(), line.start(2), start, end, True)

    def close(self) -> None:
        if self.children:
            top, last = self.entries[-1], self.children[-1]
            start, end = self.children[0].key_start, last.value_end
            self.entries[-1] = Entry(
                top.key, top.line, top.start, last.end, top.key_start, start, end, False, tuple(self.children)
            )
            self.children = []


def _value(line: re.Match[str]) -> Value:
    match line.lastindex:
        case 3:
            return _ESCAPE.sub(r"\1", line[3]) if "\\" in line[3] else line[3]
        case 4:
            return line[4]
        case 5:
            return line[5].rstrip(" ")
        case 6:
            pairs = _PAIRS.findall(line[6])
            found: dict[str, Value] = {key: double or plain for key, double, plain in pairs}
            if len(found) != len(pairs):
                raise _Other
            return found
        case 7:
            return [double or plain for double, plain in _ITEMS.findall(line[7])]
    return None
