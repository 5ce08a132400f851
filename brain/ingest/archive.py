"""Zip archives, such as the exports that chat services send: read member by member, never unpacked to the disk.

A member is read only as far as the archive says that it goes, and only where that is believable.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from brain.ingest.source import Input, Skipped, place, shown
from brain.text.counted import counted

LARGEST_MEMBER = 4 << 30
LARGEST = 16 << 30
"""Bytes that one archive may unpack to."""
MOST = 200_000
"""Members of one archive."""
_RATIO = 250
"""More than this nobody's words are packed to."""
_SMALL = 16 << 20
"""Bytes up to which the ratio says nothing."""
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_NO_ARCHIVES = frozenset(("[Content_Types].xml", "META-INF/MANIFEST.MF", "mimetype", "AndroidManifest.xml"))
"""Members of documents and programs that only look like archives."""
_PACKED = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z", ".rar")
_NO_TEXT = re.compile(
    r"\.(?:png|jpe?g|gif|webp|heic|svg|ico|bmp|tiff?|mp[34]|m4a|wav|ogg|opus|webm|mov|avi|pdf|docx?|xlsx?|pptx?|dat|bin|"
    r"woff2?|ttf|html?|css|js)$",
    re.IGNORECASE,
)
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


def is_archive(source: Input) -> bool:
    """By its first bytes; what was found in a folder must also be named so."""
    if source.below and not source.below[-1].lower().endswith(".zip"):
        return False
    try:
        return source.begins_with(_MAGIC)
    except OSError:
        return False


class Member(Input):
    """One file in an archive."""

    def __init__(self, archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> None:
        super().__init__(f"{name}/{shown(info.filename)}")
        self.below = PurePosixPath(shown(info.filename)).parts
        self.size = info.file_size
        self._archive = archive
        self._info = info

    @property
    def file_name(self) -> str:
        return self.below[-1]

    def _open(self) -> BinaryIO:
        raw: io.RawIOBase = _Unpacked(self._archive, self._info)
        return io.BufferedReader(raw)


class _Unpacked(io.RawIOBase):
    """A member as it is unpacked; every fault of the archive is an OSError."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        try:
            self._file = archive.open(info)
        except _FAULTS as error:
            raise _damaged(error) from error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        try:
            data = self._file.read(len(buffer))
        except _FAULTS as error:
            raise _damaged(error) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _damaged(error: Exception) -> OSError:
    return OSError(f"the archive is damaged: {error or type(error).__name__}")


def members(source: Input) -> Iterator[Input | Skipped]:
    """Every member that may hold words, in the order in which a folder is walked, and why others are not read."""
    try:
        archive = zipfile.ZipFile(source.path or io.BytesIO(source.read()))
        listed = sorted(archive.infolist(), key=lambda info: [place(part) for part in info.filename.split("/")])
    except (*_FAULTS, OSError) as error:
        yield Skipped(source.name, None, f"not read: {_damaged(error)}")
        return
    if any(info.filename in _NO_ARCHIVES for info in listed):
        yield Skipped(source.name, None, "a document or a program in the form of an archive; it was not read")
        return
    left_out: Counter[str] = Counter()
    total = 0
    for info in listed[:MOST]:
        if info.is_dir() or _NO_TEXT.search(info.filename):
            left_out["without text"] += not info.is_dir()
        elif why := _refused(info) or ("" if total + info.file_size <= LARGEST else "the archive unpacks to too much"):
            yield Skipped(f"{source.name}/{shown(info.filename)}", None, why)
        else:
            total += info.file_size
            yield Member(archive, source.name, info)
    left_out[f"behind the first {MOST}"] += len(listed[MOST:])
    yield from (
        Skipped(source.name, None, f"{counted(count, 'file')} {what}") for what, count in left_out.items() if count
    )


def _refused(info: zipfile.ZipInfo) -> str:
    name = info.orig_filename.replace("\\", "/")
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/") or "\0" in name:
        return "its name leads out of the archive; it was not read"
    if info.flag_bits & 1:
        return "it is encrypted; it was not read"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link; it was not read"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is packed in a way that Brain does not read"
    if name.lower().endswith(_PACKED):
        return "an archive in an archive; it was not read"
    if info.file_size > LARGEST_MEMBER:
        return f"it has more than {LARGEST_MEMBER >> 30} GB; it was not read"
    if info.file_size > max(_SMALL, _RATIO * info.compress_size):
        return f"it unpacks to more than {_RATIO} times its size; it was not read"
    return ""
