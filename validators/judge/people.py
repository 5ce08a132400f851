"""Is it said by, and of, the one whom the claim names?

Whoever the claim names must be named in the evidence, or speak in it. What it tells of the speaker must have been told
of an "I" or of nobody; what it tells of somebody else, of a "you", of a "she", or of the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum

from brain.language.rules import load
from brain.validators.judge.case import Case, find, is_called, is_person
from brain.validators.judge.lexicon import Lexicon
from brain.validators.judge.reading import Row, Term

_ENDINGS = ("ing", "s")


class Voice(StrEnum):
    SPEAKER = "speaker"
    HEARER = "hearer"
    OTHER = "other"
    NOBODY = "nobody"


def people(case: Case) -> str | None:
    """What is wrong with the names of the claim."""
    unknown = next((term for term in _names(case) if not _is_known(term, case)), None)
    if unknown is not None:
        return f"nobody names {_shown(case, unknown)} in the evidence"
    subject = _subject(case)
    speakers = {heard.spoken.speaker for heard in case.cited if not heard.spoken.is_told} - {None}
    if subject is None or not speakers:
        return None
    if any(is_person(subject.low, (name,)) for name in speakers if name):
        return _of_speaker(case, subject)
    return _of_other(case, subject)


def _shown(case: Case, term: Term) -> str:
    return case.claim.text[term.start : term.end].removesuffix("'s")


def _names(case: Case) -> Iterator[Term]:
    """Names in a claim, days and months apart; at its beginning a capital is one unless the word is a common one."""
    for row in case.claim.rows:
        for at, term in enumerate(row.terms):
            is_time = term.key in case.lexicon.times
            if not is_time and (term.is_name or (at == 0 and _may_be_name(row, term, case))):
                yield term


def _may_be_name(row: Row, term: Term, case: Case) -> bool:
    if not (term.is_content and row.text[:1].isupper()) or term.low.endswith(_ENDINGS):
        return False
    rules = load(case.lexicon.code)
    common = ("adjectives", "vague", "kin", "verbs", "nouns", "not_names", "chatter", "adverbs")
    return not any(rules.has(name, term.low) for name in common) and term.low not in rules.verb_forms


def _is_known(term: Term, case: Case) -> bool:
    if is_person(term.low, case.asked.speakers | case.asked.names):
        return True
    return any(
        other.key == term.key
        or is_called(term.low, other.low)
        or (not term.is_name and find(term, [other], case.lexicon))
        for heard in case.everything
        for other in heard.reading.terms
    )


def _subject(case: Case) -> Term | None:
    """The first of the people of the talk in the first sentence of the claim."""
    first = case.claim.rows[0].terms if case.claim.rows else ()
    return next((term for term in first if is_person(term.low, case.asked.speakers)), None)


def _of_speaker(case: Case, subject: Term) -> str | None:
    voices = _voices(case)
    if voices[Voice.HEARER] and not voices[Voice.SPEAKER] and not voices[Voice.NOBODY] and not _is_attitude(case):
        return f"it is said of the one spoken to, not of {_shown(case, subject)}"
    return None


def _of_other(case: Case, subject: Term) -> str | None:
    voices = _voices(case)
    told = voices[Voice.HEARER] + voices[Voice.OTHER]
    if told <= voices[Voice.SPEAKER] + voices[Voice.NOBODY]:
        return f"it is said by and of another one than {_shown(case, subject)}"
    return None


def _is_attitude(case: Case) -> bool:
    """The claim tells what somebody thinks or says of another one."""
    return any(term.key in case.lexicon.attitudes for term in case.claim.terms)


def _voices(case: Case) -> Counter[Voice]:
    """Of whom the words that bear the claim out are told."""
    found: Counter[Voice] = Counter()
    for _, row in case.nearest:
        places = {id(other) for term in case.content() for other in find(term, row.terms, case.lexicon)}
        found.update(_voice(row.terms, at, case.lexicon) for at, term in enumerate(row.terms) if id(term) in places)
    return found


def _voice(terms: Sequence[Term], at: int, lexicon: Lexicon) -> Voice:
    """The nearest before a word that somebody is, or has."""
    for term in reversed(terms[: at + 1]):
        if term.low in lexicon.first:
            return Voice.SPEAKER
        if term.low in lexicon.second:
            return Voice.HEARER
        if term.low in lexicon.third:
            return Voice.OTHER
    return Voice.NOBODY
