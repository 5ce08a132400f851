"""What a rule puts to a judge: a statement of the tree, the turns that it cites, those before them, who talks.

Invariant: what is put to the judge is what stands in the tree, nothing else; a citation whose words are not there any
more is not put to it at all, because `citations` says what became of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from brain import config, evidence, layout
from brain.evidence import Match
from brain.language.words import words
from brain.model import Citation, Origin, Role, Session, Trust, Turn
from brain.tree import Tree
from brain.validators.documents import Document, Said
from brain.validators.judge.verdict import Asked, Spoken

BEFORE = 3
"""Turns before a cited one that a judge is shown."""
_AGENT = "The agent"
_NOBODY = "The user"
_LINK = re.compile(r"!?\[\[(?:([^\[\]|#]*)(?:#[^\[\]|]*)?)(?:\\?\|([^\[\]]*))?\]\]")


@dataclass(frozen=True, slots=True)
class Talk:
    """Whose brain it is, and where its days begin."""

    person: config.Person
    zone: ZoneInfo

    @classmethod
    def of(cls, tree: Tree) -> Talk:
        """As brain.toml of the tree says; where it says nothing that can be read, nobody in particular in UTC."""
        try:
            settings = config.parse(tree.bytes(layout.SETTINGS) if layout.SETTINGS in tree else b"format = 1\n")
            return cls(settings.person, settings.zone)
        except config.SettingsError:
            return cls(config.Person(), ZoneInfo("UTC"))


def ask(tree: Tree, talk: Talk, document: Document, said: Said) -> Asked | None:
    """The question about one statement; None where none of what it cites stands there as it was cited."""
    cited = [document.citations[n] for n in said.claim.cites if n in document.citations]
    places = [found for one in cited if (found := _place(tree, one)) is not None]
    if not places:
        return None
    people = frozenset((talk.person.name, *talk.person.aliases)) - {""}
    spoken = tuple(_spoken(talk, place) for place in places)
    context = tuple(_spoken(talk, place) for place in _before(places))
    names = _other_names(document, (*spoken, *context))
    return Asked(_without_links(said.claim.text), spoken, context, people, names, talk.zone)


def _other_names(document: Document, spoken: Iterable[Spoken]) -> frozenset[str]:
    """Title and aliases of a file, where the evidence has one of them: its subject is meant."""
    own = frozenset(filter(None, (document.front.get_text("title"), *document.aliases)))
    said = {word.low.removesuffix("'s") for one in spoken for word in words(one.text)}
    is_meant = any(word.low in said for name in own for word in words(name) if word.is_capitalised)
    return own if is_meant else frozenset()


@dataclass(frozen=True, slots=True)
class _Place:
    """Words of a session that can be put to a judge."""

    folder: str
    session: Session
    turn: Turn
    words: str
    is_result: bool = False
    """What a tool gave, not what the turn says."""

    @property
    def address(self) -> tuple[str, int]:
        return self.folder, self.turn.n


def _place(tree: Tree, citation: Citation) -> _Place | None:
    """What a citation names; None where it does not stand there as it was cited."""
    address = layout.parse_source(citation.source)
    turn, words = tree.turn(citation.source), tree.cited_text(citation.source)
    session = tree.session(address[0]) if address else None
    if address is None or session is None or turn is None or words is None:
        return None
    if evidence.matches(citation.quote, words) is not Match.MATCH:
        return None
    return _Place(address[0], session, turn, words, address[2] is not None)


def _spoken(talk: Talk, place: _Place) -> Spoken:
    turn = place.turn
    is_own = turn.origin in (Origin.USER, Origin.ASSISTANT) and turn.trust > Trust.THIRD and not place.is_result
    speaker = None if place.is_result else _speaker(talk, turn)
    at = layout.said_at(turn, place.session, place.folder, talk.zone)
    return Spoken(place.words, speaker, at, is_told=not is_own)


def _speaker(talk: Talk, turn: Turn) -> str:
    if turn.role is Role.ASSISTANT:
        return turn.speaker or _AGENT
    is_theirs = not turn.speaker or turn.speaker in talk.person.aliases
    return (talk.person.name if is_theirs else "") or turn.speaker or _NOBODY


def _before(places: Sequence[_Place]) -> Iterator[_Place]:
    """The turns before the cited ones, each once."""
    shown = {place.address for place in places}
    for place in places:
        end = place.turn.n - 1
        for turn in place.session.turns[max(0, end - BEFORE) : end]:
            before = _Place(place.folder, place.session, turn, turn.text)
            if before.address not in shown and turn.text:
                shown.add(before.address)
                yield before


def _without_links(text: str) -> str:
    """The words that a reader sees of it."""
    return _LINK.sub(lambda match: match[2] or match[1], text)
