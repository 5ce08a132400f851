"""The body of a page or note: its sections, and every statement in them with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from brain.model import Claim
from brain.text.claims import HISTORY, RELATED, Place, Statement, one_line, parse_statement
from brain.text.markdown import Block, BlockKind, body_blocks

_QUOTED = re.compile(
    r"“[^“”]*”|«[^«»]*»|„[^„“”]*[“”]|「[^「」]*」|『[^『』]*』|\"[^\"\n]*\"",
)
_STOPS = ".!?…。！？｡؟۔।॥።፧։"
_NO_STOPS = dict.fromkeys(map(ord, _STOPS), "x")
_WIDE_STOPS = frozenset("。！？｡")
_TOKEN = re.compile(
    rf"(?P<stop>[{_STOPS}]++)(?P<close>[\"'”’»“)\]}}』」）】*_]*+)|(?P<mark>(?<!\\)\[cite:[1-9][0-9]{{0,6}}\])"
)
_GAP = re.compile(r"\s*+")
_ID = re.compile(r"[ \t]+\^[a-z0-9]{4,8}(?=\s|$)")
_QUOTE_MARKS = re.compile(r"^[ \t>]+", re.MULTILINE)
_COMMENT = re.compile(r"<!--(?:(?!-->)[\s\S])*+(?:-->|\Z)")
_TABLE_HEAD = re.compile(r"\A[^\n]*\n[^\n]*")
_ROW = re.compile(r"[^\s|][^\n]*[^\s|]|[^\s|]")
_WORD_BEFORE = re.compile(r"[\w.]+$")
_WHOLE = frozenset((HISTORY.casefold(), RELATED.casefold()))
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
    groups = list(_groups(text, body_blocks(text, start)))
    begins = [start, *(group[0].start for group in groups[1:])]
    lines = _Lines(text, start, line)
    sections: list[Section] = []
    for group, begin, end in zip(groups, begins, [*begins[1:], len(text)], strict=True):
        head = group[0] if sections else None
        heading = _heading(text, head) if head else ""
        at = lines.at(begin)
        found = tuple(s for block in group for s in _statements(text, block, heading, lines))
        sections.append(Section(heading, head.level if head else 0, at, begin, end, found, group))
    return tuple(sections)


def _groups(text: str, blocks: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
    group: list[Block] = []
    is_lead, has_title, whole = True, False, 6
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            # The first heading of level 1 is the title: it belongs to the lead, as words before it do.
            is_title = is_lead and block.level == 1 and not has_title
            has_title = has_title or is_title
            # What stands under a heading of the third level within History is history too.
            if not is_title and block.level <= whole:
                yield tuple(group)
                group, is_lead = [], False
                whole = block.level if _heading(text, block).casefold() in _WHOLE else 6
        group.append(block)
    yield tuple(group)


def _heading(text: str, block: Block) -> str:
    words = text[block.content : block.end].strip()
    if block.content == block.start:
        # No `#` in front: the last line is the one that underlines the others.
        return one_line(words.rpartition("\n")[0])
    return re.sub(r"(?:^|[ \t])#+$", "", words).strip()


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
    tokens = list(_TOKEN.finditer(masked))
    ends: list[int] = []
    stopped = marked = False
    for token, following in zip_longest(tokens, tokens[1:]):
        gap = _end(_GAP, masked, token.end())
        if following and following["mark"] and following.start() == gap:
            stopped, marked = bool(stopped or token["stop"]), bool(marked or token["mark"])
            continue
        if token["mark"]:
            end = _end(_ID, masked, token.end())
            gap = _end(_GAP, masked, end)
            if stopped or gap == len(masked) or "\n" in masked[end:gap]:
                ends.append(end)
            marked = bool(following and following["stop"] and following.start() == token.end())
        else:
            if marked or _ends_sentence(masked, token, gap):
                ends.append(token.end())
            marked = False
        stopped = False
    edges = [0, *ends, len(text)]
    trimmed = (_trim(text, start, end) for start, end in pairwise(edges))
    return tuple((start, end) for start, end in trimmed if start < end)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _mask(match: re.Match[str]) -> str:
    """The quotation without its full stops, the one before the closing mark apart."""
    quoted = match[0]
    return quoted[:-2].translate(_NO_STOPS) + quoted[-2:]


def _ends_sentence(text: str, token: re.Match[str], gap: int) -> bool:
    """Whether a full stop without citations behind it ends its sentence; the next word begins at `gap`."""
    stop = token["stop"]
    if gap == len(text):
        return True
    if gap == token.end():
        # Where words have no spaces between them; behind a closing quotation mark the sentence may go on.
        return stop[-1] in _WIDE_STOPS and not token["close"]
    if text[gap].islower() or (stop == "?" and text.startswith((" · ", " – "), token.end())):
        # A question mark in the place of a date is a day that nobody knows.
        return False
    return not (
        stop == "." and not token["close"] and _is_abbreviation(text[max(0, token.start() - 24) : token.start()])
    )


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
