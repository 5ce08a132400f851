"""Turns of a transcript: heading, words, tool calls and results; Turn <-> text.

A line of a turn that could be read as a heading or as the fence of a tool call is escaped by
a backslash, also inside fences: whoever greps for headings finds the turns and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from brain.model import Origin, Problem, Role, Text, ToolCall, Trust, Turn

HEADING = re.compile(r"^## t([1-9][0-9]{0,8}) · (.*)$", re.MULTILINE)
_FENCE = re.compile(r"^(`{3,})(tool|file|result) r([1-9][0-9]{0,8})(?: · (.*))?$", re.MULTILINE)
_ESCAPE = re.compile(r"^(?=\\*(?:## t[1-9][0-9]{0,8} · |`{3,}(?:tool|file|result) r[1-9]))", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(?=\\*(?:## t[1-9][0-9]{0,8} · |`{3,}(?:tool|file|result) r[1-9]))", re.MULTILINE)
_QUOTED = re.compile(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?")
_TICKS = re.compile(r"`{3,}")
_BAD = re.compile(r"[\x00\ud800-\udfff]")
_PERCENT = re.compile(r"(?:%[0-9A-F]{2})+")
_ENCODE = re.compile(r"[%\x00-\x1f\x7f-\x9f`\u2028\u2029]|(?<= )·|^·|·(?= )|·$|^ | $")
_TRUST = {trust.label: trust for trust in Trust}
_OWN = {Role.USER: (Origin.USER, Trust.USER), Role.ASSISTANT: (Origin.ASSISTANT, Trust.AGENT)}


def clean_text(text: str) -> str:
    """What a turn can hold: "\\n" line ends, no NUL, no lone surrogate, no outer blank lines."""
    text = clean_raw(text)
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if start >= end:
        return ""
    last = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : last if last >= 0 else len(text)]


def clean_raw(text: str) -> str:
    """The same for input and result of a tool, where outer blank lines stay."""
    return _BAD.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")


def parse_turn(heading: re.Match[str], body: str, line: int, problems: list[Problem]) -> Turn:
    parts = heading[2].split(" · ")
    fields = _fields(parts[2:])
    role = Role.ASSISTANT if parts[0] == "assistant" else Role.USER
    if parts[0] not in set(Role) or len(parts) < 2 or len(fields) != len(parts) - 2:
        problems.append(Problem(f"the heading of t{heading[1]} cannot be read", line))
    stamp = parts[1] if len(parts) > 1 else "unknown"
    time = parse_time(stamp)
    if time is None and stamp != "unknown":
        problems.append(Problem(f"the time of t{heading[1]} cannot be read", line))
    origin, trust = _OWN[role]
    return Turn(
        n=int(heading[1]),
        role=role,
        time=time,
        blocks=_blocks(body, line, problems),
        origin=Origin(fields["origin"]) if fields.get("origin") in set(Origin) else origin,
        trust=_TRUST.get(fields.get("trust", ""), trust),
        speaker=_decode(fields["speaker"]) if "speaker" in fields else None,
        derived=fields.get("derived") == "yes",
        media=tuple(map(_decode, fields["media"].split(","))) if fields.get("media") else (),
        quoted=_passages(fields.get("quoted", "")),
    )


def _passages(text: str) -> tuple[tuple[int, int], ...]:
    """`2-4,7` as pairs of lines."""
    found = filter(None, map(_QUOTED.fullmatch, text.split(",")))
    return tuple((int(match[1]), int(match[2] or match[1])) for match in found)


def _blocks(body: str, line: int, problems: list[Problem]) -> tuple[Text | ToolCall, ...]:
    blocks = _Blocks(problems)
    body, at, line = body + "\n", 0, line + 1
    while fence := _FENCE.search(body, at):
        blocks.add_text(body[at : fence.start()])
        line += body.count("\n", at, fence.start())
        close = body.find(f"\n{fence[1]}\n", fence.end())
        if close < 0:
            close = len(body)
            problems.append(Problem(f"the block {fence[2]} r{fence[3]} is not closed", line))
        blocks.add_fence(fence, _unescape(body[fence.end() + 1 : close]), line)
        at = close + len(fence[1]) + 1
        line += body.count("\n", fence.start(), at)
    blocks.add_text(body[at:])
    return tuple(blocks.found)


class _Blocks:
    """The blocks of a turn while they come in."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.found: list[Text | ToolCall] = []
        self.calls = 0

    def add_text(self, words: str) -> None:
        text = clean_text(words)
        if text:
            self.found.append(Text(_unescape(text)))

    def add_fence(self, fence: re.Match[str], text: str, line: int) -> None:
        if fence[2] == "result":
            self.add_result(fence, text, line)
            return
        self.calls += 1
        if int(fence[3]) != self.calls:
            self.problems.append(Problem(f"{fence[2]} r{fence[3]} stands where r{self.calls} belongs", line))
        if fence[2] == "tool":
            self.found.append(ToolCall(_decode(fence[4] or ""), text))
            return
        name, *fields = (fence[4] or "").split(" · ")
        self.found.append(_with_result(ToolCall(_decode(name), "", is_file=True), text, fields))

    def add_result(self, fence: re.Match[str], text: str, line: int) -> None:
        call = self.found[-1] if self.found else None
        if not isinstance(call, ToolCall) or call.result is not None or int(fence[3]) != self.calls:
            self.problems.append(Problem(f"result r{fence[3]} belongs to no tool call before it", line))
            return
        self.found[-1] = _with_result(call, text, (fence[4] or "").split(" · "))


