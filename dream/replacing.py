"""Whether a later statement repeats an earlier one or takes its place.

Two statements must be about the same thing: the same subject, or a change that names the other's. Then the later one
takes the place of the earlier where it says that a value of it is over, gives another value in the same slot, or
reverses its state. What only looks alike is left to stand: twins, owners, plans, suppositions, old stories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.dream.frames import DATE, LANGUAGE, NUMBER, TIME, WEEKDAY, Frame, Value, clauses
from brain.language.namekeys import key
from brain.language.rules import languages, load

_WORD = 4
_SAME = 0.8
_ALIKE = 0.5
_DIGITS = re.compile(r"\d")
_CHANGES = ("change", "reversal", "ended", "correction", "changed_mind", "departs")
_INERT = ("hedge", "supposition", "former")
_HELD = frozenset({"home", "job", "role", "name", "member"})
"""What somebody has one of at a time, and can leave."""
_SINGLE = frozenset({"home", "job", "name"})
"""Those of which a new one takes the place of the old."""
_CHOSEN = ("decision", "preference", "standing", "commitment")
_TURNING = frozenset(key(word) for code in languages() for word in load(code).lists["turning"])
"""What somebody does to a thing that is then otherwise: the thing is the object."""
_AT = frozenset({"at", "в"})
_LASTING = frozenset(key(word) for code in languages() for word in load(code).lists["lasting"])
"""Verbs of states that a thing has one of at a time."""


def repeats(new: Frame, old: Frame) -> bool:
    """True when both say the same: the same subject, numbers, names and denial, and nearly the same words."""
    return (
        _is_same_subject(new, old)
        and new.negated == old.negated
        and new.numbers == old.numbers
        and new.names == old.names
        and _overlap(new.rest, old.rest) >= _SAME
    )


def is_change(new: Frame) -> bool:
    """It says by itself that something is no longer as it was."""
    return bool(new.overs or new.departed or _states(new)) or not new.cues.isdisjoint(_CHANGES)


def is_lasting(said: Frame) -> bool:
    """It tells of a state, if only by its beginning: she moved to Leeds, the heating broke."""
    return bool(said.attributes & _HELD or _states(said) or "name" in said.attributes)


def is_rescheduled(new: Frame, old: Frame) -> bool:
    """Both give a day, and the later one says that it was moved."""
    dated = all(any(value.kind == DATE for value in said.values) for said in (new, old))
    return dated and "change" in new.cues


def replaces(new: Frame, old: Frame) -> int:
    """How surely a later statement takes the place of an earlier one; 0: it does not."""
    if not new.cues.isdisjoint(_INERT) or repeats(new, old) or _is_other_sort(new, old):
        return 0
    if not is_change(new):
        return _replaces(new, old, False) if new.values or new.names else 0
    ones, others = clauses(new.said, new.speaker), clauses(old.said, old.speaker)
    return max(_replaces(one, other, True) for one in (new, *ones) for other in (old, *others))


def _is_other_sort(new: Frame, old: Frame) -> bool:
    """ "We are moving away from MySQL" was decided; "I moved to Bruges" has only its verb in common with it."""
    decided = ("decision" in new.cues) != ("decision" in old.cues)
    return decided and new.is_self and old.is_self and not new.matter & old.matter


def _replaces(new: Frame, old: Frame, changing: bool) -> int:
    if _is_apart(new, old):
        return 0
    if not _is_about(new, old, changing):
        return max(_goes_back(new, old), _drops(new, old))
    return max(check(new, old) for check in _CHECKS)


def _is_same_subject(new: Frame, old: Frame) -> bool:
    return bool(new.subject) and (new.subject == old.subject or _is_within(new.subject, old.subject))


def _is_within(one: frozenset[str], other: frozenset[str]) -> bool:
    """Ilya and Ilya Maslov; numbers tell things apart, so berth 7 is not within berth."""
    small, large = sorted((one, other), key=len)
    return bool(small) and small < large and not any(_DIGITS.search(part) for part in large - small)


def _is_about(new: Frame, old: Frame, changing: bool) -> bool:
    """The same subject; or a change in the one thing that the other is about."""
    if new.is_self and old.is_self:
        return new.subject == old.subject and bool(
            new.matter & old.matter
            or new.attributes & old.attributes & _HELD
            or (new.verb == old.verb and new.attributes & old.attributes)
        )
    if not (new.is_self or old.is_self) and _is_same_subject(new, old):
        return True
    if not changing:
        return False
    one, other = new.theme - new.over, old.theme - new.over
    if not ((new.verb in _TURNING or _is_named(new, old)) and _is_named(old, new)):
        return False
    named = (other and other <= new.matter) or (one and one <= old.matter)
    return bool(named) or (not (one and other) and len((new.matter & old.matter) - new.over) >= 2)


def _is_named(one: Frame, other: Frame) -> bool:
    """The subject of one stands in the other, or it has none; of "our treasurer is Dilys" Dilys may be the subject."""
    by_role = "role" in one.attributes and bool(one.names & other.subject)
    return one.is_self or not one.subject or by_role or _meets(one.theme, other.matter)


def _is_apart(new: Frame, old: Frame) -> bool:
    """Twins: another owner, another environment, the other of two."""
    if new.owner and old.owner and new.owner != old.owner and not _shares(new.owner, old.subject | old.names):
        return True
    for sort in {*new.marks, *old.marks} - {WEEKDAY, LANGUAGE}:
        one, other = new.marks.get(sort), old.marks.get(sort)
        if one != other and (sort == "environment" or (one and other)):
            return True
    return False


def _shares(owner: str, keys: frozenset[str]) -> bool:
    return not keys.isdisjoint(owner.split())


def _is_over(new: Frame, old: Frame) -> int:
    """It says that a value of the other is over: from Redis, no longer Redis, not 312."""
    held = old.matter | old.rest | old.numbers | old.subject | {value.text for value in old.values}
    return max((_is_among(over, held, new, old) for over in new.overs), default=0)


def _is_among(over: frozenset[str], held: frozenset[str], new: Frame, old: Frame) -> int:
    hit = frozenset(one for one in over if one in held or _is_ending(one, held))
    strong = {part for part in over if part in new.names or part in new.numbers}
    if not hit or old.over & hit or not strong <= hit:
        return 0
    return 3 if strong or 2 * len(hit) >= len(over) else 0


def _meets(some: frozenset[str], held: frozenset[str]) -> bool:
    return bool(some & held) or any(_is_ending(one, held) for one in some)


def _is_ending(one: str, held: frozenset[str]) -> bool:
    """Телеграм, Телеграма: what a stemmer takes for an ending may belong to the word."""
    return len(one) > _WORD and any(
        abs(len(one) - len(other)) <= 2 and (one.startswith(other) or other.startswith(one))
        for other in held
        if len(other) > _WORD
    )


def _drops(new: Frame, old: Frame) -> int:
    """What is named and over need not be the subject: "Builds run on Jenkins", "we dropped Jenkins"."""
    strong = new.over & new.names
    shared = (new.matter & old.matter) - new.over
    return 2 if strong and strong <= old.names and (shared or (new.is_self and old.is_self)) else 0


def _has_left(new: Frame, old: Frame) -> int:
    """ "Dilys left the club" ends "our treasurer at the club is Dilys"."""
    if "departs" not in new.cues or new.negated or not old.attributes & _HELD:
        return 0
    if any(value.kind == TIME or value.label in _AT for value in new.values):
        return 0  # home for the day
    return 2 if not new.departed or new.departed & (old.matter | old.rest) else 0


def _has_turned(new: Frame, old: Frame) -> int:
    """Broken, mended; open, closed."""
    return 3 if any((other, one) in _OPPOSITES for one in _states(old) for other in _states(new)) else 0


def _states(said: Frame) -> frozenset[str]:
    return said.cues & _STATES


_PAIRS = [pair.split("/") for code in languages() for pair in load(code).lists["opposites"]]
_OPPOSITES = frozenset((one, other) for a, b in _PAIRS for one, other in ((a, b), (b, a)))
_STATES = frozenset(one for one, _ in _OPPOSITES)


def _has_other_value(new: Frame, old: Frame) -> int:
    """The same slot with another number: at berth 7, at berth 12."""
    if new.names and old.names and new.names.isdisjoint(old.names):
        return 0
    differing = [(a, b) for a, b in _slots(new, old) if a.text != b.text]
    if not differing or any(a.text == b.text for a, b in _slots(new, old)):
        return 0
    if not new.cues.isdisjoint(_CHANGES):
        return 3
    shared = _overlap(new.rest - {a.label for a, _ in differing}, old.rest - {b.label for _, b in differing})
    return 2 if new.verb == old.verb and shared >= _ALIKE else 0


def _slots(new: Frame, old: Frame) -> Iterator[tuple[Value, Value]]:
    days = [{v.text for v in said.values if v.kind == WEEKDAY} for said in (new, old)]
    for a in new.values:
        for b in old.values:
            if a.kind != b.kind or a.text in new.over:
                continue
            if a.kind == DATE or (a.kind == WEEKDAY and _is_day_of_same(new, old)):
                yield a, b
            elif days[0] and days[1] and days[0] != days[1]:
                continue
            elif a.kind == TIME or (a.kind == NUMBER and _is_same_slot(a, b)):
                yield a, b


def _is_day_of_same(new: Frame, old: Frame) -> bool:
    """A weekday is what is told, not which of several days: no other number tells it, and the thing is the same."""
    same = _is_same_subject(new, old) and not new.is_self
    return (same or new.verb in _TURNING or bool(new.over)) and not _kinds(new) & _kinds(old)


def _kinds(said: Frame) -> set[str]:
    return {value.kind for value in said.values} - {WEEKDAY}


def _is_same_slot(a: Value, b: Value) -> bool:
    if a.unit and b.unit:
        return a.unit == b.unit
    return bool(a.label) and a.label == b.label


def _has_other_name(new: Frame, old: Frame) -> int:
    """The same told with another name: works at Lumen Lab, works at Kestrel Audio."""
    if not (new.names and old.names) or new.names & old.names:
        return 0
    if {value.kind for value in new.values} & {value.kind for value in old.values}:
        return 0  # a number is what is told, and the names say of which
    changing = "change" in new.cues
    if new.attributes & old.attributes & _SINGLE and changing:
        return 3
    if new.verb != old.verb or (not new.verb and not (changing and not new.is_self and new.subject == old.subject)):
        return 0
    return 3 if new.verb in _LASTING or changing else 0


def _goes_back(new: Frame, old: Frame) -> int:
    """A decision or preference that goes back on an earlier one, and names what that had chosen or was about."""
    if "decision" in old.cues and "decision" in new.cues and "reversal" in new.cues:
        return 3 if old.chosen & (new.names | new.rest) else 0
    if new.speaker == old.speaker and "changed_mind" in new.cues and not old.cues.isdisjoint(_CHOSEN):
        return 2 if new.matter & old.matter or len(new.rest & old.rest) >= 2 else 0
    return 0


def _rules_otherwise(new: Frame, old: Frame) -> int:
    """A rule about the same words that names a language, a currency, a unit of the same sort."""
    if new.cues.isdisjoint(_CHANGES) or new.cues.isdisjoint(_CHOSEN) or old.cues.isdisjoint(_CHOSEN):
        return 0
    one, other = new.marks.get(LANGUAGE), old.marks.get(LANGUAGE)
    return 2 if one and other and one != other else 0


def _denies(new: Frame, old: Frame) -> int:
    """The same words with `no longer`."""
    told = "change" in new.cues and new.negated != old.negated and new.numbers == old.numbers
    return 2 if told and _overlap_min(new.rest, old.rest) >= _SAME else 0


_CHECKS = (
    _is_over,
    _has_left,
    _has_turned,
    _has_other_value,
    _has_other_name,
    _goes_back,
    _rules_otherwise,
    _denies,
)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 1.0


def _overlap_min(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
