"""What a working set is and holds, as `.sandbox/manifest.json.gz` keeps it; SANDBOX.md says the same to readers.

It is packed so that `grep -r` in the folder finds what the memory says, and not what it is called here once more.

Invariant: it is written before the files that it names and once more after them, so that whatever a kill leaves is
told from what a person or an agent changed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brain import files
from brain.errors import UsageError
from brain.files import disk
from brain.model import Audience

FOLDER = ".sandbox"
NAME = "manifest.json.gz"
FORMAT = 1


class NotASandbox(UsageError):
    """The folder is no working set."""

    code = "not-a-sandbox"


@dataclass(frozen=True, slots=True)
class Manifest:
    brain: str
    """Where the brain is that the files come from."""
    commit: str
    """Of the brain: the one that the files are of."""
    audience: Audience
    task: str = ""
    head: str = ""
    """The commit that git inside stands on; "" until it is laid."""
    held: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """path -> ids of the bytes that are ours there: those that should lie there ("": no file), then older ones."""
    why: Mapping[str, str] = field(default_factory=dict)
    """path -> why it was brought, in words."""
    is_settled: bool = False
    """False: files may be missing or old, because a command is at work or was killed."""


def load(folder: Path) -> Manifest:
    """Raises: NotASandbox."""
    try:
        values: dict[str, Any] = json.loads(gzip.decompress(disk.read(folder / FOLDER / NAME)))
        if values.pop("format") != FORMAT:
            raise ValueError
        values["held"] = {path: tuple(ids) for path, ids in values["held"].items()}
        values["audience"] = Audience(values["audience"])
        return Manifest(**values)
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError):
        raise NotASandbox(f"{folder} is no sandbox of a brain; nothing was done.", "brain sandbox open DIR") from None


def is_there(folder: Path) -> bool:
    """Whether a folder is a working set, or was going to be one."""
    return (folder / FOLDER / NAME).is_file()


def save(folder: Path, manifest: Manifest) -> None:
    """Write it all at once; a power cut may take it, as it may take the files."""
    values: dict[str, object] = {
        "format": FORMAT,
        "brain": manifest.brain,
        "commit": manifest.commit,
        "audience": manifest.audience.value,
        "task": manifest.task,
        "head": manifest.head,
        "held": {path: list(ids) for path, ids in sorted(manifest.held.items())},
        "why": dict(sorted(manifest.why.items())),
        "is_settled": manifest.is_settled,
    }
    packed = gzip.compress(json.dumps(values).encode("ascii"), compresslevel=1, mtime=0)
    files.replace(folder / FOLDER / NAME, packed, sync=False)
