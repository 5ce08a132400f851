"""Which words of a phrase make the title of a topic."""

from __future__ import annotations

from collections.abc import Sequence

from brain.language import chunks
from brain.language.rules import Rules
from brain.language.words import Word

_LONGEST = 3
_NO_NOUN = ("ly", "ing")
"""What a single English word that ends so mostly is: an adverb, a verb. Reply, July and the like are the price."""


def title_words(row: Sequence[Word], rules: Rules) -> tuple[Word, ...]:
    """The words of a phrase that make a title, at most three; none where it is not fit for one."""
    kept = [word for word in row if word.low not in rules.function_words and word.low not in rules.lists["numerals"]]
    while len(kept) > 1 and kept[0].is_number:
        kept = kept[1:]
    number = next((at for at, word in enumerate(kept) if word.is_number and at > 1), len(kept))
    named = tuple(kept[:number][-_LONGEST:])
    return named if named and is_title(named, rules) else ()


def is_title(named: Sequence[Word], rules: Rules) -> bool:
    """A noun that says something: not a count, not an oblique case, not too general."""
    if not chunks.is_nominative(named[-1], rules) or rules.has("numerals", named[0].low):
        return False
    if all(chunks.is_vague(word, rules) for word in named) or any("/" in word.low for word in named):
        return False
    last = named[-1]
    if last.low.endswith("'s") or (last.low.endswith("ly") and len(named) > 1):
        return False
    if rules.has("adjectives", last.low) or (len(named) == 1 and not _is_noun(last, rules)):
        return False
    return len(last.low) > 2 and last.low not in rules.lists["chatter"] and last.low not in rules.lists["months"]


def _is_noun(word: Word, rules: Rules) -> bool:
    if rules.has_cases:
        return True
    return not word.low.endswith(_NO_NOUN) and not rules.has("commands", word.low)


def title_of(named: Sequence[Word]) -> str:
    """`short answers` -> `Short answers`."""
    text = " ".join(word.text for word in named)
    return text[0].upper() + text[1:]