def _with_result(call: ToolCall, text: str, parts: list[str]) -> ToolCall:
    fields = _fields(parts)
    return replace(
        call,
        result=text,
        is_error=fields.get("error") == "yes",
        trust=_TRUST.get(fields.get("trust", ""), Trust.THIRD),
        attachment=_decode(fields["attachment"]) if "attachment" in fields else None,
        derived=fields.get("derived") == "yes",
    )


def _fields(parts: list[str]) -> dict[str, str]:
    return dict(part.split("=", 1) for part in parts if "=" in part)


def goes_on(old: Turn, new: Turn) -> bool:
    """Whether the new turn holds every word of the old one where it stood; its trust may only fall."""
    if (old.n, old.role, old.time, old.speaker, old.origin) != (new.n, new.role, new.time, new.speaker, new.origin):
        return False
    if new.trust > old.trust or len(new.blocks) < len(old.blocks):
        return False
    pairs = list(zip(old.blocks, new.blocks, strict=False))
    return all(_stays(a, b) for a, b in pairs[:-1]) and all(_stays(a, b) or _grows(a, b) for a, b in pairs[-1:])


def _stays(old: Text | ToolCall, new: Text | ToolCall) -> bool:
    if isinstance(old, Text) or isinstance(new, Text):
        return old == new
    return (new.name, new.input) == (old.name, old.input) and old.result in (None, new.result)


def _grows(old: Text | ToolCall, new: Text | ToolCall) -> bool:
    return isinstance(old, Text) and isinstance(new, Text) and new.text.startswith(f"{old.text}\n")


def parse_time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def render_turn(turn: Turn) -> str:
    own = _OWN[turn.role]
    fields = [f"speaker={_encode(turn.speaker)}"] if turn.speaker is not None else []
    if turn.origin != own[0]:
        fields.append(f"origin={turn.origin.value}")
    if turn.trust != own[1]:
        fields.append(f"trust={turn.trust.label}")
    if turn.derived:
        fields.append("derived=yes")
    if turn.media:
        fields.append("media=" + ",".join(_encode(word).replace(",", "%2C") for word in turn.media))
    if turn.quoted:
        fields.append("quoted=" + ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in turn.quoted))
    time = turn.time.isoformat() if turn.time else "unknown"
    heading = " · ".join([f"## t{turn.n}", turn.role.value, time, *fields])
    return "\n".join([f"\n{heading}\n", *_render_blocks(turn)])


def _render_blocks(turn: Turn) -> Iterator[str]:
    number = 0
    for block in turn.blocks:
        if isinstance(block, Text):
            yield _escape(block.text) + "\n"
            continue
        number += 1
        if block.is_file:
            yield _fenced(
                " · ".join([f"file r{number}", _encode(block.name), *_result_fields(block)]), block.result or ""
            )
            continue
        yield _fenced(f"tool r{number}" + (f" · {_encode(block.name)}" if block.name else ""), block.input)
        if block.result is not None:
            yield _fenced(" · ".join([f"result r{number}", *_result_fields(block)]), block.result)


def _result_fields(call: ToolCall) -> list[str]:
    fields = ["error=yes"] if call.is_error else []
    if call.trust != Trust.THIRD:
        fields.append(f"trust={call.trust.label}")
    if call.attachment is not None:
        fields.append(f"attachment={_encode(call.attachment)}")
    if call.derived:
        fields.append("derived=yes")
    return fields


def _fenced(head: str, text: str) -> str:
    fence = "`" * (max((len(run) for run in _TICKS.findall(text)), default=2) + 1)
    return f"{fence}{head}\n{_escape(text)}\n{fence}\n"


def _escape(text: str) -> str:
    return _ESCAPE.sub(r"\\", text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub("", text)


def _encode(name: str) -> str:
    return _ENCODE.sub(lambda m: "".join(f"%{byte:02X}" for byte in m[0].encode()), _BAD.sub("\ufffd", name))


def _decode(name: str) -> str:
    return _PERCENT.sub(lambda m: bytes.fromhex(m[0].replace("%", "")).decode("utf-8", "replace"), name)
