"""Turns -> sentences as they were said: words, cues, names, and the subject a pronoun stands for.

A sentence here is still exactly what was said; what of it is worth keeping is for `sift`, how it is written for
`wording`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from brain.dream.plan import NewTurns
from brain.dream.subjects import Subject, Subjects
from brain.language import chunks
from brain.language.chunks import Chunk
from brain.language.mentions import Mention, mentions
from brain.language.prose import own
from brain.language.retained import spoken
from brain.language.rules import Rules, is_known, rules_for
from brain.language.sentences import Sentence, sentences
from brain.language.titles import title_words
from brain.language.words import Word, words
from brain.model import Origin, PageKind, Role, Trust, Turn

_THINGS = frozenset({PageKind.ORGANISATION, PageKind.PROJECT, PageKind.PLACE, PageKind.TOOL})
_NEAR_START = 3
_END = 1500
_SHORTEST_NICKNAME = 2
_ASIDE = re.compile(r"\[[^\[\]\n]{1,40}:\s[^\[\]\n]{0,1000}\]")
"""What a host or an annotator put between a person's words: `[image: a dog]`."""
_PRONOUNS = ("first_person", "first_plural", "second_person", "he_or_she", "it", "they", "pointing")


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """One sentence in its turn; equal to itself alone, for each holds the one before it."""

    turn: Turn
    text: str
    row: tuple[Word, ...]
    rules: Rules
    cues: frozenset[str]
    mentions: tuple[Mention, ...]
    subject: Chunk | None
    is_item: bool = False
    before: Heard | None = None
    """The sentence before it in the same turn."""
    antecedent: str = ""
    """What its pronoun stands for; "" where it has none, or it cannot be told."""
    stands_for: Subject | None = None
    """The same, where that is a name."""
    object: str = ""
    """What an `it` right behind the verb stands for: `Lyudmila has it`."""
    spoken_to: tuple[Mention, ...] = ()
    """Names that it is said to and says nothing of."""
    person: Subject | None = None
    """Whom `he` or `she` would mean in the sentence after it."""

    @property
    def is_known(self) -> bool:
        """False: in a language without a data file."""
        return is_known(self.text)

    @property
    def pronoun(self) -> str:
        """Which list of pronouns the subject begins with; "" for a noun or name."""
        if self.subject is None:
            return ""
        low = self.row[self.subject.start].low
        if not self.subject.is_pronoun and not self.rules.has("third_possessives", low):
            return ""
        return next((name for name in _PRONOUNS if self.rules.has(name, low)), "")

    @property
    def is_dangling(self) -> bool:
        """Its subject is a pronoun that nobody explained: it does not read alone."""
        third = self.pronoun in ("he_or_she", "it", "they", "pointing")
        return third and not self.antecedent and not self.is_expletive

    @property
    def is_expletive(self) -> bool:
        """ "It is February", "it is Zoya's birthday": an `it` that stands for nothing."""
        if self.pronoun != "it" or self.subject is None or not self.subject.is_pronoun:
            return False
        behind = self.row[self.subject.end : self.subject.end + 2]
        contracted = "'" in self.row[self.subject.start].low
        if not contracted and (not behind or not self.rules.has("being", behind[0].low)):
            return False
        told = behind[0 if contracted else 1 :][:1]
        return bool(told) and (told[0].is_number or told[0].is_capitalised)

    @property
    def has_object(self) -> bool:
        """Its subject, its verb, and then a bare `it`."""
        place = self.subject.end + 1 if self.subject else len(self.row)
        return place < len(self.row) and self.row[place].low in self.rules.lists["it"] and place > 1

    @property
    def is_defining(self) -> bool:
        """It says who or what its subject is, in the words right behind it."""
        if self.subject is None:
            return False
        return "defines" in self.rules.phrases.find(self.row[self.subject.end : self.subject.end + 8], 0)

    @property
    def main_mentions(self) -> tuple[Mention, ...]:
        """The names before the first `because`, `while`…; all where none stands there."""
        rules = self.rules
        ends = (at for at, w in enumerate(self.row) if at > 2 and rules.has("subordinating", w.low))
        end = next(ends, len(self.row))
        return tuple(m for m in self.mentions if m.start < end) or self.mentions

    @property
    def main_cues(self) -> frozenset[str]:
        """The cues of what stands before the first comma: what is told in passing behind it makes no event."""
        end = self.text.find(", ")
        row = [word for word in self.row if word.end <= end] if end > 0 else []
        return self.rules.cues(row) if len(row) > _NEAR_START else self.cues

    def words(self, chunk: Chunk) -> str:
        return self.text[self.row[chunk.start].start : self.row[chunk.end - 1].end]

    def inside(self, chunk: Chunk | None) -> list[Mention]:
        """The names within a phrase."""
        return [m for m in self.mentions if chunk and chunk.start <= m.start and m.end <= chunk.end]


