"""What a statement says of what: its subject, its values and what it says is over; `replacing` compares two of them.

A frame is read from a statement as a whole and from each of its clauses. Words stand in it as keys: stems in Latin
letters, so that «Илье» and Ilya are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain.dream.wording import bare, read
from brain.language import chunks
from brain.language.mentions import mentions
from brain.language.namekeys import key, latin
from brain.language.rules import Rules, rules_for
from brain.language.words import Word, words

DATE, TIME, WEEKDAY, NUMBER = "date", "time", "weekday", "number"
LANGUAGE = "language"
SELF = "@"
"""What the key of a first person begins with."""
_DIGITS = re.compile(r"\d")
_NOT_DIGITS = re.compile(r"\D")
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_HOUR = re.compile(r"\d{1,2}:\d\d")
_ADDED = re.compile(r" \([^()\d]{1,60}\)")
_QUOTED = re.compile(r"“[^“”]{12,}”|«[^«»]{30,}»|\"[^\"]{12,}\"")
"""Somebody else's words, when they are more than a name."""
_CLAUSE = re.compile(
    r"(?<=\bsays)\s(?:that\s)?|(?<=\bsaid)\s(?:that\s)?|[.!?;:—–](?=\s)|,(?=\s)|\s(?=(?:so|and|but|because|потому|поэтому|и|но|а)\s)"
)
_LABEL = re.compile(r"((?:[^\W\d][\w-]*[ ]?){1,5}):\s")
_FEWEST = 3
"""Words of a clause that says something by itself."""
_REACH = 5
"""Words behind "instead of" and the like that are over."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number, with what it counts and the word it stands behind; or a weekday."""

    text: str
    kind: str
    unit: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    said: str
    speaker: str
    subject: frozenset[str]
    """Keys of its subject; of a first person the name of the speaker."""
    owner: str
    """Whose: the speaker's for `my`, the subject's for `his`; "" where it does not say."""
    verb: str
    values: tuple[Value, ...]
    numbers: frozenset[str]
    names: frozenset[str]
    """Keys of names outside the subject."""
    chosen: frozenset[str]
    """Those of its main clause: what a decision decides on, not why."""
    rest: frozenset[str]
    """Keys of the content words outside the subject."""
    matter: frozenset[str]
    """Keys of the things and names that it is about, the subject's too: no verbs, no words of any talk."""
    overs: tuple[frozenset[str], ...]
    """Keys of each thing that it says is no longer so: `from Redis to …`, `instead of Redis`, `no longer Redis`."""
    departed: frozenset[str]
    """Keys of what somebody left."""
    attributes: frozenset[str]
    """What it tells of its subject: home, job, price…"""
    marks: Mapping[str, frozenset[str]]
    """Words that tell twins apart, by sort: staging and production, Mondays and Tuesdays."""
    negated: bool
    cues: frozenset[str]

    @property
    def over(self) -> frozenset[str]:
        return frozenset().union(*self.overs)

    @property
    def is_self(self) -> bool:
        return any(one.startswith(SELF) for one in self.subject)

    @property
    def theme(self) -> frozenset[str]:
        """Its subject, as far as it is a thing or a name."""
        return self.subject & self.matter


@lru_cache(maxsize=1 << 14)
def frame(text: str) -> Frame:
    """The frame of a statement as it stands in a note."""
    speaker, said = read(text)
    said = _QUOTED.sub("", bare(said))
    plain = _ADDED.sub("", said)
    explained = re.match(r"\W*\w+ \(([^()\d]{1,60})\)", said)
    return _frame(plain, speaker, explained[1] if explained else "", (_self(speaker), frozenset()))


@lru_cache(maxsize=1 << 14)
def clauses(said: str, speaker: str) -> tuple[Frame, ...]:
    """The frames of its clauses: one without a subject goes on with that of the one before it."""
    found: list[Frame] = []
    for part in _clauses(said):
        before = found[-1].subject if found else _self(speaker)
        found.append(_frame(part, speaker, "", (before, before)))
    return tuple(found)


def _self(speaker: str) -> frozenset[str]:
    return frozenset({f"{SELF}{latin(speaker)}"})


