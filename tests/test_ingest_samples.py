"""Every check of every expected.json under cases/transcripts/, for every sample that lies there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from reading import TRANSCRIPTS, read_file

from brain import transcript
from brain.ingest import FORMATS, Input, Skipped
from brain.ingest.formats import is_part
from brain.ingest.reading import Draft
from brain.model import Role, SessionKind, ToolCall

Expected = dict[str, Any]
Reading = tuple[Draft, list[Skipped]]


def samples() -> Iterator[tuple[Path, Expected]]:
    for path in sorted(TRANSCRIPTS.glob("*/expected.json")):
        for sample in json.loads(path.read_text("utf-8"))["samples"]:
            yield path.parent / sample["sample"], sample


SAMPLES = list(samples())
SESSIONS = [(root, session) for root, sample in SAMPLES for session in sample["sessions"]]
cached = cache(read_file)


def find(root: Path, expected: Expected) -> Reading:
    """The draft that is meant: by file, then by id, else by line, else the only one."""
    drafts, skipped = cached(root / expected["file"])
    if expected["id"] is not None:
        drafts = [draft for draft in drafts if draft.session.id == expected["id"]]
    elif "line" in expected:
        drafts = [draft for draft in drafts if draft.session.id.endswith(f"#{expected['line']}")]
    assert len(drafts) == 1, [draft.session.id for draft in drafts]
    return drafts[0], skipped


def utc(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def note(draft: Draft, words: str) -> int:
    return sum(count for what, count in draft.notes.items() if words in what)


def errors(draft: Draft) -> int:
    return sum(call.is_error for turn in draft.session.turns for call in turn.tool_calls)


def called(draft: Draft, *, is_file: bool) -> list[ToolCall]:
    return [call for turn in draft.session.turns for call in turn.tool_calls if call.is_file is is_file]


def pictures(draft: Draft) -> int:
    return sum(turn.media.count("image") for turn in draft.session.turns if turn.role is Role.USER)


def unanswered(draft: Draft) -> int:
    return sum(call.result is None for turn in draft.session.turns for call in turn.tool_calls)


def local_times(draft: Draft, zone: str, wanted: dict[str, str]) -> dict[str, str]:
    times = {str(turn.n - 1): turn.time for turn in draft.session.turns if turn.time}
    return of({n: time.astimezone(ZoneInfo(zone)).isoformat() for n, time in times.items()}, wanted)


def texts(draft: Draft) -> dict[str, str]:
    return {str(turn.n - 1): turn.text for turn in draft.session.turns}


def of(value: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    return {key: value.get(key) for key in wanted}


CHECKS: dict[str, Callable[[Reading, Any], object]] = {
    "kind": lambda got, want: got[0].session.kind.value == want,
    "parent": lambda got, want: got[0].session.parent == want,
    "title": lambda got, want: got[0].session.title == want,
    "cwd": lambda got, want: got[0].folder == want and got[0].session.project == want.rpartition("/")[2],
    "turns": lambda got, want: len(got[0].session.turns) == want,
    "roles": lambda got, want: [turn.role.value for turn in got[0].session.turns] == want,
    "first_timestamp": lambda got, want: got[0].session.started == utc(want),
    "last_timestamp": lambda got, want: got[0].session.ended == utc(want),
    "session_date": lambda got, want: str(got[0].day) == want,
    "session_timestamp": lambda got, want: got[0].day == utc(want),
    "tool_calls": lambda got, want: len(called(got[0], is_file=False)) == want,
    "attachments": lambda got, want: len(called(got[0], is_file=True)) == want,
    "files_without_content": lambda got, want: sum(t.media.count("file") for t in got[0].session.turns) == want,
    "do_not_remember": lambda got, want: got[0].is_incognito is want,
    "tool_errors": lambda got, want: errors(got[0]) == (want or 0),
    "images": lambda got, want: pictures(got[0]) == want,
    "texts": lambda got, want: of(texts(got[0]), want) == want,
    "contains": lambda got, want: all(part in texts(got[0])[n] for n, parts in want.items() for part in parts),
    "speakers": lambda got, want: of({str(t.n - 1): t.speaker for t in got[0].session.turns}, want) == want,
    "turn_timestamps": lambda got, want: (
        of({str(t.n - 1): t.time for t in got[0].session.turns}, want) == {n: utc(time) for n, time in want.items()}
    ),
    "untimed_turns": lambda got, want: [t.n - 1 for t in got[0].session.turns if t.time is None] == want,
    "bad_lines": lambda got, want: sum(skipped.line is not None for skipped in got[1]) == want,
    "bad_rows": lambda got, want: sum(skipped.line is not None for skipped in got[1]) == want,
    "abandoned_turns": lambda got, want: note(got[0], "given up") == want,
    "bad_arguments": lambda got, want: note(got[0], "arguments") == want,
    "incomplete_turns": lambda got, want: note(got[0], "cut off") == len(want),
    "rolled_back_turns": lambda got, want: note(got[0], "rolled back") == want,
    "cwds": lambda got, want: got[0].folder == want[0],
    "cancelled_calls": lambda got, want: unanswered(got[0]) == want,
    "local_times": lambda got, want: all(local_times(got[0], zone, times) == times for zone, times in want.items()),
}
NAMES = {"id", "file", "line", "remarks"}
NOT_KEPT = {"output_tokens", "compactions"}
"""What a memory has no use for: the price of an answer, and when the host made room."""


@pytest.mark.parametrize(
    ("root", "expected"), SESSIONS, ids=[f"{r.parent.name}/{r.name}/{s['file']}" for r, s in SESSIONS]
)
def test_a_session_reads_as_expected(root: Path, expected: Expected) -> None:
    got = find(root, expected)
    unknown = expected.keys() - CHECKS.keys() - NAMES - NOT_KEPT
    assert not unknown, "a check that this test does not know"
    wrong = [key for key, check in CHECKS.items() if key in expected and not check(got, expected[key])]
    assert wrong == [], got[0].session


@pytest.mark.parametrize(("root", "expected"), SAMPLES, ids=[f"{r.parent.name}/{r.name}" for r, _ in SAMPLES])
def test_a_sample_gives_these_sessions_and_nothing_that_must_not_appear(root: Path, expected: Expected) -> None:
    drafts = [draft for path in sources(root, expected) for draft in cached(path)[0]]
    talks = [draft for draft in drafts if draft.session.kind is not SessionKind.DOCUMENT]
    assert len(talks if "entries" in expected else drafts) == len(expected["sessions"])
    said = "\n".join(turn.text for draft in drafts for turn in draft.session.turns)
    stored = "\n".join(transcript.render(draft.session) for draft in drafts)
    stored += "\n".join(data.decode() for draft in drafts for data in draft.attachments.values())
    assert [text for text in expected.get("must_not_appear", []) if text in said] == []
    assert [text for text in expected.get("derived", []) if text in said] == []
    assert [text for text in expected.get("secrets", []) if text in stored] == []
    assert "base64" not in stored and "iVBORw0KGgo" not in stored
    for name in expected.get("not_conversations", []):
        assert name not in {draft.session.id for draft in drafts}
        assert not (root / name).exists() or cached(root / name) == ([], [])


ENTRIES = [(root, entry) for root, sample in SAMPLES for entry in sample.get("entries", [])]


@pytest.mark.parametrize(("root", "entry"), ENTRIES, ids=[entry["file"] for _, entry in ENTRIES])
def test_a_memory_file_gives_these_entries(root: Path, entry: Expected) -> None:
    ((draft,), skipped) = cached(root / entry["file"])
    assert (draft.session.kind, skipped) == (SessionKind.DOCUMENT, [])
    assert len(draft.session.turns) == entry.get("items", entry.get("turns"))
    assert note(draft, "twice") == entry.get("duplicates", 0)
    assert note(draft, "machine") == entry.get("machine_items", 0)
    wanted = utc(entry["session_time"]) if "session_time" in entry else entry["day"]
    assert draft.day == wanted or str(draft.day) == str(wanted)


@pytest.mark.parametrize(
    "path", [root / name for root, sample in SAMPLES for name in sample.get("machine_written", [])]
)
def test_what_a_machine_wrote_is_not_read(path: Path) -> None:
    assert cached(path)[0] == []


def sources(root: Path, expected: Expected) -> list[Path]:
    """What a run reads: not the files that belong to another one, and not what is of another format on purpose."""
    strange = [root / name for name in expected.get("not_rollouts", [])]
    return [path for path in files(root) if not is_part(path) and path not in strange]


def files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize(("root", "expected"), [pair for pair in SAMPLES if "combined" in pair[1]])
def test_branches_that_were_given_up_are_the_same_in_every_copy(root: Path, expected: Expected) -> None:
    """By the uuids of the messages whose words stand in no turn of their file."""
    given_up: set[str] = set()
    for path in files(root):
        said = "\n".join(turn.text for draft in cached(path)[0] for turn in draft.session.turns)
        for line in path.read_text("utf-8").splitlines():
            value = json.loads(line)
            content = value["message"]["content"]
            words = content if isinstance(content, str) else content[0]["text"]
            given_up |= {value["uuid"]} if words not in said else set()
    assert len(given_up) == expected["combined"]["abandoned_turns_without_copies"]


def test_round_trip_of_everything_that_is_read() -> None:
    for root, _ in SAMPLES:
        for path in files(root):
            for draft in cached(path)[0]:
                assert transcript.parse(transcript.render(draft.session)).session == draft.session
                assert all(t.time is None or t.time.tzinfo for t in draft.session.turns)


def test_no_format_takes_what_is_not_its_own() -> None:
    taken: dict[str, set[str]] = {}
    for root, _ in SAMPLES:
        taken.setdefault(root.parent.name, set()).update(name for path in sources(root, {}) for name in _takers(path))
    assert taken == {
        "claude-code": {"claude-code"},
        "codex": {"codex", "codex-exec"},
        "cursor": {"cursor", "cursor-text"},
        "gemini-cli": {"gemini-cli"},
        "opencode": {"opencode"},
        "markdown-log": {"markdown-log", "agent-memory", "document"},
        "openai-messages": {"openai-messages", "openai-agents"},
        "chatgpt-export": {"chatgpt"},
        "claude-ai-export": {"claude-ai"},
        "langchain": {"langchain"},
        "openclaw": {"openclaw", "agent-memory", "document"},
    }


def _takers(path: Path) -> list[str]:
    head = Input(path.name, path).head
    return [name for name, format_ in FORMATS.items() if not format_.detect(head, path.name)]


def test_times_keep_the_offset_that_was_given() -> None:
    watch = cached(TRANSCRIPTS / "markdown-log" / "02-stamped-lines" / "watch.md")[0][0].session
    assert [str(turn.time)[-6:] for turn in watch.turns] == ["+02:00", "+02:00", "+02:00", "+01:00", "+01:00"]
    assert watch.turns[2].time.astimezone(UTC) != watch.turns[3].time.astimezone(UTC)  # type: ignore[union-attr]
