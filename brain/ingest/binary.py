"""Pictures and recordings in the form of text (data URLs, long runs of base64): a mark stands for them.

Most texts hold none, and that is seen without reading them: a long run leaves a stretch without a space.
"""

from __future__ import annotations

import re

_STEP = 500
_RUN = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{1000,}={0,2}")
_LINES = re.compile(r"(?:^[A-Za-z0-9+/]{60,120}\n){19,}^[A-Za-z0-9+/]{1,120}={0,2}$", re.MULTILINE)
_DATA_URL = re.compile(
    r"data:(?P<kind>[a-z]{1,20})/[\w.+-]{1,80}(?:;[\w=.-]{1,60}){0,5};base64,[A-Za-z0-9+/_%-]*={0,2}", re.IGNORECASE
)
_DISTINCT = 20
"""Different characters that encoded bytes have; a line of dashes has one."""


def without_binary(text: str) -> str:
    """The text with a mark for each piece of encoded data."""
    if ";base64," in text:
        text = _DATA_URL.sub(lambda url: f"[{url['kind'].lower()}]", text)
    if _has_long_run(text):
        text = _RUN.sub(_marked, text)
    return _LINES.sub(_marked, text) if _has_full_lines(text) else text


def _has_long_run(text: str) -> bool:
    return any(
        text.find(" ", at, at + _STEP) < 0 and text.find("\n", at, at + _STEP) < 0
        for at in range(0, len(text) - _STEP + 1, _STEP)
    )


def _has_full_lines(text: str) -> bool:
    """Twenty encoded lines leave two steps without a space, with a line end in each."""
    return any(
        text.find(" ", at, at + _STEP) < 0 and text.count("\n", at, at + _STEP) in range(4, 9)
        for at in range(0, len(text) - _STEP + 1, _STEP)
    )


def _marked(run: re.Match[str]) -> str:
    held = set(run[0][:2000])
    is_mixed = any(c.isupper() for c in held) and any(c.islower() for c in held) and any(c.isdigit() for c in held)
    return f"[{len(run[0])} characters of data]" if is_mixed and len(held) >= _DISTINCT else run[0]
