"""The data files -> blocks: a plain form in which pages of dialogue can be written without quotes.

    # name                      a block begins
    key: value                  its head
    * beat gap=3-9 pass         a part of it, with options
    u words                     a line of the part; lines with one mark are alternatives (of `t` and `+`: all are meant)
    ;; words                    a comment

In a line `\\n` ends a line of what is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Part:
    """One `*` of a block: its kind, its options, its lines by their mark."""

    kind: str
    words: tuple[str, ...]
    """What stands after the kind without `=`."""
    options: Mapping[str, str]
    lines: Mapping[str, tuple[str, ...]]

    def all(self, mark: str) -> tuple[str, ...]:
        return self.lines.get(mark, ())


@dataclass(frozen=True, slots=True)
class Block:
    name: str
    head: Mapping[str, str]
    parts: tuple[Part, ...]
    lines: tuple[str, ...] = field(default=())
    """`l` lines of a block that has no parts: a list."""


@cache
def read(*names: str) -> tuple[Block, ...]:
    """The blocks of these data files, in order."""
    folder = resources.files("brain.eval.personas") / "data"
    return tuple(block for name in names for block in parse((folder / f"{name}.txt").read_text(encoding="utf-8")))


def parse(text: str) -> Iterator[Block]:
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith(";;")]
    starts = [n for n, line in enumerate(lines) if line.startswith("# ")]
    for start, end in pairwise([*starts, len(lines)]):
        yield _block(lines[start:end])


def _block(lines: list[str]) -> Block:
    marks = [n for n, line in enumerate(lines) if line.startswith("* ")]
    head_end = marks[0] if marks else len(lines)
    head: dict[str, str] = {}
    listed: list[str] = []
    for line in lines[1:head_end]:
        if line.startswith("l "):
            listed.append(_unescaped(line[2:]))
            continue
        key, _, value = line.partition(":")
        head[key.strip()] = _unescaped(value.strip())
    parts = tuple(_part(lines[a:b]) for a, b in pairwise([*marks, len(lines)]))
    return Block(lines[0][2:].strip(), head, parts, tuple(listed))


def _part(lines: list[str]) -> Part:
    kind, *words = lines[0][2:].split()
    options = dict(word.split("=", 1) for word in words if "=" in word)
    held: dict[str, list[str]] = {}
    for line in lines[1:]:
        mark, _, rest = line.partition(" ")
        held.setdefault(mark, []).append(_unescaped(rest))
    plain = tuple(word for word in words if "=" not in word)
    return Part(kind, plain, options, {mark: tuple(found) for mark, found in held.items()})


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n")
