"""The rules of one language, read from its data file.

A language is one file beside this module: lists of words and cues (phrases that say what a sentence does).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from brain.language.namekeys import key
from brain.language.phrases import Phrases
from brain.language.words import Word, is_cyrillic, stem, words

_FUNCTION_LISTS = ("determiners", "prepositions", "conjunctions", "pronouns", "auxiliaries", "adverbs")
_JOINING = "0123456789-'./:@,_"


@dataclass(frozen=True, slots=True)
class Rules:
    """Lists, cues and a few sets worked out from them."""

    code: str
    script: str
    """`latin` or `cyrillic`."""
    has_cases: bool
    """Nouns are told apart by their endings, and no article stands before them."""
    known_share: float
    """Share of function words below which a text is not in this language; running English has 0.4."""
    lists: Mapping[str, frozenset[str]]
    phrases: Phrases
    attributes: Mapping[str, str]
    """Key of a word -> what it tells of somebody or something: home, job, price."""
    twins: Mapping[str, frozenset[str]]
    """Keys of words that tell apart what is otherwise alike, by sort: staging and production."""
    function_words: frozenset[str]
    verb_forms: frozenset[str]
    vague_stems: frozenset[str]
    letters: frozenset[str]
    """What its words are written with; a word with other letters speaks for another language."""

    def has(self, name: str, word: str) -> bool:
        """True when a folded word stands in the list `name`."""
        return word in self.lists[name]

    def start(self, row: Sequence[Word]) -> int:
        """The place of the first word that is no lead-in (and, so, please…); 0 where all are."""
        lead_in = self.lists["lead_in"]
        return next((at for at, word in enumerate(row) if word.low not in lead_in), 0)

    def cues(self, row: Sequence[Word]) -> frozenset[str]:
        """What a sentence does: the names of the cues that its words have."""
        return self.phrases.find(row, self.start(row))


def _with_past(cues: Mapping[str, list[str]], verb_forms: frozenset[str]) -> Mapping[str, list[str]]:
    """The cues, with the regular past of the verbs that are listed among the words of the past."""
    future = {word for phrase in cues["future"] for word in phrase.split("|")}
    regular = sorted(form for form in verb_forms if form.isascii() and form.endswith("ed") and form not in future)
    return {**cues, "past": [*cues["past"], *(["|".join(regular)] if regular else [])]}


def _forms(verb: str) -> Iterator[str]:
    """The forms of an English verb by rule; of words in other scripts the word alone."""
    yield verb
    if not verb.isascii():
        return
    base = verb[:-1] if verb.endswith("e") else verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        yield from (f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing")
        return
    doubled = (
        base + base[-1] if base == verb and len(base) <= 5 and re.search(r"[^aeiou][aeiou][bdglmnprt]$", base) else base
    )
    yield from (f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else f"{verb}s", f"{doubled}ed", f"{doubled}ing")


@lru_cache
def load(code: str) -> Rules:
    """The rules of a language by its code."""
    data = tomllib.loads(resources.files(__package__).joinpath(f"{code}.toml").read_text("utf-8"))
    lists = {name: frozenset(text.split()) for name, text in data["lists"].items()}
    verb_forms = frozenset(form for word in lists["verbs"] | lists["commands"] for form in _forms(word))
    return Rules(
        code=data["code"],
        script=data["script"],
        has_cases=data["has_cases"],
        known_share=data["known_share"],
        lists=lists,
        phrases=Phrases(_with_past(data["cues"], verb_forms)),
        attributes={key(word): name for name, text in data["attributes"].items() for word in text.split()},
        twins={sort: frozenset(map(key, text.split())) for sort, text in data["twins"].items()},
        function_words=frozenset().union(*(lists[name] for name in _FUNCTION_LISTS)),
        verb_forms=verb_forms | lists["person_verbs"],
        vague_stems=frozenset(stem(word) for word in lists["vague"]),
        letters=frozenset(data["letters"] + _JOINING),
    )


@lru_cache
def languages() -> tuple[str, ...]:
    """The codes of the data files, sorted."""
    files = resources.files(__package__).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


def rules_for(text: str) -> Rules:
    """The rules of the language of a script that has most of a text's words among its own; English where none has."""
    script = "cyrillic" if is_cyrillic(text) else "latin"
    found = [rules for code in languages() if (rules := load(code)).script == script]
    if len(found) == 1:
        return found[0]
    row = [word.low for word in words(text)]
    return max(found, key=lambda rules: (sum(word in rules.function_words for word in row), rules.code == "en"))


@lru_cache(maxsize=2048)
def is_known(text: str) -> bool:
    """False for running text in a language that has no data file: only its structure can then be read."""
    rules = rules_for(text)
    row = [word.low for word in words(text) if not word.is_number]
    if len(row) < 4:
        return True
    foreign = sum(word in rules.lists["foreign"] or not rules.letters.issuperset(word) for word in row)
    return sum(word in rules.function_words for word in row) >= max(foreign, rules.known_share * len(row))
