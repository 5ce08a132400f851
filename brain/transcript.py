"""transcript.md: all turns of one session; Session <-> text, append-only.

A line of a turn that could be read as a heading or as the fence of a tool call is escaped by
a backslash, also inside fences: whoever greps for headings finds the turns and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from brain.errors import BrainError
from brain.front import Bare, FrontMatter, Writable
from brain.model import Audience, Origin, Problem, Role, Session, SessionKind, Source, Text, ToolCall, Trust, Turn

MAX_RESULT_LINES = 40
MAX_RESULT_CHARS = 8_000
_HEAD_LINES, _TAIL_LINES = 24, 15
_HEAD_CHARS, _TAIL_CHARS = 4_800, 2_900

_HEADING = re.compile(r"^## t([1-9][0-9]{0,8}) · (.*)$", re.MULTILINE)
_FENCE = re.compile(r"(`{3,})(tool|result) r([1-9][0-9]{0,8})(?: · (.*))?")
_ESCAPE = re.compile(r"^(?=\\*(?:## t[1-9][0-9]{0,8} · |`{3,}(?:tool|result) r[1-9]))", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(?=\\*(?:## t[1-9][0-9]{0,8} · |`{3,}(?:tool|result) r[1-9]))", re.MULTILINE)
_TICKS = re.compile(r"`{3,}")
_BAD = re.compile(r"[\x00\ud800-\udfff]")
_PERCENT = re.compile(r"(?:%[0-9A-F]{2})+")
_ENCODE = re.compile(r"[%\x00-\x1f\x7f-\x9f`\u2028\u2029]|(?<= )·|^·|·(?= )|·$|^ | $")
_TRUST = {trust.label: trust for trust in Trust}
_OWN = {Role.USER: (Origin.USER, Trust.USER), Role.ASSISTANT: (Origin.ASSISTANT, Trust.AGENT)}


class NotAppended(BrainError):
    """The source no longer says what the transcript has kept."""

    code = "not-appended"


@dataclass(frozen=True, slots=True)
class Parsed:
    session: Session
    problems: tuple[Problem, ...]
    front: FrontMatter
    lines: tuple[int, ...]
    """1-based line of each turn's heading."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A tool result as the transcript shows it."""

    shown: str
    whole: str | None
    """For the attachment; None: `shown` is all there is."""


def clean_text(text: str) -> str:
    """What a turn can hold: "\\n" line ends, no NUL, no lone surrogate, no outer blank lines."""
    lines = clean_raw(text).split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    last = next((n for n in range(len(lines), first, -1) if lines[n - 1].strip()), first)
    return "\n".join(lines[first:last])


def clean_raw(text: str) -> str:
    """The same for input and result of a tool, where outer blank lines stay."""
    return _BAD.sub("\ufffd", text).replace("\r\n", "\n").replace("\r", "\n")


# --- text -> session ------------------------------------------------------------


def parse(text: str) -> Parsed:
    """Total: a turn or block that cannot be read is a problem, the rest counts."""
    front = FrontMatter.parse(text)
    problems = list(front.problems)
    headings = list(_HEADING.finditer(text, front.body_start))
    turns: list[Turn] = []
    lines: list[int] = []
    line, at = front.body_line, front.body_start
    for number, heading in enumerate(headings):
        line, at = line + text.count("\n", at, heading.start()), heading.start()
        end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
        turns.append(_turn(heading, text[heading.end() + 1 : end], line, problems))
        lines.append(line)
        if turns[-1].n != number + 1:
            problems.append(Problem(f"turn t{turns[-1].n} stands where t{number + 1} belongs", line))
    return Parsed(_session(front, tuple(turns), problems), tuple(problems), front, tuple(lines))


def _session(front: FrontMatter, turns: tuple[Turn, ...], problems: list[Problem]) -> Session:
    source = front.values.get("source")
    given = source if isinstance(source, dict) else {}
    return Session(
        id=front.get_text("id") or "",
        agent=front.get_text("agent") or "",
        source=Source(*(str(given.get(key) or "") for key in ("format", "name", "sha256"))),
        turns=turns,
        project=front.get_text("project"),
        title=front.get_text("title"),
        started=_time(front.get_text("started")),
        ended=_time(front.get_text("ended")),
        audience=Audience.PUBLIC if front.get_text("audience") == "public" else Audience.TRUSTED,
        kind=_kind(front, problems),
        parent=front.get_text("parent"),
    )


def _kind(front: FrontMatter, problems: list[Problem]) -> SessionKind:
    kind = front.get_text("kind") or "main"
    if kind in set(SessionKind):
        return SessionKind(kind)
    problems.append(Problem(f"kind is {kind!r}", front.line_of("kind"), "kind"))
    return SessionKind.MAIN


def _turn(heading: re.Match[str], body: str, line: int, problems: list[Problem]) -> Turn:
    parts = heading[2].split(" · ")
    fields = dict(part.split("=", 1) for part in parts[2:] if "=" in part)
    role = Role.ASSISTANT if parts[0] == "assistant" else Role.USER
    if parts[0] not in set(Role) or len(parts) < 2 or len(fields) != len(parts) - 2:
        problems.append(Problem(f"the heading of t{heading[1]} cannot be read", line))
    stamp = parts[1] if len(parts) > 1 else "unknown"
    time = _time(stamp)
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
    )


