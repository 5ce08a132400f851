"""Phase 3: attach the statements of new sessions to the notes of their topics.

Invariants: what is said again gets one more citation and no second line; what changed gets the new line, and the old
one goes to History with its days, by the order of what happened, never of what was imported; look-alikes stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from brain.dream import wording
from brain.dream.frames import Frame, frame
from brain.dream.ledger import Entry, Ledger
from brain.dream.plan import Attach, Operation, Supersede
from brain.dream.statements import Reader, Statement
from brain.dream.topics import Topic
from brain.dream.wording import cut
from brain.model import Observation, ObservationType, Privacy

_MAX_CONFIDENCE = 0.99
_RAISE = 0.5
_MAX_SUMMARY = 160


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement and what became of it: the work of the next phase."""

    statement: Statement
    note: str
    text: str
    """As it stands in the note: of what is said again, the words of the first time."""
    replaced: tuple[str, ...] = ()
    """Texts that it took the place of."""
    replaced_by: str = ""
    """It came in late: this text holds already."""
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Distilled:
    operations: tuple[Operation, ...]
    placed: tuple[Placed, ...]


def distil(statements: Sequence[Statement], reader: Reader, ledger: Ledger) -> Distilled:
    """The operations on notes, and where each statement went."""
    work = _Work(reader, ledger)
    operations: list[Operation] = []
    placed: list[Placed] = []
    ordered = sorted(statements, key=lambda s: (s.said, s.session))
    for _, together in groupby(ordered, key=lambda s: s.evidence[:1]):
        turn = list(together)
        for statement in turn:
            for operation, place in work.place(statement, turn):
                operations.append(operation)
                if place is not None:
                    placed.append(place)
    return Distilled(tuple(operations), tuple(placed))


@dataclass(frozen=True, slots=True)
class _Work:
    reader: Reader
    ledger: Ledger

    def place(self, statement: Statement, turn: Sequence[Statement]) -> Iterator[tuple[Operation, Placed | None]]:
        path = self.reader.topics.path(statement.topic)
        new = _entry(path, statement)
        near = [path, *self._near(statement), *self.ledger.near(new)]
        same = self.ledger.same(new, near) or self._referred(statement)
        if same is not None:
            yield self._repeat(statement, same), Placed(statement, same.path, same.text)
            return
        late = self.ledger.replacing(new, near)
        if late is not None:
            yield from self._late(statement, new, late)
            return
        others = [frame(s.text) for s in turn if s is not statement]
        replaced = self.ledger.replaced(new, near, others)
        if replaced:
            yield from self._replace(statement, new, replaced)
            return
        self.ledger.add(new)
        yield self._attach(statement, path, _why(statement)), Placed(statement, path, new.text)

    def _near(self, statement: Statement) -> list[str]:
        """Notes of what else the statement names, where a change may concern them."""
        if not statement.cues.isdisjoint(("change", "reversal", "ended", "repeat", "memory_quote")):
            topics = self.reader.topics
            if statement.type is ObservationType.PREFERENCE:
                return topics.alike(statement.topic.title)
            found = (topics.find(Topic(s.title, statement.topic.domain, s)) for s in statement.named)
            return [path for path in found if path]
        return []

    def _referred(self, statement: Statement) -> Entry | None:
        """ "As I said, berth 7": the one statement that holds all its numbers and names; nothing new is said."""
        if statement.cues.isdisjoint(("repeat", "memory_quote")):
            return None
        told = _told(frame(statement.text))
        found = [e for e in self.ledger.touched() if told and told <= _told(e.frame)]
        return found[0] if len(found) == 1 else None

    def _repeat(self, statement: Statement, same: Entry) -> Attach:
        weight = statement.confidence
        same.confidence = round(min(_MAX_CONFIDENCE, same.confidence + (1 - same.confidence) * _RAISE * weight), 2)
        same.said = max(same.said, statement.said)
        same.evidence += statement.evidence
        observation = Observation(same.text, same.type, same.confidence, same.day)
        return self._attach(statement, same.path, "said again", observation)

    def _replace(
        self, statement: Statement, new: Entry, replaced: Sequence[Entry]
    ) -> Iterator[tuple[Operation, Placed | None]]:
        first = replaced[0]
        new.path = first.path
        self.ledger.add(new)
        until = statement.day
        placed = Placed(statement, first.path, new.text, tuple(e.text for e in replaced), until=until)
        for entry in replaced:
            entry.is_past = True
            by = _observation(statement) if entry.path == first.path else None
            operation = Supersede(entry.path, entry.text, by, until, statement.evidence, "a later statement differs")
            yield operation, placed if entry is first else None

    def _late(self, statement: Statement, new: Entry, late: Entry) -> Iterator[tuple[Operation, Placed | None]]:
        new.path = late.path
        new.is_past = True
        self.ledger.add(new)
        until = late.day or late.said[:10] or None
        placed = Placed(statement, late.path, new.text, replaced_by=late.text, until=until)
        yield self._attach(statement, late.path, "said earlier, taken in later"), placed
        by = Observation(late.text, late.type, late.confidence, late.day)
        yield Supersede(late.path, new.text, by, until, tuple(late.evidence), "a later statement was known"), None

    def _attach(self, statement: Statement, path: str, why: str, observation: Observation | None = None) -> Attach:
        return Attach(
            note=path,
            title=self.reader.topics.title(path),
            domain=path.split("/")[-2],
            observation=observation or _observation(statement),
            evidence=statement.evidence,
            why=why,
            summary=cut(wording.read(statement.text)[1], _MAX_SUMMARY),
            privacy=Privacy.PRIVATE if statement.is_private else Privacy.SHARED,
        )


def _told(said: Frame) -> frozenset[str]:
    """Its numbers and names, those of the subject too."""
    return said.numbers | said.names | {key for key in said.subject if any(c.isdigit() for c in key)}


def _entry(path: str, statement: Statement) -> Entry:
    s = statement
    return Entry(path, s.text, s.type, s.confidence, s.said, s.day, list(s.evidence))


def _observation(statement: Statement) -> Observation:
    return Observation(statement.text, statement.type, statement.confidence, statement.day)


def _why(statement: Statement) -> str:
    return f"{statement.type.value} about {statement.topic.title}"
