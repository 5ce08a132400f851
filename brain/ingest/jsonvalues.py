"""The values of a JSON file one at a time, so that an export of any size needs the room of its largest conversation.

A value is an element of the list that the file is (or that stands under a known key), or a whole value where several
follow each other. The standard library's decoder reads each; what it cannot read is skipped by its brackets and told.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from brain.ingest.pieces import json_kind
from brain.ingest.source import Input, Skipped

LARGEST = 64 << 20
"""Characters of one value; a larger one is skipped."""
_MOST_BAD = 100
"""Values that cannot be read before a file is given up."""
_DECODER = json.JSONDecoder(strict=False)
_NUMBER = re.compile(r"[-+.eE\d]{0,3}")
_SPACE = re.compile(r"[ \t\n\r]*")
_MARKS = re.compile(r'["\[\]{}]')
_NO_VALUE = re.compile(r'[^,\[\]{}"\n]*')
_IN_TEXT = re.compile(r'"|\\.', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{},"]', re.DOTALL)
_NEAR_END = 12
"""An error this close to the end of what has been read may only be its end."""


class _Bad(ValueError):
    """A value that cannot be read; the message says why."""


class _Text:
    """The file as text that is read on as it is needed."""

    def __init__(self, source: Input) -> None:
        self._chunks = source.chunks()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.text = ""
        self.at = 0
        self.ended = False
        self.more()
        self.text = self.text.removeprefix("\ufeff")

    def more(self) -> bool:
        """Read on, twice as far; False at the end of the file."""
        if self.ended:
            return False
        parts = [self.text[self.at :]]
        wanted = max(len(parts[0]), 1)
        while wanted > 0 and not self.ended:
            chunk = next(self._chunks, b"")
            self.ended = not chunk
            parts.append(self._decode(chunk, final=self.ended))
            wanted -= len(parts[-1])
        self.text, self.at = "".join(parts), 0
        return len(self.text) > len(parts[0])

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def take(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self.at += 1
        return True

    def value(self) -> object:
        """The value that begins here. Raises: _Bad; the place is then that behind the value."""
        if not self.peek():
            raise _Bad("the file ends in the middle of it")
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except (ValueError, RecursionError) as error:
                if isinstance(error, json.JSONDecodeError) and self._goes_on(error):
                    continue
                why = self._why(error)
                self._skip()
                raise _Bad(why) from None
            if isinstance(value, int | float) and _NUMBER.fullmatch(self.text, end) and self.more():
                # "0." is 0 with something behind it until the next characters are there.
                continue
            self.at = end
            return value

    def _goes_on(self, error: json.JSONDecodeError) -> bool:
        """Whether the value was only cut off where the reading had come to; more has been read then."""
        if not self._is_cut(error):
            return False
        return len(self.text) - self.at <= LARGEST and self.more()

    def _why(self, error: ValueError | RecursionError) -> str:
        if isinstance(error, RecursionError):
            return "nested too deep"
        if not isinstance(error, json.JSONDecodeError):
            return f"not read: {error}"
        if not self._is_cut(error):
            return f"not JSON: {error.msg}"
        return "the file ends in the middle of it" if self.ended else f"more than {LARGEST >> 20} million characters"

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        near = 0 if self.ended else _NEAR_END
        return error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - near

    def _skip(self) -> None:
        """Go behind the value that begins here by its brackets, whatever stands between them, and hold little."""
        if self.text[self.at] not in '"[{':
            self.at = max(_NO_VALUE.match(self.text, self.at).end(), self.at + 1)  # type: ignore[union-attr]
            return
        depth, in_text = 0, False
        while True:
            mark = (_IN_TEXT if in_text else _MARKS).search(self.text, self.at)
            if mark is None:
                self.at = max(self.at, len(self.text) - 1) if in_text else len(self.text)
                if not self.more():
                    self.at = len(self.text)
                    return
                continue
            self.at = mark.end()
            if mark[0] == '"':
                in_text = not in_text
            elif not in_text:
                depth += 1 if mark[0] in "[{" else -1
            if depth <= 0 and not in_text:
                self.at -= depth < 0
                return


def values(source: Input, keys: Sequence[str] = ()) -> Iterator[tuple[int, object] | Skipped]:
    """(place from 1, value) of every value; `keys` name the lists in an object whose elements are values too."""
    text, bad = _Text(source), 0
    for place, value in enumerate(_all(text, keys), 1):
        if not isinstance(value, _Bad):
            yield place, value
            continue
        bad += 1
        yield Skipped(source.name, None, f"value {place}: {value}")
        if bad == _MOST_BAD:
            yield Skipped(source.name, None, f"{bad} values cannot be read; what follows was not read")
            return


def _all(text: _Text, keys: Sequence[str]) -> Iterator[object]:
    while sign := text.peek():
        if sign == "[":
            yield from _elements(text)
        elif sign == "{" and keys:
            yield from _members(text, keys)
        else:
            yield _value(text)
        text.take(",")


def _value(text: _Text) -> object:
    try:
        return text.value()
    except _Bad as error:
        return error


def _elements(text: _Text) -> Iterator[object]:
    text.take("[")
    while sign := text.peek():
        if sign in "]}":
            text.at += 1
            return
        yield _value(text)
        text.take(",")


def _members(text: _Text, keys: Sequence[str]) -> Iterator[object]:
    """An object: the elements of its known lists as they come, and then what else it holds, if there was no list."""
    text.take("{")
    rest: dict[str, object] = {}
    has_list = False
    while sign := text.peek():
        if sign in "]}":
            text.at += 1
            break
        key = _value(text)
        text.take(":")
        if isinstance(key, str) and key in keys and text.peek() == "[":
            has_list = True
            yield from _elements(text)
        elif isinstance(value := _value(text), _Bad) or not isinstance(key, str):
            yield value if isinstance(value, _Bad) else _Bad(f"a {json_kind(key)} where the name of a value belongs")
        else:
            rest[key] = value
        text.take(",")
    if rest and not has_list:
        yield rest


# --- the beginning of a file ---------------------------------------------------------


@lru_cache(maxsize=4)
def beginning(head: bytes) -> object:
    """The first value of a file as far as its first bytes tell it, with what is cut off closed; None: no JSON."""
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").lstrip()
    if not text.startswith(("[", "{")):
        return None
    try:
        return _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return _closed(text)


def _closed(text: str) -> object:
    stack: list[str] = []
    end = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign == '"' or (sign in "]}" and not stack):
            break
        if sign in "[{":
            stack.append("]" if sign == "[" else "}")
        elif sign in "]}":
            stack.pop()
        if sign in "[]{},":
            end = token.start() if sign == "," else token.end()
    try:
        return _DECODER.decode(text[:end] + "".join(reversed(stack)))
    except (ValueError, RecursionError):
        return None
