"""Ingest on files that nobody wrote so: cut, shuffled, doubled, with wrong types, broken bytes, deep nesting."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import TRANSCRIPTS, read

from brain import transcript
from brain.ingest import FORMATS, Input, Skipped
from brain.ingest.merge import merge
from brain.ingest.reading import Draft
from brain.model import Role, Session, Text, Turn

SOURCES = [
    path
    for path in sorted(TRANSCRIPTS.rglob("*"))
    if path.is_file()
    and path.name != "expected.json"
    and path.stat().st_size > 150
    and path.parent.name != "tool-results"
]
GROWING = [path for path in SOURCES if path.suffix in (".jsonl", ".md")]


@cache
def data_of(path: Path) -> bytes:
    return path.read_bytes()


def named(path: Path, data: bytes) -> Input:
    """The bytes as if they stood in a file of that name."""

    class Renamed(Input):
        @property
        def file_name(self) -> str:
            return path.name

    return Renamed("-", None, data)


def drafts_of(path: Path, data: bytes) -> list[Draft]:
    return read(named(path, data))[0]


# --- growing ------------------------------------------------------------------------


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.sampled_from(GROWING), st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_any_start_of_a_file_and_then_the_whole_is_the_whole(path: Path, cuts: list[float]) -> None:
    """Cut at any byte, as a file is that is being written: what was stored first stays, and nothing is missing then."""
    whole = data_of(path)
    steps = [whole[: int(len(whole) * cut)] for cut in sorted(cuts)] + [whole]
    stored: dict[str, Session] = {}
    for step in steps:
        for draft in drafts_of(path, step):
            old = stored.get(draft.session.id)
            new = merge(old, draft.session).session if old else draft.session
            assert old is None or keeps(old, new)
            stored[new.id] = new
    for draft in drafts_of(path, whole):
        assert words(draft.session) <= words(stored[draft.session.id])


def keeps(old: Session, new: Session) -> bool:
    """Every turn of the old session stands in the new one, with every word."""
    return all(
        (a.n, a.role, a.time) == (b.n, b.role, b.time) and b.text.startswith(a.text) and len(a.blocks) <= len(b.blocks)
        for a, b in zip(old.turns, new.turns, strict=False)
    ) and len(old.turns) <= len(new.turns)


def words(session: Session) -> set[str]:
    return {line for turn in session.turns for line in turn.text.split("\n")}


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.sampled_from([p for p in GROWING if "claude-code" in str(p)]), st.integers(0, 60))
def test_a_claude_session_cut_between_lines_grows_to_the_same_turns(path: Path, cut: int) -> None:
    whole = data_of(path)
    start = drafts_of(path, b"".join(whole.splitlines(keepends=True)[:cut]))
    end = drafts_of(path, whole)
    if start:
        merged = merge(start[0].session, end[0].session)
        assert merged.left_behind or merged.session.turns == end[0].session.turns


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.data())
def test_merging_has_a_fixed_point_and_forgets_nothing(data: st.DataObject) -> None:
    text = st.sampled_from(["yes", "no", "yes\nand more", "the mill", "token ghp_" + "a1B2" * 9])

    def session() -> Session:
        said = data.draw(st.lists(st.tuples(st.sampled_from(Role), text), max_size=8))
        turns = tuple(Turn(n, role, None, (Text(words),)) for n, (role, words) in enumerate(said, 1))
        return Session("s", "a", SOURCE, turns)

    old, new = session(), session()
    merged = merge(old, new).session
    assert keeps(old, merged)
    assert [turn.n for turn in merged.turns] == list(range(1, len(merged.turns) + 1))
    again = merge(merged, new)
    assert (again.session.turns, again.added) == (merged.turns, ())


SOURCE = read(named(SOURCES[0], data_of(SOURCES[0])))[0][0].session.source


# --- mutations ------------------------------------------------------------------------

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


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutated_file_never_raises_and_what_is_read_can_be_kept(name: str) -> None:
    for n, path in enumerate(SOURCES):
        for seed in range(3):
            chance = random.Random(f"{name} {n} {seed}")
            check(path, MUTATIONS[name](data_of(path), chance))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_ten_thousand_mutated_files() -> None:
    for seed in range(10_000):
        chance = random.Random(seed)
        data = data_of(path := chance.choice(SOURCES))
        for mutation in chance.sample(list(MUTATIONS.values()), chance.randint(1, 3)):
            data = mutation(data, chance) or b"{}"
        check(path, data)


def check(path: Path, data: bytes) -> None:
    """No format raises, whether it would take the file or not; sessions round-trip, line numbers are in the file."""
    count = data.count(b"\n") + 1
    for format_ in FORMATS.values():
        source = named(path, data)
        assert isinstance(format_.detect(source.head, path.name), str)
        for found in format_.read(source):
            if isinstance(found, Skipped):
                assert found.line is None or 1 <= found.line <= count or format_.name == "openai-agents"
            else:
                keepable(found)


def keepable(draft: Draft) -> None:
    session = draft.session
    assert session.turns
    assert session.id
    assert transcript.parse(transcript.render(session)).session == session
    for turn in session.turns:
        assert turn.blocks or turn.media
        assert turn.time is None or turn.time.tzinfo is not None
        assert not any(
            isinstance(a, Text) and isinstance(b, Text) for a, b in zip(turn.blocks, turn.blocks[1:], strict=False)
        )
