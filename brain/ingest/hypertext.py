"""The words of an HTML text, for mails that have no plain form.

The standard library's parser raises on some texts and takes a time that grows with the square of others; tags alone
are enough here, and are found in one pass.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)[^<>]*>|<![^<>]*>")
_SILENT = frozenset(("script", "style", "head", "title", "template", "svg"))
_BLOCKS = frozenset(
    ("p", "div", "br", "tr", "li", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "hr")
)
_DEEPEST = 9


def readable(text: str) -> str:
    """Words with a line for each block; quoted blocks have `> ` before their lines."""
    page = _Page()
    at = 0
    for tag in _TAG.finditer(text := _without_comments(text)):
        page.take_words(text[at : tag.start()])
        page.take_tag((tag[2] or "").lower(), is_end=bool(tag[1]))
        at = tag.end()
    page.take_words(text[at:])
    return re.sub(r"\n{3,}", "\n\n", "\n".join(page.lines())).strip()


def _without_comments(text: str) -> str:
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts.append(text[at:start])
        at = end + 3
    return "".join([*parts, text[at:]])


class _Page:
    def __init__(self) -> None:
        self._lines: list[tuple[int, list[str]]] = [(0, [])]
        self._silent = ""
        self._quotes = 0

    def take_words(self, words: str) -> None:
        if not self._silent:
            self._lines[-1][1].append(words)

    def take_tag(self, tag: str, *, is_end: bool) -> None:
        if self._silent or tag in _SILENT:
            closes = is_end and tag in ("body", self._silent)
            self._silent = "" if closes else self._silent or ("" if is_end else tag)
        elif tag in _BLOCKS:
            if tag == "blockquote":
                self._quotes = max(0, self._quotes + (-1 if is_end else 1))
            self._lines.append((self._quotes, ["- "] if tag == "li" and not is_end else []))

    def lines(self) -> Iterator[str]:
        for depth, parts in self._lines:
            line = " ".join(html.unescape("".join(parts)).split())
            yield f"{'> ' * min(depth, _DEEPEST)}{line}" if line else ""
