"""A plan over a tree -> the files it changes. Same plan, same tree: same bytes.

Each file is made on its own: operations are sorted by file and, within it, by what must stand before
the next can (open, state, describe, supersede, archive; links last, when every new page is known).
An operation that cannot be applied is dropped with its reason; it never raises and never breaks
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeAlias

from brain import layout
from brain import note as notes
from brain import page as pages
from brain.dream import edits
from brain.dream.evidence import Evidence, NotApplicable
from brain.dream.plan import (
    Archive,
    Attach,
    Describe,
    NewTurns,
    Open,
    Operation,
    Relate,
    Scope,
    State,
    Summarise,
    Supersede,
    labels,
    target,
    without,
)
from brain.dream.records import D
from brain.dream.summaries import summarise
from brain.errors import UsageError
from brain.evidence import fingerprint
from brain.names import is_safe_path, title_key
from brain.note import Note
from brain.page import Page
from brain.tree import Tree, overlay
from brain.validators.rules.tombstones import phrases

Record: TypeAlias = Page | Note | str
"""A summary is edited as text."""

_ORDER = (Open, Attach, State, Describe, Supersede, Archive, Summarise, Relate)
_DEPTH = 3
"""Slashes in the path of a page (memory/knowledge/people/Ilya.md) or note."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """An operation, or some of its words, that did not get into the tree."""

    operation: Operation
    why: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What a plan comes to over one tree."""

    changes: Mapping[str, bytes]
    """Files whose bytes differ from base."""
    done: tuple[Operation, ...]
    dropped: tuple[Dropped, ...]


@dataclass(slots=True)
class _Work:
    tree: Tree
    evidence: Evidence
    sessions: Mapping[str, NewTurns]
    changes: dict[str, bytes] = field(default_factory=dict)
    done: list[Operation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)


def apply(operations: Iterable[Operation], scope: Scope) -> Applied:
    """The changes that these operations make over `scope.tree`."""
    sessions = {new.folder: new for new in scope.sessions}
    work = _Work(scope.tree, Evidence(scope.tree, scope.settings.zone), sessions)
    allowed = list(_one_file_a_subject(_not_forgotten(operations, scope, work), work))
    links = [operation for operation in allowed if isinstance(operation, Relate)]
    for path, group in _by_file(operation for operation in allowed if not isinstance(operation, Relate)):
        _change(path, group, work)
    if links:
        work.tree = overlay(scope.tree, work.changes)
        for path, group in _by_file(links):
            _change(path, group, work)
    changes = {path: data for path, data in work.changes.items() if not _stands(scope.tree, path, data)}
    return Applied(changes, tuple(work.done), tuple(work.dropped))


def _by_file(operations: Iterable[Operation]) -> Iterator[tuple[str, list[Operation]]]:
    ranked = sorted(operations, key=lambda operation: (target(operation), _ORDER.index(type(operation))))
    return ((path, list(group)) for path, group in groupby(ranked, target))


def _stands(tree: Tree, path: str, data: bytes) -> bool:
    return path in tree and tree.bytes(path) == data


def _not_forgotten(operations: Iterable[Operation], scope: Scope, work: _Work) -> Iterator[Operation]:
    """The operations without what the deletion log forbids to say again."""

    def is_forgotten(text: str) -> bool:
        return any(fingerprint(phrase) in scope.forgotten for phrase in phrases(text))

    for operation in operations:
        if not scope.forgotten:
            yield operation
            continue
        kept = None if any(map(is_forgotten, labels(operation))) else without(operation, is_forgotten)
        if kept != operation:
            work.dropped.append(Dropped(operation, "its words were forgotten at a person's wish"))
        if kept is not None:
            yield kept


