"""What the words of one language do in a claim, read from its data file.

A language is one `.toml` beside this module and one in `brain/language`, of which the function words, negations and
pronouns are taken. Of another language only its structure is read: names, numbers, days, the words themselves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from brain.language import rules
from brain.language.phrases import Phrases
from brain.language.words import stem


@dataclass(frozen=True, slots=True)
class Lexicon:
    code: str
    function_words: frozenset[str]
    negations: frozenset[str]
    negative: frozenset[str]
    """Stems of words that deny without a "not": stop, lack, avoid."""
    turns: frozenset[str]
    """Words at which a negation or a plan ends: but, because."""
    first: frozenset[str]
    """I, my, we, our."""
    second: frozenset[str]
    third: frozenset[str]
    light: frozenset[str]
    """Stems that a writer of claims adds of himself: expresses, finds, recently; they need no evidence."""
    attitudes: frozenset[str]
    """Stems of what one does by speaking: thinks, praises, encourages."""
    unreal: Phrases
    """`plan`, `wish`, `condition`: what follows is no fact; `past`: what follows has happened; `idle`: a negation
    that denies nothing."""
    numbers: Mapping[str, float]
    scales: Mapping[str, float]
    units: Mapping[str, tuple[str, float]]
    """Stem of a unit -> what it is measured in, and how many of these it has."""
    times: frozenset[str]
    """Stems of words of time, which are as much a part of a fact as a number."""
    amounts: Mapping[str, str]
    """Word -> its class: all, none, most, some."""
    opposites: Mapping[str, frozenset[str]]
    """Stem -> stems that say the contrary."""
    kin: Mapping[str, frozenset[str]]
    """Stem -> stems that mean nearly the same, itself among them."""


def lexicon_for(text: str) -> Lexicon:
    """That of the language of a text, English where there is none."""
    code = rules.rules_for(text).code
    return load(code if code in known() else "en")


@lru_cache
def known() -> tuple[str, ...]:
    """The codes of the data files, sorted."""
    files = resources.files(__package__).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@lru_cache
def load(code: str) -> Lexicon:
    data = tomllib.loads(resources.files(__package__).joinpath(f"{code}.toml").read_text("utf-8"))
    lists = rules.load(code).lists
    words = data["words"]
    return Lexicon(
        code=code,
        function_words=rules.load(code).function_words | frozenset(words["function"].split()),
        negations=lists["negations"] | frozenset(words["negations"].split()),
        negative=_stems(words["negative"].split()),
        turns=frozenset(words["turns"].split()),
        first=lists["first_person"] | lists["first_plural"],
        second=lists["second_person"],
        third=lists["he_or_she"] | lists["they"],
        light=_stems(words["light"].split()),
        attitudes=_stems(words["attitudes"].split()),
        unreal=Phrases(data["moods"]),
        numbers={word: float(value) for value, row in data["numbers"].items() for word in row.split()},
        scales={word: float(value) for value, row in data["scales"].items() for word in row.split()},
        units={
            stem(w): (kind, float(n))
            for kind, row in data["units"].items()
            for n, ws in row.items()
            for w in ws.split()
        },
        times=_stems(words["times"].split()),
        amounts={word: name for name, row in data["amounts"].items() for word in row.split()},
        opposites=_opposites(data["opposites"]),
        kin=_kin(data["kin"]),
    )


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _opposites(rows: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Of rows `one two / three`: each word of one side against those of the other."""
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        left, right = (_stems(side.split()) for side in row.split("/"))
        for word in left:
            found[word] = found.get(word, frozenset()) | right
        for word in right:
            found[word] = found.get(word, frozenset()) | left
    return found


def _kin(rows: Iterable[str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        group = _stems(row.split())
        for word in group:
            found[word] = found.get(word, frozenset()) | group
    return found
