"""Which sentences say something that is worth remembering, and of what type it is.

Questions, wishes, suppositions, greetings, praise and commands to the agent are not facts; a plan is a commitment; a
standing instruction is a preference. The words that tell them apart stand in the data files of brain/language.
"""

from __future__ import annotations

import re
from functools import lru_cache

from brain.dream import steps
from brain.dream.hearing import Heard
from brain.language import chunks
from brain.language.words import Word
from brain.model import ObservationType, Origin, Role

_FEWEST = 2
_FEWEST_OWN = 3
"""Content words of a statement that names nobody and gives no number; of one about the speaker."""
_NEED_MATTER = frozenset({ObservationType.COMMITMENT, ObservationType.EVENT, ObservationType.DEAD_END})
_NOT_DONE = frozenset({ObservationType.COMMITMENT, ObservationType.OPINION})
_MANY = 6
"""Content words that make a plan or an event worth keeping without a name, a number or a time in it."""
_LONGEST = 600
_LONGEST_TAIL = 7
_SAID_ANYWAY = ("standing", "preference", "decision", "dead_end", "correction")
"""What a sentence may also be when it asks for something: `please write tests as tables: I like …`."""
_DICTATED = ("reminder", "purpose", "standing")
_OWN_CLAUSE = re.compile(r"[:;–—] ?(?:I|we|я|мы)\b|^Let's", re.IGNORECASE)
_STATES = ("is_broken", "is_working", "is_closed", "is_open")
"""Told of a thing without a verb, in Russian."""
_FEELINGS = ("praise", "impression")
_FIRST = ("first_person", "first_plural")
_WAYS = ("ways", "tastes")
_TOLD_IN_PASSING = (None, ObservationType.FACT, ObservationType.EVENT, ObservationType.OPINION)


@lru_cache(maxsize=2048)
def type_of(heard: Heard) -> ObservationType | None:
    """The type of a sentence that a person said; None: nothing to remember."""
    kind = _said_as(heard)
    return ObservationType.PREFERENCE if kind in _TOLD_IN_PASSING and is_way(heard) else kind


def is_way(heard: Heard) -> bool:
    """What a person does again and again, or has given up for something else: a liking that was never called one."""
    if heard.cues.isdisjoint(_WAYS) or is_question(heard) or len(heard.text) > _LONGEST:
        return False
    if heard.turn.role is not Role.USER or heard.turn.origin is not Origin.USER or heard.inside(heard.subject):
        return False
    if heard.pronoun in ("second_person", "he_or_she", "they") or (is_command(heard) and "tastes" not in heard.cues):
        return False
    return _is_of_self(heard) and len(content_words(heard)) >= _FEWEST


def _is_of_self(heard: Heard) -> bool:
    """ "As ever: the slow train": the speaker is in it, or nobody is."""
    if heard.subject is None or not chunks.has_verb(heard.row, heard.rules):
        return True
    return any(heard.rules.has(name, word.low) for word in heard.row for name in _FIRST)


def _said_as(heard: Heard) -> ObservationType | None:
    if len(heard.text) > _LONGEST or not any(word.text[0].isalpha() for word in heard.row):
        return None
    if not heard.is_known:
        return _by_structure(heard)
    if not _is_dictated(heard) and (_is_no_statement(heard) or is_empty(heard)):
        return None
    kind = _typed(heard)
    if kind not in _NEED_MATTER or is_hard(heard):
        return kind
    enough = _FEWEST_OWN if kind is ObservationType.EVENT and is_own(heard) else _MANY
    return kind if len(content_words(heard)) >= enough else None


def _is_dictated(heard: Heard) -> bool:
    """Steps that are to be kept, and not to be taken now."""
    return steps.is_procedure(heard) and not heard.cues.isdisjoint(_DICTATED) and not is_question(heard)


def is_hard(heard: Heard) -> bool:
    """It gives a name, a number or a time: something that can be looked up later."""
    return bool(heard.mentions or heard.stands_for) or any(_tells(heard, word) for word in heard.row)


def _tells(heard: Heard, word: Word) -> bool:
    return word.is_number or any(heard.rules.has(name, word.low) for name in ("numerals", "time_words", "months"))


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
    is_dated = any(_tells(heard, word) for word in heard.row)
    of_self = heard.pronoun and not is_dated and heard.cues.isdisjoint(("profile", "preference"))
    of_self = of_self and not heard.rules.has_cases
    return len(content) + bool(heard.antecedent) < (_FEWEST_OWN if of_self and not heard.antecedent else _FEWEST)


