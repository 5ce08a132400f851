"""What a sentence is about: its grammatical subject and its noun phrases, without a parser.

English phrases end before a verb or a function word; Russian ones are read by endings. Both are guesses: what is built
on them (titles of notes, what a pronoun stands for) must be harmless where they are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from brain.language import namekeys
from brain.language.rules import Rules
from brain.language.words import Word, stem

_VERB_END = re.compile(r"(?:s|ed)$")
_RU_VERB = re.compile(
    r"(?:ть|ться|тся|[аеиыуя]л[аои]?|(?:нес|вез|рос|мог|пек|ш)л[аои]|лся|лась|лись|лось|ет|ит|ут|ют|ат|ят|ем|им|ешь|ишь|ете|ите|йте)$"
)
_RU_ADJECTIVE = re.compile(r"(?:ый|ий|ой|ая|яя|ое|ее|ые|ие|ого|его|ому|ему|ую|юю|ых|их|ыми|ими|ым)$")
_RU_OBLIQUE = re.compile(r"(?:[ую]|ами|ями|ах|ях|ом|ием|ого|ому|ов|ев)$")
_MAX_PHRASE = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Words that name one thing; places in the row, the end is exclusive."""

    start: int
    end: int
    is_subject: bool = False
    is_pronoun: bool = False


def subject(text: str, row: Sequence[Word], rules: Rules, names: Sequence[tuple[int, int]]) -> Chunk | None:
    """The words that the sentence says something of; None where they cannot be told."""
    at = _after_opening(text, row, rules)
    if at >= len(row):
        return None
    low = row[at].low
    if low in rules.function_words and not (rules.has("determiners", low) or rules.has("third_possessives", low)):
        is_pronoun = row[at].low in rules.lists["pronouns"] or _is_contracted(row[at].low, rules)
        return Chunk(at, at + 1, True, True) if is_pronoun else None
    if rules.has("pointing", low) and (at + 1 >= len(row) or _is_predicate(row, at + 1, rules)):
        return Chunk(at, at + 1, True, True)
    if _is_compound(row, at, rules):
        return Chunk(at, at + 2, True)
    chunk = _phrase_at(text, row, at, rules, dict(names), True)
    if chunk is None or (chunk.start == 0 and chunk.end == 1 and is_verb(row, 0, rules)):
        return None
    named = any(start <= chunk.end - 1 < end for start, end in names)
    last = row[chunk.end - 1] if named else _head_noun(row, chunk, rules)
    return chunk if is_nominative(last, rules, named) else None


def _head_noun(row: Sequence[Word], chunk: Chunk, rules: Rules) -> Word:
    """The last word; of a Russian phrase the first noun, for others behind it stand in the genitive."""
    nouns = [
        w for w in row[chunk.start : chunk.end] if w.low not in rules.function_words and not _is_ru_adjective(w.low)
    ]
    return nouns[0] if rules.has_cases and nouns else row[chunk.end - 1]


def _is_predicate(row: Sequence[Word], at: int, rules: Rules) -> bool:
    return rules.has("auxiliaries", row[at].low) or is_verb(row, at, rules)


def _is_compound(row: Sequence[Word], at: int, rules: Rules) -> bool:
    """ "Pull requests need …": what could be a verb stands before a plural that has a verb of its own."""
    if rules.has_cases or at + 2 >= len(row) or row[at + 1].low in rules.function_words:
        return False
    return is_verb(row, at, rules) and row[at + 1].low.endswith("s") and _is_predicate(row, at + 2, rules)


def is_nominative(word: Word, rules: Rules, is_name: bool = False) -> bool:
    """False where the ending says another case, as far as that can be told."""
    if not rules.has_cases:
        return True
    if is_name:
        return namekeys.is_nominative(word.text)
    return _RU_OBLIQUE.search(word.low) is None and word.low not in rules.verb_forms


def phrases(text: str, row: Sequence[Word], rules: Rules, names: Sequence[tuple[int, int]]) -> tuple[Chunk, ...]:
    """The noun phrases of a sentence, in order, none within another."""
    found: list[Chunk] = []
    at = 0
    spans = dict(names)
    before_verb = True
    while at < len(row):
        chunk = _phrase_at(text, row, at, rules, spans, before_verb)
        if chunk:
            found.append(chunk)
        at = chunk.end if chunk else at + 1
        before_verb = before_verb and not (at < len(row) and is_verb(row, at, rules)) and not found
    return tuple(found)


def head(row: Sequence[Word], chunk: Chunk, rules: Rules) -> tuple[Word, ...]:
    """The words of a phrase that name the thing: without determiner, and with one more where the last is vague."""
    words = [word for word in row[chunk.start : chunk.end] if word.low not in rules.function_words]
    if not words:
        return ()
    if rules.has_cases:
        nouns = [word for word in words if not _is_ru_adjective(word.low)] or words
        words = words[: words.index(nouns[0]) + 1]
    last = words[-1]
    wide = len(words) > 1 and (is_vague(last, rules) or last.is_number)
    return tuple(words[-2:] if wide else words[-1:])