def _blocks(body: str, line: int, problems: list[Problem]) -> tuple[Text | ToolCall, ...]:
    blocks: list[Text | ToolCall] = []
    if "```" not in body:
        text = clean_text(body)
        return (Text(_unescape(text)),) if text else ()
    lines = body.split("\n")
    held: list[str] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        if fence is None:
            held.append(lines[at])
            at += 1
            continue
        _flush(blocks, held)
        close = next((n for n in range(at + 1, len(lines)) if lines[n] == fence[1]), None)
        if close is None:
            problems.append(Problem(f"the block {fence[2]} r{fence[3]} is not closed", line + at + 1))
            close = len(lines)
        _take(blocks, fence, _unescape("\n".join(lines[at + 1 : close])), line + at + 1, problems)
        at = close + 1
    _flush(blocks, held)
    return tuple(blocks)


def _flush(blocks: list[Text | ToolCall], held: list[str]) -> None:
    text = clean_text("\n".join(held))
    held.clear()
    if text:
        blocks.append(Text(_unescape(text)))


def _take(blocks: list[Text | ToolCall], fence: re.Match[str], text: str, line: int, problems: list[Problem]) -> None:
    calls = sum(isinstance(block, ToolCall) for block in blocks)
    if fence[2] == "tool":
        if int(fence[3]) != calls + 1:
            problems.append(Problem(f"tool r{fence[3]} stands where r{calls + 1} belongs", line))
        blocks.append(ToolCall(_decode(fence[4] or ""), text))
        return
    call = blocks[-1] if blocks else None
    if not isinstance(call, ToolCall) or call.result is not None or int(fence[3]) != calls:
        problems.append(Problem(f"result r{fence[3]} belongs to no tool call before it", line))
        return
    fields = dict(part.split("=", 1) for part in (fence[4] or "").split(" · ") if "=" in part)
    blocks[-1] = replace(
        call,
        result=text,
        is_error=fields.get("error") == "yes",
        trust=_TRUST.get(fields.get("trust", ""), Trust.THIRD),
        attachment=_decode(fields["attachment"]) if "attachment" in fields else None,
        derived=fields.get("derived") == "yes",
    )


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


# --- session -> text ------------------------------------------------------------


def render(session: Session) -> str:
    front = FrontMatter.parse("")
    for key, value in _head(session).items():
        front = front.set(key, value)
    return front.text + "".join(map(_render_turn, session.turns))


def _head(session: Session) -> dict[str, Writable]:
    source: dict[str, Writable] = {
        "format": session.source.format,
        "name": session.source.name,
        "sha256": session.source.sha256,
    }
    head: dict[str, Writable] = {
        "id": session.id,
        "agent": session.agent,
        "project": session.project,
        "title": session.title,
        "started": _stamp(session.started),
        "ended": _stamp(session.ended),
        "turns": len(session.turns),
        "audience": session.audience.value,
        "kind": session.kind.value,
        "parent": session.parent,
        "source": source,
    }
    return {key: value for key, value in head.items() if value is not None}


def _stamp(time: datetime | None) -> Bare | None:
    return Bare(time.isoformat()) if time else None


def _render_turn(turn: Turn) -> str:
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


# --- growth and cutting -----------------------------------------------------------


def extend(old: str, session: Session) -> str:
    """The transcript with the new turns (and new blocks of its last turn) at its end; no kept word changes.

    Raises: NotAppended where the session does not begin with what `old` holds.
    """
    before = parse(old)
    if before.session.id != session.id or before.problems:
        raise NotAppended(
            f"Nothing was added to the transcript of session {session.id}: the file is not as Brain wrote it.",
            "Restore the file from git.",
        )
    kept = "".join(map(_render_turn, before.session.turns))
    grown = "".join(map(_render_turn, session.turns))
    if not grown.startswith(kept):
        raise NotAppended(
            f"Nothing was added to the transcript of session {session.id}: the source changed turn "
            f"t{_first_change(before.session, session)}, which had been kept.",
            "Compare the source with the transcript.",
        )
    front = before.front
    for key in ("ended", "turns", "source"):
        value = _head(session).get(key)
        if value is not None:
            front = front.set(key, value)
    return front.text + grown[len(kept) :]


def renew(old: str, session: Session) -> str:
    """The transcript of a session that took on more, also where the bytes before that cannot all stay (a call of the
    last turn got its result); keys and comments that a person put into the front matter stay."""
    front = parse(old).front
    front = FrontMatter.parse(old[: front.body_start])
    for key, value in _head(session).items():
        front = front.set(key, value)
    return front.text + "".join(map(_render_turn, session.turns))


def _first_change(old: Session, new: Session) -> int:
    pairs = zip(old.turns, new.turns, strict=False)
    return next((a.n for a, b in pairs if not _render_turn(b).startswith(_render_turn(a))), len(new.turns) + 1)


def cut_result(text: str, attachment: str) -> Cut:
    """A tool result as it is shown: whole, or head and tail around a line that names the attachment."""
    text = clean_raw(text)
    lines = text.split("\n")
    if len(lines) <= MAX_RESULT_LINES and len(text) <= MAX_RESULT_CHARS:
        return Cut(text, None)
    head = "\n".join(lines[:_HEAD_LINES])[:_HEAD_CHARS]
    tail = "\n".join(lines[max(_HEAD_LINES, len(lines) - _TAIL_LINES) :])[-_TAIL_CHARS:]
    shown = head.count("\n") + tail.count("\n") + (2 if tail else 1)
    mark = f"… {max(1, len(lines) - shown)} lines cut, whole in attachments/{attachment} …"
    return Cut("\n".join([head, mark, tail] if tail else [head, mark]), text)
