"""Codex CLI: a rollout, one line for each thing that happened, most of them told two or three times.

Forks and helpers begin with a copy of their parent's rollout under new times: only what follows it is theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from brain.ingest import codex_events, codex_items
from brain.ingest.codex_items import Entry, Kind, Stream
from brain.ingest.hosts import BAD_ARGUMENTS, About, asked_by, finished, taken
from brain.ingest.pieces import Call, Piece, Result, dict_of, text_of, time_of
from brain.ingest.reading import Draft, first_objects
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import SessionKind

NAME = "codex"
_LINES = frozenset(
    (
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "token_usage_record",
    )
)
_BARE = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_START = re.compile(rb'\s*\{[^{}]{0,400}"type"\s*:\s*"session_meta"')
_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_PAUSE = timedelta(seconds=1)
"""A copy is written at once; the first line that comes later than this after the one before is a new one."""


def detect(head: bytes, name: str) -> str:
    """By the envelope of its lines, or by the oldest header: an id and a time, and bare items after it."""
    del name
    lines = first_objects(head)
    if any(text_of(line.get("type")) in _LINES and isinstance(line.get("payload"), dict) for line in lines):
        return ""
    if lines and _is_old_header(lines[0]) and (len(lines) == 1 or any(map(_is_bare, lines))):
        return ""
    if not lines and _START.match(head.removeprefix(b"\xef\xbb\xbf")):
        return ""
    return "no line has a payload and a type of a rollout" if lines else "no line is a JSON object"


def _is_old_header(line: dict[str, object]) -> bool:
    has_head = isinstance(line.get("id"), str) and isinstance(line.get("timestamp"), str)
    return has_head and not {"type", "role", "message"} & line.keys() and bool({"instructions", "git"} & line.keys())


def _is_bare(line: dict[str, object]) -> bool:
    return "record_type" in line or text_of(line.get("type")) in _BARE


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The one session of the file."""
    rollout = _Rollout()
    yield from taken(source, rollout.take, rollout.unknown)
    yield from rollout.session(source)


class _Rollout:
    """What of the lines matters, in their order."""

    def __init__(self) -> None:
        self.unknown: Counter[str] = Counter()
        self._metas: list[dict[str, object]] = []
        self._entries: list[tuple[int, Entry]] = []
        """(place of its line, entry)"""
        self._places: dict[tuple[Stream, str], int] = {}
        self._turn_ids: list[tuple[int, str]] = []
        self._ordinals: list[tuple[int, int]] = []
        self._pauses: list[int] = []
        self._last: datetime | None = None
        self._title = ""

    def take(self, place: int, line: dict[str, object]) -> None:
        kind, payload = text_of(line.get("type")), line.get("payload")
        time = time_of(line.get("timestamp"))
        self._mark(place, line, dict_of(payload), time)
        if kind in _LINES and isinstance(payload, dict):
            self._take(place, kind, payload, time)
        elif not self._metas and _is_old_header(line):
            self._metas.append(line)
        elif "record_type" not in line:
            self._add(place, codex_items.response, line, time)

    def _mark(self, place: int, line: dict[str, object], payload: dict[str, object], time: datetime | None) -> None:
        """Where the session's own part may begin."""
        ordinal = line.get("ordinal")
        self._ordinals.append((place, ordinal if isinstance(ordinal, int) else len(self._ordinals)))
        if turn_id := text_of(payload.get("turn_id")):
            self._turn_ids.append((place, turn_id))
        if time and self._last and time - self._last > _PAUSE:
            self._pauses.append(place)
        self._last = time or self._last

    def _take(self, place: int, kind: str, payload: dict[str, object], time: datetime | None) -> None:
        if kind == "session_meta":
            self._metas.append(payload)
        elif kind == "response_item":
            self._add(place, codex_items.response, payload, time)
        elif kind == "event_msg":
            self._add(place, codex_events.event, payload, time)
            if payload.get("type") == "thread_name_updated":
                self._title = text_of(payload.get("thread_name")) or self._title

    def _add(self, place: int, reader: codex_items.Reader, given: dict[str, object], time: datetime | None) -> None:
        try:
            found = list(reader(given))
        except KeyError as error:
            self.unknown[str(error.args[0])[:40] or "none"] += 1
            return
        for entry in found:
            self._keep(place, replace(entry, time=time))

    def _keep(self, place: int, entry: Entry) -> None:
        before = self._places.get((entry.stream, entry.id)) if entry.id else None
        if before is not None and self._entries[before][1].kind is entry.kind:
            self._entries[before] = (self._entries[before][0], entry)
            return
        if entry.id:
            self._places[entry.stream, entry.id] = len(self._entries)
        self._entries.append((place, entry))

    # --- one session of it -------------------------------------------------------------

    def session(self, source: Input) -> Iterator[Draft | Skipped]:
        meta = self._metas[0] if self._metas else {}
        kind, parent = self._origin(meta)
        start = 0 if kind is SessionKind.MAIN else self._own_start(meta)
        own = [entry for place, entry in self._entries if place >= start]
        talk = _talk(_chosen(own, kind), kind)
        if copied := sum(
            e.stream is Stream.RESPONSE and e.kind is not Kind.TOOL for p, e in self._entries if p < start
        ):
            talk.notes["messages copied from the session that this one came from"] = copied
        about = About(
            agent=NAME,
            format=NAME,
            id=text_of(meta.get("id")) or text_of(meta.get("session_id")) or source.stem,
            sha256=source.sha256_of_lines,
            folder=text_of(meta.get("cwd")),
            title=self._title,
            kind=kind,
            parent=parent,
            day=time_of(meta.get("timestamp")),
            remote=text_of(dict_of(meta.get("git")).get("repository_url")),
        )
        yield from finished(source, talk, about)

    def _origin(self, meta: dict[str, object]) -> tuple[SessionKind, str]:
        helper = dict_of(meta.get("source")).get("subagent")
        spawned = text_of(dict_of(dict_of(helper).get("thread_spawn")).get("parent_thread_id"))
        asker = text_of(meta.get("parent_thread_id")) or spawned
        own = meta.get("id")
        others = (text_of(other.get("id")) for other in self._metas[1:] if other.get("id") != own)
        forked = text_of(meta.get("forked_from_id")) or next((other for other in others if other), "")
        if helper or asker or "subagent" in (meta.get("source"), meta.get("thread_source")):
            return SessionKind.SUBAGENT, asker or forked
        return (SessionKind.FORK, forked) if forked else (SessionKind.MAIN, "")

    def _own_start(self, meta: dict[str, object]) -> int:
        """The place of the first line that is no copy."""
        first = meta.get("subagent_history_start_ordinal")
        if isinstance(first, int):
            return next((place for place, ordinal in self._ordinals if ordinal >= first), self._end)
        began = _uuid_time(text_of(meta.get("id"))) or time_of(meta.get("timestamp"))
        times = [(place, _uuid_time(turn_id)) for place, turn_id in self._turn_ids]
        if began and any(time for _, time in times):
            return next((place for place, time in times if time and time >= began), self._end)
        if len(self._metas) > 1:
            return next(iter(self._pauses), self._end)
        return 0

    @property
    def _end(self) -> int:
        return self._ordinals[-1][0] + 1 if self._ordinals else 0


