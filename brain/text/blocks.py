"""Where the blocks of a body stand, as mistune reads it.

mistune keeps no positions, and inside a list or a quotation the text that it parses is no
longer that of the file (deep or alternating containers also exhaust its stack). So its block
parser runs with rules of our own for lists, quotations and fences: they read line by line at
the top level, where its cursor is the place in the file, and nothing recurses. For"""

from __future__ import annotations

import re
from typing import Any

from mistune import BlockParser, BlockState

Token = dict[str, Any]

LOOKED_BACK = 40
"""Tokens between a list item and a line that still belongs to it; no line costs more than this."""

_MATH_OPEN = r"^ {0,3}\$\$"
_MATH_CLOSE = re.compile(r"\$\$[ \t]*$", re.MULTILINE)
_ITEM = r"^(?P<item_indent>[ \t]*)(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$)"
_INDENT = r"^(?: {4}| {1,3}\t|\t)[ \t]*(?=\S)"
_FENCE = r"^(?P<fence_indent>[ \t]*)(?P<fence_run>`{3,}(?=[^`\n]*$)|~{3,})"
_QUOTE = r"^ {0,3}>[^\n]*(?:\n|\Z)"
_TABLE = r"^[^\n|]*\|[^\n]*\n(?=[^\n]*-)[ \t|:-]++\n"
_BULLET = re.compile(_ITEM, re.MULTILINE)
_ITEM_FENCE = re.compile(r"`{3,}(?=[^`\n]*$)|~{3,}", re.MULTILINE)
_RULE = re.compile(r" {0,3}(?:-[ \t]*){3,}$", re.MULTILINE)