@dataclass(frozen=True, slots=True)
class Spoken:
    """What is new in a session, sentence by sentence."""

    new: NewTurns
    turns: tuple[tuple[Turn, tuple[Heard, ...]], ...]
    """Without turns that are no evidence."""


def listen(new: NewTurns, subjects: Subjects) -> Spoken:
    """The new turns of a session, heard once."""
    last: dict[tuple[str, str | None], Heard] = {}
    turns = []
    for turn in new.turns:
        if is_evidence(turn):
            speaker = (turn.role.value, turn.speaker)
            heard = hear(turn, subjects, last.get(speaker))
            last.update({speaker: heard[-1]} if heard else {})
            turns.append((turn, heard))
    return Spoken(new, tuple(turns))


def is_evidence(turn: Turn) -> bool:
    """It has words, they are not the memory's own, and they are not in quarantine."""
    return not turn.derived and turn.trust is not Trust.HIDDEN and bool(turn.text.strip())


def learn(new: NewTurns, subjects: Subjects) -> None:
    """A first, quick hearing: the names of a session, so that the second knows them all."""
    for speaker in sorted({turn.speaker for turn in new.turns if turn.role is Role.USER and turn.speaker}):
        subjects.person(speaker).speaks = True
    for name, known in nicknames(new):
        subjects.also_called(known, name)
    for turn in new.turns:
        if turn.role is Role.USER and is_evidence(turn):
            for paragraph in own(_ASIDE.sub("\n", turn.own_text)):
                _learn(paragraph, subjects, new.folder, turn.speaker is None)


def nicknames(new: NewTurns) -> Iterator[tuple[str, str]]:
    """(short name, name) of people in a talk of several, where one calls another by the beginning of their name."""
    turns = [turn for turn in new.turns if turn.role is Role.USER and turn.speaker and is_evidence(turn)]
    speakers = sorted({turn.speaker for turn in turns if turn.speaker})
    if len(speakers) < 2:
        return
    found: dict[str, set[str]] = {}
    for turn in turns:
        others = [name for name in speakers if name != turn.speaker]
        for name in _spoken_to(turn):
            found.setdefault(name, set()).update(o for o in others if _is_short_for(name, o))
    yield from sorted((name, known.pop()) for name, known in found.items() if len(known) == 1 and name not in speakers)


def _spoken_to(turn: Turn) -> Iterator[str]:
    for paragraph in own(turn.own_text):
        for sentence in sentences(paragraph):
            row, rules = words(sentence.text), rules_for(sentence.text)
            yield from (m.name for m in mentions(sentence.text, row, rules, _nobody_known) if m.addressed)


def _nobody_known(row: Sequence[Word], at: int) -> int:
    return 0


def _is_short_for(name: str, known: str) -> bool:
    first = known.split(maxsplit=1)[0]
    return _SHORTEST_NICKNAME <= len(name) < len(first) and first.startswith(name)


def introduced(row: Sequence[Word], rules: Rules, named: Sequence[Mention]) -> str:
    """The name that a speaker gives: `my name is Tom`, `Hi, I'm Tom Hadley`; "" where none is given."""
    ends = [(end, cue) for cue in ("introduces", "may_introduce") for end in rules.phrases.ends(row, cue)]
    for end, cue in ends:
        mention = next((m for m in named if m.start == end), None)
        if mention is None or not _is_persons(row[mention.start : mention.end], rules):
            continue
        if cue == "introduces" or mention.end - mention.start > 1 or "greeting" in rules.cues(row):
            return mention.name
    return ""


def _is_persons(named: Sequence[Word], rules: Rules) -> bool:
    """Words that can be a person's name: capitals, no work and no organisation among them."""
    no_names = ("roles", "organisation", "tool_nouns", "vague", "not_names")
    return all(w.is_capitalised and not any(rules.has(name, w.low) for name in no_names) for w in named)


def _learn(paragraph: str, subjects: Subjects, session: str, is_nameless: bool) -> None:
    person: Subject | None = None
    for sentence in sentences(paragraph):
        row, rules = words(sentence.text), rules_for(sentence.text)
        named = mentions(sentence.text, row, rules, subjects.known)
        first = row[rules.start(row)].low if row else ""
        if person is not None and rules.has("he_or_she", first):
            person.votes["person"] += 1
        named = tuple(mention for mention in named if not mention.addressed)
        found = [subjects.learn(mention, session) for mention in named]
        if is_nameless and (name := introduced(row, rules, named)):
            subjects.introduce(name)
        person = found[0] if found and named[0].start <= _NEAR_START else person


def hear(turn: Turn, subjects: Subjects, earlier: Heard | None = None) -> tuple[Heard, ...]:
    """The sentences of a turn that are the speaker's own words; `earlier` is the last of the same speaker before."""
    text = _ASIDE.sub("\n", turn.own_text if turn.role is Role.USER else _ends(turn.text))
    text = spoken(text) if turn.origin is Origin.IMPORT else text
    said = (s for paragraph in own(text) for s in sentences(paragraph))
    return tuple(_told(turn, said, subjects, earlier))


