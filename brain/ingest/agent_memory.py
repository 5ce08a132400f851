"""What agents such as OpenClaw and Mayros keep as their memory: MEMORY.md, memory/YYYY-MM-DD.md, bank/.

Each entry is a turn of origin import: a bullet with what hangs below it, or a paragraph. What a machine wrote from
older notes is left out: blocks between its marks, dream diaries, entries that stand there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from brain.ingest import speakers
from brain.ingest.document import LARGEST, MARKDOWN, day_of, decoded, holds_any, is_text
from brain.ingest.memory_entries import Entry, entries_of, without_machine
from brain.ingest.openclaw_content import audible, unwrapped
from brain.ingest.pieces import Words, time_of
from brain.ingest.reading import Draft, draft, too_large
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation, Talk
from brain.language import retained
from brain.model import Origin, Session, SessionKind, Source, Trust, Turn
from brain.text.front import FrontMatter

NAME = "agent-memory"
_CORE = frozenset(("memory.md", "mayros.md"))
_DIARIES = frozenset(("dreams.md", "dream-diary.md"))
_MACHINES = frozenset((".dreams", "dreaming"))
_BANK = frozenset(("world.md", "experience.md", "opinions.md"))
_AGENTS_OWN = _CORE | {"soul.md", "agents.md", "bank"}
_DATED = re.compile(r"\d{4}-\d\d-\d\d(?:-.*)?\.md", re.IGNORECASE)
_RETAIN = re.compile(r"^#{1,6}[ \t]+Retain[ \t]*$", re.MULTILINE)
_SESSION = re.compile(r"#[ \t]+Session:[ \t]*(\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?)(?: ?(?:UTC|Z))?[ \t]*(?:\n|$)")
_SAID = re.compile(r"(user|assistant): ?(.*)")
_NEAR = 3
"""Folders above a file among which `memory` or `bank` must be."""


def detect(head: bytes, name: str) -> str:
    """By its name and that it is text; what it holds, or where it lies, must say more."""
    if not name.lower().endswith(MARKDOWN):
        return "its name is not that of a memory file"
    return "" if is_text(head) else "it is no text"


def place(source: Input) -> str:
    """ "" where it holds what such an agent writes, or lies where it writes it."""
    text = decoded(source.head)
    if _RETAIN.search(text) or _SESSION.match(text.lstrip()):
        return ""
    *folders, name = _lowered(source)
    if name in _CORE | _DIARIES or _MACHINES.intersection(folders[-_NEAR:]):
        return ""
    if "memory" in folders[-_NEAR:] and (_DATED.fullmatch(name) or _is_agents(source)):
        return ""
    if folders[-1:] == ["bank"] and name in _BANK:
        return ""
    return "" if folders[-2:] == ["bank", "entities"] else "it lies in no agent's memory folder"


def _lowered(source: Input) -> list[str]:
    parts = source.path.parts if source.path else source.below
    return [part.lower() for part in parts] or [source.file_name.lower()]


def _is_agents(source: Input) -> bool:
    """Whether the folder above `memory` is an agent's workspace."""
    if source.path is None:
        return True
    above = next((one.parent for one in source.path.parents if one.name.lower() == "memory"), source.path.parent)
    return holds_any(above, _AGENTS_OWN)


def read(source: Input) -> Iterator[Draft | Skipped]:
    """One session for the file, one turn for each entry."""
    *folders, name = _lowered(source)
    if name in _DIARIES or _MACHINES.intersection(folders[-_NEAR:]):
        yield Skipped(source.name, None, "a machine wrote it from older notes; it was not read")
        return
    if refused := too_large(source, LARGEST):
        yield refused
        return
    front = FrontMatter.parse(decoded(source.read()))
    body, dropped = without_machine(front.body)
    talk = Conversation()
    if dropped:
        talk.notes["entries that a machine wrote from older notes"] = dropped
    note = _SESSION.match(body.lstrip())
    if note:
        _take_note(talk, body.lstrip()[note.end() :])
    else:
        _take_entries(talk, entries_of(body))
    done = _derived(talk.finish())
    if not done.turns:
        return
    session = Session(
        id=talk.line(source.stem),
        agent=NAME,
        source=Source(NAME, source.file_name, source.sha256),
        turns=(),
        title=talk.line(front.get_text("title") or ("" if note else speakers.title(body))) or None,
        kind=SessionKind.DOCUMENT,
    )
    day = time_of(f"{note[1].replace(' ', 'T')}Z") if note else day_of(front.values, source.stem)
    yield draft(session, done, day)


def _take_entries(talk: Conversation, entries: Sequence[Entry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.key in seen:
            talk.notes["entries that stand there twice"] += 1
            continue
        seen.add(entry.key)
        talk.user([Words(entry.text)], None, origin=Origin.IMPORT, trust=Trust.THIRD)


def _derived(talk: Talk) -> Talk:
    """Summaries that were generated are kept and are no evidence."""
    return replace(
        talk, turns=tuple(replace(turn, derived=True) if _is_generated(turn) else turn for turn in talk.turns)
    )


def _is_generated(turn: Turn) -> bool:
    bullet = retained.read(turn.text)
    return bullet is not None and bullet.is_generated


def _take_note(talk: Conversation, body: str) -> None:
    """A note about one session: its last messages, as `user: …` and `assistant: …`."""
    speaker, held = "", list[str]()
    for line in [*body.split("\n"), "user: "]:
        said = _SAID.fullmatch(line)
        if said is None:
            held.append(line)
            continue
        _say(talk, speaker, "\n".join(held).strip())
        speaker, held = said[1], [said[2]]


def _say(talk: Conversation, speaker: str, text: str) -> None:
    if speaker == "assistant":
        talk.assistant([Words(audible(text))], None)
    elif speaker == "user":
        words, sender, is_prompted = unwrapped(text)
        if not is_prompted:
            talk.user([Words(words)], None, sender, Origin.IMPORT, Trust.THIRD)
