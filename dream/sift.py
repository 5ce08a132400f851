"""Which sentences say something that is worth remembering, and of what type it is.

Questions, wishes, suppositions, greetings, praise and commands to the agent are not facts; a plan is a commitment; a
standing instruction is a preference. The words that tell them apart stand in the data files of brain/language.
"""

from __future__ import annotations

from brain.dream.hearing import Heard
from brain.language import chunks
from brain.language.words import Word, stem
from brain.model import ObservationType

_FEWEST = 2
_FEWEST_OWN = 3
"""Content words of a statement that names nobody and gives no number; of one about the speaker."""
_LONGEST = 600
_LONGEST_TAIL = 7
_SAID_ANYWAY = ("standing", "preference", "decision", "dead_end", "correction")
"""What a sentence may also be when it asks for something: `please write tests as tables: I like …`."""
_FIRST = ("first_person", "first_plural")


def type_of(heard: Heard) -> ObservationType | None:
    """The type of a sentence that a person said; None: nothing to remember."""
    if len(heard.text) > _LONGEST or not any(word.text[0].isalpha() for word in heard.row):
        return None
    if not heard.is_known:
        return _by_structure(heard)
    if _is_no_statement(heard) or is_empty(heard):
        return None
    return _typed(heard)


def is_question(heard: Heard) -> bool:
    text = heard.text.rstrip("\"”»')* ")
    return text.endswith(("?", "？")) or ("question" in heard.cues and not text.endswith((".", "!", "…")))


def is_tail(heard: Heard) -> bool:
    """A short piece without a verb that goes on with the sentence before it and gives a number or a time."""
    if heard.before is None or heard.is_item or is_question(heard) or not 1 < len(heard.row) <= _LONGEST_TAIL:
        return False
    if chunks.has_verb(heard.row, heard.rules) or heard.pronoun or heard.mentions:
        return False
    return any(word.is_number or heard.rules.has("numerals", word.low) for word in heard.row)


def is_empty(heard: Heard) -> bool:
    """Too little of its own: no name, no number, and hardly a word that is not chatter."""
    content = content_words(heard)
    if any(m.name.lower() not in heard.rules.lists["chatter"] for m in heard.mentions):
        return len(content) < 2
    if any(word.is_number for word in heard.row):
        return len(content) < 1
    fewest = _FEWEST_OWN if heard.pronoun and heard.rules.code == "en" else _FEWEST
    return len(content) < fewest


def content_words(heard: Heard) -> list[Word]:
    """Words that are neither function words nor chatter."""
    rules = heard.rules
    return [
        word
        for word in heard.row
        if word.low not in rules.function_words and word.low not in rules.lists["chatter"] and not word.is_number
    ]


def is_hedged(heard: Heard) -> bool:
    return "hedge" in heard.cues


def is_command(heard: Heard) -> bool:
    """An order to the agent: it begins with the verb."""
    at = heard.rules.start(heard.row)
    if at >= len(heard.row):
        return False
    word = heard.row[at]
    if heard.rules.has("commands", word.low):
        follows = heard.row[at + 1].low if at + 1 < len(heard.row) else ""
        return not (heard.rules.has("auxiliaries", follows) or (follows in ("of", "and") and heard.mentions))
    return False


def _is_no_statement(heard: Heard) -> bool:
    cues = heard.cues
    if is_question(heard) or "meta" in cues or ("supposition" in cues and "preference" not in cues):
        return True
    if _is_bare_number(heard) or not _has_verb(heard):
        return True
    if not cues.isdisjoint(_SAID_ANYWAY):
        return _is_mere_praise(heard)
    if is_command(heard):
        return "reminder" not in cues
    if "request" in cues or "wish" in cues or heard.pronoun == "second_person":
        return True
    return _is_mere_praise(heard) or ("greeting" in cues and not heard.mentions)


def _is_bare_number(heard: Heard) -> bool:
    """ "47 is good": nobody will know of what."""
    chunk = heard.subject
    return chunk is not None and chunk.end - chunk.start == 1 and heard.row[chunk.start].is_number


