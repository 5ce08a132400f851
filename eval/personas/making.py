"""One person -> a world: its stories placed and told, its questions asked, its ledger kept."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from brain.eval.datasets.talk import session_id
from brain.eval.personas import grammar, plan, schedule
from brain.eval.personas.dice import Dice
from brain.eval.personas.grammar import Scope, Value
from brain.eval.personas.ledger import Fact, Gold, Ledger, Statement
from brain.eval.personas.people import Cast, Person, common_pools, everyone
from brain.eval.personas.schedule import Meeting, Placed
from brain.eval.personas.stories import Story
from brain.eval.personas.talk import Talk, Talker, Told
from brain.eval.personas.voice import articles, sentence
from brain.eval.task import Sample, World
from brain.model import Session, SessionKind, Source

VERSION = 1
"""Of the data set: what is pinned by the tests under this number never changes."""


@dataclass(frozen=True, slots=True)
class Lived:
    """A story of this person: where its beats fall, what fills it."""

    choice: plan.Choice
    placed: Placed
    values: Mapping[str, Value]
    drawn: frozenset[str]

    @property
    def story(self) -> Story:
        return self.choice.story


def worlds(people: int, seed: int) -> Iterator[tuple[World, Ledger]]:
    """The first so many people; each is the same however many there are."""
    dice = Dice("personas", VERSION, seed)
    used: Counter[str] = Counter()
    wanted = plan.categories(len(everyone()), dice.child("categories"))
    for person, categories in zip(everyone()[:people], wanted, strict=False):
        own = dice.child(person.id)
        yield _Making(person, plan.choices(person, categories, used, own.child("choices")), own, seed).world()


class _Making:
    def __init__(self, person: Person, choices: Sequence[plan.Choice], dice: Dice, seed: int) -> None:
        self._person, self._dice, self._seed = person, dice, seed
        self._meetings = schedule.meetings(person, dice.child("meetings"))
        self._cast = Cast(person, dice)
        self._lived = [self._live(choice) for choice in sorted(choices, key=lambda one: -len(one.story.beats))]

    def world(self) -> tuple[World, Ledger]:
        person = self._person
        slots = {lang: self._cast.slots(lang) for lang in person.langs}
        talker = Talker(person, slots, frozenset(self._cast.drawn), self._dice.child("talk"))
        talks = [talker.talk(meeting, self._told(meeting.n)) for meeting in self._meetings]
        sessions = tuple(self._session(*pair) for pair in zip(self._meetings, talks, strict=True))
        statements = {(n, beat): said for n, beat, said in self._statements(sessions, talks)}
        samples, gold = [], {}
        for n, lived in enumerate(self._lived):
            sample = self._sample(n, lived, sessions, statements)
            samples.append(sample)
            gold[sample.id] = _gold(lived)
        order = sorted(samples, key=lambda one: (one.after or 0, one.id))
        facts = tuple(fact for n, lived in enumerate(self._lived) for fact in _facts(n, lived, statements))
        drawn = {lived.story.name: lived.drawn for lived in self._lived}
        world = World(person.id, sessions, tuple(order), person.name, person.zone)
        return world, Ledger(tuple(statements.values()), facts, gold, drawn)

    # --- stories ---

    def _live(self, choice: plan.Choice) -> Lived:
        story = choice.story
        dice = self._dice.child("story", story.name)
        projects = [name for name, _ in dice.order(self._person.projects)]
        bound = projects[0] if {"project", "project2"} & story.needs else None
        placed = schedule.place(story, bound, self._meetings, dice)
        values: dict[str, Value] = {**self._cast.slots(story.lang), **placed.days}
        values |= {name: (project,) for name, project in zip(("project", "project2"), projects, strict=False)}
        before = frozenset(self._cast.drawn)
        for names, rule in story.slots:
            values |= self._drawn(names, rule, values, story.lang, dice)
        drawn = frozenset(self._cast.drawn) - before
        return Lived(choice, placed, values, drawn)

    def _drawn(
        self, names: Sequence[str], rule: str, values: Mapping[str, Value], lang: str, dice: Dice
    ) -> dict[str, Value]:
        if rule.startswith("@"):
            return {}
        if rule.startswith("="):
            scope = Scope(values, dice, lang)
            listed = dice.order([entry.strip() for entry in rule[1:].split(" / ")])
            return {name: tuple(scope.said(entry).split(";")) for name, entry in zip(names, listed, strict=False)}
        if ".." in rule:
            low, _, high = rule.partition("..")
            return {name: (str(dice.between(int(low), int(high))),) for name in names}
        pool = rule.removeprefix("^")
        if pool in common_pools():
            found = self._cast.draw_common(pool, lang, len(names), dice)
        else:
            found = [self._cast.draw(pool, lang) for _ in names]
        if pool != rule:
            found.sort(key=lambda forms: int("".join(filter(str.isdigit, forms[0]))))
        return dict(zip(names, found, strict=True))

    def _told(self, session: int) -> list[Told]:
        found = []
        for n, lived in enumerate(self._lived):
            for k, (beat, at) in enumerate(zip(lived.story.beats, lived.placed.sessions, strict=True)):
                if at == session:
                    found.append(Told((n, k), beat, lived.values))
        return found

    # --- sessions ---

    def _session(self, meeting: Meeting, talk: Talk) -> Session:
        name = self._id(meeting.n)
        said = "\n".join(turn.text for turn in talk.turns)
        is_helper = meeting.where == "helper"
        return Session(
            id=name,
            agent=meeting.agent,
            source=Source(meeting.agent, f"{name}.jsonl", hashlib.sha256(said.encode()).hexdigest()),
            turns=talk.turns,
            project=meeting.project[0] if meeting.project else None,
            repository=meeting.project[1] if meeting.project else None,
            title=talk.title,
            started=talk.turns[0].time,
            ended=talk.turns[-1].time,
            kind=SessionKind.SUBAGENT if is_helper else SessionKind.MAIN,
            parent=self._id(meeting.n - 1) if is_helper else None,
        )

    def _id(self, n: int) -> str:
        return session_id("personas", VERSION, self._seed, self._person.id, n)

    def _statements(self, sessions: Sequence[Session], talks: Sequence[Talk]) -> Iterator[tuple[int, int, Statement]]:
        for session, talk in zip(sessions, talks, strict=True):
            for (n, beat), turn in talk.places.items():
                story = self._lived[n].story
                at = session.turns[turn - 1].time
                assert at is not None
                place, reply = (f"{session.id}#t{k}" for k in (turn, turn + 1))
                yield n, beat, Statement(story.name, beat, place, reply, at, story.beats[beat].is_near)

    # --- questions ---

    def _sample(
        self, n: int, lived: Lived, sessions: Sequence[Session], said: Mapping[tuple[int, int], Statement]
    ) -> Sample:
        ask, dice = lived.choice.ask, self._dice.child("ask", lived.story.name)
        after = self._after(lived, dice)
        ended = max(session.ended for session in sessions[:after] if session.ended)
        scope = Scope(lived.values, dice, lived.story.lang, ended.date())
        newest = max((lived.placed.sessions[beat] for beat, _ in ask.evidence), default=None)
        evidence = {said[n, beat].reply if agent else said[n, beat].place for beat, agent in ask.evidence}
        last = after == len(sessions)
        return Sample(
            id=f"{self._person.id}-{lived.story.name}",
            question=articles(sentence(scope.said(dice.pick(ask.questions)))),
            category=ask.category,
            answers=tuple(form for line in ask.answers for form in scope.forms(line)),
            evidence=frozenset(evidence),
            stale=tuple(form for line in ask.stale for form in scope.forms(line)),
            at=ended + (timedelta(days=1) if last else timedelta(minutes=20)),
            after=after,
            distance=None if newest is None else after - 1 - newest,
            tags=frozenset({lived.story.lang, "at-the-end" if last else "mid-history"}),
        )

    def _after(self, lived: Lived, dice: Dice) -> int:
        """How many sessions have been said when it is asked."""
        until = lived.choice.ask.until
        held = lived.placed.sessions
        if until is not None:
            return self._whole(dice.between(held[until - 1] + 1, held[until]))
        own = [at for at, beat in zip(held, lived.story.beats, strict=True) if not beat.is_near]
        last = len(self._meetings)
        return last if dice.chance(70) else self._whole(dice.between(max(own) + 1, last))

    def _whole(self, after: int) -> int:
        """Not while a helper is still at work."""
        return after + (after < len(self._meetings) and self._meetings[after].where == "helper")


def _facts(n: int, lived: Lived, said: Mapping[tuple[int, int], Statement]) -> Iterator[Fact]:
    scope = Scope(lived.values, Dice("facts"), lived.story.lang)
    held = [(said[n, k], beat.truth) for k, beat in enumerate(lived.story.beats) if beat.truth]
    for at, (statement, truth) in enumerate(held):
        until: datetime | None = held[at + 1][0].at if at + 1 < len(held) else None
        yield Fact(lived.story.name, scope.forms(truth), statement.at, until, statement.place)


def _gold(lived: Lived) -> Gold:
    ask, story = lived.choice.ask, lived.story
    scope = Scope(lived.values, Dice("gold"), story.lang)
    parts = tuple(_parts(ask.answers[0].split(" // ")[0], lived.values)) if ask.answers else ()
    never = tuple((scope.said(first), scope.said(second)) for first, second in story.never)
    truths = {beat.truth for beat in story.beats if beat.truth}
    is_changing = any(f"{{{line.strip('{}')}}}" in truths or line in truths for line in _plain(ask.answers))
    return Gold(story.name, parts, never, is_changing)


def _plain(lines: Sequence[str]) -> list[str]:
    return [part.strip() for line in lines for part in line.split(" // ")]


def _parts(line: str, values: Mapping[str, Value]) -> Iterator[tuple[str, ...] | date]:
    for slot in grammar.slots(line):
        yield values[slot]
