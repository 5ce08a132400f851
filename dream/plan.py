"""What a dream wants to change, as data: operations, each with its evidence and a why.

A dreamer fills a Plan and writes nothing; `apply.apply` turns it into files. Evidence are sources
(`sessions/2026/11/29-1f2e3d4c#t12`); numbers, quotes, dates and ids of citations are given there,
so no dreamer can invent them. `cites`, `id`, `section` and `line` of a claim in a plan are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from brain.config import Settings
from brain.model import Claim, Observation, PageKind, Privacy, Session, Turn
from brain.tree import Tree


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a lead or a summary, with the turns it stands on."""

    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summarise:
    """Write summary.md of a session; the only way to say that the session has been read.

    Of a session that grew: the sentences of its new turns, set below those that are there.
    """

    session: str
    """Its folder, `memory/sessions/2026/11/29-1f2e3d4c`."""
    title: str
    line: str
    """At most 160 characters."""
    sentences: tuple[Sentence, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Attach:
    """Put one observation into the note of its topic; the note is opened where it is missing."""

    note: str
    """Path, `layout.note_path(domain, title)`."""
    title: str
    domain: str
    observation: Observation
    evidence: tuple[str, ...]
    why: str
    summary: str = ""
    """Of a note that is opened; "" takes the first observation."""
    privacy: Privacy = Privacy.SHARED


@dataclass(frozen=True, slots=True)
class Open:
    """Begin a page; where it is there already, its aliases and lead sentences are added to it."""

    page: str
    """Path, `layout.page_path(kind, title)`."""
    title: str
    kind: PageKind
    aliases: tuple[str, ...]
    summary: str
    """At most 160 characters."""
    lead: tuple[Sentence, ...]
    why: str
    importance: int = 3
    privacy: Privacy = Privacy.SHARED


@dataclass(frozen=True, slots=True)
class Describe:
    """Give a page a new summary and lead. Old lead sentences that are not in the new one become History."""

    page: str
    summary: str
    """"" keeps it."""
    lead: tuple[Sentence, ...]
    """Empty keeps it."""
    why: str
    aliases: tuple[str, ...] = ()
    """Added to those that are there."""
    importance: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Add a claim to a section of a page; the same words there already: only the new citations."""

    page: str
    section: str
    claim: Claim
    evidence: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Supersede:
    """A claim of a page or an observation of a note holds no longer: a dated line of History."""

    path: str
    claim_id: str
    """Its block id, or its exact words: a statement of this very plan has no id that a dreamer could know."""
    by: Claim | Observation | None
    """What replaces it (stated in the same place where it is not there yet); None: it only ended."""
    until: str | None
    """Day it stopped holding, ISO; None: unknown."""
    evidence: tuple[str, ...]
    """For `by`; where that is None, for the end itself: added to the line in History."""
    why: str


@dataclass(frozen=True, slots=True)
class Relate:
    """A link from a page to another under Related."""

    page: str
    title: str
    """Title or alias of the other page."""
    words: str
    """Shown beside the link: what binds them."""
    why: str


@dataclass(frozen=True, slots=True)
class Archive:
    """Take a page or note out of maps and search; nothing of it is removed."""

    path: str
    why: str


Operation = Summarise | Attach | Open | Describe | State | Supersede | Relate | Archive


def target(operation: Operation) -> str:
    """The one file that an operation changes."""
    match operation:
        case Summarise():
            return f"{operation.session}/summary.md"
        case Attach():
            return operation.note
        case Supersede() | Archive():
            return operation.path
        case _:
            return operation.page


def evidence(operation: Operation) -> Iterator[str]:
    """Every source an operation names, in its order."""
    for sentence in sentences(operation):
        yield from sentence.evidence
    if isinstance(operation, Attach | State | Supersede):
        yield from operation.evidence


def sentences(operation: Operation) -> tuple[Sentence, ...]:
    match operation:
        case Summarise():
            return operation.sentences
        case Open() | Describe():
            return operation.lead
        case _:
            return ()


def statements(operation: Operation) -> Iterator[str]:
    """The words that an operation would make the memory say, one statement at a time."""
    yield from (sentence.text for sentence in sentences(operation))
    match operation:
        case Attach():
            yield operation.observation.text
        case State():
            yield operation.claim.text
        case Supersede(by=Claim() | Observation() as by):
            yield by.text


def labels(operation: Operation) -> Iterator[str]:
    """What else of an operation is read as words: titles, aliases, summaries, what binds two pages."""
    match operation:
        case Summarise():
            yield from (operation.title, operation.line)
        case Attach():
            yield from (operation.title, operation.summary)
        case Open():
            yield from (operation.title, operation.summary, *operation.aliases)
        case Describe():
            yield from (operation.summary, *operation.aliases)
        case Relate():
            yield from (operation.title, operation.words)


def without(operation: Operation, is_bad: Callable[[str], bool]) -> Operation | None:
    """The operation without its bad statements; None where nothing of it is left to say."""
    if not any(map(is_bad, statements(operation))):
        return operation
    kept = tuple(sentence for sentence in sentences(operation) if not is_bad(sentence.text))
    match operation:
        case Summarise():
            return replace(operation, sentences=kept)
        case Open() | Describe() if kept:
            return replace(operation, lead=kept)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something a dream left out, and why; nothing is left out in silence."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Plan:
    """All operations of one dream, in the order they are to be applied."""

    operations: tuple[Operation, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    model_calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class NewTurns:
    """What of one session no dream has read yet."""

    folder: str
    """`memory/sessions/2026/11/29-1f2e3d4c`."""
    session: Session
    """The whole session, for context; only `turns` are to be distilled."""
    after_turn: int = 0
    """Last turn that was read before; 0: none."""
    after_chars: int = 0
    """How much of that turn's text; it may have grown since."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that are new, or grew; turn `after_turn` comes with all its words."""
        return tuple(t for t in self.session.turns if self._is_new(t))

    @property
    def mark(self) -> tuple[int, int]:
        """(turn, characters of its text) up to which the session has been read when this dream is done."""
        last = self.session.turns[-1]
        return last.n, len(last.text)

    def _is_new(self, turn: Turn) -> bool:
        return turn.n > self.after_turn or (turn.n == self.after_turn and len(turn.text) > self.after_chars)


@dataclass(frozen=True, slots=True)
class Scope:
    """What one dream may read and how far it may go."""

    tree: Tree
    """Base: main as the dream found it."""
    sessions: tuple[NewTurns, ...]
    """Oldest first."""
    now: datetime
    settings: Settings
    instructions: str = ""
    """DREAM.md."""
    forgotten: frozenset[str] = frozenset()
    """Fingerprints of the deletion log: statements that must not come back."""
    skipped: tuple[Skipped, ...] = ()


class Dreamer(Protocol):
    """Fills a plan from a scope; reads, never writes."""

    name: str

    def dream(self, scope: Scope) -> Plan: ...