def _ends(text: str) -> str:
    """Beginning and end of a long answer: what was done and what came out stand there."""
    if len(text) <= 2 * _END:
        return text
    head, tail = text[:_END], text[-_END:]
    return f"{head.rpartition(chr(10))[0] or head}\n\n{tail.partition(chr(10))[2] or tail}"


def _told(turn: Turn, said: Iterator[Sentence], subjects: Subjects, earlier: Heard | None) -> Iterator[Heard]:
    before: Heard | None = None
    person = earlier.person if earlier else None
    for sentence in said:
        heard = _heard(turn, sentence, subjects, before)
        heard = _explained(heard, person, subjects)
        person = _person_after(heard, person, subjects)
        before = replace(heard, person=person)
        yield before


def _heard(turn: Turn, sentence: Sentence, subjects: Subjects, before: Heard | None) -> Heard:
    text = sentence.text
    row, rules = words(text), rules_for(text)
    named = mentions(text, row, rules, subjects.known)
    spoken_to = tuple(m for m in named if m.addressed or (m.apart and _speaks(m, turn, subjects)))
    return Heard(
        turn=turn,
        text=text,
        row=row,
        rules=rules,
        cues=rules.cues(row),
        mentions=tuple(m for m in named if m not in spoken_to),
        subject=_subject(text, row, rules, named, max((m.end for m in spoken_to if m.start <= _NEAR_START), default=0)),
        is_item=sentence.is_item,
        before=before,
        spoken_to=spoken_to,
    )


def _speaks(mention: Mention, turn: Turn, subjects: Subjects) -> bool:
    """Whether this is somebody else in the talk."""
    found = subjects.find(mention.name)
    return found is not None and found.speaks and turn.speaker not in (None, *found.names)


def _subject(text: str, row: Sequence[Word], rules: Rules, named: Sequence[Mention], at: int) -> Chunk | None:
    """The subject of what stands behind the name that is spoken to."""
    if at == len(row):
        return None
    found = chunks.subject(text, row[at:], rules, [(m.start - at, m.end - at) for m in named if m.start >= at])
    return found and replace(found, start=found.start + at, end=found.end + at)


def _explained(heard: Heard, person: Subject | None, subjects: Subjects) -> Heard:
    """The sentence with what its subject pronoun stands for, where those before leave no doubt."""
    match heard.pronoun:
        case "he_or_she":
            return replace(heard, antecedent=person.title, stands_for=person) if person else heard
        case "" if heard.before is not None and heard.has_object:
            return replace(heard, object=_thing(heard.before))
        case "it" if heard.before is not None and not heard.is_expletive:
            return _explained_thing(heard, heard.before, subjects)
        case _:
            return heard


def _person_after(heard: Heard, person: Subject | None, subjects: Subjects) -> Subject | None:
    """Who is talked of after a sentence: its subject, else the one it names or introduces, else who was before."""
    if heard.stands_for is not None and heard.pronoun == "he_or_she":
        return heard.stands_for
    at_subject = _found(heard.inside(heard.subject), subjects)
    if at_subject and _may_be_person(at_subject[-1]):
        return at_subject[-1]
    introduced = _found([m for m in heard.mentions if m.introduced], subjects)
    named = [s for s in _found(heard.mentions, subjects) if _is_person(s)]
    candidates = list(dict.fromkeys(introduced or named))
    return candidates[0] if len(candidates) == 1 else (None if candidates else person)


def _found(named: Sequence[Mention], subjects: Subjects) -> list[Subject]:
    return [s for m in named if (s := subjects.find(m.name))]


def _is_person(subject: Subject) -> bool:
    return subject.guess is PageKind.PERSON


def _may_be_person(subject: Subject) -> bool:
    return subject.guess not in _THINGS and not subject.is_lower


def _thing(before: Heard) -> str:
    """The thing that a sentence was about, as one would name it again; "" where it was about somebody."""
    chunk = before.subject
    if chunk is None or chunk.is_pronoun or before.inside(chunk):
        return ""
    named = before.row[chunk.start : chunk.end]
    if not title_words(named, before.rules):
        return ""
    first = 1 if named[0].low in ("a", "an", "the") else 0
    return before.text[named[first].start : named[-1].end] if first < len(named) else ""


def _explained_thing(heard: Heard, before: Heard, subjects: Subjects) -> Heard:
    if before.pronoun == "it":
        return replace(heard, antecedent=before.antecedent, stands_for=before.stands_for)
    if before.subject is None or before.subject.is_pronoun:
        return heard
    named = next(iter(_found(before.inside(before.subject), subjects)), None)
    if named is not None and _is_person(named):
        return heard
    phrase = before.words(before.subject)
    if named is None and not title_words(before.row[before.subject.start : before.subject.end], before.rules):
        return heard
    if named is None and not before.row[before.subject.end - 1].is_capitalised:
        phrase = phrase[0].lower() + phrase[1:]
    return replace(heard, antecedent=phrase, stands_for=named)