def same_length(text: str) -> str:
    """The text with "\\n" line ends, which are all that mistune takes, and every character in its place."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def scan(text: str, start: int = 0) -> list[Token]:
    """The top-level tokens of `text` from `start` on, with `start` and `end` as offsets in it."""
    state = _State()
    source = same_length(text[start:])
    state.process(source if source.endswith("\n") else source + "\n")
    _SCANNER.parse(state)
    for token in state.tokens:
        for key in ("start", "end", "content"):
            if key in token:
                token[key] = min(token[key] + start, len(text))
    return state.tokens


class _State(BlockState):
    """Says of each token where it stands; a paragraph that goes on below an item belongs to it."""

    def append_token(self, token: Token) -> None:
        self.tokens.append({"start": self.cursor, "end": 0, **token})

    def add_paragraph(self, text: str) -> None:
        end = self.cursor + len(text)
        if self._is_open():
            self.tokens[-1]["end"] = end
        else:
            self.tokens.append({"type": "paragraph", "start": self.cursor, "end": end})

    def append_paragraph(self) -> int | None:
        if not self._is_open():
            return None
        self.tokens[-1]["end"] = end = self.find_line_end()
        return end

    def _is_open(self) -> bool:
        """Whether a line of words goes on with the last token; an item without words is closed."""
        last = self.last_token() or {"type": "none"}
        return bool(last["type"] == "paragraph" or (last["type"] == "item" and last["words"]))

    def item(self, column: int | None = None) -> Token | None:
        """The innermost list item that an indented line (whose words begin in this column) can belong to."""
        token: Token
        for token in reversed(self.tokens[-LOOKED_BACK:]):
            match token["type"]:
                case "item" if column is None or token["column"] <= column:
                    return token
                case "paragraph" if not self.src[token["start"]].isspace():
                    return None
                case "item" | "paragraph" | "blank_line" | "block_code":
                    continue
                case _:
                    return None
        return None

    def column(self, offset: int) -> int:
        """Width of what stands before an offset on its line, a tab counting as up to four."""
        before = self.src[self.src.rfind("\n", 0, offset) + 1 : offset]
        return len(before.expandtabs(4))


class _Scanner(BlockParser):
    """mistune's rules for headings, HTML, rules and blank lines; our own for what holds lines of their own."""

    state_cls = _State

    def __init__(self) -> None:
        super().__init__()
        self.rules = ["atx_heading", "setex_heading", "thematic_break", "raw_html", "blank_line"]
        own = {"math": _MATH_OPEN, "table": _TABLE, "quote": _QUOTE, "item": _ITEM}
        for name, pattern in own.items():
            self.register(name, pattern, getattr(_Scanner, f"parse_{name}"), before="raw_html")
        # What an indented line or a fence is depends on the line above it: they are looked at first.
        self.register("fence", _FENCE, _Scanner.parse_fence, before="atx_heading")
        self.register("indent", _INDENT, _Scanner.parse_indent, before="atx_heading")

    def parse_method(self, m: re.Match[str], state: BlockState) -> int | None:
        count = len(state.tokens)
        end = super().parse_method(m, state)
        if end and len(state.tokens) > count:
            state.tokens[-1].update(start=m.start(), end=end)
        return end

    def parse_setex_heading(self, m: re.Match[str], state: BlockState) -> int | None:
        last = state.last_token()
        if last and last["type"] == "paragraph":
            last.update(
                type="heading", style="setext", end=m.end() + 1, attrs={"level": 1 if m[0].strip()[0] == "=" else 2}
            )
            return m.end() + 1
        if _RULE.match(state.src, m.start()):
            return self.parse_thematic_break(m, state)
        bullet = _BULLET.match(state.src, m.start())
        return self.parse_item(bullet, state) if bullet else None

    def parse_item(self, m: re.Match[str], state: BlockState) -> int:
        assert isinstance(state, _State)
        end = state.find_line_end_at(m.start())
        content = min(m.end(), end)
        fence = _ITEM_FENCE.match(state.src, content)
        if fence:
            state.append_token({"type": "block_code"})
            return _fence_end(state.src, end, fence[0], state.column(content))
        spaces = state.column(content) - state.column(content - len(m[0].lstrip(" \t")) + len(m[0].strip()))
        kind = "block_code" if spaces >= 5 else "item"
        level = state.column(m.end("item_indent"))
        place = {"content": content, "level": level, "column": state.column(content)}
        state.append_token({"type": kind, "words": bool(state.src[content:end].strip()), **place})
        return end

    def parse_fence(self, m: re.Match[str], state: BlockState) -> int | None:
        assert isinstance(state, _State)
        column = state.column(m.end("fence_indent"))
        item = state.item(column)
        inside = item["column"] if item else 0
        if column - inside > 3:
            return self.parse_indent(m, state)
        state.append_token({"type": "block_code"})
        return _fence_end(state.src, state.find_line_end_at(m.start()), m["fence_run"], inside)

    def parse_indent(self, m: re.Match[str], state: BlockState) -> int | None:
        assert isinstance(state, _State)
        end = state.find_line_end_at(m.start())
        line = state.src[m.start() : end]
        column = state.column(m.start() + len(line) - len(line.lstrip(" \t")))
        item = state.item()
        last = state.last_token()
        if item and not (last["type"] == "blank_line" and column >= item["column"] + 4):
            bullet = _BULLET.match(state.src, m.start())
            return self.parse_item(bullet, state) if bullet else state.append_paragraph()
        if not item and (ahead := state.append_paragraph()):
            return ahead
        if last and last["type"] == "quote":
            # Most likely the quoted sentence goes on; to take words for code would hide them.
            return None
        state.append_token({"type": "block_code"})
        return end

    def parse_quote(self, m: re.Match[str], state: BlockState) -> int:
        last = state.last_token()
        if last and last["type"] == "quote" and last["end"] == m.start():
            last["end"] = m.end()
        else:
            state.append_token({"type": "quote"})
        return m.end()

    def parse_table(self, m: re.Match[str], state: BlockState) -> int:
        end = m.end()
        while end < state.cursor_max and "|" in state.get_line(end):
            end = state.find_line_end_at(end)
        state.append_token({"type": "table"})
        return end

    def parse_math(self, m: re.Match[str], state: BlockState) -> int | None:
        close = None if state.env.get("no_math") else _MATH_CLOSE.search(state.src, m.end())
        if close is None:
            # Looked for once: a text of nothing but openings must not be searched to its end for each.
            state.env["no_math"] = True
            return None
        state.append_token({"type": "math"})
        return close.end() + 1


def _fence_end(src: str, at: int, run: str, inside: int) -> int:
    """Behind the closing fence; an item's fence also ends where a line stands left of the item's words."""
    close = re.compile(rf" {{0,{inside + 3}}}{run[0]}{{{len(run)},}} *$")
    while at < len(src):
        end = src.find("\n", at) + 1 or len(src)
        line = src[at:end].rstrip("\n").expandtabs(4)
        if close.match(line):
            return end
        if line.strip() and len(line) - len(line.lstrip(" ")) < inside:
            return at
        at = end
    return at


_SCANNER = _Scanner()
