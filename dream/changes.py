"""What differs between base and a staged tree, in the words of the memory: files, statements, links.

Reports and commit messages are computed from this, never from what a plan said it would do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from brain.evidence import fingerprint
from brain.links import wikilinks
from brain.tree import Tree, changed
from brain.validators.documents import Document, Kind, Said, document, is_document

_FIELDS = ("title", "aliases", "summary", "line", "importance", "privacy", "status")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One page, note or summary that is new or differs."""

    path: str
    kind: Kind
    is_new: bool
    added: tuple[tuple[Said, tuple[str, ...]], ...] = ()
    """Statements with their evidence."""
    past: tuple[Said, ...] = ()
    """Statements that stopped holding."""
    cited: tuple[tuple[Said, tuple[str, ...]], ...] = ()
    """Statements that were there, with the evidence that is new."""
    fields: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """What it links to now and did not before."""


def compare(base: Tree, staged: Tree) -> tuple[FileChange, ...]:
    """Every page, note and summary that differs, by path."""
    paths = (path for path in sorted(changed(base, staged)) if is_document(path) and path in staged)
    return tuple(_compare(base, staged, path) for path in paths)


def _compare(base: Tree, staged: Tree, path: str) -> FileChange:
    after = document(staged, path)
    before = document(base, path) if path in base else None
    known = {_name(said): said for said in before.said} if before else {}
    added, past, cited = [], [], []
    for said in after.said:
        old = known.get(_name(said))
        fresh = tuple(sorted(after.evidence(said) - (before.evidence(old) if before and old else frozenset())))
        if old is None and not said.is_past:
            added.append((said, fresh))
        elif said.is_past and not (old and old.is_past):
            past.append(said)
        elif fresh:
            cited.append((said, fresh))
    links = tuple(sorted(_targets(after) - (_targets(before) if before else set())))
    return FileChange(
        path, after.kind, before is None, tuple(added), tuple(past), tuple(cited), _fields(before, after), links
    )


def _name(said: Said) -> str:
    return said.claim.id or fingerprint(said.claim.text)


def _fields(before: Document | None, after: Document) -> tuple[str, ...]:
    if before is None:
        return ()
    return tuple(key for key in _FIELDS if before.front.values.get(key) != after.front.values.get(key))


def _targets(found: Document) -> set[str]:
    return {link.target for link in wikilinks(found.front.text) if link.target}


def headline(changes: tuple[FileChange, ...]) -> str:
    """`3 sessions, 2 pages opened, 14 claims, 1 superseded`: what a night came to, in one line."""
    told = [_count(number, word) for word, number in _counts(changes).items() if number]
    return ", ".join(told) or "maps brought up to date"


def _counts(changes: tuple[FileChange, ...]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for change in changes:
        counts.update(dict(_count_one(change)))
    return Counter({word: counts[word] for word in _WORDS})


def _count_one(change: FileChange) -> Iterator[tuple[str, int]]:
    match change.kind:
        case Kind.SUMMARY:
            yield "session", 1
            return
        case Kind.PAGE:
            yield "page opened" if change.is_new else "page changed", 1
            yield "claim", len(change.added)
        case Kind.NOTE:
            yield "note opened" if change.is_new else "note changed", 1
            yield "observation", len(change.added)
    yield "superseded", sum(said.superseded_by is not None for said in change.past)
    yield "ended", sum(said.superseded_by is None for said in change.past)
    yield "archived", int("status" in change.fields)


_WORDS = (
    "session",
    "page opened",
    "page changed",
    "claim",
    "note opened",
    "note changed",
    "observation",
    "superseded",
    "ended",
    "archived",
)


def _count(number: int, word: str) -> str:
    noun, _, rest = word.partition(" ")
    if noun in ("superseded", "ended", "archived") or number == 1:
        return f"{number} {word}"
    return f"{number} {noun}s {rest}".rstrip()
