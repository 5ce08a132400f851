"""The body of a page or note: its sections, and every statement in them with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from brain.claims import Place, Statement, parse_statement
from brain.markdown import Block, BlockKind, body_blocks
from brain.model import Claim

_QUOTED = re.compile(
    r"“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|「[^「」]*」|『[^『』]*』|\"[^\"\n]*\"",
)
_MARKS = r"(?:[ \t\n]*(?<!\\)\[cite:[1-9][0-9]{0,6}\])+"
_ID = r"(?:[ \t]+\^[a-z0-9]{4,8}(?=\s|$))?"
_CLOSERS = r"[\"'”’»“)\]}』」）】*_]*"
_END = re.compile(
    rf"(?P<stop>[.!?…。！？｡؟۔।॥።፧։။]+{_CLOSERS})?(?P<marks>{_MARKS})(?P<late>[.!?…。！？｡؟۔।॥።፧։။]+{_CLOSERS})?{_ID}"
    rf"|(?P<wide>[。！？｡]+{_CLOSERS})"
    rf"|(?P<full>[.!?…؟۔।॥።፧։။]+{_CLOSERS})(?=\s)"
)
_QUOTE_MARKS = re.compile(r"^[ \t>]+", re.MULTILINE)
_COMMENT = re.compile(r"<!--(?:(?!-->)[\s\S])*+(?:-->|\Z)")
_TABLE_HEAD = re.compile(r"\A[^\n]*\n[^\n]*")
_ROW = re.compile(r"[^\s|][^\n]*[^\s|]|[^\s|]")
_WORD_BEFORE = re.compile(r"[\w.]+$")
_ABBREVIATIONS = frozenset(
    re.findall(
        r"\w+",
        "mr mrs ms dr prof st jr sr vs etc no nr vol pp fig inc ltd co corp dept approx ca cf al bzw usw ggf max min "
        "mme mlle jan feb mar apr jun jul aug sep sept oct nov dec "
        "им ул стр см ср др пр гл рис тыс млн млрд руб коп мин сек напр доп обл пос пер кв тов гр проф акад",
    )
)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it, to the next one; "" is what comes before the first."""

    heading: str
    level: int
    line: int
    start: int
    """Offset in the file."""
    end: int
    statements: tuple[Statement, ...] = ()
    blocks: tuple[Block, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(s.claim for s in self.statements)

    def is_named(self, heading: str) -> bool:
        return self.heading.casefold() == heading.casefold()


def read_sections(text: str, start: int, line: int) -> tuple[Section, ...]:
    """The sections of the body that begins at `start`, on line `line` of the file; the first one is the lead."""
    groups = list(_groups(body_blocks(text, start)))
    begins = [start, *(group[0].start for group in groups[1:])]
    lines = _Lines(text, start, line)
    sections: list[Section] = []
    for group, begin, end in zip(groups, begins, [*begins[1:], len(text)], strict=True):
        head = group[0] if sections else None
        heading = _heading(text[head.content : head.end]) if head else ""
        at = lines.at(begin)
        found = tuple(s for block in group for s in _statements(text, block, heading, lines))
        sections.append(Section(heading, head.level if head else 0, at, begin, end, found, group))
    return tuple(sections)


def _groups(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
    group: list[Block] = []
    title = lead = True
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            # The first heading of level 1 is the title and belongs to the lead, as words before it do.
            if not (title and lead and block.level == 1):
                yield tuple(group)
                group, lead = [], False
            title = title and block.level != 1
        group.append(block)
    yield tuple(group)


def _heading(text: str) -> str:
    return re.sub(r"(?:^|[ \t])#+$", "", text.strip()).strip()


class _Lines:
    """Line numbers of offsets that are asked for in rising order."""

    def __init__(self, text: str, start: int, line: int) -> None:
        self.text, self.offset, self.line = text, start, line

    def at(self, offset: int) -> int:
        self.line += self.text.count("\n", self.offset, offset)
        self.offset = offset
        return self.line


def _statements(text: str, block: Block, section: str, lines: _Lines) -> Iterator[Statement]:
    words = text[block.content : block.end]
    match block.kind:
        case BlockKind.ITEM:
            if words.strip():
                yield parse_statement(words, True, Place(section, lines.at(block.start), block.start, block.end))
            return
        case BlockKind.QUOTE:
            words = _blank(_QUOTE_MARKS, words)
        case BlockKind.HTML:
            words = _blank(_COMMENT, words)
        case BlockKind.TABLE:
            words = _blank(_TABLE_HEAD, words)
        case BlockKind.PARAGRAPH:
            pass
        case _:
            return
    spans = _rows(words) if block.kind is BlockKind.TABLE else sentence_spans(words)
    for begin, end in spans:
        start = block.content + begin
        place = Place(section, lines.at(start), start, block.content + end)
        yield parse_statement(words[begin:end].strip("|"), False, place)


def _blank(pattern: re.Pattern[str], words: str) -> str:
    """The words with what matches made blank, so that the rest keeps its place."""
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), words)


def _rows(words: str) -> Iterator[tuple[int, int]]:
    for row in _ROW.finditer(words):
        yield row.span()


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence of a paragraph begins and ends, its citation marks and block id with it.

    Words in quotation marks stay whole; the rules are few and know no language but some abbreviations.
    """
    masked = _QUOTED.sub(_mask, text)
    spans: list[tuple[int, int]] = []
    begin = 0
    for found in _END.finditer(masked):
        if _ends_sentence(masked, found):
            spans.append((begin, found.end()))
            begin = found.end()
    spans.append((begin, len(text)))
    trimmed = (_trim(text, start, end) for start, end in spans)
    return tuple((start, end) for start, end in trimmed if start < end)


def _mask(match: re.Match[str]) -> str:
    quoted = match[0]
    if "[cite:" in quoted:
        return quoted
    return quoted[0] + "x" * (len(quoted) - 3) + quoted[-2:] if len(quoted) > 2 else quoted


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    rest = text[found.end() : found.end() + 80]
    following = rest.lstrip()
    if found["marks"]:
        return bool(found["stop"] or found["late"] or not following or "\n" in rest[: len(rest) - len(following)])
    if found["wide"]:
        return True
    if following[:1].islower():
        return False
    return not (found["full"] == "." and _is_abbreviation(text[max(0, found.start() - 24) : found.start()]))


def _is_abbreviation(before: str) -> bool:
    word = _WORD_BEFORE.search(before)
    if word is None:
        return False
    letters = word[0].casefold()
    return (len(letters) == 1 and not letters.isdigit()) or "." in letters.strip(".") or letters in _ABBREVIATIONS


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return start, max(start, end - (len(words) - len(words.rstrip())))
