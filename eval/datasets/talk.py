"""What the loaders share: reading a published file, and words on a list -> a session."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from brain import transcript
from brain.eval.task import BadDataset
from brain.model import Origin, Role, Session, Source, Text, Trust, Turn

_PACE = timedelta(seconds=30)
"""Between two turns, where a data set times sessions alone."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a data set."""

    text: str
    is_user: bool
    speaker: str | None = None
    at: datetime | None = None


def read_json(path: Path) -> Any:
    """Raises: BadDataset."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise BadDataset(
            f"{path} cannot be read: {error.strerror}; nothing was run.", "--path FILE-OR-FOLDER"
        ) from error
    except ValueError as error:
        raise BadDataset(
            f"{path} is no JSON ({error}); nothing was run.", "take the file as it was published"
        ) from error


def needed(path: Path | None, name: str) -> Path:
    """Raises: BadDataset where no path was given for a data set that is not shipped."""
    if path is None:
        raise BadDataset(f"{name} is not shipped with Brain; nothing was run.", "--path to its published files")
    return path


def session_id(*names: object) -> str:
    """The same UUID for the same names, always."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "brain-eval:" + ":".join(map(str, names))))


def session(id_: str, dataset: str, file: str, said: Iterable[Said], start: datetime | None) -> Session:
    """A session of these messages, one a turn, in their order; times where the data set gives any."""
    turns = tuple(_turn(n, one, start) for n, one in enumerate(said, 1))
    ended = max((turn.time for turn in turns if turn.time), default=start)
    return Session(
        id=id_, agent=dataset, source=Source(dataset, file, "0" * 64), turns=turns, started=start, ended=ended
    )


def _turn(n: int, said: Said, start: datetime | None) -> Turn:
    at = said.at or (start + (n - 1) * _PACE if start else None)
    text = transcript.clean_text(said.text)
    blocks = (Text(text),) if text else ()
    if said.is_user:
        return Turn(n, Role.USER, at, blocks, speaker=said.speaker)
    return Turn(n, Role.ASSISTANT, at, blocks, Origin.ASSISTANT, Trust.AGENT, said.speaker)


def time(text: str, *forms: str) -> datetime | None:
    """The first of the forms that fits, in UTC; None where none does."""
    for form in forms:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