def _clauses(plain: str) -> Iterator[str]:
    parts = [part for part in _CLAUSE.split(plain) if len(part.split()) >= _FEWEST]
    yield from parts if len(parts) > 1 or (parts and len(parts[0]) < len(plain) - 2) else ()


def _frame(plain: str, speaker: str, explained: str, missing: tuple[frozenset[str], frozenset[str]]) -> Frame:
    """`missing`: the subject where none is said, and where it is a pronoun for something else."""
    row, rules = words(plain), rules_for(plain)
    named = mentions(plain, row, rules, lambda _row, _at: 0)
    spans = [(m.start, m.end) for m in named]
    chunk = chunks.subject(plain, row, rules, spans)
    inside = range(chunk.start, chunk.end) if chunk else range(0)
    outside = [word for place, word in enumerate(row) if place not in inside]
    names = {key(w.low) for m in named if m.start not in inside for w in row[m.start : m.end]}
    cues = rules.cues(row)
    label = frozenset(_label_keys(plain, row, rules))
    subject = label or _subject(row, rules, chunk, explained, speaker, missing)
    return Frame(
        said=plain,
        speaker=speaker,
        subject=subject,
        owner=_owner(row, rules, speaker, subject),
        verb=_verb(row, chunk, rules),
        values=tuple(_values(row, rules, inside)),
        numbers=frozenset(word.low for word in outside if _DIGITS.search(word.low)),
        names=frozenset(names),
        chosen=frozenset(names & _main_keys(row, rules)),
        rest=frozenset(_content(outside, rules)),
        matter=frozenset(_matter(plain, row, rules, spans)) | frozenset(names) | label,
        overs=tuple(_over(plain, row, rules, cues)),
        departed=frozenset().union(*_behind(plain, row, rules, "leaving")),
        attributes=frozenset(rules.attributes[key(w.low)] for w in row if key(w.low) in rules.attributes),
        marks=_marks(row, rules),
        negated=any(word.low in rules.lists["negations"] for word in row),
        cues=cues,
    )


def _main_keys(row: Sequence[Word], rules: Rules) -> frozenset[str]:
    """Keys of the words before the first `because`, `while`…"""
    end = next((at for at, word in enumerate(row) if at > 2 and rules.has("subordinating", word.low)), len(row))
    return frozenset(key(word.low) for word in row[:end])


def _subject(
    row: Sequence[Word],
    rules: Rules,
    chunk: chunks.Chunk | None,
    explained: str,
    speaker: str,
    missing: tuple[frozenset[str], frozenset[str]],
) -> frozenset[str]:
    if explained:
        return frozenset(_subject_keys(words(explained), rules))
    if chunk is None:
        return missing[0]
    if chunk.is_pronoun:
        low = row[chunk.start].low
        is_mine = rules.has("first_person", low) or rules.has("first_plural", low)
        return _self(speaker) if is_mine else missing[1]
    keys = frozenset(_subject_keys(row[chunk.start : chunk.end], rules))
    return missing[1] if all(_DIGITS.match(one) for one in keys) else keys


def _subject_keys(row: Sequence[Word], rules: Rules) -> Iterator[str]:
    return (key(w.low) for w in row if w.low not in rules.function_words)


def _label_keys(plain: str, row: Sequence[Word], rules: Rules) -> Iterator[str]:
    """ "Commit messages: …", "About the programme: …": what stands before the colon is the subject."""
    match = _LABEL.match(plain)
    inside = [word for word in row if match and word.end <= match.end(1)]
    if inside and not any(rules.has("subjects", w.low) or rules.has("auxiliaries", w.low) for w in inside):
        found = [w for w in inside if w.low not in rules.function_words and not chunks.is_vague(w, rules)]
        yield from (key(word.low) for word in found if not rules.has("openers", word.low))


def _owner(row: Sequence[Word], rules: Rules, speaker: str, subject: frozenset[str]) -> str:
    for word in row:
        if rules.has("possessives", word.low):
            mine = rules.has("first_person", word.low) or rules.has("first_plural", word.low)
            return f"{SELF}{latin(speaker)}" if mine else " ".join(sorted(subject))
        if word.low.endswith("'s") and word.is_capitalised and word.low not in rules.function_words:
            return key(word.low)
    return ""


