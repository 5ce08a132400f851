"""Which of a text's `[[…]]` stand outside code, comments and formulas.

mistune gives its inline tokens without their places. So each `[[` is replaced by a mark of its
own before parsing: a mark that comes back as text is alive, and where it stood is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mistune import InlineParser

from brain.text.blocks import same_length, scan

MAX_QUOTES = 8
"""Quotations in quotations beyond this depth are read as plain words."""

# As Pandoc and Obsidian have it: no space inside the dollars, no digit behind them, so that two prices are no formula.
_MATH = r"\$(?![\s$])(?:[^$\\\n]|\\.)*?(?<!\s)\$(?!\d)|\$\$(?:[^$\\]|\\.)*?\$\$"
_QUOTE_MARK = re.compile(r"^ {0,3}> ?", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_RAW_CODE = re.compile(r"\s*<(?:pre|script|style|textarea|\?|!(?!--))", re.IGNORECASE)


def alive(text: str, start: int, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """Those of the matches in `text`, all of them from `start` on, that are links."""
    mark = _unused(text)
    pieces, at = [], start
    for number, match in enumerate(found):
        begin = match.start(1) - 2
        pieces += [text[at:begin], f"{mark}{number}{mark}"]
        at = begin + 2
    source = same_length("".join([*pieces, text[at:]]))
    living: set[str] = set()
    for words in _words(source, mark, 0):
        living.update(words.split(mark)[1::2])
    return [match for number, match in enumerate(found) if str(number) in living]


def _unused(text: str) -> str:
    """A letter of the private use areas that the text does not hold."""
    used = set(text)
    areas = (range(0xE000, 0xF900), range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
    return next((char for area in areas for code in area if (char := chr(code)) not in used), "\ue000")


def _words(source: str, mark: str, depth: int) -> Iterator[str]:
    """The words of each block that holds a mark, without code, comments and formulas."""
    for token in scan(source):
        words = source[token["start"] : token["end"]]
        if mark not in words:
            continue
        match token["type"]:
            case "block_code" | "math":
                continue
            case "block_html":
                yield from _html_words(words)
            case "quote" if depth < MAX_QUOTES:
                yield from _words(_QUOTE_MARK.sub("", words), mark, depth + 1)
            case "table":
                for cell in _CELL.split(words):
                    yield from _inline_words(cell, mark)
            case _:
                yield from _inline_words(source[token.get("content", token["start"]) : token["end"]], mark)


def _html_words(raw: str) -> Iterator[str]:
    if _RAW_CODE.match(raw):
        return
    at = 0
    while at < len(raw):
        begin = raw.find("<!--", at)
        yield raw[at : begin if begin >= 0 else len(raw)]
        end = raw.find("-->", begin) if begin >= 0 else -1
        at = end + 3 if end >= 0 else len(raw)


def _inline_words(words: str, mark: str) -> Iterator[str]:
    if mark not in words:
        return
    code = 0
    for token in _INLINE(words, {"ref_links": {}}):
        if token["type"] == "inline_html":
            code = max(0, code + _code_depth(token["raw"]))
        elif token["type"] == "text" and not code:
            yield token["raw"]


def _code_depth(tag: str) -> int:
    name = tag[:6].casefold()
    return 1 if name.startswith("<code") else -1 if name.startswith("</code") else 0


def _inline_math(inline: InlineParser, match: re.Match[str], state: Any) -> int:
    state.append_token({"type": "inline_math", "raw": match[0]})
    return match.end()


def _inline() -> InlineParser:
    """mistune's inline parser with the rules that can hide a link, and no others."""
    inline = InlineParser()
    inline.rules = ["escape", "codespan", "inline_html"]
    inline.register("inline_math", _MATH, _inline_math, before="codespan", start_chars="$")
    return inline


_INLINE = _inline()
