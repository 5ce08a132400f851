"""Ingest on files that nobody wrote so: cut, shuffled, doubled, with wrong types, broken bytes, deep nesting."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import mutated
from reading import TRANSCRIPTS, read

from brain import transcript
from brain.ingest import FORMATS, Input, Skipped
from brain.ingest.formats import choose
from brain.ingest.merge import merge
from brain.ingest.pieces import BadLine, load_object
from brain.ingest.reading import Draft, Format
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


def test_a_title_alone_and_half_a_line_grow_into_the_whole_talk() -> None:
    """First it looks like a document, then like a talk that breaks off in the middle of a line."""
    path = TRANSCRIPTS / "markdown-log" / "01-heading-speakers" / "chat.md"
    whole = data_of(path)
    stored: Session | None = None
    for step in (whole[: len(whole) // 4], whole[: len(whole) // 2], whole):
        (draft,) = drafts_of(path, step)
        stored = merge(stored, draft.session).session if stored else draft.session
    assert stored is not None
    assert any("At 18:40 from the east pier.\n\n### Note" in turn.text for turn in stored.turns)


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


def owners() -> dict[str, list[Path]]:
    """Format -> the samples that it takes."""
    found: dict[str, list[Path]] = {}
    for path in SOURCES:
        format_ = choose(Input(path.name, path))
        if isinstance(format_, Format):
            found.setdefault(format_.name, []).append(path)
    return found


OWNERS = owners()
BY_ROW = {"openai-agents", "opencode-db", "cursor-db"}


@pytest.mark.parametrize("name", OWNERS)
def test_a_mutated_file_never_raises_and_what_is_read_can_be_kept(name: str) -> None:
    for seed in range(200):
        check_mutated(name, random.Random(f"{name} {seed}"))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", OWNERS)
def test_ten_thousand_mutated_files(name: str) -> None:
    for seed in range(10_000):
        check_mutated(name, random.Random(f"long {name} {seed}"))


def check_mutated(name: str, chance: random.Random) -> None:
    """By its own format, whether that would still take it or not, and by the one that takes it now."""
    path = chance.choice(OWNERS[name])
    source = named(path, mutated(data_of(path), chance))
    check(source, FORMATS[name])
    taken = choose(source)
    if isinstance(taken, Format) and taken.name != name:
        check(source, taken)


def check(source: Input, format_: Format) -> None:
    """Sessions round-trip; the numbers of the lines that were left out are those of lines that hold no object."""
    told: list[int] = []
    for found in format_.read(source):
        if isinstance(found, Skipped):
            told += [found.line] if found.line is not None else []
        else:
            keepable(found)
    if format_.by_line:
        assert told == bad_lines(source)
    elif format_.name not in BY_ROW:
        assert all(1 <= line <= source.read().count(b"\n") + 1 for line in told)


HUGE = 50 << 20
PICTURES: dict[str, Callable[[str], object]] = {
    "claude-code": lambda data: {"type": "image", "source": {"type": "base64", "data": data}},
    "codex": lambda data: {"type": "input_image", "image_url": f"data:image/png;base64,{data}"},
    "gemini-cli": lambda data: {"inlineData": {"mimeType": "image/png", "data": data}},
    "cursor": lambda data: {"type": "image", "source": {"data": data}},
}


def asked_with(name: str, part: object) -> dict[str, object]:
    """A prompt of a format with this part behind its words."""
    match name:
        case "claude-code":
            about: dict[str, object] = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s"}
            return about | {"message": {"role": "user", "content": [{"type": "text", "text": "see?"}, part]}}
        case "codex":
            content = [{"type": "input_text", "text": "see?"}, part]
            return {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}
        case "gemini-cli":
            return {"id": "m", "timestamp": "", "type": "user", "content": [{"text": "see?"}, part]}
        case _:
            return {"role": "user", "message": {"content": [{"type": "text", "text": "see?"}, part]}}


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_line_of_fifty_megabytes_is_a_mark_and_is_soon_forgotten(name: str) -> None:
    data = (json.dumps(asked_with(name, PICTURES[name]("A" * HUGE))) + "\n").encode() * 3
    tracemalloc.start()
    drafts = [draft for draft in FORMATS[name].read(Input("-", None, data)) if isinstance(draft, Draft)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * HUGE + (64 << 20)
    turns = [turn for draft in drafts for turn in draft.session.turns]
    assert {(turn.text, turn.media) for turn in turns} == {("see?", ("image",))}


def bad_lines(source: Input) -> list[int]:
    bad = []
    for line in source.lines():
        try:
            load_object(line.data)
        except BadLine:
            bad.append(line.number)
    return bad


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