def _content(row: Sequence[Word], rules: Rules) -> list[str]:
    return [key(w.low) for w in row if w.low not in rules.function_words and not _DIGITS.search(w.low)]


def _matter(plain: str, row: Sequence[Word], rules: Rules, named: Sequence[tuple[int, int]]) -> Iterator[str]:
    for chunk in chunks.phrases(plain, row, rules, named):
        for word in row[chunk.start : chunk.end]:
            if word.low in rules.function_words or chunks.is_vague(word, rules) or key(word.low) in rules.attributes:
                continue
            if word.low not in rules.lists["chatter"]:
                yield key(word.low)


def _verb(row: Sequence[Word], chunk: chunks.Chunk | None, rules: Rules) -> str:
    """The first word behind the subject that is no adverb or helper; "" for forms of to be alone."""
    for word in row[chunk.end if chunk else 0 :][:4]:
        if word.low not in rules.function_words:
            return "" if word.is_capitalised or word.is_number else key(word.low)
        if rules.has("prepositions", word.low):
            return ""
    return ""


def _over(plain: str, row: Sequence[Word], rules: Rules, cues: frozenset[str]) -> Iterator[frozenset[str]]:
    yield from _behind(plain, row, rules, "over")
    if not cues.isdisjoint(("ended", "correction")):
        yield from _behind(plain, row, rules, "not")


def _behind(plain: str, row: Sequence[Word], rules: Rules, cue: str) -> Iterator[frozenset[str]]:
    """Keys of what stands right behind each place of a cue, up to the next `to`, `for`, comma…"""
    for end in rules.phrases.ends(row, cue):
        found: list[str] = []
        for at in range(end, min(end + _REACH, len(row))):
            word = row[at]
            parted = at and plain[row[at - 1].end : word.start].strip(" '\"«»“”`(")
            if parted or (found and rules.has("ends_what_is_over", word.low)):
                break
            if word.low not in rules.function_words:
                found.append(key(word.low))
        if found:
            yield frozenset(found)


def _values(row: Sequence[Word], rules: Rules, inside: range) -> Iterator[Value]:
    weekdays = rules.twins.get(WEEKDAY, frozenset())
    for place, word in enumerate(row):
        if key(word.low) in weekdays:
            yield Value(key(word.low), WEEKDAY)
        elif place not in inside and (_DIGITS.search(word.low) or _counts(row, place, rules)):
            yield _value(row, place, rules)


def _counts(row: Sequence[Word], place: int, rules: Rules) -> bool:
    """ "Two reviews": a number in letters, right before what it counts."""
    after = row[place + 1].low if place + 1 < len(row) else ""
    return rules.has("numerals", row[place].low) and bool(after) and after not in rules.function_words


def _value(row: Sequence[Word], place: int, rules: Rules) -> Value:
    low = row[place].low
    before = row[place - 1] if place else None
    after = [word.low for word in row[place + 1 : place + 3]]
    months = [low for low in [before.low if before else "", *after[:1], *(after[1:] if after[:1] == ["of"] else [])]]
    month = next((m for m in months if rules.has("months", m)), "")
    if month:
        return Value(f"{_NOT_DIGITS.sub('', low)} {month[:3]}", DATE)
    kind = DATE if _DAY.fullmatch(low) else TIME if _HOUR.fullmatch(low) else NUMBER
    unit = key(after[0]) if after and after[0] not in rules.function_words else ""
    unit = rules.attributes.get(unit, unit) if rules.attributes.get(unit) == "price" else unit
    return Value(low, kind, unit, _label(before, rules))


def _label(before: Word | None, rules: Rules) -> str:
    if before is None:
        return ""
    return before.low if before.low in rules.function_words else key(before.low)


def _marks(row: Sequence[Word], rules: Rules) -> Mapping[str, frozenset[str]]:
    there = {key(word.low) for word in row}
    return {sort: found for sort, twins in rules.twins.items() if (found := frozenset(there & twins))}