def content_words(heard: Heard) -> list[Word]:
    """Words that are neither function words nor chatter, nor the name of who is spoken to."""
    rules = heard.rules
    names = {place for m in heard.spoken_to for place in range(m.start, m.end)}
    return [
        word
        for place, word in enumerate(heard.row)
        if word.low not in rules.function_words
        and word.low not in rules.lists["chatter"]
        and not word.is_number
        and place not in names
    ]


def is_hedged(heard: Heard) -> bool:
    return "hedge" in heard.cues


def is_command(heard: Heard) -> bool:
    """An order to the agent: it begins with the verb."""
    at = heard.rules.start(heard.row)
    if at >= len(heard.row):
        return False
    word = heard.row[at]
    if heard.rules.has("commands", word.low) and not _is_label(heard):
        follows = heard.row[at + 1].low if at + 1 < len(heard.row) else ""
        return not (heard.rules.has("auxiliaries", follows) or (follows == "of" and heard.mentions))
    return False


def _is_label(heard: Heard) -> bool:
    """ "Commit messages: …": two nouns before a colon, whatever the first may be elsewhere."""
    before, colon, _ = heard.text.partition(":")
    row = [word for word in heard.row if word.end <= len(before)]
    return bool(colon) and len(row) == 2 and not any(word.low in heard.rules.function_words for word in row)


def is_task(heard: Heard) -> bool:
    """The turn begins by asking for a text: what follows is its matter, not the person's news.

    What is asked for once and for all is no task.
    """
    if "standing" in heard.cues:
        return False
    return is_command(heard) or "role_play" in heard.cues or ("request" in heard.cues and is_question(heard))


def _is_no_statement(heard: Heard) -> bool:
    cues = heard.cues
    if is_question(heard) or "meta" in cues or ("supposition" in cues and "preference" not in cues):
        return True
    if _is_bare_number(heard) or not _has_verb(heard) or _is_quotation(heard):
        return True
    if not cues.isdisjoint(_SAID_ANYWAY):
        return _is_feedback(heard) or _is_asked(heard)
    if is_command(heard):
        return "reminder" not in cues
    if {"memory_quote", "confirm"} <= cues:
        return False
    if heard.subject is not None and heard.rules.has("second_person", heard.row[heard.subject.start].low):
        return True
    if "request" in heard.main_cues or not cues.isdisjoint(("wish", "mood")) or heard.pronoun == "second_person":
        return True
    return _is_feedback(heard) or ("greeting" in cues and not heard.mentions and not _has_news(heard))


def _has_news(heard: Heard) -> bool:
    """More than hello: somebody goes on with something of their own."""
    return is_own(heard) and len(content_words(heard)) >= _FEWEST_OWN and heard.cues.isdisjoint(("mood", "wish"))


def _is_asked(heard: Heard) -> bool:
    """An order or a request, whose liking or choice stands in a clause of its own: `find out if I like …`."""
    cues = heard.cues
    if not cues.isdisjoint(("standing", "dead_end", "correction")):
        return False
    asks = is_command(heard) or any(heard.rules.has("second_person", word.low) for word in heard.row)
    return asks and not _OWN_CLAUSE.search(heard.text)


def _is_quotation(heard: Heard) -> bool:
    """Somebody else's words from end to end, or a stage direction."""
    return heard.text[0] in "\"“«„(‘'*" and heard.text.rstrip(".,")[-1:] in "\"”»)’'*"


def _is_feedback(heard: Heard) -> bool:
    """What a person says of the agent's answer is no fact, however warm; a decision that comes with it is one."""
    cues = heard.main_cues | (heard.cues & {"output_noun"})
    if cues.isdisjoint(_FEELINGS) or not cues.isdisjoint(("decision", "standing", "dead_end", "correction")):
        return False
    if is_own(heard) and "praise" not in cues:
        return False
    if "output_noun" in cues or heard.pronoun in ("pointing", "it", "they") or heard.subject is None:
        return True
    return not (heard.mentions or any(word.is_number for word in heard.row))


def _is_bare_number(heard: Heard) -> bool:
    """ "47 is good": nobody will know of what."""
    chunk = heard.subject
    bare = chunk is not None and chunk.end - chunk.start == 1 and heard.row[chunk.start].is_number
    return bare and len(heard.row) <= _MANY


def _has_verb(heard: Heard) -> bool:
    if heard.pronoun in _FIRST or chunks.has_verb(heard.row, heard.rules) or steps.begins(heard):
        return True
    return _is_nominal(heard) or not heard.cues.isdisjoint((*_STATES, "standing", "bound"))


def _is_nominal(heard: Heard) -> bool:
    """A Russian sentence needs no verb where a dash, a number or a name does its work."""
    told = any(mark in heard.text for mark in ("—", " – ")) or any(word.is_number for word in heard.row)
    return heard.rules.has_cases and told


