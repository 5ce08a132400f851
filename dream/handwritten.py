"""What a person wrote into a page or note by hand gets its citation: the session that recorded it.

Their words stay as they stand; nothing is quoted, typed or filed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from brain import note as notes
from brain import page as pages
from brain.dream.plan import Attach, NewTurns, Operation, State
from brain.evidence import fingerprint
from brain.layout import source_of
from brain.model import Claim, Observation, ObservationType, SessionKind
from brain.text.claims import parse_statement
from brain.tree import Tree

_WHY = "written by hand"
_CONFIDENCE = 0.95


def is_handwritten(new: NewTurns) -> bool:
    return new.session.kind is SessionKind.HAND_EDIT


def cite(sessions: Sequence[NewTurns], tree: Tree) -> Iterator[Operation]:
    """The operations that give every uncited line of pages and notes the turn that holds it."""
    sources = {key: source for new in sessions for key, source in _lines(new)}
    if not sources:
        return
    for path, page in tree.pages().items():
        for claim in pages.claims(page):
            source = sources.get(fingerprint(claim.text)) if not claim.cites else None
            if source and claim.section not in ("", pages.HISTORY):
                yield State(path, claim.section, Claim(claim.text, date=claim.date), (source,), _WHY)
    for path, note in tree.notes().items():
        for claim in notes.claims(note):
            source = sources.get(fingerprint(claim.text)) if not claim.cites else None
            if source:
                yield _attach(path, note, claim, source)


def _attach(path: str, note: notes.Note, claim: Claim, source: str) -> Attach:
    known = next((o for o in note.observations if o.text == claim.text), None)
    observation = known or Observation(claim.text, ObservationType.FACT, _CONFIDENCE, claim.date)
    return Attach(path, note.title, note.domain, observation, (source,), _WHY)


def _lines(new: NewTurns) -> Iterator[tuple[str, str]]:
    """(fingerprint of a line, the turn that holds it)."""
    for turn in new.turns:
        for line in turn.text.split("\n"):
            text = line.strip().removeprefix("- ").removeprefix("* ")
            if text:
                said = notes.observation_of(parse_statement(text).claim)
                words = said.text if said else parse_statement(text).claim.text
                yield fingerprint(words), source_of(new.folder, turn.n)
