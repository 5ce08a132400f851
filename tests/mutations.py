"""Files as nobody wrote them: cut, shuffled, doubled, with gaps, noise, wrong types, deep nesting."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

Mutation = Callable[[bytes, random.Random], bytes]


def _lines(change: Callable[[list[bytes], random.Random], list[bytes]]) -> Mutation:
    return lambda data, chance: b"".join(change(data.splitlines(keepends=True), chance))


def _shuffled(lines: list[bytes], chance: random.Random) -> list[bytes]:
    return chance.sample(lines, len(lines))


def _doubled(lines: list[bytes], chance: random.Random) -> list[bytes]:
    return [line for line in lines for _ in range(chance.choice((1, 1, 2, 3)))]


def _dropped(lines: list[bytes], chance: random.Random) -> list[bytes]:
    return [line for line in lines if chance.random() > 0.2]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _gap(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randrange(200) :]


def _noise(data: bytes, chance: random.Random) -> bytes:
    noisy = bytearray(data)
    for _ in range(1 + len(data) // 300):
        noisy[chance.randrange(len(noisy))] = chance.choice(
            (0, 0x0D, 0x22, 0x5C, 0x80, 0xC3, 0xED, 0xFF, chance.randrange(256))
        )
    return bytes(noisy)


ODD: list[object] = [
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "x",
    [],
    {},
    [[]],
    {"type": {}},
    "\ud800",
    ["\x00"],
    10**400,
    {"a": [None]},
]


def _retyped(data: bytes, chance: random.Random) -> bytes:
    """Values of any key become values of any type."""

    def change(value: object, depth: int = 0) -> object:
        if chance.random() < 0.04 and depth:
            return chance.choice(ODD)
        if isinstance(value, dict):
            return {key: change(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [change(item, depth + 1) for item in value]
        return value

    try:
        return json.dumps(change(json.loads(data))).encode()
    except (ValueError, RecursionError):
        return b"".join(_retyped_line(line, change) for line in data.splitlines(keepends=True))


def _retyped_line(line: bytes, change: Callable[[object], object]) -> bytes:
    try:
        return json.dumps(change(json.loads(line))).encode() + b"\n"
    except (ValueError, RecursionError):
        return line


def _nested(data: bytes, chance: random.Random) -> bytes:
    depth = chance.choice((50, 900, 3000))
    deep = b'{"type":"text","text":' * depth + b'"x"' + b"}" * depth
    return data.replace(b'"content":', b'"content":[' + deep + b',"y"],"was":', 2)


MUTATIONS: dict[str, Mutation] = {
    "shuffled": _lines(_shuffled),
    "doubled": _lines(_doubled),
    "dropped": _lines(_dropped),
    "cut": _cut,
    "gap": _gap,
    "noise": _noise,
    "retyped": _retyped,
    "nested": _nested,
}


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes after one, two or three changes."""
    for mutation in chance.sample(list(MUTATIONS.values()), chance.randint(1, 3)):
        data = mutation(data, chance) or b"{}"
    return data
