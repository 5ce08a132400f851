"""Who speaks in a Markdown log: headings, bold names or stamped lines, outside of fences and `<details>`."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from brain.ingest.pieces import time_of
from brain.model import Role


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PEOPLE = _words("user human me you i я пользователь человек nutzer utilisateur usuario")
_AGENTS = _words(
    "assistant ai bot agent model claude chatgpt gpt gemini copilot codex llm "
    "ассистент помощник бот assistent asistente"
)
_FOR_A_NAME = _PEOPLE | _AGENTS
_NOBODY = _words("system developer tool")
_LEVELS = _words("error warn warning info debug trace fatal critical notice")
"""A line that begins with a time and one of these is of a program's log."""
_NO_NAMES = _LEVELS | _words(
    "note notes tip hint example examples important caution todo question answer q a summary result results "
    "update date time author title tags status source goal"
)
_STAMP = re.compile(
    r"\[(?:(?P<day>\d{4}-\d\d-\d\d)[T ,]{1,2})?(?P<clock>\d\d?:\d\d(?::\d\d(?:\.\d{1,6})?)?)"
    r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?\] ?(?P<name>[^\s:][^:]{0,60}): ?(?P<text>.*)"
)
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<name>[^#\n·(—–]{1,60})(?P<rest>.{0,80})")
_AROUND = re.compile(r"^[^\w]+|(?:[ \t]+said|[ \t]+\d{1,4})?[ \t:*_]*$", re.IGNORECASE)
"""Signs before a name in a heading, and what may follow it: `👤 **You said:**`."""
_ASKED = {"prompt": "user", "response": "assistant"}
"""Headings of some exports, with a colon behind; without one they are those of a document."""
_BOLD = re.compile(
    r"(?:\*\*|__)(?P<name>[^*_:]{1,60}?)"
    r"(?::(?:\*\*|__)|(?:\*\*|__)(?: \((?P<clock>\d\d?:\d\d(?::\d\d)?)\))?:)[ \t]*(?P<text>.*)"
)
_BOLD_STAMP = re.compile(r"(?:\*\*|__)(?P<stamp>\[[^\]\n]{4,40}\] ?[^*_:]{1,60}:)(?:\*\*|__)(?P<text>.*)")
_SEPARATOR = re.compile(r"\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*$")
_DAY = re.compile(r"#{1,6}[ \t]+(?:[^\W\d_]{2,12},?[ \t]+)?(?P<day>\d{4}-\d\d-\d\d)\b.{0,80}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


@dataclass(frozen=True, slots=True)
class Message:
    role: Role | None
    """None: words of nobody, of a system or a tool."""
    speaker: str | None
    time: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Log:
    messages: tuple[Message, ...]
    before: int
    """Lines of text before the first speaker, which belong to nobody."""


@dataclass(frozen=True, slots=True)
class _Opening:
    line: int
    name: str
    text: str
    time: datetime | None = None
    level: int = 0


def openings(body: str) -> Log | None:
    """The messages of a log; None: the text is none."""
    lines = body.split("\n")
    seen = [(n, line) for n, line in enumerate(lines) if line[:1] in ("[", "#", "*", "_")]
    hidden = hidden_lines(lines) if seen else set()
    seen = [(n, line) for n, line in seen if n not in hidden]
    for find in (_stamped, _headed, _bold):
        found = list(find(seen))
        if found:
            return _log(lines, found, is_stamped=find is _stamped, days={n for n, line in seen if _DAY.fullmatch(line)})
    return None


def title(body: str) -> str:
    """The first heading of the first level."""
    lines = body.split("\n")
    hidden = hidden_lines(lines)
    return next((line[2:].strip() for n, line in enumerate(lines) if line.startswith("# ") and n not in hidden), "")


def _log(lines: list[str], found: Sequence[_Opening], *, is_stamped: bool, days: set[int]) -> Log:
    ends = [opening.line for opening in found[1:]] + [len(lines)]
    messages = []
    for opening, end in zip(found, ends, strict=True):
        below = [line for n, line in enumerate(lines[opening.line + 1 : end], opening.line + 1) if n not in days]
        rest = textwrap.dedent("\n".join(below)) if is_stamped else "\n".join(below)
        speaker = None if opening.level and _role(opening.name) and _is_word(opening.name) else opening.name
        text = _SEPARATOR.sub("", f"{opening.text}\n{rest}".strip()).strip()
        messages.append(Message(_role(opening.name), speaker, opening.time, text))
    before = [line for line in lines[: found[0].line] if line.strip() and not line.startswith("#")]
    return Log(tuple(messages), len(before))


@lru_cache(maxsize=1000)
def _plain(name: str) -> str:
    return re.sub(r"\s*\(.*", "", name).strip().casefold()


def _is_word(name: str) -> bool:
    """Whether a name is none: a word for the person or for the agent."""
    return _plain(name) in _FOR_A_NAME


def _role(name: str) -> Role | None:
    plain = _plain(name)
    if plain in _NOBODY:
        return None
    return Role.ASSISTANT if plain in _AGENTS or plain.split(" ")[0] in _AGENTS else Role.USER


# --- three ways to open a turn -------------------------------------------------------


def _stamped(seen: Sequence[tuple[int, str]]) -> Iterator[_Opening]:
    """`[2026-10-24 23:58 +02:00] Runa: …`; the day may stand in a heading above."""
    found, day = [], ""
    for n, line in seen:
        if heading := _DAY.fullmatch(line):
            day = heading["day"]
        bold = _BOLD_STAMP.fullmatch(line)
        stamp = _STAMP.fullmatch(f"{bold['stamp']}{bold['text']}" if bold else line)
        if stamp and _plain(stamp["name"]) not in _LEVELS:
            found.append(_Opening(n, stamp["name"].strip(), stamp["text"], _stamp_time(stamp, day)))
    dated = [opening for opening in found if opening.time]
    yield from found if dated or len(found) > 1 else ()


def _stamp_time(stamp: re.Match[str], day: str) -> datetime | None:
    zone = (stamp["zone"] or "Z").replace("UTC", "Z").replace("GMT", "Z")
    return _on_day(stamp["day"] or day, stamp["clock"], zone)


def _on_day(day: str, clock: str, zone: str) -> datetime | None:
    hour, _, rest = clock.partition(":")
    return time_of(f"{day}T{hour:0>2}:{rest}{zone}") if day else None


def _headed(seen: Sequence[tuple[int, str]]) -> Iterator[_Opening]:
    """`## User`, `## Assistant`, all of one level; a time may follow the word, and a name with a time is a speaker."""
    found: list[_Opening] = []
    for n, line in seen:
        heading = _HEADING.fullmatch(line.rstrip(" \t#"))
        name = _headed_name(heading["name"]) if heading else ""
        is_word = _plain(name) in _FOR_A_NAME | _NOBODY
        if heading and (is_word or (name and len(name.split()) <= 3 and _time_in(line))):
            found.append(_Opening(n, name, "", _time_in(line), len(heading["level"])))
    words = [opening for opening in found if _plain(opening.name) in _FOR_A_NAME | _NOBODY]
    found = [opening for opening in found if words and opening.level == words[0].level]
    roles = {_role(opening.name) for opening in found}
    if len(roles - {None}) > 1 or any(_plain(opening.name) in ("user", "human") for opening in found):
        yield from found


def _headed_name(raw: str) -> str:
    name = _AROUND.sub("", _TIME.sub("", raw).strip())
    asked = _ASKED.get(name.casefold()) if raw.rstrip(" *_").endswith(":") else None
    return asked or name


def _time_in(line: str) -> datetime | None:
    stamp = _TIME.search(line)
    if stamp is None:
        return None
    return time_of(re.sub(r" ?(?:UTC|GMT)$", "Z", stamp[0]).replace(" +", "+").replace(" -", "-"))


def _bold(seen: Sequence[tuple[int, str]]) -> Iterator[_Opening]:
    """`**Runa:** …`; in a document such a line is a remark, so a word for a speaker or an exchange must be there."""
    found, day = [], ""
    for n, line in seen:
        if heading := _DAY.fullmatch(line):
            day = heading["day"]
        bold = _BOLD.fullmatch(line)
        if bold and _plain(bold["name"]) not in _NO_NAMES:
            time = _on_day(day, bold["clock"], "Z") if bold["clock"] else None
            found.append(_Opening(n, bold["name"].strip(), bold["text"], time))
    names = Counter(_plain(opening.name) for opening in found)
    exchange = len(names) in range(2, 7) and len(found) >= 2 * len(names) - 1 and max(names.values()) > 1
    if any(_is_word(name) for name in names) or exchange:
        yield from found


# --- what stands in code ---------------------------------------------------------------


def hidden_lines(lines: list[str]) -> set[int]:
    """Numbers of the lines inside of fences and `<details>` that are closed; one that is not hides nothing."""
    hidden: set[int] = set()
    for start, end in (*_fences(lines), *_details(lines)):
        hidden.update(range(start, end + 1))
    return hidden


def _fences(lines: list[str]) -> Iterator[tuple[int, int]]:
    marks = [(n, m[1][0], len(m[1]), m[2].strip()) for n, line in enumerate(lines) if (m := _FENCE.fullmatch(line))]
    never_closed: dict[str, int] = {}
    at = 0
    while at < len(marks):
        start, sign, length, _ = marks[at]
        at += 1
        if length >= never_closed.get(sign, length + 1):
            continue
        closing = next((k for k in range(at, len(marks)) if _closes(marks[k], sign, length)), None)
        if closing is None:
            never_closed[sign] = length
            continue
        yield start, marks[closing][0]
        at = closing + 1


def _closes(mark: tuple[int, str, int, str], sign: str, length: int) -> bool:
    return mark[1] == sign and mark[2] >= length and not mark[3]


def _details(lines: list[str]) -> Iterator[tuple[int, int]]:
    opened: int | None = None
    for n, line in enumerate(lines):
        lowered = line[:400].lower()
        if opened is None and lowered.lstrip().startswith("<details"):
            opened = n
        if opened is not None and "</details>" in line.lower():
            yield opened, n
            opened = None
