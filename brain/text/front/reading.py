"""What both readers of a front matter block give: values, where they stand, and problems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from brain.model import Problem

Value: TypeAlias = "str | list[Value] | dict[str, Value] | None"
"""Every scalar is text; None is a key without a value."""

MAX_BYTES = 256 * 1024
MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one key of a block mapping stands; offsets are those of the block's text."""

    key: str
    line: int
    """0-based, in the block."""
    start: int
    """Where its first line begins."""
    end: int
    """Behind the line end of its last line."""
    key_start: int
    value_start: int
    value_end: int
    inline: bool
    """The value begins and ends on the key's own line."""
    children: tuple[Entry, ...] = ()
    """Of a block mapping, one level down; deeper ones are part of their entry."""


@dataclass(frozen=True, slots=True)
class Reading:
    values: dict[str, Value]
    entries: tuple[Entry, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Lines are 0-based, in the block."""
    broken: bool = False
    """The block could not be read at all."""
    editable: bool = True
    """False: it was read, but its lines do not belong to one key each."""


# What YAML cannot hold, and what it counts as a line end although this format does not.
_UNPRINTABLE = re.compile(
    r"[^\t\n\r -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)


def refused(block: str) -> Problem | None:
    """Why the block is not even given to a YAML parser."""
    if len(block) > MAX_BYTES or len(block.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return Problem(f"the front matter is longer than {MAX_BYTES // 1024} KiB", 0)
    if odd := _UNPRINTABLE.search(block):
        line = block.count("\n", 0, odd.start())
        return Problem(f"the front matter holds the character U+{ord(odd[0]):04X}", line)
    return None
