"""What a statement says of what: enough to tell a repetition from a change, and both from a look-alike.

A frame is the subject of a statement, its values (numbers, names, days), the slot each value stands in (berth 7: the
slot is berth), and the rest. Two statements are about one thing only where their subjects are the same; only then can
the later one take the place of the earlier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brain.dream.wording import bare, read
from brain.language import chunks
from brain.language.mentions import mentions
from brain.language.namekeys import latin
from brain.language.namekeys import stems as name_stems
from brain.language.rules import Rules, languages, load, rules_for
from brain.language.words import Word, stem, words

_SAME = 0.8
_ALIKE = 0.5
_DIGITS = re.compile(r"\d")
_ADDED = re.compile(r" \([^()\d]{1,60}\)")


@dataclass(frozen=True, slots=True)
class Frame:
    speaker: str
    subject: frozenset[str]
    """Stems of its subject; of a first person the name of the speaker."""
    verb: str
    values: Mapping[str, str]
    """Slot -> number; a number without a noun before it stands in the slot of its preposition."""
    numbers: frozenset[str]
    names: frozenset[str]
    """Latin stems of names outside the subject."""
    chosen: frozenset[str]
    """Those of its main clause: what a decision decides on, not why."""
    rest: frozenset[str]
    """Stems of the other content words."""
    negated: bool
    cues: frozenset[str]


@lru_cache(maxsize=1 << 14)
def frame(text: str) -> Frame:
    """The frame of a statement as it stands in a note."""
    speaker, said = read(text)
    said = bare(said)
    plain = _ADDED.sub("", said)
    explained = re.match(r"\W*\w+ \(([^()\d]{1,60})\)", said)
    row, rules = words(plain), rules_for(plain)
    named = mentions(plain, row, rules, lambda _row, _at: 0)
    chunk = chunks.subject(plain, row, rules, [(m.start, m.end) for m in named])
    about = _subject(plain, row, rules, chunk, explained[1] if explained else "", speaker)
    inside = range(chunk.start, chunk.end) if chunk else range(0)
    outside = [word for place, word in enumerate(row) if place not in inside]
    names = {key for m in named if m.start not in inside for w in m.name.split() for key in name_stems(w)[-1:]}
    return Frame(
        speaker=speaker,
        subject=about,
        verb=_verb(row, chunk, rules),
        values=_values(row, rules, inside),
        numbers=frozenset(word.low for word in outside if _DIGITS.search(word.low)),
        names=frozenset(names),
        chosen=frozenset(key for key in names if key in _main_keys(row, rules)),
        rest=frozenset(_content(outside, rules)),
        negated=any(word.low in rules.lists["negations"] for word in row),
        cues=rules.cues(row),
    )


def repeats(new: Frame, old: Frame) -> bool:
    """True when both say the same: the same subject, numbers, names and denial, and nearly the same words."""
    return (
        _same_subject(new, old)
        and new.negated == old.negated
        and new.numbers == old.numbers
        and new.names == old.names
        and _overlap(new.rest, old.rest) >= _SAME
    )


def replaces(new: Frame, old: Frame) -> int:
    """How surely a later statement takes the place of an earlier one; 0: it does not."""
    if "hedge" in new.cues or repeats(new, old):
        return 0
    if not _same_subject(new, old):
        return _reverses(new, old)
    return max(_other_value(new, old), _other_name(new, old), _reverses(new, old), _ends(new, old), _denies(new, old))


def _same_subject(new: Frame, old: Frame) -> bool:
    return bool(new.subject) and (new.subject == old.subject or _one_within(new.subject, old.subject))


def _one_within(new: frozenset[str], old: frozenset[str]) -> bool:
    """Ilya and Ilya Maslov; numbers tell things apart, so berth 7 is not within berth."""
    small, large = sorted((new, old), key=len)
    return bool(small) and small < large and not any(_DIGITS.search(key) for key in large - small)


def _other_value(new: Frame, old: Frame) -> int:
    """The same slot with another number: at berth 7, at berth 12."""
    differing = [slot for slot in new.values if slot in old.values and new.values[slot] != old.values[slot]]
    if not differing:
        return 0
    if "change" in new.cues:
        return 3
    shared = _overlap(new.rest - {*differing}, old.rest - {*differing})
    return 2 if new.verb == old.verb and shared >= _ALIKE else 0


def _other_name(new: Frame, old: Frame) -> int:
    """The same verb with another name: works at Lumen Lab, works at Kestrel Audio."""
    if not (new.names and old.names) or new.names & old.names or new.verb != old.verb or not new.verb:
        return 0
    return 3 if new.verb in _LASTING or "change" in new.cues else 0


def _reverses(new: Frame, old: Frame) -> int:
    """A decision that goes back on an earlier one, and names what that had chosen."""
    if "decision" in old.cues and "decision" in new.cues and "reversal" in new.cues:
        return 3 if old.chosen & (new.names | new.rest) else 0
    if "preference" in old.cues and "reversal" in new.cues and "preference" in new.cues and new.speaker == old.speaker:
        return 2 if _overlap_min(new.rest, old.rest) >= 0.2 and len(new.rest & old.rest) >= 2 else 0
    return 0


def _ends(new: Frame, old: Frame) -> int:
    """ "Ilya left the Water Board" ends "Ilya works at the Water Board"."""
    if "ended" in new.cues and new.names & old.names and old.verb in _LASTING and not new.negated:
        return 1
    return 0


def _denies(new: Frame, old: Frame) -> int:
    """The same words with `no longer`."""
    told = "change" in new.cues and new.negated != old.negated and new.numbers == old.numbers
    return 2 if told and _overlap_min(new.rest, old.rest) >= _SAME else 0


_LASTING = frozenset(stem(word) for code in languages() for word in load(code).lists["lasting"])
"""Verbs of states that a thing has one of at a time."""


def _main_keys(row: Sequence[Word], rules: Rules) -> frozenset[str]:
    """Keys of the words before the first `because`, `while`…"""
    end = next((at for at, word in enumerate(row) if at > 2 and rules.has("subordinating", word.low)), len(row))
    return frozenset(_key(word) for word in row[:end])


def _subject(
    text: str, row: Sequence[Word], rules: Rules, chunk: chunks.Chunk | None, explained: str, speaker: str
) -> frozenset[str]:
    if explained:
        return frozenset(_keys(words(explained), rules))
    if chunk is None:
        return frozenset({f"@{latin(speaker)}"})
    if chunk.is_pronoun:
        low = row[chunk.start].low
        mine = rules.has("first_person", low) or rules.has("first_plural", low)
        return frozenset({f"@{latin(speaker)}"}) if mine else frozenset()
    return frozenset(_keys(row[chunk.start : chunk.end], rules))


def _keys(row: Sequence[Word], rules: Rules) -> list[str]:
    kept = [word for word in row if word.low not in rules.function_words or rules.has("possessives", word.low)]
    return [_key(word) for word in kept]


def _key(word: Word) -> str:
    return name_stems(word.text.removesuffix("'s"))[-1] if word.is_capitalised else stem(word.low)


def _content(row: Sequence[Word], rules: Rules) -> list[str]:
    return [stem(w.low) for w in row if w.low not in rules.function_words and not _DIGITS.search(w.low)]


def _verb(row: Sequence[Word], chunk: chunks.Chunk | None, rules: Rules) -> str:
    """The first word behind the subject that is no adverb or helper; "" for forms of to be alone."""
    for word in row[chunk.end if chunk else 0 :][:4]:
        if word.low not in rules.function_words:
            return stem(word.low)
        if rules.has("prepositions", word.low):
            return ""
    return ""


def _values(row: Sequence[Word], rules: Rules, inside: range) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for place, word in enumerate(row):
        if place in inside or not _DIGITS.search(word.low):
            continue
        before = row[place - 1] if place else None
        after = row[place + 1] if place + 1 < len(row) else None
        slot = _slot(before, after, rules)
        if slot and slot not in found:
            found[slot] = word.low + (f" {after.low}" if after and after.low in rules.lists["months"] else "")
    return found


def _slot(before: Word | None, after: Word | None, rules: Rules) -> str:
    if after is not None and after.low in rules.lists["months"]:
        return "date"
    if before is None:
        return ""
    if before.low not in rules.function_words:
        return stem(before.low)
    unit = after is not None and after.low not in rules.function_words
    return f"{before.low} {stem(after.low)}" if after is not None and unit else before.low


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _overlap_min(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
