"""Documents and mails: a turn a section, of origin import; in folders only what somebody wrote."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_file, read_text

from brain import transcript
from brain.ingest import FORMATS, Input, Skipped, hypertext
from brain.ingest.document import sections
from brain.ingest.formats import choose
from brain.ingest.reading import Draft, Format
from brain.ingest.source import Found, walk
from brain.model import Origin, SessionKind, Text, ToolCall, Trust

HANDBOOK = """---
title: The boathouse
date: 2026-04-02
---
Kept by Odo.

# Boathouse

## Keys

One hangs at the mill.

```
# no heading
```

## Paint
### Outside

Green, every other year.
"""


def lay(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def one(path: Path) -> Draft:
    (draft,) = read_file(path)[0]
    return draft


def test_a_document_has_a_turn_for_each_section(tmp_path: Path) -> None:
    draft = one(lay(tmp_path, "boathouse.md", HANDBOOK))
    session = draft.session
    assert [turn.text for turn in session.turns] == [
        "Kept by Odo.",
        "# Boathouse\n\n## Keys\n\nOne hangs at the mill.\n\n```\n# no heading\n```",
        "## Paint\n### Outside\n\nGreen, every other year.",
    ]
    assert {(turn.origin, turn.trust, turn.time) for turn in session.turns} == {(Origin.IMPORT, Trust.THIRD, None)}
    assert (session.kind, session.title, draft.day) == (SessionKind.DOCUMENT, "The boathouse", date(2026, 4, 2))


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["# a", "words", "", "## b", "```", "<details>", "</details>", "  # c"]), max_size=12))
def test_sections_hold_every_line_once(lines: list[str]) -> None:
    body = "\n".join(lines)
    assert "\n".join(sections(body)).strip() == body.strip()


@pytest.mark.parametrize("name", ["list.rst", "notes", "todo.org", "log.cfg"])
def test_a_text_that_is_named_is_a_document_whatever_its_name(tmp_path: Path, name: str) -> None:
    assert one(lay(tmp_path, name, "Bread, oats and the key of the mill.")).session.kind is SessionKind.DOCUMENT


@pytest.mark.parametrize(
    "text", ["Ключ у мельницы", "我们昨天去了海边。", "ฉันไปทะเลเมื่อวาน", "- call Ilse\n- key under the pot"]
)
def test_short_words_of_any_script_are_a_document(tmp_path: Path, text: str) -> None:
    assert one(lay(tmp_path, "note", text)).session.kind is SessionKind.DOCUMENT


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\0\0", b"\xff\xfb" * 400, b'{"name": "x"}', b"[]", b"{}", b'[{"a": 1}]', b"a,b,c\n1,2,3\n", b"[" * 99],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes) -> None:
    assert isinstance(choose(Input("x", lay(tmp_path, "x.bin", data))), dict)


def test_other_encodings(tmp_path: Path) -> None:
    assert one(lay(tmp_path, "wide.txt", "Ключ у мельницы".encode("utf-16"))).session.turns[0].text == "Ключ у мельницы"
    assert (
        one(lay(tmp_path, "old.txt", b"caf\xe9 at the mill, every day")).session.turns[0].text.startswith("caf\ufffd")
    )


@pytest.mark.parametrize(
    ("name", "text", "taken"),
    [
        ("diary/spring.md", "We painted.", True),
        ("spring.txt", "We painted the boat and went home late.\n", True),
        ("words.txt", "apple\npear\nplum\n", False),
        ("requirements.txt", "click and other things that we need here\n", False),
        ("README.md", "We painted.", False),
        ("CLAUDE.md", "Always test.", False),
        (".claude/skills/x.md", "Always test.", False),
        ("node_modules/left/pad.md", "Pads.", False),
        ("tool/docs/use.md", "Use it.", False),
        ("tool/use.md", "Use it.", False),
        ("data.csv", "a,b\n1,2\n", False),
    ],
)
def test_what_of_a_folder_is_a_document(tmp_path: Path, name: str, text: str, taken: bool) -> None:
    lay(tmp_path, "tool/pyproject.toml", "")
    source = Input(name, lay(tmp_path, name, text))
    source.below = Path(name).parts
    assert isinstance(choose(source), Format) is taken


def test_a_file_that_is_named_beside_its_folder_is_wanted(tmp_path: Path) -> None:
    path = lay(tmp_path, "list", "Bread, oats and the key of the mill.")
    assert [found.folder for found in walk([tmp_path, path]) if isinstance(found, Found)] == [None]


# --- mail --------------------------------------------------------------------------------

MAIL = """\
Received: from mill.example
From: =?utf-8?q?Bram_K=C3=B6ster?= <bram@example.org>
To: Ilse <ilse@example.org>
Subject: =?utf-8?b?0JrRgNGL0YjQsA==?=
Date: Sat, 2 May 2026 10:01:00 +0200
Message-ID: <m-1@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: multipart/alternative; boundary="c"

