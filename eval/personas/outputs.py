"""What tools print, and how agents name them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import cycle

from brain.eval.personas import script
from brain.eval.personas.grammar import Scope

_MOST_LINES = 36
"""A transcript shows so many lines whole."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, by the name that stories use."""

    tool: str
    given: str
    result: str
    is_error: bool


@lru_cache(maxsize=1)
def _grammars() -> Mapping[str, script.Block]:
    return {block.name: block for block in script.read("outputs")}


@lru_cache(maxsize=1)
def _tools() -> Mapping[str, Mapping[str, str]]:
    return {block.name: block.head for block in script.read("tools")}


def printed(name: str, scope: Scope) -> str:
    """The output of this grammar: a head, lines, a tail."""
    block = _grammars()[name]
    parts = {part.kind: part.all("l") for part in block.parts}
    low, _, high = block.head.get("repeat", "1..1").partition("..")
    found = [scope.said(scope.dice.pick(parts["h"]))] if "h" in parts else []
    tail = scope.said(scope.dice.pick(parts["t"])) if "t" in parts else ""
    room = _MOST_LINES - tail.count("\n")
    lines = cycle(scope.dice.order(parts["l"]))
    for _ in range(scope.dice.between(int(low), int(high))):
        line = scope.said(next(lines) if block.head.get("each") else scope.dice.pick(parts["l"]))
        if sum(one.count("\n") + 1 for one in (*found, line)) < room:
            found.append(line)
    return "\n".join([*found, tail] if tail else found)


def call(line: str, scope: Scope) -> Call:
    """`Bash | pytest -q | @pytest`: a tool, what it is given, what comes back (`!`: as an error)."""
    tool, given, result = (part.strip() for part in line.split(" | ", 2))
    is_error = result.startswith("!")
    result = result.removeprefix("!")
    back = printed(result[1:], scope) if result.startswith("@") else scope.said(result)
    return Call(tool, scope.said(given), back, is_error)


def named(agent: str, made: Call) -> tuple[str, str]:
    """The tool's name and its input as this agent writes them."""
    name, key = _tools()[agent][made.tool].split()
    return name, json.dumps({key: made.given}, ensure_ascii=False)
