"""Files that a host has packed with Zstandard, as Codex does with rollouts that it has not used for a while."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

from brain.ingest.source import Input

SUFFIX = ".zst"
LARGEST = 4 << 30
"""Bytes that a file may unpack to."""
_RATIO, _SMALL = 250, 16 << 20
"""More than this nobody's words are packed to; of fewer bytes the ratio says nothing."""
_CHUNK = 1 << 20


class Unpacked(Input):
    """The file as it was before it was packed, unpacked anew whenever it is read. Raises: OSError."""

    def __init__(self, name: str, path: Path) -> None:
        super().__init__(name, path)
        most = min(LARGEST, max(_SMALL, _RATIO * self.size))
        self.size = 0
        with self._open() as file:
            while chunk := file.read(_CHUNK):
                self.size += len(chunk)
                if self.size > most:
                    raise OSError(f"it unpacks to more than {most >> 20} MB")

    @property
    def file_name(self) -> str:
        return super().file_name.removesuffix(SUFFIX)

    def _open(self) -> BinaryIO:
        if self.path is None:
            return io.BytesIO()
        raw: io.RawIOBase = _Stream(self.path)
        return io.BufferedReader(raw)


class _Stream(io.RawIOBase):
    def __init__(self, path: Path) -> None:
        import pyarrow  # the search table needs it anyway; it takes long to load

        self._stream = pyarrow.CompressedInputStream(pyarrow.OSFile(str(path)), "zstd")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data: bytes = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()
