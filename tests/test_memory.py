"""Hand edits become evidence; what is there can be shown, and how it came to be."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from store_kit import AT, fsck, move, new_brain, put, sh, status

from brain import layout, transcript
from brain.memory import (
    MemoryGone,
    NotFound,
    ShownFile,
    ShownSession,
    ShownTurn,
    history,
    settle,
    show,
)
from brain.memory.handedits import new_words
from brain.model import Origin, Role, Session, SessionKind, Source, Text, ToolCall, Trust, Turn
from brain.store import Store, journal
from brain.tree import tree_of

PAGE = "memory/knowledge/people/Ilya Brandt.md"
NOTE = "memory/notes/home/Tide clock.md"
PAGE_TEXT = """---
title: Ilya Brandt
kind: person
citations:
  1: {source: "sessions/2026/11/20-7dbc1bfb#t1", quote: 000000000000/3, date: 2026-11-20, origin: user}
---

# Ilya Brandt

Ilya is a sound engineer. [cite:1]

## Facts

- 2026-11-20 · Ilya works at Kestrel Audio. [cite:1] ^k3f9

## Related

- [[Tide clock]] · he mended it
"""
SESSION = Session(
    id="7dbc1bfb-9331-4e22-a691-c75fe9779cf6",
    agent="claude-code",
    source=Source("claude-code", "a.jsonl", "00"),
    title="The tide clock",
    turns=(
        Turn(1, Role.USER, datetime(2026, 11, 20, 9, tzinfo=UTC), (Text("Ilya works at Kestrel Audio."),)),
        Turn(
            2,
            Role.ASSISTANT,
            None,
            (Text("I see."), ToolCall("Read", "clock.py", "x = 1")),
            Origin.ASSISTANT,
            Trust.AGENT,
        ),
    ),
)
FOLDER = "memory/sessions/2026/11/20-7dbc1bfb"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / "brain"
    contents = {
        PAGE: PAGE_TEXT.encode(),
        NOTE: b"---\ntitle: Tide clock\ndomain: home\n---\n",
        f"{FOLDER}/transcript.md": transcript.render(SESSION).encode(),
    }
    new_brain(root, contents).close()
    return root


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(Path(shutil.copytree(template, tmp_path / "brain")))
    yield opened
    opened.close()


def edit(store: Store, path: str, text: str) -> None:
    (store.root / path).parent.mkdir(parents=True, exist_ok=True)
    (store.root / path).write_text(text)


def words(store: Store) -> list[str]:
    """The texts of all turns of hand edits."""
    sessions = store.tree().sessions().values()
    return [turn.text for s in sessions if s.kind is SessionKind.HAND_EDIT for turn in s.turns]


# --- hand edits -------------------------------------------------------------------


def test_an_edit_becomes_a_commit_and_a_session(store: Store) -> None:
    edit(store, PAGE, PAGE_TEXT.replace("[cite:1] ^k3f9\n", "[cite:1] ^k3f9\n- He plays the cello.\n"))
    edit(store, "memory/notes/home/Tea.md", "---\ntitle: Tea\n---\n\nGreen, not black.\n")
    settled = settle(store, AT)
    assert settled.paths == (PAGE, "memory/notes/home/Tea.md")
    assert settled.commit == store.head()
    assert settled.skipped == ()
    (folder,) = settled.sessions
    session = store.tree().session(folder)
    assert session is not None
    parent = sh(store.root, "git rev-parse HEAD^")
    assert session.id == f"human:{parent}"
    assert (session.agent, session.kind) == ("human", SessionKind.HAND_EDIT)
    assert session.source.format == "hand-edit"
    assert [(t.text, t.role, t.origin, t.trust) for t in session.turns] == [
        ("- He plays the cello.", Role.USER, Origin.USER, Trust.USER),
        ("Green, not black.", Role.USER, Origin.USER, Trust.USER),
    ]
    assert {t.time for t in session.turns} == {AT}
    assert folder.startswith("memory/sessions/2026/11/29-")
    trailers = sh(store.root, "git log -2 --format='%(trailers:key=Brain-Command,valueonly)'").split()
    assert trailers == ["hand-edit", "hand-edit"]
    assert status(store.root) == ""
    assert fsck(store.root) == ""


def test_settling_again_does_nothing(store: Store) -> None:
    assert settle(store, AT).commit is None
    edit(store, NOTE, "---\ntitle: Tide clock\n---\n\nIt is late.\n")
    assert settle(store, AT).commit is not None
    head = store.head()
    assert settle(store, AT + timedelta(days=1)).commit is None
    assert store.head() == head
    assert words(store) == ["It is late."]


def test_the_day_of_an_edit_is_the_persons(store: Store) -> None:
    # Europe/Lisbon is at UTC+1 in summer.
    edit(store, NOTE, "Late.\n")
    assert (
        settle(store, datetime(2026, 7, 31, 23, 30, tzinfo=UTC)).sessions[0].startswith("memory/sessions/2026/08/01-")
    )


def test_what_says_nothing_new_is_committed_without_a_session(store: Store) -> None:
    edit(store, PAGE, PAGE_TEXT.replace("- 2026-11-20 · Ilya works at Kestrel Audio. [cite:1] ^k3f9\n", ""))
    edit(store, "DREAM.md", "Be brief.\n")
    (store.root / NOTE).unlink()
    settled = settle(store, AT)
    assert settled.paths == ("DREAM.md", PAGE, NOTE)
    assert settled.sessions == ()
    assert NOTE not in store.tree()
    assert len(store.tree().sessions()) == 1
    assert status(store.root) == ""


def test_commits_that_a_person_made_are_evidence_too(store: Store) -> None:
    edit(store, NOTE, "One.\n")
    sh(store.root, "git commit -qam one")
    edit(store, NOTE, "One.\nTwo.\n")
    sh(store.root, "git commit -qam two")
    edit(store, NOTE, "One.\nTwo.\nThree.\n")
    settled = settle(store, AT)
    assert len(settled.sessions) == 3
    assert sorted(words(store)) == ["One.", "Three.", "Two."]
    ids = {session.id for session in store.tree().sessions().values()}
    assert f"human:{sh(store.root, 'git rev-parse HEAD~2')}" in ids
    assert settle(store, AT).commit is None


def test_however_many_commits_a_person_made_all_are_seen(store: Store) -> None:
    edit(store, NOTE, "First.\n")
    sh(store.root, "git commit -qam first")
    sh(store.root, "for n in $(seq 60); do git commit -q --allow-empty -m $n; done")
    settle(store, AT)
    assert words(store) == ["First."]
    assert settle(store, AT).commit is None


def test_commits_below_an_ingest_are_found(store: Store) -> None:
    edit(store, NOTE, "One.\n")
    sh(store.root, "git commit -qam one")
    move(store, {"memory/notes/home/Other.md": b"x\n"}, "ingest-1")
    settle(store, AT)
    assert words(store) == ["One."]
    assert settle(store, AT).commit is None


def test_a_merge_adds_no_words_of_its_own(store: Store) -> None:
    sh(store.root, "git checkout -qb other")
    edit(store, NOTE, "Theirs.\n")
    sh(store.root, "git commit -qam theirs; git checkout -q main; echo x > x; git add x; git commit -qm x")
    sh(store.root, "git merge -q --no-edit other")
    settle(store, AT)
    assert words(store) == ["Theirs."]


def test_a_dream_that_is_taken_back_is_no_evidence(store: Store) -> None:
    without = PAGE_TEXT.replace("- 2026-11-20 · Ilya works at Kestrel Audio. [cite:1] ^k3f9\n", "")
    move(store, {PAGE: without.encode()}, "dream-1")
    sh(store.root, "git revert --no-edit HEAD")
    assert settle(store, AT).sessions == ()
    assert store.tree().text(PAGE) == PAGE_TEXT


def test_an_edit_that_is_cut_off_is_made_whole(store: Store) -> None:
    edit(store, NOTE, "Late.\n")
    head = store.head()
    settle(store, AT)
    tip = store.head()
    # As if the run had died between the swap of main and the files.
    sh(
        store.root,
        f"rm -r {Path(FOLDER).parent.parent}/11/29-*; git reset -q --mixed {head}; git update-ref HEAD {tip}",
    )
    journal.begin(store.local(), journal.Move("refs/heads/main", head, tip or "", "hand-edit"))
    store.recover()
    assert status(store.root) == ""
    assert settle(store, AT).commit is None


def test_a_memory_that_has_vanished_is_not_committed_away(store: Store) -> None:
    head = store.head()
    sh(store.root, "rm -r memory")
    with pytest.raises(MemoryGone, match="none of the 3 files"):
        settle(store, AT)
    assert store.head() == head


def test_what_cannot_be_committed_is_left_and_named(store: Store) -> None:
    edit(store, "memory/notes/home/a:b.md", "x\n")
    (store.root / "memory/notes/link.md").symlink_to("/etc/passwd")
    settled = settle(store, AT)
    assert settled.commit is None
    assert {path for path, _ in settled.skipped} == {"memory/notes/home/a:b.md", "memory/notes/link.md"}
    assert (store.root / "memory/notes/home/a:b.md").exists()


def test_two_edits_whose_ids_begin_alike_have_folders_of_their_own(store: Store) -> None:
    edit(store, NOTE, "One.\n")
    sh(store.root, "git commit -qam one")
    commit = sh(store.root, "git rev-parse HEAD")
    made = Session(f"human:{commit}", "human", SESSION.source, SESSION.turns, kind=SessionKind.HAND_EDIT)
    from brain import layout

    short = layout.short_id(made.id)
    day = datetime.fromisoformat(sh(store.root, "git log -1 --format=%aI")).astimezone(store.settings.zone).date()
    taken = layout.session_folder(made.id, day)
    move(store, {f"{taken}/transcript.md": transcript.render(SESSION).encode()}, "other")
    (folder,) = settle(store, AT).sessions
    assert folder == layout.session_folder(made.id, day, 12)
    assert short in folder


# --- which words are new ----------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (PAGE_TEXT, ""),
        (PAGE_TEXT.replace("kind: person", "kind: place"), ""),
        (PAGE_TEXT + "- [[Kestrel Audio]] · where he works\n", ""),
        (PAGE_TEXT.replace("## Facts", "## What is known"), ""),
        (PAGE_TEXT.replace("\n", "\r\n"), ""),
        (PAGE_TEXT.replace("Ilya is a", "Ilya was a"), "Ilya was a sound engineer."),
        (PAGE_TEXT.replace("Kestrel Audio. [", "Lumen Lab. ["), "- 2026-11-20 · Ilya works at Lumen Lab."),
        (PAGE_TEXT.replace("## Related", "- Он играет.\n\n## Related"), "- Он играет."),
        (PAGE_TEXT.replace("## Related", "- Something quite different. [cite:1] ^zzzz\n\n## Related"), ""),
        ("No front matter.\n", "No front matter."),
    ],
    ids=[
        "nothing",
        "front matter",
        "a link",
        "a heading",
        "line ends",
        "a sentence changed",
        "a claim changed",
        "a line added",
        "a cited line added",
        "all of it",
    ],
)
def test_new_words(new: str, expected: str) -> None:
    assert new_words(tree_of({PAGE: PAGE_TEXT}), tree_of({PAGE: new}), PAGE) == expected


def test_moved_lines_are_not_new() -> None:
    before, after = "one\n\ntwo\n\nthree\n", "three\n\none\n\ntwo\n"
    assert new_words(tree_of({NOTE: before}), tree_of({NOTE: after}), NOTE) == ""
    assert new_words(tree_of({NOTE: before}), tree_of({NOTE: before + "\ntwo\n"}), NOTE) == "two"
    assert new_words(None, tree_of({NOTE: before}), NOTE) == "one\n\ntwo\n\nthree"
    assert new_words(None, tree_of({NOTE: "one\ntwo\n\nthree\n"}), NOTE) == "one\ntwo\n\nthree"


# --- show -------------------------------------------------------------------------


def test_a_session_with_a_short_id_is_shown_by_all_of_it(tmp_path: Path) -> None:
    short = replace(SESSION, id="s-A")
    folder = layout.session_folder(short.id, date(2026, 11, 20), 8)
    store = new_brain(tmp_path / "short", {f"{folder}/transcript.md": transcript.render(short).encode()})
    shown = show(store, "s-A")
    assert isinstance(shown, ShownSession)
    assert shown.session == short
    with pytest.raises(NotFound):
        show(store, "s-")
    store.close()


@pytest.mark.parametrize(
    "ref",
    [
        SESSION.id,
        FOLDER,
        "sessions/2026/11/20-7dbc1bfb",
        "sessions/2026/11/20-7dbc1bfb/",
        f"{FOLDER}/transcript.md",
        "20-7dbc1bfb",
        "7dbc1bfb",
        "7dbc",
        "7dbc1bfb-9331-4e",
    ],
)
def test_a_session_is_shown_by(ref: str, store: Store) -> None:
    shown = show(store, ref)
    assert isinstance(shown, ShownSession)
    assert shown.session == SESSION
    assert shown.to_json() == {
        "id": SESSION.id,
        "agent": "claude-code",
        "turns": [
            {
                "n": 1,
                "role": "user",
                "time": "2026-11-20T09:00:00+00:00",
                "text": "Ilya works at Kestrel Audio.",
                "tool_calls": [],
            },
            {
                "n": 2,
                "role": "assistant",
                "time": None,
                "text": "I see.",
                "tool_calls": [{"name": "Read", "input": "clock.py", "result": "x = 1", "is_error": False}],
            },
        ],
    }


@pytest.mark.parametrize("where", ["sessions/2026/11/20-7dbc1bfb", FOLDER, SESSION.id, "7dbc1bfb"])
def test_a_turn_is_shown_by_its_source(where: str, store: Store) -> None:
    shown = show(store, f"{where}#t1")
    assert isinstance(shown, ShownTurn)
    assert (shown.source, shown.text) == ("sessions/2026/11/20-7dbc1bfb#t1", "Ilya works at Kestrel Audio.")
    result = show(store, f"{where}#t2.r1")
    assert isinstance(result, ShownTurn)
    assert result.to_json()["cited"] == "x = 1"


@pytest.mark.parametrize(
    "ref", ["Ilya Brandt", "ilya_brandt", PAGE, PAGE.removesuffix(".md"), "knowledge/people/Ilya Brandt", f"./{PAGE}"]
)
def test_a_page_is_shown_by(ref: str, store: Store) -> None:
    assert show(store, ref) == ShownFile(PAGE, "Ilya Brandt", PAGE_TEXT)


def test_any_other_file_is_shown_by_its_path(store: Store) -> None:
    shown = show(store, "deletions")
    assert isinstance(shown, ShownFile)
    assert shown.to_json() == {"path": "deletions.md", "title": "deletions.md", "text": "# Deletion log\n"}


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("Ilya Brant", "Nothing in the memory goes by 'Ilya Brant'"),
        ("7db", "Nothing in the memory"),
        ("../../etc/passwd", "Nothing in the memory"),
        ("", "Nothing in the memory"),
        ("sessions/2026/11/20-7dbc1bfb#t9", "names no turn: the session has 2 turns and no t9"),
        ("sessions/2026/11/20-7dbc1bfb#t2.r5", "names no turn"),
        ("sessions/2026/11/20-00000000#t1", "names no turn: there is no such session"),
    ],
)
def test_what_is_not_there_is_not_found(ref: str, said: str, store: Store) -> None:
    with pytest.raises(NotFound) as caught:
        show(store, ref)
    assert said in caught.value.message
    assert caught.value.exit_status == 2


def test_a_name_that_is_nearly_right_is_offered(store: Store) -> None:
    with pytest.raises(NotFound) as caught:
        show(store, "Ilya Brant")
    assert caught.value.hint == "did you mean Ilya Brandt?"


def test_a_start_that_two_sessions_share_is_told(store: Store) -> None:
    other = "7dbc1bfb-0000-4e22-a691-c75fe9779cf6"
    twin = Session(other, "codex", SESSION.source, SESSION.turns)
    move(store, {f"{FOLDER}1234/transcript.md": transcript.render(twin).encode()}, "one")
    with pytest.raises(NotFound, match="is the start of 2 sessions"):
        show(store, "7dbc1bfb")
    shown = show(store, other)
    assert isinstance(shown, ShownSession)
    assert shown.session.agent == "codex"


# --- history ----------------------------------------------------------------------


def test_a_history_tells_who_changed_a_page_and_why(store: Store) -> None:
    commit = store.write(
        {PAGE: b"new\n"}, base=store.head(), message="Why\n\nMore.", command="dream", run_id="d1", at=AT
    )
    store.advance(commit, store.head())
    edit(store, PAGE, "mine\n")
    sh(store.root, "git commit -qam 'By hand'")
    changes = history(store, PAGE)
    assert [(c.subject, c.command, c.author) for c in changes] == [
        ("By hand", "", "P"),
        ("Why", "dream", "Brain"),
        ("Message", "ingest", "Brain"),
    ]
    assert changes[1].to_json() == {
        "commit": commit,
        "date": "2026-11-29T03:00:00+00:00",
        "author": "Brain",
        "subject": "Why",
        "command": "dream",
    }


def test_a_history_is_found_by_title_by_session_and_for_what_is_gone(store: Store) -> None:
    assert len(history(store, "Tide clock")) == 1
    assert len(history(store, "7dbc1bfb")) == 1
    move(store, {NOTE: None}, "gone")
    assert len(history(store, NOTE)) == 2
    with pytest.raises(NotFound):
        history(store, "Tide clock")
    with pytest.raises(NotFound):
        history(store, "--output=x")


def test_an_unborn_brain_has_no_history(tmp_path: Path) -> None:
    from store_kit import adopt

    sh(tmp_path, "git init -q")
    with pytest.raises(NotFound):
        history(adopt(tmp_path), "x")


def test_evidence_of_a_commit_over_another_base(store: Store) -> None:
    first = put(store, {NOTE: b"One.\n"}, "one")
    assert put(store, {NOTE: b"One.\n"}, "two", first) == first