def has_verb(row: Sequence[Word], rules: Rules) -> bool:
    """True when something in the sentence can be its verb."""
    return any(_is_finite(row, at, rules) for at in range(len(row)))


def _is_finite(row: Sequence[Word], at: int, rules: Rules) -> bool:
    low = row[at].low
    return rules.has("auxiliaries", low) or (is_verb(row, at, rules) and not low.endswith("ing"))


def is_vague(word: Word, rules: Rules) -> bool:
    """Too general to be a topic by itself."""
    return stem(word.low) in rules.vague_stems or word.is_number or word.low in rules.lists["numerals"]


def _after_opening(text: str, row: Sequence[Word], rules: Rules) -> int:
    """Past lead-in words, a label before a colon, and an adverbial that a comma ends."""
    at = rules.start(row)
    for place in range(at, min(at + 3, len(row) - 1)):
        if text[row[place].end : row[place + 1].start].startswith(":"):
            at = place + 1 + rules.start(row[place + 1 :])
            break
    if at + 2 < len(row) and row[at].low in rules.lists["there"] and rules.has("auxiliaries", row[at + 1].low):
        return at + 2
    if at < len(row) and (rules.has("prepositions", row[at].low) or rules.has("adverbs", row[at].low)):
        for place in range(at, min(at + 8, len(row) - 1)):
            if text[row[place].end : row[place + 1].start].startswith(","):
                return place + 1
        return _after_adverbial(row, at, rules)
    return at


def _after_adverbial(row: Sequence[Word], at: int, rules: Rules) -> int:
    """ "Yesterday I …", "Since 1 September Ilya …", "At the moment the readings …"."""
    for place in range(at + 1, min(at + 7, len(row))):
        word, before = row[place], row[place - 1]
        opens = rules.has("determiners", word.low) and not rules.has("prepositions", before.low)
        is_name = word.is_capitalised and word.low not in rules.lists["not_names"]
        if rules.has("subjects", word.low) or _is_contracted(word.low, rules) or is_name or opens:
            return place
    return at


def _is_contracted(low: str, rules: Rules) -> bool:
    return "'" in low and low.split("'", maxsplit=1)[0] in rules.lists["subjects"]


def _phrase_at(
    text: str, row: Sequence[Word], at: int, rules: Rules, names: dict[int, int], is_subject: bool
) -> Chunk | None:
    start = at
    while at < len(row) and (rules.has("determiners", row[at].low) or rules.has("possessives", row[at].low)):
        at += 1
    begin = at
    while at < len(row) and at - begin < _MAX_PHRASE and (at == begin or text[row[at - 1].end : row[at].start] == " "):
        if at in names and not row[names[at] - 1].low.endswith("'s"):
            return Chunk(start, _with_number(text, row, names[at], rules), is_subject)
        if row[at].low in rules.function_words or _is_date(row, at, rules):
            break
        # After a determiner or an adjective a word is a noun, whatever else it may be: short answers.
        free = at == begin and at == start
        if at > begin and row[at - 1].low.endswith("'s"):
            at += 1
            continue
        ends = (is_subject and at > begin and not is_verb(row, at + 1, rules)) or free
        if ends and is_verb(row, at, rules):
            break
        at += 1
    return Chunk(start, at, is_subject) if at > begin else None


def _is_date(row: Sequence[Word], at: int, rules: Rules) -> bool:
    return row[at].is_number and at + 1 < len(row) and rules.has("months", row[at + 1].low)


def _with_number(text: str, row: Sequence[Word], end: int, rules: Rules) -> int:
    """A number that belongs to the name before it: berth 7."""
    follows = end < len(row) and row[end].is_number and text[row[end - 1].end : row[end].start] == " "
    return end + 1 if follows and not _is_date(row, end, rules) else end


def is_verb(row: Sequence[Word], at: int, rules: Rules) -> bool:
    """True when the word at this place may be a verb; False past the end."""
    if at >= len(row):
        return False
    low = row[at].low
    if rules.has_cases:
        if low in rules.lists["vague"] or low in rules.lists["nouns"] or (at and _is_ru_adjective(row[at - 1].low)):
            return False
        return (low in rules.verb_forms or _RU_VERB.search(low) is not None) and (at == 0 or not row[at].is_capitalised)
    if row[at].is_capitalised and at > 0:
        return False
    if low in rules.verb_forms:
        return True
    follows = row[at + 1] if at + 1 < len(row) else None
    return (
        at > 0
        and len(low) > 4
        and _VERB_END.search(low) is not None
        and follows is not None
        and (follows.low in rules.function_words or follows.is_number)
        and not rules.has("conjunctions", follows.low)
        and low not in rules.lists["vague"]
    )


def _is_ru_adjective(low: str) -> bool:
    return len(low) > 4 and _RU_ADJECTIVE.search(low) is not None
