"""The lines of pages and notes: dates, citation marks, block ids; text <-> Claim.

The marks are read as they stand, in code too: a statement must not lose its evidence to
a stray backtick. Words that look like a mark are written with one backslash in front.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from brain.model import Citation, Claim, Origin, Problem
from brain.text.front import Bare, FrontMatter, Writable

HISTORY = "History"
RELATED = "Related"

_DAY = r"\d{4}-\d\d-\d\d|\?"
_DATES = re.compile(rf"(?P<date>{_DAY})(?: – (?P<until>{_DAY}))? · ")
_FATE = re.compile(r" · (?:superseded by \^(?P<by>[a-z0-9]{4,8})|ended)$")
_ID = re.compile(r"(?:^|(?<=\s))\^([a-z0-9]{4,8})$")
_CITE = re.compile(r"[ \t]?(?<!\\)\[cite:([1-9][0-9]{0,6})\]")
_MARKS = re.compile(r"(?:\[cite:[1-9][0-9]{0,6}\] ?)+")
_MARK = re.compile(r"(?=\[cite:[1-9])")
_MARKED = re.compile(r"(?<!\\)\\(\\*+)(?=\[cite:[1-9])")
# Words at the end of a line that has neither citation nor id would be read as such.
_END = r"(?=(?:\^[a-z0-9]{4,8}|· (?:superseded by \^[a-z0-9]{4,8}|ended))$)"
_TAIL = re.compile(rf"(?:^|(?<= ))(\\*){_END}")
_ESCAPED_TAIL = re.compile(rf"(?:^|(?<= ))\\(\\*){_END}")
_WIDE_SPACE = re.compile(r"[\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029]|  ")
_SPACE = re.compile(r"[\t\n\x0b\x0c\r\x1c-\x1f \x85\u2028\u2029]+")
# Words that would begin another block where a line begins with them.
_BLOCK_START = re.compile(
    r"#{1,6}(?:\s|$)|[-+*](?:[\s*+-]|$)|[0-9]{1,9}[.)](?:\s|$)|[>|]|`{3}|~{3}|<[!/?A-Za-z]|=+\s*$|_{3}|_ _|\$\$"
    r"|\[[^\]]*\]:|\\"
)
_ESCAPED_START = re.compile(r"([0-9]{0,9})\\")
_NUMBER = re.compile("[1-9][0-9]{0,6}")
_ORIGINS = {origin.value: origin for origin in Origin}
_ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim and its place in the file."""

    claim: Claim
    start: int = 0
    end: int = 0
    item: bool = True
    superseded_by: str | None = None
    """Only in History: id of the claim that replaced it."""
    ended: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: its section, its line, and its offsets in the file."""

    section: str = ""
    line: int = 0
    start: int = 0
    end: int = 0


NOWHERE = Place()


def one_line(text: str) -> str:
    """The words on one line, no outer space: what a claim can hold."""
    text = text.strip(" \n")
    return _SPACE.sub(" ", text).strip(" ") if _WIDE_SPACE.search(text) else text


def claim_id(text: str, source: str, taken: Container[str]) -> str:
    """A block id from what is said and where; the same again gives the same, unless it is taken."""
    number = int.from_bytes(hashlib.sha256(f"{source}\n{text}".encode("utf-8", "surrogatepass")).digest())
    digits = ""
    for _ in range(48):
        number, rest = divmod(number, len(_ID_ALPHABET))
        digits += _ID_ALPHABET[rest]
    sizes = [digits[:size] for size in range(4, 9)] + [digits[at : at + 8] for at in range(1, 40)]
    return next(found for found in sizes if found not in taken)


# --- text -> claims -------------------------------------------------------------


def parse_statement(text: str, item: bool = True, place: Place = NOWHERE) -> Statement:
    """One list item without its bullet, or one sentence of a paragraph with its marks."""
    rest = one_line(text)
    if not item and (escaped := _ESCAPED_START.match(rest)):
        rest = escaped[1] + rest[escaped.end() :]
    # Most lines have none of the marks: a look for one character is cheaper than a pattern.
    fate = _FATE.search(rest) if " · " in rest[-28:] else None
    if fate:
        rest = rest[: fate.start()]
    rest, block_id = _take_id(rest)
    since, until, rest = _take_dates(rest)
    words, cites = _take_cites(rest)
    if "\\" in words and not (fate or block_id or cites):
        words = _ESCAPED_TAIL.sub(r"\1", words)
    claim = Claim(words, cites, block_id, since, until, place.section, place.line)
    return Statement(claim, place.start, place.end, item, fate["by"] if fate else None, bool(fate and not fate["by"]))


def _take_dates(text: str) -> tuple[str | None, str | None, str]:
    dates = _DATES.match(text)
    if dates is None:
        return None, None, text
    return _day(dates["date"]), _day(dates["until"]), text[dates.end() :]


def _take_id(text: str) -> tuple[str, str | None]:
    found = _ID.search(text, max(0, len(text) - 10)) if "^" in text else None
    return (text[: found.start()].rstrip(" "), found[1]) if found else (text, None)


def _take_cites(text: str) -> tuple[str, tuple[int, ...]]:
    first = text.find("[cite:")
    if first < 0:
        return text.strip(" "), ()
    if text[first - 1 : first] != "\\" and _MARKS.fullmatch(text, first):
        words = text[:first].strip(" ")
    else:
        words = one_line(_CITE.sub("", text))
    cites = tuple(dict.fromkeys(int(n) for n in _CITE.findall(text, first)))
    return (_MARKED.sub(r"\1", words) if "\\" in words else words), cites


def _day(text: str | None) -> str | None:
    return None if text in (None, "?") else text


def cites_in(text: str) -> frozenset[int]:
    """Every citation number that the text uses, wherever it stands."""
    return frozenset(int(n) for n in _CITE.findall(text))


# --- claims -> text -------------------------------------------------------------


def render_item(claim: Claim, fate: str = "") -> str:
    """The list item of a claim, without line end; `fate` is what History says at its end."""
    text = one_line(claim.text)
    if claim.until is not None or fate:
        dates = f"{claim.date or '?'} – {claim.until or '?'} · "
    elif claim.date is not None or _DATES.match(f"{text} ") or _BLOCK_START.match(text):
        dates = f"{claim.date or '?'} · "
    else:
        dates = ""
    return f"- {dates}{render_words(claim)}{fate}"


def render_sentence(claim: Claim) -> str:
    """A claim as one line of a paragraph."""
    words = render_words(claim)
    if claim.date or _DATES.match(f"{words} "):
        return f"{claim.date or '?'} · {words}"
    if _BLOCK_START.match(words):
        # A backslash before a digit shows; behind it, before the dot of `1.`, it does not.
        number = re.match(r"[0-9]*", words)
        at = number.end() if number else 0
        return words[:at] + "\\" + words[at:]
    return words


def render_words(claim: Claim) -> str:
    marks = "".join(f" [cite:{n}]" for n in claim.cites)
    block_id = f" ^{claim.id}" if claim.id else ""
    words = _MARK.sub(lambda _: "\\", one_line(claim.text))
    return words + marks + block_id if marks or block_id else _TAIL.sub(r"\1\\", words)


def with_marks(written: str, numbers: Sequence[int], block_id: str | None) -> str:
    """A statement as it stands in a file, with citation marks and a block id put to those it has."""
    words = written.rstrip()
    fate = _FATE.search(words)
    end = fate.start() if fate else len(words)
    own_id = _ID.search(words[:end])
    head, tail = words[:end], words[end:] + written[len(words) :]
    if own_id:
        head, tail = words[: own_id.start()].rstrip(" "), f" {own_id[0].strip()}" + tail
    elif block_id:
        tail = f" ^{block_id}" + tail
    last = list(_CITE.finditer(head))
    place = last[-1].end() if last else len(head)
    marks = "".join(f" [cite:{n}]" for n in numbers)
    return head[:place] + marks + head[place:] + tail


# --- citations ------------------------------------------------------------------


def read_citations(front: FrontMatter) -> tuple[dict[int, Citation], list[Problem]]:
    """The entries of `citations` that can be read, and a problem for each that cannot."""
    entries = front.values.get("citations")
    if entries is None:
        return {}, []
    if not isinstance(entries, dict):
        line = front.line_of("citations")
        return {}, [Problem("`citations` is no mapping of numbers to citations", line, "citations")]
    found: dict[int, Citation] = {}
    problems: list[Problem] = []
    for key, entry in entries.items():
        citation = _citation(entry) if _NUMBER.fullmatch(key) else None
        if citation is None:
            line = front.line_of("citations", key)
            problems.append(Problem(f"the citation {key} cannot be read", line, f"citations.{key}"))
        else:
            found[int(key)] = citation
    return found, problems


def _citation(entry: object) -> Citation | None:
    if not isinstance(entry, dict):
        return None
    source, quote, day = entry.get("source"), entry.get("quote"), entry.get("date")
    origin = _ORIGINS.get(str(entry.get("origin")))
    if not isinstance(source, str) or not isinstance(quote, str) or origin is None:
        return None
    return Citation(source, quote, day if isinstance(day, str) else None, origin)


def citation_value(citation: Citation) -> Mapping[str, Writable]:
    """The form in which an entry of `citations` is written."""
    value: dict[str, Writable] = {"source": citation.source, "quote": Bare(citation.quote)}
    if citation.date is not None:
        value["date"] = Bare(citation.date)
    return {**value, "origin": citation.origin.value}
