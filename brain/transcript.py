"""transcript.md: all turns of one session; Session <-> text, append-only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from brain.errors import BrainError
from brain.model import Audience, Problem, Session, SessionKind, Source, Turn
from brain.text.front import Bare, FrontMatter, Writable
from brain.text.turns import HEADING, clean_raw, clean_text, goes_on, parse_time, parse_turn, render_turn

__all__ = ["Cut", "NotAppended", "Parsed", "clean_raw", "clean_text", "cut_result", "extend", "parse", "render"]

MAX_RESULT_LINES = 40
MAX_RESULT_CHARS = 8_000
_HEAD_LINES, _TAIL_LINES = 24, 15
_HEAD_CHARS, _TAIL_CHARS = 4_800, 2_900


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


# --- text -> session ------------------------------------------------------------


def parse(text: str) -> Parsed:
    """Total: a turn or block that cannot be read is a problem, the rest counts."""
    front = FrontMatter.parse(text)
    problems = list(front.problems)
    if "\r" in text:
        problems.append(Problem("the transcript holds carriage returns", text.count("\n", 0, text.index("\r")) + 1))
    headings = list(HEADING.finditer(text, front.body_start))
    turns: list[Turn] = []
    lines: list[int] = []
    line, at = front.body_line, front.body_start
    for number, heading in enumerate(headings):
        line, at = line + text.count("\n", at, heading.start()), heading.start()
        end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
        turns.append(parse_turn(heading, text[heading.end() + 1 : end], line, problems))
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
        repository=front.get_text("repository"),
        place=front.get_text("place"),
        title=front.get_text("title"),
        started=parse_time(front.get_text("started")),
        ended=parse_time(front.get_text("ended")),
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


# --- session -> text ------------------------------------------------------------


def render(session: Session) -> str:
    return FrontMatter.build(_head(session), "".join(map(render_turn, session.turns))).text


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
        "repository": session.repository,
        "place": session.place,
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


# --- growth and cutting -----------------------------------------------------------


def extend(old: str, session: Session) -> str:
    """The transcript of a session that took on more: turns at its end, blocks in its turns, the result of a call.

    No kept word changes; keys and comments that a person put into the front matter stay.

    Raises: NotAppended where the session does not hold everything that `old` does.
    """
    before = parse(old)
    lost = _lost(before, session)
    if lost:
        raise NotAppended(
            f"Nothing was added to the transcript of session {session.id}: {lost}.",
            "Restore the file from git, or take the source in under another id.",
        )
    front, head = before.front, _head(session)
    kept, grown = (FrontMatter.parse(text) for text in (old, render(session)))
    for key, value in head.items():
        if key not in front.values or front.values[key] != grown.values[key]:
            front = front.set(key, value)
    rendered = "".join(map(render_turn, before.session.turns))
    if grown.body.startswith(rendered):
        return front.text + grown.body[len(rendered) :]
    return front.text[: len(front.text) - len(kept.body)] + grown.body


def _lost(before: Parsed, session: Session) -> str:
    """What of the kept transcript the session would lose; "": nothing."""
    if before.problems:
        return f"it cannot be read whole ({before.problems[0].reason}, line {before.problems[0].line})"
    if before.session.id != session.id:
        return f"it is that of session {before.session.id}"
    if len(session.turns) < len(before.session.turns):
        return f"turn t{len(session.turns) + 1} would go"
    pairs = zip(before.session.turns, session.turns, strict=False)
    changed = next((a.n for a, b in pairs if not goes_on(a, b)), None)
    return f"the words of turn t{changed} would change" if changed else ""


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
