"""Are the numbers of the claim those that were said, of the things they were said of?

Words count as digits do, an amount may be told in another unit (two weeks, 14 days), and a number that belongs to a
day is asked for by `days`. Where the evidence gives the same thing another number, no other place can save the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brain.language.words import fold
from brain.validators.judge.case import Case, is_alike
from brain.validators.judge.days import claimed as claimed_days
from brain.validators.judge.lexicon import Lexicon
from brain.validators.judge.reading import Reading, Term

_DIGITS = re.compile(r"[$€£]?(\d+(?:[.,]\d+)*)(k|m|st|nd|rd|th|%|-?[а-я]{1,3})?")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_TENS = range(20, 100, 10)
_NEAR = 2
"""Content words behind a number among which the thing counted stands."""


@dataclass(frozen=True, slots=True)
class Amount:
    value: float
    things: tuple[str, ...]
    """Stems of the words behind it."""
    written: str
    start: int
    is_small_word: bool
    """A word that need not count anything: one, second, couple."""


def numbers(case: Case) -> str | None:
    """What is wrong with the numbers of the claim."""
    dated = [range(when.start, when.end) for when in claimed_days(case)]
    claimed = [a for a in amounts(case.claim) if not (_is_free(a) or any(a.start in place for place in dated))]
    if not claimed:
        return None
    said = [amount for heard in case.everything for amount in amounts(heard.reading)]
    cited = [amount for heard in case.cited for amount in amounts(heard.reading)]
    for amount in claimed:
        other = next((one for one in cited if _contradicts(one, amount, case.lexicon)), None)
        if other is not None and not any(_is_same(one, amount, case.lexicon) for one in cited):
            return f"it says {amount.written}, the evidence {other.written}"
        if not any(_is_equal(one, amount, case.lexicon) for one in said):
            return f"nobody says {amount.written} in the evidence"
    return None


def _is_free(amount: Amount) -> bool:
    """A number that a writer may add: one of, both, once, a second."""
    return amount.is_small_word and amount.value <= 2


def _is_equal(one: Amount, other: Amount, lexicon: Lexicon) -> bool:
    if one.value == other.value:
        return True
    mine, theirs = _measure(one, lexicon), _measure(other, lexicon)
    return mine is not None and mine == theirs


def _measure(amount: Amount, lexicon: Lexicon) -> tuple[str, float] | None:
    unit = next((lexicon.units[thing] for thing in amount.things[:1] if thing in lexicon.units), None)
    return (unit[0], unit[1] * amount.value) if unit else None


def _is_same(one: Amount, other: Amount, lexicon: Lexicon) -> bool:
    return _is_equal(one, other, lexicon) and (not one.things or not other.things or _counts_alike(one, other, lexicon))


def _contradicts(one: Amount, other: Amount, lexicon: Lexicon) -> bool:
    return not _is_equal(one, other, lexicon) and _counts_alike(one, other, lexicon)


def _counts_alike(one: Amount, other: Amount, lexicon: Lexicon) -> bool:
    return any(is_alike(a, b, lexicon) for a in one.things for b in other.things)


def amounts(reading: Reading) -> Iterator[Amount]:
    """The numbers of a text, in order: twenty-five is one number, and so is 2 thousand."""
    for row in reading.rows:
        terms = row.terms
        at = 0
        while at < len(terms):
            value, end = _value(terms, at, reading.lexicon)
            if value is not None:
                written = " ".join(term.low for term in terms[at:end])
                is_word = not any(c.isdigit() for c in written)
                yield Amount(value, _things(terms, end), written, terms[at].start, is_word)
            at = max(end, at + 1)


def _things(terms: Sequence[Term], end: int) -> tuple[str, ...]:
    return tuple(term.key for term in terms[end : end + _NEAR + 2] if term.is_content)[:_NEAR]


def _value(terms: Sequence[Term], at: int, lexicon: Lexicon) -> tuple[float | None, int]:
    value = _single(terms[at].low, lexicon)
    end = at + 1
    while value is not None and end < len(terms):
        low = terms[end].low
        if low in lexicon.scales:
            value *= lexicon.scales[low]
        elif value in _TENS and terms[end - 1].low.isalpha() and 0 < lexicon.numbers.get(low, 0) < 10:
            value += lexicon.numbers[low]
        else:
            break
        end += 1
    return value, end


def _single(low: str, lexicon: Lexicon) -> float | None:
    if low in lexicon.numbers:
        return lexicon.numbers[low]
    if low in lexicon.scales and len(low) > 2:
        return lexicon.scales[low]
    found = _DIGITS.fullmatch(fold(low))
    if found is None:
        return None
    digits = found[1].replace(",", "") if _THOUSANDS.fullmatch(found[1]) else found[1].replace(",", ".")
    if digits.count(".") > 1:
        return None
    return float(digits) * {"k": 1e3, "m": 1e6}.get(found[2] or "", 1)
