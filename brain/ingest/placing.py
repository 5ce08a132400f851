"""Drafts -> files of the tree: which session a draft is, where it lies, what of it is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from hashlib import sha256
from zoneinfo import ZoneInfo

from brain import layout, transcript
from brain.ingest.catalogue import Catalogue, Known
from brain.ingest.merge import Merged, is_kin, marked_copies, merge
from brain.ingest.projects import Folders, Projects, remote
from brain.ingest.reading import Draft
from brain.model import Session, ToolCall, Turn
from brain.redact import MARK
from brain.text.counted import counted
from brain.tree import Tree


@dataclass(frozen=True, slots=True)
class Placed:
    """What became of one draft."""

    known: Known
    new_turns: int
    """Turns that no transcript held before; those that were copied from another session are not among them."""
    is_new: bool
    has_changed: bool
    secrets: Mapping[str, int] = field(default_factory=dict)
    """Kind -> how many were taken out of the new turns."""
    remarks: tuple[str, ...] = ()


class Placing:
    """Collects the changes that a batch of drafts makes to one tree."""

    def __init__(self, tree: Tree, catalogue: Catalogue, zone: ZoneInfo, folders: Folders | None = None) -> None:
        self.changes: dict[str, bytes | None] = {}
        self._tree = tree
        self._catalogue = catalogue
        self._zone = zone
        self._folders = folders or Folders()

    def place_all(self, drafts: Sequence[Draft]) -> list[Placed]:
        """One result for each draft, in their order; sessions are stored before those that were copied from them."""
        placed: dict[int, Placed] = {}
        waiting = dict(enumerate(drafts))
        while waiting:
            ids = {draft.session.id for draft in waiting.values()}
            ready = [n for n, d in waiting.items() if d.session.parent not in ids - {d.session.id}]
            for n in ready or list(waiting):
                placed[n] = self._place(waiting.pop(n))
        return [placed[n] for n in range(len(drafts))]

    def _place(self, draft: Draft) -> Placed:
        session, known = self._find(draft.session)
        if known is None:
            return self._lay_new(session, draft)
        old = self._session(known.folder)
        merged = merge(old, session)
        others = [self._session(other.folder) for other in self._catalogue.kin_of(session)] if merged.added else []
        whole = marked_copies(merged.session, merged.added, others)
        if whole == old:
            return Placed(known, 0, False, False, remarks=_remarks(merged))
        path = layout.transcript_path(known.folder)
        self._write(whole, known.folder, transcript.extend(self._text(path), whole), draft.attachments)
        new = _new(whole, merged.added)
        return Placed(
            Known.of(whole, known.folder), len(new), False, True, _secrets(new, draft.attachments), _remarks(merged)
        )

    def _lay_new(self, session: Session, draft: Draft) -> Placed:
        others = [self._session(other.folder) for other in self._catalogue.kin_of(session)]
        numbers = [turn.n for turn in session.turns]
        session = marked_copies(session, numbers, others)
        session = in_its_project(session, draft, self._folders, self._catalogue.projects)
        length = self._catalogue.length_for(session.id)
        folder = layout.session_folder(session.id, _day(session, draft.day, self._zone), length)
        self._write(session, folder, transcript.render(session), draft.attachments)
        new = _new(session, numbers)
        return Placed(Known.of(session, folder), len(new), True, True, _secrets(new, draft.attachments))

    def _write(self, session: Session, folder: str, text: str, attachments: Mapping[str, bytes]) -> None:
        self.changes[layout.transcript_path(folder)] = text.encode()
        named = {call.attachment for turn in session.turns for call in turn.tool_calls if call.attachment}
        for name, data in attachments.items():
            path = f"{folder}/{layout.ATTACHMENTS}/{name}"
            if name in named and path not in self._tree:
                self.changes[path] = data
        self._catalogue.add(Known.of(session, folder))

    def _find(self, session: Session) -> tuple[Session, Known | None]:
        """The stored session that this one is. An id that is no UUID may be given twice, to different talks."""
        known = self._catalogue.by_id.get(session.id)
        if known is None or layout.is_uuid(session.id) or is_kin(self._session(known.folder), session):
            return session, known
        first = session.turns[0]
        mark = sha256(f"{first.role}\n{first.time}\n{first.text}".encode()).hexdigest()
        for length in (6, 12, 64):
            other = replace(session, id=f"{session.id}~{mark[:length]}")
            known = self._catalogue.by_id.get(other.id)
            if known is None or is_kin(self._session(known.folder), other):
                return other, known
        return other, known

    def _session(self, folder: str) -> Session:
        return transcript.parse(self._text(layout.transcript_path(folder))).session

    def _text(self, path: str) -> str:
        pending = self.changes.get(path)
        return pending.decode() if pending is not None else self._tree.text(path)


def in_its_project(session: Session, draft: Draft, folders: Folders, projects: Projects) -> Session:
    """The session under the name that its project has here, whatever its folder is called."""
    found = folders.find(draft.folder)
    found = replace(found, name=found.name if found.repository else session.project or found.name)
    if draft.remote:
        found = replace(found, repository=remote(draft.remote) or found.repository)
    if not (found.repository or found.place):
        return session
    name = projects.name(found)
    return replace(session, project=name, repository=found.repository or None, place=found.place or None)


def _new(session: Session, numbers: Sequence[int]) -> list[Turn]:
    new = set(numbers)
    return [turn for turn in session.turns if turn.n in new and not turn.derived]


def _secrets(turns: Sequence[Turn], attachments: Mapping[str, bytes]) -> Counter[str]:
    texts = (part for turn in turns for part in (turn.text, *(_whole(call, attachments) for call in turn.tool_calls)))
    return Counter(mark[len("[secret:") : -1] for text in texts for mark in MARK.findall(text))


def _whole(call: ToolCall, attachments: Mapping[str, bytes]) -> str:
    """What was given and what came back, also where the turn shows head and tail alone."""
    kept = attachments.get(call.attachment or "")
    return f"{call.input}\n{call.result if kept is None else kept.decode()}"


def _day(session: Session, given: date | datetime | None, zone: ZoneInfo) -> date | None:
    """The local day on which the session began, by the first time that is known."""
    first = next((turn.time for turn in session.turns if turn.time is not None), None) or given
    return first.astimezone(zone).date() if isinstance(first, datetime) else first


def _remarks(merged: Merged) -> tuple[str, ...]:
    remarks = []
    if merged.left_behind:
        remarks.append(f"its source went another way; {merged.left_behind} turns of the old way stay, the new follow")
    if merged.differing:
        remarks.append(f"{merged.differing} turns read differently in the source now; they stay as they were stored")
    return tuple(remarks)


def message(placed: Sequence[Placed]) -> str:
    """What a commit says of the sessions in it."""
    changed = [one for one in placed if one.has_changed]
    turns = sum(one.new_turns for one in changed)
    lines = [f"- {one.known.id}: {counted(one.new_turns, 'new turn')}" for one in changed[:20]]
    more = [f"- and {len(changed) - 20} more"] if len(changed) > 20 else []
    subject = f"Take in {counted(len(changed), 'session')}, {counted(turns, 'new turn')}"
    return "\n".join([subject, "", *lines, *more])