def _one_file_a_subject(operations: Iterable[Operation], work: _Work) -> Iterator[Operation]:
    """The operations without what would open a second page of one title; an observation goes to the note there is."""
    pages_of = _by_title((path, page.title) for path, page in work.tree.pages().items())
    notes_of = _by_title((path, note.title) for path, note in work.tree.notes().items())
    for operation in operations:
        match operation:
            case Open() if operation.page not in work.tree:
                there = pages_of.setdefault(title_key(operation.title), operation.page)
                if there != operation.page:
                    work.dropped.append(Dropped(operation, f"{operation.title!r} has its page already: {there}"))
                    continue
            case Attach() if operation.note not in work.tree:
                yield replace(operation, note=notes_of.setdefault(title_key(operation.title), operation.note))
                continue
        yield operation


def _by_title(titles: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path, title in titles:
        found.setdefault(title_key(title), path)
    return found


def _change(path: str, group: Sequence[Operation], work: _Work) -> None:
    """Apply the operations on one file in their order."""
    try:
        record = _read(path, work)
    except NotApplicable as reason:
        work.dropped += [Dropped(operation, str(reason)) for operation in group]
        return
    for kind, run in groupby(group, type):
        together = list(run)
        for part in [together] if kind in (Attach, State) else [[one] for one in together]:
            record = _edit_all(record, part, path, work)
    if record is not None:
        work.changes[path] = _render(record).encode("utf-8", "replace")


def _read(path: str, work: _Work) -> Record | None:
    if reason := is_safe_path(path):
        raise NotApplicable(f"{path!r} may not be written: {reason}")
    if not (layout.is_summary(path) or ((layout.is_page(path) or layout.is_note(path)) and path.count("/") == _DEPTH)):
        raise NotApplicable(f"{path!r} is no page, note or summary")
    tree = work.tree
    if path not in tree:
        return None
    try:
        text = tree.bytes(path).decode()
    except UnicodeDecodeError:
        raise NotApplicable("the file is not UTF-8, and a rewrite would lose what it holds") from None
    return text if layout.is_summary(path) else tree.page(path) or tree.note(path)


def _edit_all(record: Record | None, operations: Sequence[Operation], path: str, work: _Work) -> Record | None:
    """The record after operations of one type, which succeed or fail each for itself."""
    try:
        record, problems = _edit(record, operations, path, work)
    except (NotApplicable, UsageError) as reason:
        work.dropped += [Dropped(operation, str(reason)) for operation in operations]
        return record
    for operation, problem in zip(operations, problems, strict=True):
        if problem is None:
            work.done.append(operation)
        else:
            work.dropped.append(Dropped(operation, str(problem)))
    return record


def _edit(
    record: Record | None, operations: Sequence[Operation], path: str, work: _Work
) -> tuple[Record | None, Sequence[NotApplicable | None]]:
    match operations[0], record:
        case Attach(), (Note() | None):
            return edits.attach(record, [one for one in operations if isinstance(one, Attach)], work.evidence)
        case State(), Page():
            return edits.state(record, [one for one in operations if isinstance(one, State)], work.evidence)
        case operation, _:
            return _edit_one(record, operation, path, work), [None]


def _edit_one(record: Record | None, operation: Operation, path: str, work: _Work) -> Record:
    match operation, record:
        case Summarise(), (str() | None):
            return summarise(record, operation, work.sessions.get(operation.session), work.evidence)
        case Open(), (Page() | None):
            return edits.open_page(record, operation, path, work.evidence)
        case Relate(), Page():
            return edits.relate(record, operation, work.tree.names(), path)
        case ((Describe() | Supersede() | Archive()), Page()):
            return _revise(record, operation, work.evidence)
        case ((Describe() | Supersede() | Archive()), Note()):
            return _revise(record, operation, work.evidence)
        case _:
            raise NotApplicable(f"{path} is not there, or no file for this operation")


def _revise(document: D, operation: Describe | Supersede | Archive, evidence: Evidence) -> D:
    match operation:
        case Describe():
            return edits.describe(document, operation, evidence)
        case Supersede():
            return edits.supersede(document, operation, evidence)
        case Archive():
            return edits.archive(document)


def _render(record: Record) -> str:
    match record:
        case Page():
            return pages.render(record)
        case Note():
            return notes.render(record)
        case _:
            return record
