"""The memory tools: show what is there, tell how it came to be, settle what a person changed by hand."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from datetime import datetime

from brain import layout
from brain.errors import UsageError
from brain.memory.settle import MemoryGone, Settled, settle
from brain.model import Session, ToolCall, Turn
from brain.store import Store
from brain.tree import Tree

__all__ = [
    "Change",
    "MemoryGone",
    "NotFound",
    "Settled",
    "ShownFile",
    "ShownSession",
    "ShownTurn",
    "history",
    "settle",
    "show",
]

_SHORTEST = 4
"""Characters of an id that may stand for it."""


class NotFound(UsageError):
    """Nothing in the memory goes by that name."""

    code = "not-found"


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session and where it stands."""

    folder: str
    session: Session

    def to_json(self) -> dict[str, object]:
        return {
            "id": self.session.id,
            "agent": self.session.agent,
            "turns": [_turn(turn) for turn in self.session.turns],
        }


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One turn, or one tool result in it, with the words that a citation of it stands on."""

    source: str
    session: str
    turn: Turn
    text: str

    def to_json(self) -> dict[str, object]:
        return {"source": self.source, "id": self.session, "cited": self.text, **_turn(self.turn)}


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A page, a note or any other file of the memory as it is written."""

    path: str
    title: str
    text: str

    def to_json(self) -> dict[str, object]:
        return {"path": self.path, "title": self.title, "text": self.text}


Shown = ShownSession | ShownTurn | ShownFile


@dataclass(frozen=True, slots=True)
class Change:
    """One commit that changed a file."""

    commit: str
    date: datetime
    author: str
    subject: str
    command: str
    """The command of Brain that made it; "" where a person committed by hand."""

    def to_json(self) -> dict[str, object]:
        return {
            "commit": self.commit,
            "date": self.date.isoformat(),
            "author": self.author,
            "subject": self.subject,
            "command": self.command,
        }


def show(store: Store, ref: str) -> Shown:
    """What `ref` names: a source `sessions/…#t12`, a path, a session (id, folder or the start of its id), a title.

    Raises: NotFound, with the nearest names.
    """
    tree = store.tree()
    if "#t" in ref:
        return _shown_turn(tree, ref)
    path = _path(tree, ref)
    if path is not None and not layout.is_transcript(path):
        return _shown_file(tree, path)
    folder = path.removesuffix(f"/{layout.TRANSCRIPT_NAME}") if path else _folder(tree, ref)
    if folder is not None and (session := tree.session(folder)) is not None:
        return ShownSession(folder, session)
    named = tree.names().resolve(ref)
    if named is None:
        raise _not_found(tree, ref)
    return _shown_file(tree, named)


def history(store: Store, ref: str) -> tuple[Change, ...]:
    """The commits that changed what `ref` names (a path or a title), newest first.

    A file that is gone still has its history under its path. Raises: NotFound.
    """
    tree, head = store.tree(), store.head()
    path = _history_path(tree, ref)
    entries = store.git.log(head, path=path) if head and layout.is_tracked(path) else []
    if not entries:
        raise _not_found(tree, ref)
    return tuple(Change(e.commit, e.date, e.author, e.subject, e.command) for e in entries)


def _history_path(tree: Tree, ref: str) -> str:
    path = _path(tree, ref)
    if path is None and (folder := _folder(tree, ref)) is not None:
        path = layout.transcript_path(folder)
    return path or tree.names().resolve(ref) or ref


def _shown_turn(tree: Tree, ref: str) -> ShownTurn:
    where, _, anchor = ref.partition("#")
    folder = _folder(tree, where)
    source = f"{folder.removeprefix(f'{layout.MEMORY}/')}#{anchor}" if folder else ref
    turn, text = tree.turn(source), tree.cited_text(source)
    session = tree.session(folder) if folder else None
    if session is None or turn is None or text is None:
        raise NotFound(f"{ref} names no turn: {_why(session, anchor)}.", "brain show SESSION lists its turns")
    return ShownTurn(source, session.id, turn, text)


def _why(session: Session | None, anchor: str) -> str:
    if session is None:
        return "there is no such session"
    return f"the session has {len(session.turns)} turns and no {anchor}"


def _shown_file(tree: Tree, path: str) -> ShownFile:
    record = tree.page(path) or tree.note(path)
    return ShownFile(path, record.title if record is not None else path, tree.text(path))


def _path(tree: Tree, ref: str) -> str | None:
    """The file that `ref` is the path of, with or without memory/ and .md."""
    bare = ref.removeprefix("./")
    tries = (f"{top}{bare}{end}" for top in ("", f"{layout.MEMORY}/") for end in ("", ".md"))
    return next((path for path in tries if path in tree), None)


def _folder(tree: Tree, ref: str) -> str | None:
    """The folder of the session that `ref` names. Raises: NotFound where several begin like that."""
    bare = ref.strip("/")
    folders = tree.sessions()
    for folder in (bare, f"{layout.MEMORY}/{bare}"):
        if folder in folders:
            return folder
    begun = [folder for folder in folders if _may_be(folder, bare)]
    exact = [folder for folder in begun if folders[folder].id == bare]
    if not exact and len(bare) < _SHORTEST:
        return None
    found = exact or [f for f in begun if folders[f].id.startswith(bare) or f.rpartition("/")[2].endswith(bare)]
    if len(found) > 1:
        raise NotFound(f"{ref} is the start of {len(found)} sessions: {', '.join(found[:5])}.", "give more of it")
    return found[0] if found else None


def _may_be(folder: str, ref: str) -> bool:
    """Whether the session may be the one: its folder carries the start of its id, so most need not be read."""
    tail, start = folder.rpartition("/")[2].rpartition("-")[2], ref.replace("-", "").lower()
    return tail.startswith(start) or start.startswith(tail) or tail.startswith(layout.short_id(ref)) or tail in ref


def _not_found(tree: Tree, ref: str) -> NotFound:
    near = difflib.get_close_matches(ref, tree.names().titles.values(), n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else "brain recall WORDS"
    return NotFound(f"Nothing in the memory goes by {ref!r}.", hint)


def _turn(turn: Turn) -> dict[str, object]:
    return {
        "n": turn.n,
        "role": turn.role.value,
        "time": turn.time.isoformat() if turn.time else None,
        "text": turn.text,
        "tool_calls": [_call(call) for call in turn.tool_calls],
    }


def _call(call: ToolCall) -> dict[str, object]:
    return {"name": call.name, "input": call.input, "result": call.result, "is_error": call.is_error}
