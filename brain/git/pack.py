"""Many blobs at once: one pack, synced once, where loose objects would be synced one by one."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path

from brain.files.disk import told
from brain.git.line import Done, GitLine, failure, timed_out

KEPT_BY = b"fast-import"
"""What is in the file that git puts beside a pack until it is done with it."""


def store(line: GitLine, contents: Iterable[bytes], scratch: Path) -> list[str]:
    """The ids of the blobs, in order; `scratch` is a folder of this call's own.

    Raises: GitError and its kinds, DiskFull and the like.
    """
    marks = scratch / "marks"
    settings = ("-c", "fastimport.unpackLimit=1", "-c", "pack.compression=1")
    with line.started(*settings, "fast-import", "--quiet", "--done", f"--export-marks={marks}") as process:
        count, err = _feed(process, contents, line.limit)
    if process.returncode:
        raise failure("fast-import", Done(process.returncode, b"", err))
    ids = dict(entry.split(" ") for entry in marks.read_text(encoding="ascii").splitlines())
    return [ids[f":{number}"] for number in range(1, count + 1)]


def _feed(process: subprocess.Popen[bytes], contents: Iterable[bytes], limit: float) -> tuple[int, str]:
    """How many there were, and what git had to say: nothing, or why it stopped."""
    assert process.stdin is not None
    number = 0
    try:
        for number, data in enumerate(contents, 1):
            process.stdin.write(b"blob\nmark :%d\ndata %d\n" % (number, len(data)))
            process.stdin.write(data)
            process.stdin.write(b"\n")
        process.stdin.write(b"done\n")
        process.stdin.flush()
    except BrokenPipeError:
        # It has ended before its time, and says why.
        process.stdin = None
    try:
        _, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise timed_out("fast-import", limit) from None
    except OSError as error:
        raise told(error, "was not finished", "git fast-import") from error
    return number, err.decode("utf-8", "replace")
