"""Ingest as a whole: once, appended, in its place, in a real brain."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, environment
from reading import TRANSCRIPTS, lines, write_talk
from test_ingest_claude_code import line

from brain import config, index, layout, transcript
from brain.ingest import IngestResult, Input, NoSource, Options, Skipped, ingest, run
from brain.model import Session
from brain.store import Store

NOW = datetime(2027, 2, 1, 3, tzinfo=UTC)
CLAUDE = TRANSCRIPTS / "claude-code"
SOME = (CLAUDE, TRANSCRIPTS / "markdown-log", TRANSCRIPTS / "openai-messages")
Take = Callable[..., IngestResult]


@pytest.fixture
def store(brain: Path) -> Iterator[Store]:
    opened = Store.open(brain)
    yield opened
    opened.close()


@pytest.fixture
def take(store: Store) -> Take:
    def take_in(*sources: str | Path | Input, **more: Any) -> IngestResult:
        return ingest(store, sources, now=NOW, maps=lambda tree: index.files(tree, 8000), **more)

    return take_in


def sessions(store: Store) -> dict[str, Session]:
    return {session.id: session for session in store.tree().sessions().values()}


def everything(root: Path) -> str:
    """All that a brain has on the disk, and all that git keeps of it."""
    kept = [path.read_bytes() for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    log = subprocess.run(["git", "-C", str(root), "log", "-p", "--all"], capture_output=True, check=True).stdout
    return b"\n".join([*kept, log]).decode("utf-8", "replace")


def said(session: Session) -> list[str]:
    return [turn.text for turn in session.turns]


# --- once ---------------------------------------------------------------------------


def test_the_same_again_makes_no_commit(store: Store, take: Take) -> None:
    first = take(*SOME)
    head = store.head()
    assert len(first.commits) == 1
    assert len(first.sessions) > 14
    again = take(*SOME)
    assert (again.commits, store.head()) == ((), head)
    assert [(t.known, t.new_turns) for t in again.sessions] == [(t.known, 0) for t in first.sessions]


def test_without_its_caches_it_reads_again_and_finds_nothing_new(store: Store, take: Take) -> None:
    take(*SOME)
    head = store.head()
    shutil.rmtree(store.root / ".brain")
    again = take(*SOME)
    assert (again.commits, store.head()) == ((), head)
    assert len(again.sessions) == 15


@pytest.mark.parametrize(
    "junk", [b"", b"[]", b'{"reader": 1}', b'{"reader": 1, "sources": {"k": 5}}', b'{"b": {"id": 1}}']
)
def test_broken_caches_are_none(store: Store, take: Take, junk: bytes) -> None:
    take(CLAUDE)
    for name in ("sessions.json", "sources.json"):
        store.local("cache", name).write_bytes(junk)
    assert take(CLAUDE).commits == ()


def test_a_brain_that_was_set_back_takes_in_again(store: Store, take: Take, tmp_path: Path) -> None:
    empty = store.head()
    source = shutil.copytree(CLAUDE, tmp_path / "claude")
    take(source)
    assert empty is not None
    subprocess.run(["git", "-C", str(store.root), "reset", "-q", "--hard", empty], check=True)
    assert len(take(source).commits) == 1


def test_one_session_in_two_files_is_one(store: Store, take: Take, tmp_path: Path) -> None:
    text = lines([line("user", "a", None, "one"), line("assistant", "b", "a", "two"), line("user", "c", "b", "three")])
    (tmp_path / "short.jsonl").write_text("".join(text.splitlines(True)[:2]))
    (tmp_path / "whole.jsonl").write_text(text)
    result = take(tmp_path / "whole.jsonl", tmp_path / "short.jsonl")
    assert [(t.known.turns, t.new_turns) for t in result.sessions] == [(3, 3)]
    assert take(tmp_path / "short.jsonl", tmp_path / "whole.jsonl").commits == ()


def test_what_was_said_before_a_reset_comes_first(store: Store, take: Take, tmp_path: Path) -> None:
    folder, own = tmp_path / "sessions", "68ca8eed-a5f2-4947-a64e-bc56c232b197"
    folder.mkdir()
    for name, day in ((f"{own}.jsonl", "2026-05-02"), (f"{own}.jsonl.reset.2026-05-02T00-00-00.000Z", "2026-05-01")):
        head = {"type": "session", "version": 3, "id": own, "timestamp": f"{day}T08:00:00Z", "cwd": "/home/odo"}
        told = {"role": "user", "content": f"On {day}."}
        entry = {"type": "message", "id": day, "parentId": None, "timestamp": f"{day}T09:00:00Z", "message": told}
        (folder / name).write_text(lines([head, entry]))
    take(folder)
    session = sessions(store)[own]
    assert said(session) == ["On 2026-05-01.", "On 2026-05-02."]
    assert (session.started, session.ended) == (session.turns[0].time, session.turns[1].time)


def test_an_earlier_part_that_comes_late_ends_nothing_sooner(store: Store, take: Take, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    for n, name in ((9, "b"), (1, "a")):
        path.write_text(lines([line("user", name, None, f"talk {name}", timestamp=f"2026-03-0{n}T09:00:00Z")]))
        take(path)
    (session,) = sessions(store).values()
    assert session.ended == session.turns[0].time


def test_a_resumed_session_is_copied_whole_and_counts_once(store: Store, take: Take) -> None:
    result = take(CLAUDE / "03-resume-and-branches")
    assert sum(taken.new_turns for taken in result.sessions) == 6
    old, new = (sessions(store)[one] for one in sorted(sessions(store), reverse=True))
    assert (len(old.turns), len(new.turns), new.parent) == (4, 6, old.id)
    assert [turn.derived for turn in new.turns] == [True] * 4 + [False] * 2
    assert not any(turn.derived for turn in old.turns)


def test_copies_are_known_when_the_original_comes_later(store: Store, take: Take) -> None:
    files = sorted((CLAUDE / "03-resume-and-branches").rglob("*.jsonl"))
    assert [take(path).sessions[0].new_turns for path in files] == [6, 0]


# --- appended -------------------------------------------------------------------------


def test_a_session_that_goes_on_gets_its_new_turns(store: Store, take: Take, tmp_path: Path) -> None:
    call = [{"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "ls"}}]
    given = [
        line("user", "a", None, "one"),
        line("assistant", "b", "a", call),
        line("user", "c", "b", [{"type": "tool_result", "tool_use_id": "c", "content": "mill.py"}]),
        line("assistant", "d", "c", "There is a mill."),
        line("user", "e", "d", "two"),
        {"type": "ai-title", "aiTitle": "The mill", "sessionId": line("user", "a", None)["sessionId"]},
    ]
    path = tmp_path / "s.jsonl"
    before = ""
    for end in range(1, len(given) + 1):
        path.write_text(lines(given[:end]))
        result = take(path)
        assert len(result.commits) == 1
        text = store.tree().text(layout.transcript_path(result.sessions[0].known.folder))
        assert all(word in text for word in before.split() if word.isalpha())
        before = text
    (session,) = sessions(store).values()
    whole = ingest_alone(store, lines(given))
    assert session.turns == whole.turns
    assert (session.title, session.ended) == ("The mill", whole.ended)


def ingest_alone(store: Store, text: str) -> Session:
    from brain.ingest import claude_code
    from brain.ingest.reading import Draft

    (draft,) = [one for one in claude_code.read(Input("-", None, text.encode())) if isinstance(one, Draft)]
    return draft.session


def test_where_the_source_went_another_way_both_ways_stay(store: Store, take: Take, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    start = [line("user", "a", None, "one"), line("assistant", "b", "a", "two")]
    old_way = [line("user", "c", "b", "left"), line("assistant", "d", "c", "left it is")]
    new_way = [line("user", "e", "b", "right"), line("assistant", "f", "e", "right it is")]
    path.write_text(lines(start + old_way))
    take(path)
    path.write_text(lines(start + old_way + new_way))
    result = take(path)
    (session,) = sessions(store).values()
    assert said(session) == ["one", "two", "left", "left it is", "right", "right it is"]
    assert [turn.n for turn in session.turns] == [1, 2, 3, 4, 5, 6]
    assert any("went another way; 2 turns" in skipped.why for skipped in result.skipped)
    more = [*start, *old_way, *new_way, line("user", "g", "f", "and on")]
    path.write_text(lines(more))
    assert take(path).sessions[0].new_turns == 1
    path.write_text(lines([*more, line("user", "h", "d", "back to the left")]))
    take(path)
    (session,) = sessions(store).values()
    assert said(session)[4:] == ["right", "right it is", "and on", "back to the left"]


def test_a_rule_for_secrets_that_is_younger_than_the_transcript_doubles_nothing(
    store: Store, take: Take, tmp_path: Path
) -> None:
    """As if the first ingest had not known the kind: the stored word stays, which validate then finds."""
    path = tmp_path / "log.md"
    path.write_text("## User\n\nhello\n\n## Assistant\n\nthe key is X\n")
    folder = take(path).sessions[0].known.folder
    token = "ghp_" + "a1B2" * 9
    stored = layout.transcript_path(folder)
    text = store.tree().text(stored).replace("the key is X", f"the key is {token}").encode()
    head = store.head()
    store.advance(store.write({stored: text}, base=head, message="m", command="test", run_id="t", at=NOW), head)
    path.write_text(f"## User\n\nhello\n\n## Assistant\n\nthe key is {token}\n\n## User\n\nthanks\n")
    result = take(path)
    assert [(t.known.turns, t.new_turns) for t in result.sessions] == [(3, 1)]
    assert any("read differently" in skipped.why for skipped in result.skipped)


def test_keys_that_a_person_wrote_into_the_front_matter_stay(store: Store, take: Take, tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_text("## User\n\nhello\n\n## Assistant\n\nhello\n")
    stored = layout.transcript_path(take(path).sessions[0].known.folder)
    text = store.tree().text(stored).replace("audience: trusted", "audience: public\nmood: good  # mine")
    head = store.head()
    store.advance(
        store.write({stored: text.encode()}, base=head, message="m", command="test", run_id="t", at=NOW), head
    )
    path.write_text("## User\n\nhello\n\n## Assistant\n\nhello\n\n## User\n\nbye\n")
    take(path)
    grown = store.tree().text(stored)
    assert "audience: public\nmood: good  # mine" in grown
    assert len(transcript.parse(grown).session.turns) == 3


# --- identity of what has no id ---------------------------------------------------------


def test_two_files_of_one_name_are_two_sessions_and_stay_so(store: Store, take: Take, tmp_path: Path) -> None:
    for name, words in (("a", "the mill opens at ten"), ("b", "the ferry costs four crowns")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.md").write_text(f"## User\n\n{words}\n\n## Assistant\n\nyes\n")
    first = take(tmp_path)
    assert sorted(one.known.id.split("~")[0] for one in first.sessions) == ["chat", "chat"]
    shutil.rmtree(store.root / ".brain")
    assert take(tmp_path / "b", tmp_path / "a").commits == ()
    with (tmp_path / "b" / "chat.md").open("a") as file:
        file.write("\n## User\n\nand back?\n")
    grown = take(tmp_path)
    assert [one.new_turns for one in grown.sessions if one.has_changed] == [1]
    assert len(sessions(store)) == 2


def test_a_log_that_was_edited_is_still_that_log(store: Store, take: Take, tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_text("## User\n\nThe mill opens at ten.\n\n## Assistant\n\nNoted, at ten in the morning.\n")
    take(path)
    path.write_text("## User\n\nThe mill opens at nine.\n\n## Assistant\n\nNoted, at ten in the morning.\n")
    take(path)
    (session,) = sessions(store).values()
    assert said(session) == ["The mill opens at ten.", "Noted, at ten in the morning.", "The mill opens at nine."]


def test_eight_characters_that_are_taken_become_twelve(store: Store, take: Take, tmp_path: Path) -> None:
    ids = ["1f2e3d4c-0000-4000-8000-000000000001", "1f2e3d4c-1111-4000-8000-000000000002"]
    for one in ids:
        (tmp_path / f"{one}.jsonl").write_text(lines([line("user", "a", None, f"I am {one}", sessionId=one)]))
    take(tmp_path)
    assert [Path(folder).name for folder in store.tree().sessions()] == ["01-1f2e3d4c", "01-1f2e3d4c1111"]
    assert {session.id for session in sessions(store).values()} == set(ids)


# --- what is refused, and how it is told --------------------------------------------------


def test_a_file_that_no_format_takes(store: Store, take: Take, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG\0\0")
    head = store.head()
    with pytest.raises(match=r"picture\.png is no transcript: it is binary data\.") as refused:
        take(path)
    assert (refused.value.exit_status, store.head()) == (2, head)
    good = tmp_path / "chat.md"
    good.write_text("## User\n\nhello\n\n## Assistant\n\nhello\n")
    result = take(path, good)
    assert len(result.sessions) == 1
    assert [skipped.source for skipped in result.skipped] == [str(path)]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a,b\n1,2\n", "text with neither turns of speakers nor running words"),
        (b'{"a": 1}\n{"b": 2}\n', "JSON, but of no agent and no export that Brain knows"),
        (b"SQLite format 3\0" + bytes(84), "a SQLite database without conversations that Brain knows"),
    ],
)
def test_it_is_said_what_a_file_is_instead(take: Take, tmp_path: Path, data: bytes, told: str) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(NoSource, match=f"file is no transcript: it is {told}."):
        take(tmp_path / "file")


def test_in_a_folder_strange_files_are_counted_and_symlinks_not_followed(take: Take, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "chat.md").write_text("## User\n\nhello\n\n## Assistant\n\nhello\n")
    (folder / "link.md").symlink_to(folder / "deep" / "chat.md")
    (folder / "loop").symlink_to(folder)
    for name in ("a.png", "b.png", "c"):
        (folder / name).write_bytes(b"\0")
    (folder / "empty.jsonl").touch()
    result = take(folder)
    assert len(result.sessions) == 1
    assert result.skipped == (
        Skipped(str(folder), None, "2 links not followed; name what they lead to"),
        Skipped(str(folder), None, "3 files that no format takes (2 .png, 1 no ending): a.png, b.png, c"),
    )


def test_nothing_there_is_said_before_anything_is_done(store: Store, take: Take, tmp_path: Path) -> None:
    head = store.head()
    with pytest.raises(NoSource, match="does not exist"):
        take(CLAUDE, tmp_path / "gone")
    with pytest.raises(NoSource, match="an empty PATH names nothing"):
        take("")
    assert store.head() == head


def test_what_has_no_conversation_is_no_error(take: Take, tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    (tmp_path / "blank.md").write_text(" \n\n")
    result = take(tmp_path / "empty.json", tmp_path / "blank.md")
    assert (result.sessions, result.skipped, result.commits) == ((), (), ())


def test_memory_is_no_source_for_itself(store: Store, take: Take) -> None:
    take(CLAUDE)
    result = take(store.root / "memory")
    assert result.commits == ()
    assert {skipped.why for skipped in result.skipped} == {
        "it is a file of a brain, and memory is no evidence for itself"
    }


def test_dry_run_writes_nothing_and_an_agent_can_be_chosen(store: Store, take: Take) -> None:
    head, before = store.head(), sorted(store.root.rglob("*"))
    result = take(*SOME, options=Options(dry_run=True))
    assert (len(result.sessions) > 14, result.commits, store.head()) == (True, (), head)
    assert [p for p in sorted(store.root.rglob("*")) if p not in before and ".brain" not in p.parts] == []
    only = take(*SOME, options=Options(agent="markdown-log"))
    assert {taken.format for taken in only.sessions} == {"markdown-log"}
    assert len(take(*SOME).sessions) == 15


def test_a_dry_run_counts_what_each_batch_would_have_left_for_the_next(
    take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH_SESSIONS", 1)
    talk = "## User\n\nhello\n\n## Assistant\n\nhello\n"
    for folder, text in (("a", talk), ("b", talk + "\n## User\n\nand again\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chat.md").write_text(text)
    sources = [tmp_path / "a" / "chat.md", tmp_path / "b" / "chat.md"]
    dry = take(*sources, options=Options(dry_run=True))
    assert [(one.known.turns, one.new_turns, one.is_new) for one in dry.sessions] == [(3, 3, True)]
    assert [(one.known.turns, one.new_turns, one.is_new) for one in take(*sources).sessions] == [(3, 3, True)]


def test_two_names_that_are_no_text_do_not_look_alike(take: Take, tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    for name in (b"a\xff.md", b"a\xfe.md"):
        (tmp_path / "t" / os.fsdecode(name)).write_bytes(b"\0")
    (skipped,) = take(tmp_path / "t").skipped
    assert skipped.why.endswith(r": a\udcfe.md, a\udcff.md")


def test_what_the_settings_leave_out(brain: Path, tmp_path: Path) -> None:
    settings = brain / config.NAME
    settings.write_text(settings.read_text() + '\n[ingest]\nexclude = ["tide-clock", "*/watch.md"]\n')
    store = Store.open(brain)
    result = ingest(store, [CLAUDE, TRANSCRIPTS / "markdown-log"], now=NOW)
    store.close()
    assert sorted(taken.known.id[:8] for taken in result.sessions) == ["chat", "d3823897", "d7cd0cef"]
    assert [skipped.why for skipped in result.skipped].count("left out by --exclude or ingest.exclude") == 4


# --- bug cases --------------------------------------------------------------------------


def brain_in(brain: Path, zone: str) -> Store:
    settings = brain / config.NAME
    settings.write_text(settings.read_text().replace('timezone = "UTC"', f'timezone = "{zone}"'))
    store = Store.open(brain)
    assert store.settings.timezone == zone
    return store


def test_case_16_the_day_is_that_of_the_memorys_zone(brain: Path, tmp_path: Path) -> None:
    store = brain_in(brain, "America/Vancouver")
    result = ingest(store, [write_talk(tmp_path, "16-which-day")], now=NOW)
    assert result.sessions[0].known.folder.startswith("memory/sessions/2026/12/31-")
    (session,) = sessions(store).values()
    assert [str(turn.time) for turn in session.turns] == [
        "2026-12-31 23:40:00-08:00",
        "2027-01-01 00:20:00-08:00",
        "2027-01-01 08:30:00+00:00",
    ]
    assert [str(turn.time.astimezone(store.settings.zone).date()) for turn in session.turns if turn.time] == [
        "2026-12-31",
        "2027-01-01",
        "2027-01-01",
    ]
    store.close()


def test_case_17_what_was_injected_is_gone_and_what_a_memory_tool_gave_is_marked(
    store: Store, take: Take, tmp_path: Path
) -> None:
    for day in ("day1", "day2", "day3"):
        take(write_talk(tmp_path, "17-memory-loop", day))
    assert "Save anything new you learn" not in everything(store.root)
    evidence = [
        (session.started and session.started.day, turn.text)
        for session in sorted(sessions(store).values(), key=lambda one: str(one.started))
        for turn in session.turns
        if not turn.derived and turn.role.value == "user"
    ]
    assert evidence == [
        (1, "The ferry ticket costs 4 crowns since this morning."),
        (2, "When does the mill open?"),
        (3, "Your note on the mill says 10; that is still so. The ferry now has a winter timetable."),
    ]
    asked = [turn for session in sessions(store).values() for turn in session.turns if turn.tool_calls]
    assert [(turn.derived, turn.tool_calls[0].derived) for turn in asked] == [(True, True)]


def test_case_18_no_secret_is_on_the_disk_or_in_git(store: Store, take: Take, tmp_path: Path) -> None:
    folder = Path(__file__).parent / "cases" / "bugs" / "18-secrets"
    wanted = json.loads((folder / "expected.md").read_text("utf-8").split("```json\n")[1].split("```")[0])
    result = take(write_talk(tmp_path, "18-secrets"))
    kept = everything(store.root)
    assert [secret for secret in wanted["secret"] if secret in kept] == []
    assert [word for word in wanted["keep"] if word not in kept] == []
    assert result.secrets == {"password": 1, "api-key": 1, "url-password": 1, "private-key": 1, "jwt": 1, "cookie": 1}


def test_secrets_in_what_a_turn_shows_cut_are_counted_too(store: Store, take: Take, tmp_path: Path) -> None:
    long = "line\n" * 30_000
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat log"}}
    given = {"type": "tool_result", "tool_use_id": "t1", "content": f"{long}password: Kestrel-4711-x\n{long}"}
    (tmp_path / "talk.jsonl").write_text(
        lines([line("user", "a", None, "Look."), line("assistant", "b", "a", [call]), line("user", "c", "b", [given])])
    )
    assert take(tmp_path / "talk.jsonl").secrets == {"password": 1}
    assert "Kestrel-4711-x" not in everything(store.root)


def test_case_19_each_turn_names_its_speaker(store: Store, take: Take, tmp_path: Path) -> None:
    take(write_talk(tmp_path, "19-who-said-it"))
    (session,) = sessions(store).values()
    assert [(turn.role.value, turn.speaker) for turn in session.turns] == [
        ("user", "Bram"),
        ("user", "Ilse"),
        ("assistant", None),
        ("user", "Bram"),
        ("user", "Ilse"),
    ]


def test_case_20_a_message_without_a_time_gets_none(brain: Path, tmp_path: Path) -> None:
    store = brain_in(brain, "Europe/Vienna")
    ingest(store, [write_talk(tmp_path, "20-relative-dates")], now=NOW)
    (session,) = sessions(store).values()
    assert [turn.time is None for turn in session.turns] == [False, False, True, False]
    assert "2027" not in store.tree().text(layout.transcript_path(next(iter(store.tree().sessions()))))
    store.close()


def test_case_23_planted_text_stays_a_result_and_forges_no_turn(store: Store, take: Take, tmp_path: Path) -> None:
    take(write_talk(tmp_path, "23-planted-orders"))
    (session,) = sessions(store).values()
    assert len(session.turns) == 2
    assert session.turns[1].trust.label == "third"
    planted = ("nylon", "Saltmarsh", "setup.sh")
    assert not any(word in turn.text for turn in session.turns for word in planted)
    assert [call.trust.label for call in session.turns[1].tool_calls] == ["third"] * 3


# --- the command -------------------------------------------------------------------------


def test_the_command_prints_the_documented_object(brain: Path, run: Run) -> None:
    done = run("ingest", CLAUDE / "04-damaged-files", "--brain", brain, "--json", "--now", NOW.isoformat())
    assert (done.status, done.err) == (0, "")
    value = json.loads(done.out)
    assert list(value) == ["sessions", "skipped"]
    assert value["sessions"] == [
        {
            "id": "d2a8304f-25ee-41ad-a883-6ba22c15b096",
            "path": "memory/sessions/2026/04/20-d2a8304f/transcript.md",
            "turns": 7,
            "new_turns": 7,
            "started": "2026-04-20T06:00:00+00:00",
            "ended": "2026-04-20T06:04:00+00:00",
        }
    ]
    assert [skipped["line"] for skipped in value["skipped"]] == [6, 7, 13, None]
    assert all(list(skipped) == ["source", "line", "why"] for skipped in value["skipped"])
    assert (brain / value["sessions"][0]["path"]).is_file()


def test_the_command_says_what_came_in_for_a_person(brain: Path, run: Run) -> None:
    done = run("ingest", CLAUDE / "04-damaged-files", "--brain", brain)
    assert done.status == 0
    assert [row.split() for row in done.out.splitlines()[:3:2]] == [
        ["format", "new", "grown", "unchanged", "new", "turns"],
        ["claude-code", "1", "0", "0", "7"],
    ]
    assert "Left out (4):" in done.out
    assert done.out.endswith("Next: brain dream\n")


def test_the_command_reads_standard_input_and_refuses_in_one_line(brain: Path, run: Run) -> None:
    done = run("ingest", "-", "--brain", brain, "--json", stdin='[{"role": "user", "content": "hello"}]')
    assert [one["turns"] for one in json.loads(done.out)["sessions"]] == [1]
    refused = run("ingest", "-", "--brain", brain, stdin="just words")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("brain: Nothing was taken in: - is no transcript: it is text ")
    assert refused.err.count("\n") == 1


def test_two_at_once_lose_and_double_nothing(brain: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for n in range(12):
        one = f"{n:08x}-0000-4000-8000-000000000000"
        text = lines([line("user", f"u{k}", f"u{k - 1}" if k else None, f"words {k}", sessionId=one) for k in range(5)])
        (tmp_path / f"{one}.jsonl").write_text(text)
    sources = sorted(tmp_path.glob("*.jsonl"))
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "brain", "ingest", "--brain", brain, *map(str, order)],
            env=environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for order in (sources, sources[::-1], sources[6:])
    ]
    results = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], results
    store = Store.open(brain)
    assert sorted((one, len(session.turns)) for one, session in sessions(store).items()) == [
        (path.stem, 5) for path in sources
    ]
    store.close()


def test_a_file_that_may_not_be_read_is_told_and_the_others_come_in(take: Take, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("## User\n\nhello\n\n## Assistant\n\nhello\n")
    os.mkfifo(tmp_path / "pipe")
    name = os.fsencode(tmp_path) + b"/caf\xe9.md"
    with open(name, "wb") as file:  # noqa: PTH123 - a name that is no text
        file.write(b"## User\n\nsalut\n\n## Assistant\n\nsalut\n")
    result = take(tmp_path)
    assert len(result.sessions) == 2
    assert json.dumps([taken.known.id for taken in result.sessions]).isascii()