--c
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

The roof is done =E2=80=94 at last.

> When is the roof done?
--c
Content-Type: text/html

<p>The roof is <b>done</b>.</p>
--c--
--b
Content-Type: text/plain; name="bill.txt"
Content-Disposition: attachment; filename="bill.txt"

Always pay in advance.
--b
Content-Type: image/png
Content-Disposition: attachment; filename="roof.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b
Content-Type: message/rfc822

From: Olga <olga@example.org>
Subject: tiles

Tiles are blue.
--b--
"""


def test_a_mail(tmp_path: Path) -> None:
    session = one(lay(tmp_path, "roof.eml", MAIL)).session
    (turn,) = session.turns
    assert (session.id, session.title, session.kind, session.agent) == (
        "m-1@example.org",
        "Крыша",
        SessionKind.DOCUMENT,
        "mail",
    )
    assert (turn.speaker, turn.time) == ("Bram Köster", datetime.fromisoformat("2026-05-02T10:01:00+02:00"))
    assert (turn.origin, turn.trust, turn.media, turn.quoted) == (Origin.IMPORT, Trust.THIRD, ("image",), ((3, 3),))
    assert turn.blocks == (
        Text("The roof is done — at last.\n\n> When is the roof done?"),
        ToolCall("bill.txt", "", "Always pay in advance.", is_file=True),
        ToolCall("tiles", "", "From: Olga <olga@example.org>\nSubject: tiles\n\nTiles are blue.", is_file=True),
    )
    assert transcript.parse(transcript.render(session)).session == session


def test_a_mail_that_is_hypertext_alone() -> None:
    text = "From: Bram <b@x.example>\nDate: nonsense\nSubject: x\nContent-Type: text/html; charset=none-such\n\n"
    html = (
        "<style>p {}</style><h1>Roof</h1><p>Done &amp; paid.<blockquote>When?<br>Soon?</blockquote><ul><li>a<li>b</ul>"
    )
    (turn,) = read_text(text + html)[0][0].session.turns
    assert turn.text == "Roof\n\nDone & paid.\n> When?\n> Soon?\n\n- a\n- b"
    assert turn.time is None


@pytest.mark.parametrize(
    "head",
    ["From: Bram\n\nhello", "Subject: x\nDate: y\nTo: z\n\nhello", "Dear Ilse,\nFrom: x\nDate: y\nTo: z\n", "", "\n\n"],
)
def test_look_alikes_are_no_mail(head: str) -> None:
    assert FORMATS["mail"].detect(head.encode(), "x.eml")


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    st.integers(0, 2000), st.sampled_from(["", "\0", "=?x?q?=ZZ?=", "--b\n", "\xff", "Content-Type: ;;;\n", "\n" * 9])
)
def test_a_damaged_mail_never_raises(place: int, dirt: str) -> None:
    at = place % len(MAIL)
    for data in (MAIL[:at] + dirt, MAIL[:at] + dirt + MAIL[at + 1 :], dirt + MAIL[at:]):
        for found in FORMATS["mail"].read(Input("x", None, data.encode("latin-1", "replace"))):
            assert (
                isinstance(found, Skipped)
                or transcript.parse(transcript.render(found.session)).session == found.session
            )


def test_a_mail_in_a_mail_without_end() -> None:
    head = "From: a@x.example\nDate: x\nSubject: y\nContent-Type: message/rfc822\n\n"
    found = list(FORMATS["mail"].read(Input("x", None, (head * 2000 + "words").encode())))
    assert len(found) == 1


@pytest.mark.parametrize(
    "part", ["<", "<p", "<p>", "<!--", "</", "<blockquote>", "&", "<![", "<a b='", "</script", "<script>"]
)
def test_any_hypertext_ends_soon(part: str) -> None:
    assert len(hypertext.readable(part * 20_000)) <= 2_000_000


def test_times_of_mails_are_utc_where_no_offset_is_given() -> None:
    text = "From: a@x.example\nDate: Sat, 02 May 2026 10:01:00 -0000\nSubject: y\n\nwords"
    assert read_text(text)[0][0].session.turns[0].time == datetime(2026, 5, 2, 10, 1, tzinfo=UTC)
