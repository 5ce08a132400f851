"""A person's own brain as a world: what the newest sessions asked, and what of the older ones answered it.

The newest sessions are held out. A question is what the person asked there; what was needed are the rare names, numbers
and identifiers of the answer (and of what the agent then ran) that older sessions had and the question had not, where
the person did not take it back in the next turn. So it measures: would the memory have shown them?
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.eval.task import BadDataset, Sample, World
from brain.language.rules import rules_for
from brain.language.sentences import sentences
from brain.language.words import words
from brain.model import Role, Session, SessionKind, Turn
from brain.tree import Tree

SHARE = 0.2
"""Of the sessions, held out."""
TERMS = 3
"""Needed things looked at, a question: the rarest."""
RARE = 0.1
"""Share of the older sessions up to which a term is rare."""
LONGEST = 1500
"""Characters of a question; what is longer is pasted text."""

_TERM = re.compile(r"(?<![\w./-])(?:[\w.]*[_./:-][\w./:-]*\w|\w*\d\w*|[A-ZА-ЯЁ][\w-]{2,})(?![\w-])")


@dataclass(frozen=True, slots=True)
class _Said:
    """The terms of the older sessions: in which turns each stands, and in how many sessions."""

    places: dict[str, list[str]]
    sessions: Counter[str]

    def add(self, session: Session) -> None:
        seen: set[str] = set()
        for turn in session.turns:
            for term in dict.fromkeys(_terms(_whole(turn))):
                self.places.setdefault(term, []).append(f"{session.id}#t{turn.n}")
                seen.add(term)
        self.sessions.update(seen)


def world(tree: Tree, person: str, timezone: str, share: float = SHARE) -> World:
    """Raises: BadDataset where there are too few sessions, or nothing in the newest ones rests on older ones."""
    found = [s for s in tree.sessions().values() if s.started is not None and s.kind is SessionKind.MAIN]
    sessions = sorted(found, key=lambda session: (str(session.started), session.id))
    first = len(sessions) - max(1, round(share * len(sessions)))
    if first < 3:
        raise BadDataset(
            f"This brain has {len(sessions)} dated sessions, too few to hold some out; nothing was run.",
            "brain ingest takes in more",
        )
    samples = tuple(_samples(sessions, first))
    if not samples:
        raise BadDataset(
            "Nothing asked in the newest sessions was answered by something rare from older ones; nothing was run.",
            "hold more out: --share 0.5",
        )
    return World("own", tuple(sessions), samples, person, timezone)


def _samples(sessions: Sequence[Session], first: int) -> Iterator[Sample]:
    """The questions of the sessions from `first` on, each asked when all before its session had been said."""
    said = _Said({}, Counter())
    for n, session in enumerate(sessions):
        if n >= first:
            for asked, answer, after in _exchanges(session):
                if not _is_taken_back(after):
                    yield from _needed(session, n, asked, answer, said)
        said.add(session)


def _needed(session: Session, before: int, asked: Turn, answer: Turn, said: _Said) -> Iterator[Sample]:
    """One sample for each of the rarest things that the answer had from older sessions."""
    limit = max(2, round(RARE * before))
    known = set(_terms(asked.own_text))
    needed = {t: said.sessions[t] for t in _terms(_whole(answer)) if 0 < said.sessions[t] <= limit and t not in known}
    for term in sorted(needed, key=lambda term: (needed[term], term))[:TERMS]:
        yield Sample(
            id=f"{session.id}-{asked.n}-{term}",
            question=asked.own_text.strip(),
            category="own",
            answers=(term,),
            evidence=frozenset(said.places[term]),
            at=asked.time or session.started,
            after=before,
            cluster=session.id,
        )


def _exchanges(session: Session) -> Iterator[tuple[Turn, Turn, Turn | None]]:
    """(question, what the agent did, what the person said then)."""
    turns = [turn for turn in session.turns if not turn.derived]
    for asked, answer, after in zip(turns, turns[1:], [*turns[2:], None], strict=False):
        text = asked.own_text.strip()
        if asked.role is Role.USER and answer.role is Role.ASSISTANT and 0 < len(text) <= LONGEST and _asks(text):
            yield asked, answer, after


def _asks(text: str) -> bool:
    return "?" in text or bool(_cues(text) & {"question", "request"})


def _is_taken_back(after: Turn | None) -> bool:
    return after is not None and bool(_cues(after.own_text[:LONGEST]) & {"correction", "denial", "dead_end"})


def _cues(text: str) -> frozenset[str]:
    rules = rules_for(text)
    return frozenset(cue for sentence in sentences(text) for cue in rules.cues(words(sentence.text)))


def _whole(turn: Turn) -> str:
    """What an agent said and ran; what tools gave back is no answer of its own."""
    return "\n".join([turn.text, *(call.input for call in turn.tool_calls)])


def _terms(text: str) -> list[str]:
    """Names, numbers and identifiers, as written; a word that merely begins a sentence is none."""
    starts = {match.end() for match in re.finditer(r"(?:\A|[.!?:\n]\s*[-*>#\d.]*\s*)", text)}
    return [m[0] for m in _TERM.finditer(text) if not (m.start() in starts and m[0].isalpha()) and len(m[0]) > 1]
