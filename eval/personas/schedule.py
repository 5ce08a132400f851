"""When a person talks to its agents, and which beat of which story falls into which session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from brain.eval.personas.days import zone_offset
from brain.eval.personas.dice import Dice
from brain.eval.personas.people import Person
from brain.eval.personas.stories import Beat, Story

FEWEST, MOST = 25, 43
"""Sessions of a person."""
_FIRST, _LAST = date(2026, 1, 8), date(2026, 11, 20)
_TRIES = 600
_FULL = 3
"""Beats in a session, where there is a choice."""
_DESK = frozenset({"Bash", "Grep", "Edit", "Read", "Write", "Task"})


class Unplaceable(ValueError):
    """A story that no run of the person's sessions can hold."""


@dataclass(slots=True)
class Meeting:
    """A session of which only the frame is known."""

    n: int
    start: datetime
    lang: str
    where: str
    """work, life, or helper: the session of an agent that another one started."""
    agent: str
    project: tuple[str, str] | None
    load: int = 0

    @property
    def day(self) -> date:
        return self.start.date()


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the beats of a story fall, and the days it speaks of."""

    sessions: tuple[int, ...]
    days: Mapping[str, date] = field(default_factory=dict)


def meetings(person: Person, dice: Dice) -> list[Meeting]:
    """The person's sessions in order, over three to eight months."""
    count = dice.between(FEWEST, MOST)
    helpers = dice.between(1, 2) if person.is_programmer else 0
    found: list[Meeting] = []
    for start in _starts(person, count - helpers, dice):
        found.append(_meeting(person, len(found), start, dice))
    for _ in range(helpers):
        _add_helper(found, dice)
    for n, meeting in enumerate(found):
        meeting.n = n
    return found


def _starts(person: Person, count: int, dice: Dice) -> Iterator[datetime]:
    first = _FIRST + timedelta(days=dice.below(95))
    span = min(dice.between(100, 235), (_LAST - first).days)
    away = sorted([0, *(dice.below(span) for _ in range(count - 1))])
    latest: datetime | None = None
    for days in away:
        day = first + timedelta(days=days)
        zone = zone_offset(day, person.hours, person.summer)
        start = datetime.combine(day, time(dice.between(7, 21), dice.below(60), dice.below(60)), zone)
        if latest is not None and start - latest < timedelta(hours=3):
            start = latest + timedelta(hours=3, minutes=dice.below(50), seconds=dice.below(60))
        latest = start
        yield start


def _meeting(person: Person, n: int, start: datetime, dice: Dice) -> Meeting:
    is_work = dice.chance(62 if person.is_programmer else 45)
    lang = dice.pick(person.langs)
    if not is_work:
        return Meeting(n, start, lang, "life", "chat", None)
    agents = [agent for agent in person.agents if agent != "chat" or not person.is_programmer]
    project = dice.pick(person.projects) if person.is_programmer or dice.chance(55) else None
    return Meeting(n, start, lang, "work", dice.pick(agents), project)


def _add_helper(found: list[Meeting], dice: Dice) -> None:
    """An agent that a session at work started, some minutes into it."""
    after = [*found[1:], None]
    works = [
        at
        for at, (one, then) in enumerate(zip(found, after, strict=True))
        if one.where == "work" and (then is None or then.where != "helper")
    ]
    at = dice.pick(works)
    start = found[at].start + timedelta(minutes=2, seconds=dice.below(200))
    found.insert(at + 1, replace(found[at], start=start, where="helper"))


def place(story: Story, project: str | None, held: Sequence[Meeting], dice: Dice) -> Placed:
    """The emptiest of some runs of sessions that suit the story. Raises: Unplaceable."""
    for full, patience in ((_FULL, 1), (_FULL + 2, 1), (_FULL + 2, 40)):
        found: list[tuple[int, int, Placed]] = []
        for attempt in range(_TRIES):
            run = _run(story, project, held, dice, (full, patience))
            if run is None:
                continue
            days = story_days(story, [held[at].day for at in run], dice)
            if _is_in_order(story, [held[at].day for at in run], days):
                found.append((sum(held[at].load for at in run), attempt, Placed(tuple(run), days)))
            if len(found) == 8:
                break
        if found:
            chosen = min(found, key=lambda one: one[:2])[2]
            for at in set(chosen.sessions):
                held[at].load += 1
            return chosen
    raise Unplaceable(story.name)


def _run(
    story: Story, project: str | None, held: Sequence[Meeting], dice: Dice, limits: tuple[int, int]
) -> list[int] | None:
    full, patience = limits
    run: list[int] = []
    for beat in story.beats:
        low, high = beat.gap
        if not run or beat.is_near:
            window = range(len(held))
        elif high == 0:
            run.append(run[-1])
            continue
        else:
            window = range(run[-1] + low, min(run[-1] + high * patience + 1, len(held)))
        free = [at for at in window if held[at].load < full and at not in run and suits(beat, story, held[at], project)]
        if not free:
            return None
        run.append(dice.pick(free))
    return run


def suits(beat: Beat, story: Story, meeting: Meeting, project: str | None) -> bool:
    """Whether a beat may be said in a session."""
    if meeting.lang != story.lang or meeting.where == "helper":
        return False
    if beat.is_passing:
        return True
    if any(call.split()[0] in _DESK for call in beat.calls) and meeting.where != "work":
        return False
    if beat.where not in ("any", meeting.where):
        return False
    bound = project is not None and beat.where == "work"
    return not bound or (meeting.project is not None and meeting.project[0] == project)


def story_days(story: Story, said: Sequence[date], dice: Dice) -> dict[str, date]:
    """The days of a story: `@2-0..5%d1` is up to five days before beat 2, whole weeks after d1."""
    found: dict[str, date] = {}
    for names, rule in story.slots:
        if rule.startswith("@"):
            found[names[0]] = _day(rule, said, found, dice)
    return found


def _day(rule: str, said: Sequence[date], found: Mapping[str, date], dice: Dice) -> date:
    body, _, whole = rule[1:].partition("%")
    sign = 1 if "+" in body else -1
    beat, _, span = body.replace("+", "-").partition("-")
    low, _, high = span.partition("..")
    day = said[int(beat) - 1] + sign * timedelta(days=dice.between(int(low), int(high or low)))
    return day - timedelta(days=(day - found[whole]).days % 7) if whole else day


def _is_in_order(story: Story, said: Sequence[date], days: Mapping[str, date]) -> bool:
    for check in story.checks:
        row = [said[int(name) - 1] if name.isdigit() else days[name] for name in check]
        if any(later <= sooner for sooner, later in pairwise(row)):
            return False
    return True
