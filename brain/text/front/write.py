"""Values as YAML that every strict parser reads back as the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeAlias

from brain.text.front.reading import Value


class Bare(str):
    """Text that is written without quotes although YAML may see a number or a date in it: the key's schema says so."""

    __slots__ = ()


Writable: TypeAlias = "str | int | date | Sequence[Writable] | Mapping[str, Writable] | None"

_PLAIN = re.compile(r"[^\W_](?:[ \w./()+'-]*[\w./()+'-])?")
_BARE = re.compile(r"[\w.+/-](?:[\w./+-]|:(?=\w))*")
# What some YAML parser, of version 1.1 or 1.2, takes for something other than text.
_TYPED = re.compile(
    r"(?:y|yes|n|no|on|off|true|false|null|\d{4}-\d\d?-\d\d?.*|0b[01_]*|0o?[0-7_]*|0x[\da-f_]*"
    r"|[\d_]+(?:\.[\d_]*)?(?:e[-+]?\d+)?|\.inf|\.nan|inf|nan)",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"[^ !#-\[\]-~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def render_value(value: Writable) -> str:
    """On one line, as a flow form where it is a list or a mapping."""
    match value:
        case None:
            return ""
        case str():
            return render_text(value)
        case int():
            return str(value)
        case date():
            return value.isoformat()
        case Mapping():
            return "{" + ", ".join(f"{render_text(k)}: {_flow(v)}" for k, v in value.items()) + "}"
        case _:
            return "[" + ", ".join(_flow(item) for item in value) + "]"


def render_text(text: str) -> str:
    if isinstance(text, Bare) and _BARE.fullmatch(text):
        return str(text)
    if _PLAIN.fullmatch(text) and not _TYPED.fullmatch(text):
        return text
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def render_entry(key: str, value: Writable, indent: str = "", eol: str = "\n") -> str:
    """The line or lines of one key, with line ends; a mapping of mappings gets a line for each."""
    head = f"{indent}{render_text(key)}:"
    if isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values()):
        return head + eol + "".join(render_entry(k, v, indent + "  ", eol) for k, v in value.items())
    rendered = render_value(value)
    return f"{head} {rendered}{eol}" if rendered else f"{head}{eol}"


def as_read(value: Writable) -> Value:
    """The value as a reader gives it: every scalar text."""
    match value:
        case None | dict() if not value:
            return None if value is None else {}
        case str():
            return re.sub(r"[\ud800-\udfff]", "\ufffd", value)
        case int():
            return str(value)
        case date():
            return value.isoformat()
        case Mapping():
            return {as_key(k): as_read(v) for k, v in value.items()}
        case _:
            return [as_read(item) for item in value]


def as_key(key: str) -> str:
    return re.sub(r"[\ud800-\udfff]", "\ufffd", key)


def _flow(value: Writable) -> str:
    # An empty value inside a flow form would need a reader that agrees on `[a, ]`.
    return '""' if value is None else render_value(value)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if 0xD800 <= code < 0xE000:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
