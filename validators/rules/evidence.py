"""Evidence is what was said, as it was said, and nothing else.

Purpose
    A memory that can rewrite its own evidence proves nothing. A dream therefore changes no transcript
    and no attachment at all; ingest only appends: what a turn said stays its beginning, and no turn
    goes away. A hand or another command may take a session away (that is forgetting); it does not
    rewrite one. And what a dream wrote (summaries, notes, pages, maps, reports) or an agent repeated
    from the memory (turns marked `derived`) is never evidence: a memory that believes itself drifts.

Passes
    A session that was resumed: ingest adds turns at the end. (By ingest.)

        @ memory/sessions/2026/09/14-1f2e3d4c/transcript.md
        + ## t6 · user · 2026-09-15T09:00:00+01:00
        +
        + Back again: the pump still rattles.

Fails
    A dream that touches a turn. (By a dream.)

        @ memory/sessions/2026/08/12-5b0c1d2e/transcript.md
          ## t1 · user · 2026-08-12T10:02:11+01:00
        ! transcript-changed
        - Ilya works at Lumen Lab. Could you book the studio with him for Friday?
        + Ilya works at Lumen Lab. Could you book the studio with him for Monday?

    A page that cites a note.

        @ memory/knowledge/people/Ilya Brandt.md
          citations:
        +   9: {source: "notes/work/Ilya Brandt.md", quote: 9f3a1c22b4d0/41, date: 2026-08-12, origin: user}
        ! not-evidence
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brain import layout, transcript
from brain.model import ToolCall, Turn
from brain.transcript import Parsed
from brain.validators.documents import is_own_file, line_of, session_of
from brain.validators.findings import Finding, Reporter, Severity
from brain.validators.pair import Command, Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "transcript-changed": (Severity.ERROR, "A turn that is not what it was."),
    "transcript-gone": (Severity.ERROR, "A transcript that a dream or ingest took away."),
    "attachment-changed": (Severity.ERROR, "An attachment that is not what it was, or is gone."),
    "session-made-up": (Severity.ERROR, "A transcript or attachment that a dream brought in."),
    "session-changed": (Severity.ERROR, "A transcript whose session is another one."),
    "attachment-missing": (Severity.ERROR, "A tool result whose attachment is not there."),
    "not-evidence": (Severity.ERROR, "A citation of something that the memory wrote itself."),
    "derived-evidence": (Severity.ERROR, "A citation of a turn that repeats the memory."),
}

find = Reporter(CODES)


def check(pair: Pair) -> Iterator[Finding]:
    for path in sorted(pair.changed):
        if path.startswith(f"{layout.SESSIONS}/") and path not in layout.INDEXES and not layout.is_summary(path):
            yield from _check_session_file(pair, path)
    for path in filter(layout.is_transcript, pair.present):
        yield from _check_attachments(pair, path)
    for document in pair.documents():
        for number, citation in sorted(document.citations.items()):
            if fault := _not_evidence(pair, citation.source):
                code, message, fix = fault
                line = document.citation_line(number)
                yield find(code, document.path, line, f"the citation {number} rests on {message}", fix)


def _not_evidence(pair: Pair, source: str) -> tuple[str, str, str] | None:
    """(code, message, fix) for a source that the memory wrote itself, or that repeats it."""
    if is_own_file(source):
        return "not-evidence", "what the memory wrote itself", "cite the turns that it was made from"
    turn = pair.staged.turn(source)
    if turn is not None and turn.derived:
        return "derived-evidence", "a turn that repeats the memory", "cite the turn that said it first"
    return None


# --- what changed -----------------------------------------------------------------


def _check_session_file(pair: Pair, path: str) -> Iterator[Finding]:
    was = pair.base is not None and path in pair.base
    is_there = path in pair.staged
    if not was:
        if pair.base is not None and pair.command is Command.DREAM:
            yield find("session-made-up", path, 1, "a dream brought evidence in", "ingest the session instead")
    elif layout.is_transcript(path):
        yield from _check_transcript(pair, path) if is_there else _gone(pair, path)
    elif is_there or layout.transcript_path(session_of(path)) in pair.staged:
        # A session that went away whole took its attachments with it.
        yield find("attachment-changed", path, 1, "this evidence is not what it was", "bring the file back from git")


def _gone(pair: Pair, path: str) -> Iterator[Finding]:
    if pair.command is not Command.OTHER:
        yield find("transcript-gone", path, 1, "this transcript is gone", "bring it back from git")


def _check_transcript(pair: Pair, path: str) -> Iterator[Finding]:
    assert pair.base is not None
    before, after = transcript.parse(pair.base.text(path)), transcript.parse(pair.staged.text(path))
    if before.session.id != after.session.id:
        message = "this is now the transcript of another session"
        yield find("session-changed", path, line_of(after.front, "id"), message, "bring the file back from git")
        return
    fix = "bring the turn back from git"
    place = _first_change(before, after)
    if place is not None:
        yield find("transcript-changed", path, place, "what this turn said has been changed", fix)
    elif pair.command is Command.DREAM:
        yield find("transcript-changed", path, _grown_at(before, after), "a dream changed a transcript", fix)


def _first_change(before: Parsed, after: Parsed) -> int | None:
    """Line of the first turn that does not begin with what it was; the last line where a turn is gone."""
    for n, old in enumerate(before.session.turns):
        if n >= len(after.session.turns):
            return after.lines[-1] if after.lines else 1
        may_grow = n == len(before.session.turns) - 1
        if not _continues(old, after.session.turns[n], may_grow=may_grow):
            return after.lines[n]
    return None


def _continues(old: Turn, new: Turn, *, may_grow: bool) -> bool:
    head = (old.n, old.role, old.time, old.origin, old.trust, old.speaker, old.derived)
    if head != (new.n, new.role, new.time, new.origin, new.trust, new.speaker, new.derived):
        return False
    if not may_grow:
        return old.blocks == new.blocks
    kept = new.blocks[: len(old.blocks)]
    return kept[:-1] == old.blocks[:-1] and (not kept or _block_continues(old, new))


def _block_continues(old: Turn, new: Turn) -> bool:
    """The last block as it was; a call that had no result yet may have one now."""
    if len(new.blocks) < len(old.blocks):
        return False
    last, now = old.blocks[-1], new.blocks[len(old.blocks) - 1]
    if isinstance(last, ToolCall) and isinstance(now, ToolCall) and last.result is None:
        return (last.name, last.input) == (now.name, now.input)
    if isinstance(last, ToolCall) or isinstance(now, ToolCall):
        return last == now
    return now.text.startswith(last.text)


def _grown_at(before: Parsed, after: Parsed) -> int:
    """Line of the first turn that is new; of the last one where only that grew or the head changed."""
    n = len(before.session.turns)
    lines = after.lines
    return lines[n] if n < len(lines) else lines[-1] if lines else 1


# --- attachments ------------------------------------------------------------------


def _check_attachments(pair: Pair, path: str) -> Iterator[Finding]:
    folder = session_of(path)
    session = pair.staged.session(folder)
    for turn in session.turns if session else ():
        for n, call in enumerate(turn.tool_calls, 1):
            if call.attachment and f"{folder}/{layout.ATTACHMENTS}/{call.attachment}" not in pair.staged:
                line = _line_of_result(pair.staged.text(path), turn.n, n)
                message = f"the whole result is said to be in attachments/{call.attachment}, which is not there"
                yield find("attachment-missing", path, line, message, "bring the attachment back from git")


def _line_of_result(text: str, turn: int, result: int) -> int:
    fence = re.compile(rf"`{{3,}}(?:result|file) r{result}(?: ·|$)")
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("## t"):
            inside = line.startswith(f"## t{turn} · ")
        if inside and fence.match(line):
            return number
    return 1