def _has_verb(heard: Heard) -> bool:
    return heard.pronoun in _FIRST or chunks.has_verb(heard.row, heard.rules) or _is_nominal(heard)


def _is_nominal(heard: Heard) -> bool:
    """A Russian sentence needs no verb where a dash, a number or a name does its work."""
    told = any(mark in heard.text for mark in ("—", " – ")) or any(word.is_number for word in heard.row)
    return heard.rules.code == "ru" and told


def _is_mere_praise(heard: Heard) -> bool:
    """Feedback to the agent, however warm, is no fact: praise without a name, a number or a decision."""
    if "praise" not in heard.cues or "decision" in heard.cues or "standing" in heard.cues:
        return False
    numbers = any(word.is_number for word in heard.row)
    return not (numbers or any(_is_person_or_thing(heard, m.name) for m in heard.mentions))


def _is_person_or_thing(heard: Heard, name: str) -> bool:
    return stem(name.lower()) not in heard.rules.vague_stems


def _typed(heard: Heard) -> ObservationType | None:
    cues = heard.cues
    if is_hedged(heard):
        return ObservationType.OPINION if _is_about_something(heard) and "decision" not in cues else None
    of_others = heard.pronoun in ("he_or_she", "they")
    for cue, kind in _BY_CUE:
        if cue in cues and not (of_others and kind is ObservationType.PREFERENCE):
            return kind
    if "purpose" in cues and _has_steps(heard):
        return ObservationType.PROCEDURE
    if _is_own(heard):
        return next((kind for cue, kind in _BY_OWN_CUE if cue in cues), _plain(heard))
    return ObservationType.COMMITMENT if "commitment" in cues and "future" in cues else _plain(heard)


def _is_own(heard: Heard) -> bool:
    """About the speaker: I, we, my; a Russian sentence without a subject too."""
    if heard.subject is None:
        return heard.rules.code == "ru"
    low = heard.row[heard.subject.start].low
    return heard.pronoun in _FIRST or any(heard.rules.has(name, low) for name in _FIRST)


_BY_CUE = (
    ("correction", ObservationType.CORRECTION),
    ("dead_end", ObservationType.DEAD_END),
    ("decision", ObservationType.DECISION),
    ("standing", ObservationType.PREFERENCE),
    ("preference", ObservationType.PREFERENCE),
)
_BY_OWN_CUE = (
    ("procedure", ObservationType.PROCEDURE),
    ("profile", ObservationType.PROFILE),
    ("commitment", ObservationType.COMMITMENT),
    ("opinion", ObservationType.OPINION),
)


def _plain(heard: Heard) -> ObservationType | None:
    """A fact or an event; None where the sentence is too vague to be either."""
    defines = "defining" in heard.cues and bool(heard.inside(heard.subject) or heard.stands_for)
    if "past" in heard.cues and not defines and ("event" in heard.cues or "change" in heard.cues):
        return ObservationType.EVENT
    return ObservationType.FACT if _is_about_something(heard) else None


def _is_about_something(heard: Heard) -> bool:
    if heard.mentions or heard.antecedent or any(word.is_number for word in heard.row):
        return True
    if heard.subject is None or heard.subject.is_pronoun:
        return False
    named = chunks.head(heard.row, heard.subject, heard.rules)
    return bool(named) and not chunks.is_vague(named[-1], heard.rules)


def _has_steps(heard: Heard) -> bool:
    """ "To deploy: build it, send it, restart it": a purpose, a colon, and more than one step."""
    before, colon, after = heard.text.partition(":")
    return bool(colon) and len(before) < 80 and after.count(",") + after.count(";") >= 2


def _by_structure(heard: Heard) -> ObservationType | None:
    """In a language without a data file: a plain sentence with a name, a number or a date."""
    if is_question(heard) or len(heard.row) < _FEWEST:
        return None
    telling = heard.mentions or any(word.is_number for word in heard.row)
    return ObservationType.FACT if telling else None
