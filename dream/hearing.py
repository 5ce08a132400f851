"""Turns -> sentences as they were said: words, cues, names, and the subject a pronoun stands for.

A sentence here is still exactly what was said; what of it is worth keeping is for `sift`, how it is written for
`wording`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from brain.dream.subjects import Subject, Subjects
from brain.language import chunks
from brain.language.chunks import Chunk
from brain.language.mentions import Mention, mentions
from brain.language.prose import own
from brain.language.rules import Rules, is_known, rules_for
from brain.language.sentences import Sentence, sentences
from brain.language.words import Word, words
from brain.model import PageKind, Turn

_THINGS = frozenset({PageKind.ORGANISATION, PageKind.PROJECT, PageKind.PLACE, PageKind.TOOL})


@dataclass(frozen=True, slots=True)
class Heard:
    """One sentence in its turn."""

    turn: Turn
    text: str
    row: tuple[Word, ...]
    rules: Rules
    cues: frozenset[str]
    mentions: tuple[Mention, ...]
    subject: Chunk | None
    is_item: bool = False
    is_known: bool = True
    """False: in a language without a data file."""
    before: Heard | None = None
    """The sentence before it in the same turn."""
    antecedent: str = ""
    """What its pronoun stands for; "" where it has none, or it cannot be told."""
    stands_for: Subject | None = None
    """The same, where that is a name."""

    @property
    def is_dangling(self) -> bool:
        """Its subject is a pronoun that nobody explained: it does not read alone."""
        return self.subject is not None and self.subject.is_pronoun and self._is_third_person and not self.antecedent

    @property
    def _is_third_person(self) -> bool:
        return self.pronoun in ("he_or_she", "it", "they", "pointing")

    @property
    def pronoun(self) -> str:
        """Which list of pronouns the subject stands in; "" for a noun or name."""
        if self.subject is None or not self.subject.is_pronoun:
            return ""
        low = self.row[self.subject.start].low
        lists = ("first_person", "first_plural", "second_person", "he_or_she", "it", "they", "pointing")
        return next((name for name in lists if self.rules.has(name, low)), "")

    def words(self, chunk: Chunk) -> str:
        return self.text[self.row[chunk.start].start : self.row[chunk.end - 1].end]


def hear(turn: Turn, subjects: Subjects, text: str | None = None) -> Iterator[Heard]:
    """The sentences of a turn that are the speaker's own words, with what their pronouns stand for."""
    before: Heard | None = None
    for paragraph in own(turn.text if text is None else text):
        for sentence in sentences(paragraph):
            before = _explained(_heard(turn, sentence, subjects, before), subjects)
            yield before


def _heard(turn: Turn, sentence: Sentence, subjects: Subjects, before: Heard | None) -> Heard:
    text = sentence.text
    row, rules = words(text), rules_for(text)
    named = mentions(text, row, rules, subjects.known)
    return Heard(
        turn=turn,
        text=text,
        row=row,
        rules=rules,
        cues=rules.cues(row),
        mentions=named,
        subject=chunks.subject(text, row, rules, [(m.start, m.end) for m in named]),
        is_item=sentence.is_item,
        is_known=is_known(text),
        before=before,
    )


def _explained(heard: Heard, subjects: Subjects) -> Heard:
    """The sentence with what its subject pronoun stands for, where the sentence before leaves no doubt."""
    before = heard.before
    if before is None:
        return heard
    match heard.pronoun:
        case "he_or_she":
            person = _person_of(before, subjects)
            return replace(heard, antecedent=person.title, stands_for=person) if person else heard
        case "it":
            return _explained_thing(heard, before, subjects)
        case _:
            return heard


def _person_of(before: Heard, subjects: Subjects) -> Subject | None:
    if before.pronoun == "he_or_she":
        return before.stands_for
    named = [(mention, subjects.find(mention.name)) for mention in before.mentions]
    at_subject = [s for m, s in named if s and _is_in(m, before.subject) and _may_be_person(s)]
    if at_subject:
        return at_subject[0]
    people = [s for _, s in named if s and s.votes["person"]]
    return people[0] if len(set(people)) == 1 else None


def _may_be_person(subject: Subject) -> bool:
    return bool(subject.votes["person"]) or subject.guess not in _THINGS


def _is_in(mention: Mention, chunk: Chunk | None) -> bool:
    return chunk is not None and chunk.start <= mention.start and mention.end <= chunk.end


def _explained_thing(heard: Heard, before: Heard, subjects: Subjects) -> Heard:
    if before.pronoun == "it":
        return replace(heard, antecedent=before.antecedent, stands_for=before.stands_for)
    if before.subject is None or before.subject.is_pronoun:
        return heard
    named = next((subjects.find(m.name) for m in before.mentions if _is_in(m, before.subject)), None)
    if named is not None and named.votes["person"]:
        return heard
    phrase = before.words(before.subject)
    if named is None and not before.row[before.subject.end - 1].is_capitalised:
        phrase = phrase[0].lower() + phrase[1:]
    return replace(heard, antecedent=phrase, stands_for=named)