def _uuid_time(text: str) -> datetime | None:
    """The time that a UUID of version 7 carries, to the millisecond."""
    match = _UUID7.fullmatch(text)
    millis = int(match[1] + match[2], 16) if match else 0
    return datetime.fromtimestamp(millis / 1000, UTC) if 0 < millis < 7_258_118_400_000 else None


def _chosen(entries: Sequence[Entry], kind: SessionKind) -> list[Entry]:
    """Of each kind of entry the first stream that has any; what was rolled back is gone."""
    if kind is not SessionKind.SUBAGENT:
        entries = [entry for entry in entries if not codex_items.is_from_agent(entry)]
    streams = {kind: min((e.stream for e in entries if e.kind is kind and e.pieces), default=None) for kind in Kind}
    return [e for e in entries if e.kind is Kind.BACK or streams[e.kind] in (None, e.stream) or e.kind is Kind.TOOL]


def _rolled_back(entries: Sequence[Entry]) -> tuple[list[Entry], int]:
    """What is left of the entries, and how many messages are not."""
    kept: list[Entry] = []
    prompts: list[int] = []
    gone = 0
    for entry in entries:
        if entry.kind is Kind.BACK:
            if entry.count and prompts:
                start = prompts[-min(entry.count, len(prompts))]
                gone += sum(one.kind is not Kind.TOOL and bool(one.pieces) for one in kept[start:])
                del kept[start:], prompts[-entry.count :]
            continue
        if entry.kind is Kind.PERSON and entry.pieces:
            prompts.append(len(kept))
        kept.append(entry)
    return kept, gone


def _talk(entries: Sequence[Entry], kind: SessionKind) -> Conversation:
    talk = Conversation()
    origin, trust = asked_by(kind)
    kept, gone = _rolled_back(entries)
    main = min((e.stream for e in kept if e.kind is Kind.TOOL and isinstance(e.pieces[0], Call)), default=None)
    failed = {r.id for e in kept for r in e.pieces if isinstance(r, Result) and r.is_error}
    for entry in kept:
        if entry.kind is Kind.PERSON:
            talk.user(entry.pieces, entry.time, origin=origin, trust=trust)
        elif entry.kind is Kind.AGENT or entry.stream is main:
            talk.assistant([_told(piece, failed) for piece in entry.pieces], entry.time)
    asked = {c.id for e in kept if e.stream is main for c in e.pieces if isinstance(c, Call)}
    others = [p for e in kept if e.kind is Kind.TOOL and e.stream is not main for p in e.pieces]
    talk.results(piece for piece in others if isinstance(piece, Result) and piece.id in asked)
    if gone:
        talk.notes["messages that were rolled back"] = gone
    if bad := sum(entry.has_bad_input for entry in kept):
        talk.notes[BAD_ARGUMENTS] = bad
    return talk


def _told(piece: Piece, failed: set[str]) -> Piece:
    return replace(piece, is_error=piece.id in failed) if isinstance(piece, Result) else piece
