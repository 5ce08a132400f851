"""A claim laid beside its evidence: which word of it stands where.

Invariant: a word of the claim is found by its stem, by a word that means nearly the same, or by a beginning long enough
to be no accident; never by its place alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from brain.language import namekeys
from brain.validators.judge.lexicon import Lexicon, lexicon_for
from brain.validators.judge.reading import Reading, Row, Term, read
from brain.validators.judge.verdict import Asked, Spoken

_SHORTEST = 4
"""Letters that two words must begin with to be taken for one."""
_SHARE = 0.75
_NOBODY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Heard:
    """What somebody said, read."""

    spoken: Spoken
    reading: Reading

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.reading.rows


@dataclass(frozen=True, slots=True)
class Case:
    asked: Asked
    claim: Reading
    cited: tuple[Heard, ...]
    context: tuple[Heard, ...]
    nearest: tuple[tuple[Heard, Row], ...] = ()
    """The cited sentences that hold most of the claim, the best first; none that holds nothing of it."""

    @property
    def lexicon(self) -> Lexicon:
        return self.claim.lexicon

    @property
    def everything(self) -> tuple[Heard, ...]:
        return self.cited + self.context

    def content(self) -> tuple[Term, ...]:
        """The words of the claim that must be borne out; names of people are asked for elsewhere."""
        names = self.asked.speakers | self.asked.names
        return tuple(t for t in self.claim.terms if t.is_content and not is_person(t.low, names))


def lay(asked: Asked) -> Case:
    """The claim and its evidence, read."""
    case = Case(asked, read(asked.claim), tuple(map(_hear, asked.cited)), tuple(map(_hear, asked.context)))
    return replace(case, nearest=_nearest(case))


def _hear(spoken: Spoken) -> Heard:
    return Heard(spoken, read(spoken.text))


def is_alike(one: str, other: str, lexicon: Lexicon) -> bool:
    """Two stems that may stand for one another."""
    return one == other or other in lexicon.kin.get(one, ()) or _begins_alike(one, other)


@lru_cache(maxsize=1 << 16)
def _begins_alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    needed = max(_SHORTEST, int(_SHARE * len(shorter) + 0.5))
    return len(shorter) >= _SHORTEST and longer.startswith(shorter[:needed]) and shorter.isalpha()


def find(term: Term, terms: Iterable[Term], lexicon: Lexicon) -> list[Term]:
    """The terms of the evidence that a term of the claim may stand for."""
    key, start = term.key, term.key[:_SHORTEST]
    kin = lexicon.kin.get(key, _NOBODY)
    return [
        other
        for other in terms
        if other.is_content
        and (other.key == key or other.key in kin or (other.key.startswith(start) and _begins_alike(key, other.key)))
    ]


def is_person(low: str, names: Iterable[str]) -> bool:
    """A folded word that is one of these names, a part of one, or a short form."""
    return any(is_called(low, part) for name in names for part in _parts(name))


@lru_cache(maxsize=1 << 12)
def _parts(name: str) -> tuple[str, ...]:
    """The words of a name that name somebody: of "The agent" the last."""
    function_words = lexicon_for(name).function_words
    return tuple(part for part in name.split() if part.lower() not in function_words)


@lru_cache(maxsize=1 << 14)
def is_called(low: str, name: str) -> bool:
    """Mel and Melanie, Илье and Илья are one."""
    mine, other = namekeys.latin(low), namekeys.latin(name)
    if mine == other or not set(namekeys.stems(low)).isdisjoint(namekeys.stems(name.lower())):
        return True
    shorter, longer = sorted((mine, other), key=len)
    return len(shorter) >= 3 and longer.startswith(shorter) and len(longer) <= 2 * len(shorter) + 2


def _nearest(case: Case) -> tuple[tuple[Heard, Row], ...]:
    wanted = {term.key: term for term in case.content()}.values()
    shares = [
        (sum(bool(find(term, row.terms, case.lexicon)) for term in wanted), heard, row)
        for heard in case.cited
        for row in heard.rows
    ]
    ranked = sorted(shares, key=lambda found: -found[0])
    return tuple((heard, row) for share, heard, row in ranked if share and 2 * share >= ranked[0][0])
