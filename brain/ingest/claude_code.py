"""Claude Code: one JSON object a line, a tree of messages by parentUuid, one line for each block of an answer.

What counts is the live branch: from the last message back to the root, over compactions; lines of one
answer that lie beside it belong to it. Helpers (sidechains) are sessions of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from brain.ingest import injected
from brain.ingest.claude_content import Entry, Kind, entry_of
from brain.ingest.hosts import taken
from brain.ingest.pieces import Piece, Result, Words, dict_of, text_of
from brain.ingest.projects import last_name
from brain.ingest.reading import Draft, draft, first_objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Origin, Session, SessionKind, Source, Trust

NAME = "claude-code"
_TREE = frozenset({"user", "assistant", "system", "attachment", "progress"})
_TITLES = {"custom-title": "customTitle", "agent-name": "agentName", "ai-title": "aiTitle", "summary": "summary"}
"""Type of a line -> its key; the best title first."""
_OTHER = frozenset(
    (
        "last-prompt",
        "file-history-snapshot",
        "permission-mode",
        "queue-operation",
        "mode",
        "tag",
        "pr-link",
        "worktree-state",
    )
)
_PERSISTED = re.compile(r"tool-results[/\\]+([A-Za-z0-9_.-]{1,200})")
_LARGEST_RESULT = 8_000_000
_HOSTS_OWN = ("acompact", "aprompt_suggestion")
"""How the ids of helpers begin that sum the session up, or guess at the next prompt."""


def detect(head: bytes, name: str) -> str:
    """By its keys: a line of a known type that has a place in a tree or belongs to a session."""
    del name
    lines = first_objects(head)
    if any(_is_ours(line) for line in lines):
        return ""
    if not lines and _LONG_FIRST_LINE.match(head.removeprefix(b"\xef\xbb\xbf")) and b'"uuid"' in head:
        return ""
    return "no line has a type and a uuid" if lines else "no line is a JSON object"


_LONG_FIRST_LINE = re.compile(rb'\s*\{(?=[^\n]{0,4000}"(?:parentUuid|sessionId)")')


def _is_ours(line: dict[str, object]) -> bool:
    kind = text_of(line.get("type"))
    if kind in _TREE:
        return ("uuid" in line or "sessionId" in line) and ("message" in line or kind not in ("user", "assistant"))
    if kind in _TITLES or kind in _OTHER:
        return any(key in line for key in ("sessionId", "leafUuid", "snapshot"))
    return False


def is_part(path: Path) -> bool:
    """Whether a file is large output of a session beside it, what is known of a helper, or what the host remembers."""
    folder = path.parent
    if folder.name == "tool-results":
        return folder.parent.with_name(f"{folder.parent.name}.jsonl").is_file()
    if path.name.endswith(".meta.json"):
        return path.with_name(f"{path.name.removesuffix('.meta.json')}.jsonl").is_file()
    return folder.name == "memory" and folder.parent.parent.name == "projects" and any(folder.parent.glob("*.jsonl"))


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The session of the file and the helpers in it; one with no words of anybody is none."""
    file = _File(source)
    yield from taken(source, file.take, file.unknown)
    yield from file.sessions()


