"""What agents keep as their memory: entries, machine output, Retain bullets, notes about one session."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from reading import read_file

from brain import transcript
from brain.dream.hearing import hear
from brain.dream.subjects import Subjects
from brain.ingest.memory_entries import entries_of, without_machine
from brain.ingest.reading import Draft
from brain.language import retained
from brain.language.retained import Retained
from brain.model import Origin, SessionKind, Trust
from brain.tree import tree_of

DAY = """# 2026-05-03

Mira came by in the morning
and brought the ladder.

## Gate

- The code is changed every spring.
  - It is on the calendar.
- The code is changed every spring.
  - It is on the calendar.

```
- no entry
```

## Retain
- W @Mira: Lends the ladder until June.
- O(c=0.95) @Odo: Prefers short replies; long text goes into files.
- B @gate-job: I fixed the timer by restarting it.
- S: A day of repairs.
"""


def lay(folder: Path, name: str, text: str) -> Draft:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    (draft,) = read_file(path)[0]
    return draft


def test_a_day_is_its_entries(tmp_path: Path) -> None:
    draft = lay(tmp_path, "memory/2026-05-03.md", DAY)
    assert (draft.session.agent, draft.session.kind, draft.day) == (
        "agent-memory",
        SessionKind.DOCUMENT,
        date(2026, 5, 3),
    )
    assert [turn.text for turn in draft.session.turns] == [
        "Mira came by in the morning\nand brought the ladder.",
        "## Gate\n\nThe code is changed every spring.\n  - It is on the calendar.",
        "## Gate\n\n```\n- no entry\n```",
        "W @Mira: Lends the ladder until June.",
        "O(c=0.95) @Odo: Prefers short replies; long text goes into files.",
        "B @gate-job: I fixed the timer by restarting it.",
        "S: A day of repairs.",
    ]
    assert {(turn.origin, turn.trust) for turn in draft.session.turns} == {(Origin.IMPORT, Trust.THIRD)}
    assert [turn.derived for turn in draft.session.turns] == [False] * 6 + [True]
    assert draft.notes == {"entries that stand there twice": 1}
    assert transcript.parse(transcript.render(draft.session)).session == draft.session


@pytest.mark.parametrize("name", ["memory.md", "MEMORY.md", "MAYROS.md", "bank/opinions.md", "bank/entities/Mira.md"])
def test_where_an_agent_keeps_its_memory(tmp_path: Path, name: str) -> None:
    draft = lay(tmp_path, name, "# Mira\n\n- Lends ladders.\n- Lives at the mill.\n")
    assert (draft.session.source.format, len(draft.session.turns)) == ("agent-memory", 2)


@pytest.mark.parametrize("name", ["memory/trip.md", "notes/2026-05-03.md", "bank/loan.md", "bank/entities/deep/x.md"])
def test_other_folders_hold_documents(tmp_path: Path, name: str) -> None:
    draft = lay(tmp_path, name, "# Mira\n\n- Lends ladders.\n- Lives at the mill.\n")
    assert (draft.session.source.format, len(draft.session.turns)) == ("document", 1)


def test_a_retain_section_is_known_anywhere(tmp_path: Path) -> None:
    draft = lay(tmp_path, "today.md", "## Retain\n\n- W @Mira: Lends ladders.\n")
    assert draft.session.turns[0].text == "W @Mira: Lends ladders."


@pytest.mark.parametrize("name", ["DREAMS.md", "dreams.md", "memory/dreaming/light/2026-05-03.md"])
def test_dream_diaries_are_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("# Diary\n\nThe hedge could talk.\n")
    drafts, skipped = read_file(path)
    assert drafts == []
    assert [skip.why for skip in skipped] == ["a machine wrote it from older notes; it was not read"]


def test_a_note_about_a_session_is_its_last_words(tmp_path: Path) -> None:
    text = (
        "# Session: 2026-05-01 22:44:38 UTC\n\n- **Session ID**: s-4\n\n## Conversation Summary\n\n"
        "user: A new session was started via /new or /reset. Greet the person.\nassistant: NO_REPLY\n"
        'user: Sender (untrusted metadata):\n```json\n{"name": "Odo"}\n```\n\n[Fri 2026-05-01 23:40 GMT+2] It is\n'
        "user-friendly:\n1911.\nassistant: [[reply_to_current]] Noted.\n"
    )
    draft = lay(tmp_path, "memory/2026-05-02-gate.md", text)
    assert draft.day == datetime(2026, 5, 1, 22, 44, 38, tzinfo=UTC)
    assert [(turn.speaker, turn.text) for turn in draft.session.turns] == [
        ("Odo", "It is\nuser-friendly:\n1911."),
        (None, "Noted."),
    ]
    assert draft.session.turns[0].origin is Origin.IMPORT


@pytest.mark.parametrize(
    ("body", "kept", "dropped"),
    [
        ("- a\n<!-- openclaw:dreaming:rem:start -->\n- b\n- c\n<!-- openclaw:dreaming:rem:end -->\n- d", ["a", "d"], 2),
        ("- a\n<!-- x:y:start -->\n- b", ["a"], 1),
        ("- a\n<!-- x:y:start -->\n- b\n<!-- x:z:end -->\n- c", ["a"], 2),
        ("- a <!-- importance: 9 -->\n- b", ["a", "b"], 0),
        ("- a\n<!-- x:y:end -->\n- b", ["a", "b"], 0),
        ("- a <!-- never closed\n- b", ["a <!-- never closed", "b"], 0),
    ],
)
def test_what_stands_between_a_machines_marks_goes(body: str, kept: list[str], dropped: int) -> None:
    text, count = without_machine(body)
    assert ([entry.words for entry in entries_of(text)], count) == (kept, dropped)


@pytest.mark.parametrize("part", ["<!--", "<!-- a:b:start -->", "```\n", "- x\n", "## y\n", "\n", "  z\n", "user: x\n"])
def test_a_hundred_thousand_of_anything_end_soon(part: str) -> None:
    assert len(entries_of(without_machine(part * 100_000)[0])) <= 100_000


@pytest.mark.parametrize(
    ("text", "bullet"),
    [
        ("W @Mira: Lends the ladder.", Retained("W", "Lends the ladder.", None, ("Mira",))),
        ("O(c=0.95) @Odo: Prefers: short.", Retained("O", "Prefers: short.", 0.95, ("Odo",))),
        ("O(c = .5) @Odo @Mira.K: x", Retained("O", "x", 0.5, ("Odo", "Mira.K"))),
        ("O(c=1.5) @Odo: x", Retained("O", "x", None, ("Odo",))),
        ("O() @Odo: x", None),
        ("B: I fixed it.\nTwice.", Retained("B", "I fixed it.\nTwice.")),
        ("S @Мира: всё починено", Retained("S", "всё починено", None, ("Мира",))),
        ("W @Mira", None),
        ("Wow: a boat", None),
        ("Q @Mira: x", None),
        ("", None),
    ],
)
def test_bullets(text: str, bullet: Retained | None) -> None:
    assert retained.read(text) == bullet


def test_a_bullet_as_it_would_be_said() -> None:
    bullets = [retained.read(text) for text in ("W @Mira @Odo: Own a boat.", "W: It rains.")]
    assert [bullet.plain for bullet in bullets if bullet] == ["Mira, Odo: Own a boat.", "It rains."]


def test_a_dream_hears_the_statement_of_a_bullet_and_no_more(tmp_path: Path) -> None:
    draft = lay(tmp_path, "memory/2026-05-03.md", "## Retain\n\n- O(c=0.95) @Odo: Prefers short replies.\n")
    heard = hear(draft.session.turns[0], Subjects(tree_of({})))
    assert [sentence.text for sentence in heard] == ["Odo: Prefers short replies."]
