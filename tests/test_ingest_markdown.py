"""Markdown logs: what opens a turn, what only looks so, and documents."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest
from reading import read_file, read_text

from brain.ingest import FORMATS, Input
from brain.ingest.reading import Draft
from brain.ingest.speakers import openings
from brain.model import Origin, Role, Session, SessionKind, Trust


def one(text: str) -> Draft:
    (draft,) = [d for d in FORMATS["markdown-log"].read(Input("x.md", None, text.encode())) if isinstance(d, Draft)]
    return draft


def said(session: Session) -> list[tuple[str | None, str]]:
    return [(turn.speaker or turn.role.value, turn.text) for turn in session.turns]


def test_what_stands_in_code_quotations_lists_and_details_opens_no_turn() -> None:
    hidden = (
        "```\n## User\nin a fence\n```\n> ## User\n> quoted\n- **User:** in a list\n    ## User\n"
        "<details>\n## User\nfolded\n</details>\n### User\nanother level"
    )
    session = one(f"## User\n\nhello\n{hidden}\n\n## Assistant\n\nyes").session
    assert [turn.role for turn in session.turns] == [Role.USER, Role.ASSISTANT]
    assert session.turns[0].text == f"hello\n{hidden}"


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    session = one("## User\n\n```python\nx = 1\n\n## Assistant\n\nyes\n~~~\n").session
    assert [turn.role for turn in session.turns] == [Role.USER, Role.ASSISTANT]


def test_bold_names() -> None:
    session = one(
        "# Supper\n\n**Ilse:** Soup?\nWith bread.\n\n**Bram:** Yes.\n\n**Ilse:** Good.\n\n**Claude:** Noted."
    ).session
    assert said(session) == [("Ilse", "Soup?\nWith bread."), ("Bram", "Yes."), ("Ilse", "Good."), ("Claude", "Noted.")]
    assert [turn.role.value for turn in session.turns] == ["user", "user", "user", "assistant"]
    assert session.title == "Supper"


def test_headings_with_a_time() -> None:
    session = one("## User (2026-03-01 09:00 +02:00)\n\nhello\n\n## Assistant · 2026-03-01T09:00:05Z\n\nhello").session
    assert [turn.time for turn in session.turns] == [
        datetime.fromisoformat("2026-03-01T09:00:00+02:00"),
        datetime.fromisoformat("2026-03-01T09:00:05+00:00"),
    ]


def test_a_day_heading_gives_the_day_of_the_stamps_below_it() -> None:
    log = "# March\n\n## 2026-03-01\n[9:00] Odo: one\n[09:05 +02:00] Odo: two\n"
    log += "\n## Monday 2026-03-02\n[09:00] Odo: three\n"
    session = one(log).session
    assert [str(turn.time) for turn in session.turns] == [
        "2026-03-01 09:00:00+00:00",
        "2026-03-01 09:05:00+02:00",
        "2026-03-02 09:00:00+00:00",
    ]
    assert [turn.text for turn in session.turns] == ["one", "two", "three"]


def test_a_stamp_without_a_day_has_no_time() -> None:
    assert [turn.time for turn in one("[09:00] Odo: one\n[09:05] Ilse: two\n").session.turns] == [None, None]


def test_system_lines_are_nobodys_and_text_before_the_first_speaker_is_counted() -> None:
    draft = one("saved today\n\n[2026-03-01 09:00] system: Memory index\n[2026-03-01 09:01] Odo: hello\n")
    assert said(draft.session) == [("Odo", "hello")]
    assert draft.notes == {"lines before the first speaker": 1}


def test_injected_memory_is_dropped() -> None:
    text = "## User\n\n<brain-memory>\nNotes: x\n</brain-memory>\nhello\n\n## Assistant\n\nyes"
    assert one(text).session.turns[0].text == "hello"


@pytest.mark.parametrize(
    "text",
    [
        "# House rules\n\n**Note:** no shoes.\n\n**Warning:** the dog.\n\n**Note:** again.",
        "# Users\n\n## Assistant manager\n\nIlse does it.",
        "Words.\n\n**Deadline:** Friday.",
        "- [2026-03-01 09:00] Odo: in a list",
    ],
)
def test_a_document_is_one_turn_of_origin_import(text: str) -> None:
    session = one(f"---\ntitle: House\n---\n{text}\n").session
    assert session.kind is SessionKind.DOCUMENT
    assert [(turn.text, turn.origin, turn.trust) for turn in session.turns] == [(text, Origin.IMPORT, Trust.THIRD)]


def test_the_day_comes_from_the_front_matter_or_the_name(tmp_path: Path) -> None:
    assert one("---\ndate: 2026-01-20\n---\n## User\nhi\n## Assistant\nhi").day == date(2026, 1, 20)
    path = tmp_path / "2026-01-21-list.md"
    path.write_text("## User\nhi\n## Assistant\nhi")
    assert read_file(path)[0][0].day == date(2026, 1, 21)
    path = tmp_path / "2026-99-99.md"
    path.write_text("---\ndate: soon\n---\nwords")
    assert read_file(path)[0][0].day is None


def test_a_text_in_which_nobody_speaks_is_no_log() -> None:
    assert read_text("just words\n") == ([], [])
    assert read_text("[2026-03-01 09:00:00] ERROR: disk is full\n[2026-03-01 09:00:01] INFO: bye\n") == ([], [])
    assert len(read_text("[2026-03-01 09:00] Odo: hello\n")[0]) == 1
    assert FORMATS["markdown-log"].detect(b"\0\1\2", "x.md") == "it is no text"
    assert FORMATS["markdown-log"].detect(b"# House\n\nwords", "x.md") == "nobody speaks in it"


def test_empty_markdown_is_no_session() -> None:
    assert list(FORMATS["markdown-log"].read(Input("x.md", None, b"---\ntitle: x\n---\n\n \n"))) == []


@pytest.mark.parametrize(
    "part", ["```\n", "```x\n", "~~~~\n", "<details>\n", "**A:** x\n", "## User\n", "[", "**", "## "]
)
def test_a_hundred_thousand_of_anything_end_soon(part: str) -> None:
    found = openings(part * 100_000)
    assert found is None or len(found.messages) <= 100_000


@pytest.mark.parametrize(
    "text",
    [
        "#### You:\nhello\n\n#### ChatGPT:\nhi",
        "## 👤 User\n\nhello\n\n## 🤖 Assistant\n\nhi",
        "## **User**\n\nhello\n\n---\n\n## **Assistant**\n\nhi",
        "## You said:\n\nhello\n\n## ChatGPT said:\n\nhi",
        "## Prompt:\nhello\n\n## Response:\nhi",
        "## User 1\n\nhello\n\n## Assistant 1\n\nhi\n\n***",
        "## Пользователь\n\nhello\n\n## Ассистент\n\nhi",
    ],
)
def test_headings_as_exports_write_them(text: str) -> None:
    assert said(one(text).session) == [("user", "hello"), ("assistant", "hi")]


def test_a_name_with_a_time_in_its_heading_speaks() -> None:
    session = one(
        "### Odo (2026-03-01 09:00)\n\nhello\n\n### Assistant (2026-03-01 09:01)\n\nhi\n\n#### Odo\n\nno"
    ).session
    assert said(session) == [("Odo", "hello"), ("assistant", "hi\n\n#### Odo\n\nno")]
    assert session.turns[0].time == datetime.fromisoformat("2026-03-01T09:00:00+00:00")


def test_bold_names_and_stamps_with_clocks() -> None:
    assert said(one("**Runa** (10:02): one\n\n**Ilse** (10:03): two\n\n**Runa** (10:04): three").session) == [
        ("Runa", "one"),
        ("Ilse", "two"),
        ("Runa", "three"),
    ]
    dated = one("# 2026-10-24\n\n**Me** (9:02): one\n\n**Claude:** two\n").session
    assert [turn.time and turn.time.isoformat() for turn in dated.turns] == ["2026-10-24T09:02:00+00:00", None]
    session = one("**[2026-10-24 23:58] Runa:** one\n**[2026-10-24 23:59] Ilse:** two").session
    assert said(session) == [("Runa", "one"), ("Ilse", "two")]


@pytest.mark.parametrize(
    "text", ["## Prompt\n\nAsk.\n\n## Response\n\nTell.", "## 2026-03-01\n\nWe slept.\n", "## 👤\n\nx"]
)
def test_headings_of_documents(text: str) -> None:
    assert one(text).session.kind is SessionKind.DOCUMENT