class _File:
    """All lines of one file that matter, small."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self.unknown: Counter[str] = Counter()
        self._entries: dict[str, Entry] = {}
        self._titles: dict[str, list[tuple[str, str]]] = {}
        self._forked_from = ""
        self._last = ""

    def take(self, number: int, line: dict[str, object]) -> None:
        kind = text_of(line.get("type"))
        if kind in _TREE:
            self._take_entry(entry_of(line, number, self._last))
            self._forked_from = self._forked_from or text_of(dict_of(line.get("forkedFrom")).get("sessionId"))
        elif kind in _TITLES:
            belongs = text_of(line.get("leafUuid" if kind == "summary" else "sessionId"))
            self._titles.setdefault(kind, []).append((belongs, text_of(line.get(_TITLES[kind]))))
        elif kind not in _OTHER:
            self.unknown[kind[:40] or "none"] += 1

    def _take_entry(self, entry: Entry) -> None:
        self._last = entry.uuid
        before = self._entries.get(entry.uuid)
        if before is not None:
            entry.place, entry.helper, entry.parent = before.place, before.helper, before.parent or entry.parent
        elif entry.helper == "?":
            above = self._entries.get(entry.parent)
            entry.helper = above.helper if above and above.helper else entry.uuid
        self._entries[entry.uuid] = entry

    def sessions(self) -> Iterator[Draft | Skipped]:
        threads: dict[str, list[Entry]] = {"": []}
        for entry in self._entries.values():
            threads.setdefault(entry.helper, []).append(entry)
        main = threads.pop("")
        seen = [entry.session for entry in main if entry.session] or [
            entry.session for thread in threads.values() for entry in thread if entry.session
        ]
        own = self.source.stem if not seen or (main and self.source.stem in seen) else seen[-1]
        own = Conversation().line(own) or self.source.stem
        yield from self._session(main, own, SessionKind.MAIN, self._parent(own, seen))
        for helper, thread in threads.items():
            if helper.startswith(_HOSTS_OWN):
                yield Skipped(self.source.name, None, f"{helper}: what the host asks for itself is no evidence")
            else:
                yield from self._session(thread, helper, SessionKind.SUBAGENT, own)

    def _parent(self, own: str, seen: Sequence[str]) -> str | None:
        """The session that this one was resumed from: named, or seen in the lines that were copied."""
        other = next((session for session in seen if session != own), None)
        return self._forked_from if self._forked_from not in ("", own) else other

    def _session(
        self, thread: list[Entry], own: str, kind: SessionKind, parent: str | None
    ) -> Iterator[Draft | Skipped]:
        live = live_branch(thread)
        folder = next((entry.folder for entry in live if entry.folder), "")
        if injected.is_staged(folder) or _is_dream(live):
            yield Skipped(self.source.name, None, "a dream at work is no evidence")
            return
        talk = self._talk(thread, live, own, is_helper=kind is SessionKind.SUBAGENT)
        done = talk.finish()
        if not done.turns:
            return
        session = Session(
            id=talk.line(own) or self.source.stem,
            agent=NAME,
            source=Source(NAME, self.source.file_name, self.source.sha256_of_lines),
            turns=(),
            project=talk.line(last_name(folder)) or None,
            title=None if kind is SessionKind.SUBAGENT else talk.line(self._title(own)) or None,
            kind=kind,
            parent=talk.line(parent or "") or None,
        )
        yield draft(session, done, folder=folder)

    def _title(self, own: str) -> str:
        for kind in _TITLES:
            for belongs, title in reversed(self._titles.get(kind, [])):
                is_ours = belongs in self._entries if kind == "summary" else belongs in ("", own)
                if is_ours and title:
                    return title
        return ""

    def _talk(self, thread: list[Entry], live: list[Entry], own: str, *, is_helper: bool) -> Conversation:
        talk = Conversation()
        origin, trust = (Origin.ASSISTANT, Trust.THIRD) if is_helper else (Origin.USER, Trust.USER)
        for entry in live:
            pieces = [self._whole(piece, own) for piece in entry.pieces]
            if entry.kind is Kind.PERSON:
                talk.user(pieces, entry.time, origin=origin, trust=trust)
            elif entry.kind is Kind.AGENT:
                talk.assistant(pieces, entry.time)
        asked = {call.id for entry in live for call in entry.calls}
        chosen = {entry.uuid for entry in live}
        beside = [entry for entry in thread if entry.uuid not in chosen]
        talk.results(self._whole(r, own) for entry in beside for r in entry.results if r.id in asked)
        if given_up := len({entry.message or entry.uuid for entry in beside if entry.speaks}):
            talk.notes["messages on branches that were given up"] = given_up
        return talk

    def _whole(self, piece: Piece, own: str) -> Piece:
        """A result that was too large for the line lies in a file beside the session."""
        if not isinstance(piece, Result) or not self.source.path or "<persisted-output>" not in piece.text[:200]:
            return piece
        name = _PERSISTED.search(piece.text)
        beside = self.source.path.absolute().parent
        for folder in (beside / self.source.stem, beside / own, beside.parent):
            path = folder / "tool-results" / name[1] if name else None
            if path and path.is_file() and not path.is_symlink():
                with path.open("rb") as file:
                    return Result(piece.id, file.read(_LARGEST_RESULT).decode("utf-8", "replace"), piece.is_error)
        return piece


def _is_dream(live: Iterable[Entry]) -> bool:
    for entry in live:
        if entry.kind is Kind.PERSON and entry.speaks:
            return any(isinstance(piece, Words) and injected.is_dream(piece.text) for piece in entry.pieces)
    return False


def live_branch(thread: list[Entry]) -> list[Entry]:
    """The entries from the root to the last message, and lines of the same answers beside them, in file order."""
    order = {entry.uuid: n for n, entry in enumerate(thread)}
    last = next((entry for entry in reversed(thread) if entry.is_message or entry.pieces), None)
    path: set[str] = set()
    while last is not None and last.uuid not in path:
        path.add(last.uuid)
        last = _before(last, thread, order)
    answers = {thread[order[uuid]].message for uuid in path} - {""}
    return [e for e in thread if e.uuid in path or (e.kind is Kind.AGENT and e.message in answers)]


def _before(entry: Entry, thread: list[Entry], order: dict[str, int]) -> Entry | None:
    """The parent; where the link is missing or leads nowhere (a line was lost), the line before."""
    if entry.parent in order:
        return thread[order[entry.parent]]
    place = order[entry.uuid]
    goes_on = entry.parent or entry.kind is Kind.BOUNDARY
    return thread[place - 1] if goes_on and place > 0 else None
