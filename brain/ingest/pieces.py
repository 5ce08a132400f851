"""What every format is read into before it becomes turns: words, pictures, calls and their results.

A reader turns one message of its format into pieces at once, so that what is never needed (pictures
in base64, signatures, doubled tool output) is gone before the next line is read.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime

MAX_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Words:
    text: str


@dataclass(frozen=True, slots=True)
class Media:
    word: str
    """`image`, `audio`, `file`."""


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    """"" where the source gives none: no result can be paired then."""
    name: str
    input: object
    """JSON as it was parsed, or text where it could not be."""


@dataclass(frozen=True, slots=True)
class Result:
    id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Handed:
    """A file that came with a person's words, and what it holds: material, not their words."""

    name: str
    text: str


Piece = Words | Media | Call | Result | Handed


class BadLine(ValueError):
    """A line (or a row) that holds no JSON object; the message says why."""


def load_object(data: bytes) -> dict[str, object]:
    """One JSON object from the bytes of a line. Raises: BadLine."""
    value = load(data)
    if not isinstance(value, dict):
        raise BadLine(f"a JSON {json_kind(value)}, not an object")
    return value


def load(data: bytes) -> object:
    """Any JSON value; bytes that are no UTF-8 read as U+FFFD. Raises: BadLine."""
    try:
        return json.loads(data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
    except json.JSONDecodeError as error:
        raise BadLine(f"not JSON: {error.msg}") from None
    except RecursionError:
        raise BadLine("not read: nested too deep") from None
    except ValueError as error:
        raise BadLine(f"not read: {error}") from None


def json_kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case _:
            return "object"


def text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def dict_of(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def dumped(value: object) -> str:
    """A JSON value as text on one line; text stays as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError):
        return "…"


def result_text(content: object) -> str:
    """What a tool gave back, as text; a picture is a mark."""
    if content is None or isinstance(content, str):
        return text_of(content)
    if not isinstance(content, list):
        return dumped(content)
    return "\n".join(_result_part(part) for part in content)


def _result_part(part: object) -> str:
    block = dict_of(part)
    match block.get("type"):
        case "text" | "output_text" | "input_text":
            return text_of(block.get("text"))
        case "image" | "image_url" | "input_image" | "document" | "audio" as kind:
            return f"[{kind}]"
        case _:
            return dumped(part)


_FIRST, _LAST = 86_400, 7_258_118_400
"""1970-01-02 and 2200: a time outside is a 0 or a mistake, and so unknown."""
_ISO_TIME = re.compile(r"\d{4}-?\d\d-?\d\d[T ]\d\d")


def time_of(value: object) -> datetime | None:
    """An aware time from ISO text, seconds or milliseconds; None where nothing readable was given. Naive is UTC."""
    match value:
        case str() if _ISO_TIME.match(value):
            return _iso(value)
        case int() | float() if not isinstance(value, bool):
            return _epoch(value)
        case _:
            return None


def _iso(value: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(value.strip())
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return time if _FIRST <= time.timestamp() < _LAST else None
    except (ValueError, OverflowError):
        return None


def _epoch(value: float) -> datetime | None:
    if not _FIRST <= value < 1000 * _LAST:
        return None
    seconds = value / 1000 if value >= _LAST else value
    return datetime.fromtimestamp(round(seconds, 6), UTC)