def _typed(heard: Heard) -> ObservationType | None:
    cues = heard.cues
    if steps.is_procedure(heard) or steps.begins(heard):
        return ObservationType.PROCEDURE
    if "preference" in cues and is_own(heard) and "decision" not in cues:
        return ObservationType.PREFERENCE if "aversion" not in cues or is_hard(heard) else None
    if ("introduces" in cues and heard.mentions) or (is_own(heard) and "profile" in cues and not is_hedged(heard)):
        return ObservationType.PROFILE
    if is_hedged(heard) or _is_impression(heard):
        return ObservationType.OPINION if _is_opinion(heard) else None
    of_others = heard.pronoun in ("he_or_she", "they")
    for cue, kind in _BY_CUE:
        if cue in cues and not (of_others and kind is ObservationType.PREFERENCE):
            return kind
    if is_own(heard):
        found = (kind for cue, kind in _BY_OWN_CUE if cue in cues)
        return next((kind for kind in found if not (_is_done(heard) and kind in _NOT_DONE)), _plain(heard))
    is_plan = {"commitment", "future"} <= cues and not _is_done(heard)
    return ObservationType.COMMITMENT if is_plan else _plain(heard)


def _is_done(heard: Heard) -> bool:
    """ "They raised it to 25": what was changed is no plan, whatever it is good for tomorrow."""
    return "change" in heard.cues and not heard.cues.isdisjoint(("past", "reversal"))


def _is_impression(heard: Heard) -> bool:
    return "praise" in heard.cues or ("impression" in heard.cues and "standing" not in heard.cues and not is_own(heard))


def _is_opinion(heard: Heard) -> bool:
    """A guess or a liking that is about something with a name or a number, and not about this talk."""
    if not heard.cues.isdisjoint(("mood", "output_noun", "decision")):
        return False
    talked = any(heard.rules.has("first_plural", word.low) for word in heard.row)
    return bool(heard.mentions or any(word.is_number for word in heard.row)) and not talked


def is_about_self(heard: Heard) -> bool:
    """A person telling of himself or his people, not asking for something."""
    first = any(heard.rules.has(name, word.low) for word in heard.row for name in _FIRST)
    asks = is_question(heard) or is_command(heard) or not heard.cues.isdisjoint(("request", "role_play", "meta"))
    return (first or (heard.rules.has_cases and heard.subject is None)) and not asks


def is_own(heard: Heard) -> bool:
    """About the speaker: I, we, my; a Russian sentence without a subject too."""
    if heard.subject is None:
        return heard.rules.has_cases
    low = heard.row[heard.subject.start].low
    return heard.pronoun in _FIRST or any(heard.rules.has(name, low) for name in _FIRST)


_BY_CUE = (
    ("correction", ObservationType.CORRECTION),
    ("dead_end", ObservationType.DEAD_END),
    ("decision", ObservationType.DECISION),
    ("changed_mind", ObservationType.DECISION),
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
    if (
        "past" in heard.main_cues
        and not (defines or _is_present(heard))
        and ("event" in heard.cues or "change" in heard.cues)
    ):
        return ObservationType.EVENT
    return ObservationType.FACT if _is_about_something(heard) else None


def _is_present(heard: Heard) -> bool:
    """ "The app is called Cobble": an `is` right behind the subject, whatever follows it."""
    at = heard.subject.end if heard.subject else len(heard.row)
    return at < len(heard.row) and heard.rules.has("present", heard.row[at].low)


def _is_about_something(heard: Heard) -> bool:
    if heard.mentions or heard.antecedent or any(word.is_number for word in heard.row):
        return True
    if is_own(heard) and "past" in heard.main_cues:
        return len(content_words(heard)) >= _FEWEST_OWN
    if heard.subject is None or heard.subject.is_pronoun:
        return _is_told_of_things(heard)
    named = chunks.head(heard.row, heard.subject, heard.rules)
    return bool(named) and not chunks.is_vague(named[-1], heard.rules)


def _is_told_of_things(heard: Heard) -> bool:
    """What somebody uses or keeps; and, in Russian, a state of a thing that is the object."""
    at = heard.subject.end if heard.subject else len(heard.row)
    uses = (
        at < len(heard.row) and heard.rules.has("using", heard.row[at].low) and len(content_words(heard)) > _FEWEST_OWN
    )
    return uses or (heard.rules.has_cases and not heard.cues.isdisjoint(_STATES))


def _by_structure(heard: Heard) -> ObservationType | None:
    """In a language without a data file: a plain sentence with a name, a number or a date."""
    if is_question(heard) or len(heard.row) < _FEWEST:
        return None
    telling = heard.mentions or any(word.is_number for word in heard.row)
    return ObservationType.FACT if telling else None
