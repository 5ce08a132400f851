"""Zip archives: read without being unpacked, bounded, and refused where they are not what they say."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import TRANSCRIPTS

from brain.ingest import IngestResult, Input, Skipped, archive, ingest
from brain.ingest.source import Found, walk
from brain.store import Store

NOW = datetime(2027, 2, 1, 3, tzinfo=UTC)
EXPORT = TRANSCRIPTS / "chatgpt-export" / "01-tree-and-tools"
OTHERS = {path.name for path in EXPORT.iterdir()} - {"conversations.json", "expected.json"}
CHAT = json.dumps([{"role": "user", "content": "hello"}])


def packed(files: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as made:
        for name, text in files.items():
            made.writestr(name, text)
    return data.getvalue()


def unpacked(data: bytes) -> tuple[list[Input], list[str]]:
    found = list(archive.members(Input("x.zip", None, data)))
    return [one for one in found if isinstance(one, Input)], [one.why for one in found if isinstance(one, Skipped)]


@pytest.fixture
def store(brain: Path) -> Iterator[Store]:
    opened = Store.open(brain)
    yield opened
    opened.close()


def take(store: Store, *sources: str | Path | Input) -> IngestResult:
    return ingest(store, sources, now=NOW)


def test_an_export_is_read_as_it_was_sent(store: Store, tmp_path: Path) -> None:
    files = {f"export/{path.name}": path.read_bytes() for path in EXPORT.iterdir()}
    path = tmp_path / "export.zip"
    path.write_bytes(packed(files | {"export/file-1.png": b"\x89PNG", "export/chat.html": "<html>"}))
    before = sorted(tmp_path.iterdir())
    result = take(store, path)
    assert [(one.format, one.known.turns) for one in result.sessions] == [("chatgpt", 4), ("chatgpt", 2)]
    assert {one.why for one in result.skipped if one.source == str(path)} == {
        "2 files without text",
        "3 files that no format takes (3 .json): " + ", ".join(sorted(OTHERS)),
    }
    assert sorted(tmp_path.iterdir()) == before
    assert {s.source.name for s in store.tree().sessions().values()} == {"conversations.json"}
    assert take(store, path).commits == ()
    assert take(store, EXPORT).commits == ()


def test_the_members_come_in_the_order_in_which_a_folder_is_walked(tmp_path: Path) -> None:
    names = ["s/a.jsonl", "s/a.jsonl.reset.2026-01-02", "s/a.jsonl.reset.2026-01-01", "s/a-b.jsonl", "s.jsonl", "a/z"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    walked = [found.path.relative_to(tmp_path).as_posix() for found in walk([tmp_path]) if isinstance(found, Found)]
    assert [one.name.removeprefix("x.zip/") for one in unpacked(packed(dict.fromkeys(names, "{}")))[0]] == walked


def test_an_archive_in_a_folder_and_on_standard_input(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(packed({"chat.json": CHAT}))
    (tmp_path / "b.docx").write_bytes(packed({"chat.json": CHAT}))
    assert [one.known.id for one in take(store, tmp_path).sessions] == ["chat"]
    given = Input("-", None, packed({"other.json": CHAT.replace("hello", "bye")}))
    assert [one.known.id for one in take(store, given).sessions] == ["other"]


@pytest.mark.parametrize(
    "name", ["../chat.json", "/etc/chat.json", "a/../../chat.json", "C:\\chat.json", "..\\chat.json"]
)
def test_names_that_lead_out_are_refused(name: str) -> None:
    assert unpacked(packed({name: CHAT})) == ([], ["its name leads out of the archive; it was not read"])


def test_members_that_are_no_plain_files_are_refused() -> None:
    link = zipfile.ZipInfo("link.json")
    link.external_attr = 0o120777 << 16
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        made.writestr(link, "/etc/passwd")
        made.writestr("inner.zip", packed({"chat.json": CHAT}))
        made.writestr("inner.tar.gz", b"x")
        made.writestr("folder/", b"")
    assert unpacked(data.getvalue()) == (
        [],
        [
            "an archive in an archive; it was not read",
            "an archive in an archive; it was not read",
            "it is a link; it was not read",
        ],
    )


def test_an_encrypted_member_is_refused() -> None:
    data = bytearray(packed({"chat.json": CHAT}))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(magic) + at
        data[place] |= 1
    assert unpacked(bytes(data)) == ([], ["it is encrypted; it was not read"])


def test_a_rare_way_of_packing_is_refused() -> None:
    data = bytearray(packed({"chat.json": CHAT}))
    data[data.index(b"PK\x01\x02") + 10] = zipfile.ZIP_LZMA
    assert unpacked(bytes(data)) == ([], ["it is packed in a way that Brain does not read"])


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = packed({"bomb.json": b" " * (40 << 20)})
    assert unpacked(bomb) == ([], ["it unpacks to more than 250 times its size; it was not read"])
    monkeypatch.setattr(archive, "LARGEST", 50)
    two = packed({"a.json": CHAT, "b.json": CHAT})
    assert [[one.file_name for one in unpacked(two)[0]], unpacked(two)[1]] == [
        ["a.json"],
        ["the archive unpacks to too much"],
    ]
    monkeypatch.setattr(archive, "LARGEST_MEMBER", 10)
    assert unpacked(two)[1] == ["it has more than 0 GB; it was not read"] * 2
    monkeypatch.setattr(archive, "MOST", 1)
    assert "1 file behind the first 1" in unpacked(two)[1]


def test_a_member_is_read_only_as_far_as_it_says(store: Store) -> None:
    """Its size is a lie: what is unpacked ends there, and the fault is told."""
    data = bytearray(packed({"chat.json": CHAT * 1000}))
    for magic, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(magic) + at
        data[place : place + 4] = struct.pack("<I", 10)
    (member,), _ = unpacked(bytes(data))
    with pytest.raises(OSError, match="the archive is damaged: Bad CRC-32"):
        member.read()
    result = take(store, Input("-", None, bytes(data)))
    assert [one.why for one in result.skipped] == [
        "not read to its end: the archive is damaged: Bad CRC-32 for file 'chat.json'"
    ]


@pytest.mark.parametrize("name", ["[Content_Types].xml", "META-INF/MANIFEST.MF", "mimetype"])
def test_documents_in_the_form_of_an_archive_are_refused(name: str) -> None:
    found = unpacked(packed({name: "x", "chat.json": CHAT}))
    assert found == ([], ["a document or a program in the form of an archive; it was not read"])


def test_what_is_no_archive_is_none(tmp_path: Path) -> None:
    path = tmp_path / "gone.zip"
    path.write_bytes(b"PK")
    assert not archive.is_archive(Input("x", path))
    path.unlink()
    path.touch()
    source = Input("x", path)
    path.unlink()
    assert not archive.is_archive(source)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.binary(max_size=8), st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
def test_a_damaged_archive_never_raises_anything_else(place: int, dirt: bytes, compression: int) -> None:
    whole = packed({"a/chat.json": CHAT * 40, "b.md": "# Words\n\nmore"}, compression)
    at = place % len(whole)
    for data in (whole[:at], whole[:at] + dirt + whole[at + len(dirt) :]):
        for member in unpacked(data)[0]:
            try:
                assert len(member.read()) <= member.size
            except OSError as error:
                assert str(error).startswith("the archive is damaged: ")
