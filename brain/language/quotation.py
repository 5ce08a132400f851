"""Which lines of a turn are plainly not written for it: `>` lines, fences, a mail with its head, a program's log.

Only what anybody would call a quotation or a paste is named here; `prose` also leaves out what is doubtful.
Invariants: passages are in order, disjoint, from line 1; time is in proportion to the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

Passage = tuple[int, int]
"""First and last line, from 1."""

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})(.*)")
_WROTE = re.compile(
    r".{0,200}\b(?:wrote|schrieb|a écrit|escribió|ha scritto|пишет|написал|написала|пишу)\b.{0,80}:\s*", re.IGNORECASE
)
_HEAD = re.compile(
    r"[*_]{0,2}(from|to|cc|date|sent|subject|von|an|datum|gesendet|betreff|de|à|objet|envoyé|"
    r"от|от кого|кому|дата|тема|отправлено)[*_]{0,2}\s?:[*_]{0,2}\s*\S.*",
    re.IGNORECASE,
)
_SENDER = frozenset(("from", "von", "de", "от", "от кого"))
_FORWARDED = re.compile(
    r"(?:-{2,}\s*)(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|"
    r"message d'origine|исходное сообщение|пересылаемое сообщение|пересланное сообщение)(?:\s*-{2,})?\s*|"
    r"begin forwarded message:\s*",
    re.IGNORECASE,
)
_LOG = re.compile(
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d.*|\[\d\d:\d\d(?::\d\d)?[^\]]{0,12}\].*|\d\d:\d\d:\d\d[.,\s].*|"
    r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d .*|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b.*|"
    r"\s+at \S.*|\s*File \".*\", line \d+.*|\s*\^[\s^~]*|[\w.]+(?:Error|Exception): .*|npm ERR! .*|error\[?\w*\]?: .*"
)
_TRACEBACK = re.compile(r"\s*(?:Traceback \(most recent call last\):|Exception in thread .*|panic: .*)")
_LOG_LINES = 3
"""Lines in a row that make a log; two may be a remark."""


def passages(text: str) -> tuple[Passage, ...]:
    """The passages of a text that are quoted or pasted."""
    lines = text.split("\n")
    return tuple(_joined(_found(lines)))


def _found(lines: Sequence[str]) -> Iterator[Passage]:
    at = 0
    while at < len(lines):
        end = _passage(lines, at)
        if end > at:
            yield at + 1, end
        at = max(end, at + 1)


def _passage(lines: Sequence[str], at: int) -> int:
    """Where the passage that begins at a line ends (exclusive); `at`: none begins there."""
    line = lines[at][:400]
    if fence := _FENCE.fullmatch(line):
        return _fence_end(lines, at, fence[1])
    if line.lstrip().startswith(">"):
        return _run(lines, at, _is_marked)
    if _WROTE.fullmatch(line) and at + 1 < len(lines) and _is_marked(lines[at + 1]):
        return _run(lines, at + 1, _is_marked)
    if _FORWARDED.fullmatch(line.strip()) or _is_mail(lines, at):
        return len(lines)
    return _log_end(lines, at)


def _fence_end(lines: Sequence[str], at: int, mark: str) -> int:
    """One that is never closed goes to the end, as it does where Markdown is shown."""
    for n in range(at + 1, len(lines)):
        closing = _FENCE.fullmatch(lines[n][:400])
        if closing and closing[1].startswith(mark) and not closing[2].strip():
            return n + 1
    return len(lines)


def _is_marked(line: str) -> bool:
    return line[:400].lstrip().startswith(">")


def _is_log(line: str) -> bool:
    return _LOG.fullmatch(line[:400]) is not None


def _run(lines: Sequence[str], at: int, holds: Callable[[str], bool]) -> int:
    end = at
    while end < len(lines) and holds(lines[end]):
        end += 1
    return end


def _is_mail(lines: Sequence[str], at: int) -> bool:
    """Two lines of a mail's head in a row, the sender among them."""
    heads = [match[1].lower() for line in lines[at : at + 4] if (match := _HEAD.fullmatch(line[:400].strip()))]
    return bool(_HEAD.fullmatch(lines[at][:400].strip())) and len(heads) >= 2 and not _SENDER.isdisjoint(heads)


def _log_end(lines: Sequence[str], at: int) -> int:
    if _TRACEBACK.fullmatch(lines[at][:400]):
        end = at + 1
        while end < len(lines) and (lines[end][:1] in (" ", "\t") or _is_log(lines[end])):
            end += 1
        return end if end - at >= 2 else at
    end = _run(lines, at, _is_log)
    return end if end - at >= _LOG_LINES else at


def _joined(found: Iterator[Passage]) -> Iterator[Passage]:
    """Passages that touch are one."""
    held: Passage | None = None
    for first, last in found:
        if held is not None and first <= held[1] + 1:
            held = held[0], last
            continue
        if held is not None:
            yield held
        held = first, last
    if held is not None:
        yield held
