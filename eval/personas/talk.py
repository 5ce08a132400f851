"""A session: beats of stories and threads of other talk, said by one person and one agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from brain.eval.personas import outputs, voice
from brain.eval.personas.dice import Dice
from brain.eval.personas.grammar import Scope, Value
from brain.eval.personas.people import Person, plain
from brain.eval.personas.schedule import Meeting
from brain.eval.personas.stories import NOISE, Beat
from brain.eval.personas.threads import Exchange, Thread, Threads
from brain.language import quotation
from brain.model import Origin, Role, Text, ToolCall, Trust, Turn

Mark = tuple[int, int]
"""Number of a story in its world, and of the beat in it."""
_MOST = 6
"""Exchanges of a session; with thanks and a farewell that makes fourteen turns."""


@dataclass(frozen=True, slots=True)
class Told:
    """A beat that is to be said in a session, and what fills its lines."""

    mark: Mark
    beat: Beat
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Said:
    """An exchange as it was said."""

    user: str
    calls: tuple[outputs.Call, ...]
    agent: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Talk:
    """A session's turns, and which of them say which beat."""

    turns: tuple[Turn, ...]
    places: Mapping[Mark, int]
    """Turn of the person; the agent's is the next."""
    title: str | None


class Talker:
    """Says the sessions of one world, one after the other."""

    def __init__(self, person: Person, slots: Mapping[str, Mapping[str, Value]], taken: frozenset[str], dice: Dice):
        self._person = person
        self._slots = slots
        self._taken = taken
        self._dice = dice
        self._threads = Threads(person, dice.child("threads"))
        self._voice = voice.Voice(person, dice.child("voice"))
        self._loose = {name: plain(pool) for name, pool in NOISE.items()}

    def talk(self, meeting: Meeting, told: Sequence[Told]) -> Talk:
        own = [self._beats(run, meeting) for run in _runs([one for one in told if not one.beat.is_passing])]
        passing = [one for one in told if one.beat.is_passing]
        room = max(1, min(_MOST - sum(map(len, own)), self._dice.between(2, 5)), len(passing))
        thread = self._threads.thread(meeting)
        noise = self._noise(thread, meeting, room)
        self._with_passing(noise, passing, meeting)
        said = [one for unit in self._dice.order([*noise, *own]) for one in unit]
        turns, places = self._turns(said, meeting)
        titled = thread.titles if self._dice.chance(70) else voice.ways()[f"chat-title.{meeting.lang}"]
        scope = self._scope(meeting, self._frame_values(meeting))
        title = scope.said(self._dice.pick(titled)) if self._dice.chance(85) else None
        return Talk(turns, places, title)

    # --- what is said ---

    def _scope(self, meeting: Meeting, values: Mapping[str, Value]) -> Scope:
        return Scope(values, self._dice, meeting.lang, meeting.day, self._loose, self._taken)

    def _frame_values(self, meeting: Meeting) -> dict[str, Value]:
        modules = self._dice.order(plain("module"))
        values: dict[str, Value] = {**self._slots[meeting.lang], "module": (modules[0],), "module2": (modules[1],)}
        values["project"] = (meeting.project[0] if meeting.project else self._person.projects[0][0],)
        mail = "письмо" if meeting.lang == "ru" else "mail"
        values[mail] = (outputs.printed(mail, self._scope(meeting, values)),)
        return values

    def _beats(self, run: Sequence[Told], meeting: Meeting) -> list[Said]:
        return [self._beat(one, meeting) for one in run]

    def _beat(self, told: Told, meeting: Meeting) -> Said:
        scope = self._scope(meeting, {**self._frame_values(meeting), **told.values})
        user = scope.said(self._dice.pick(told.beat.user))
        calls = tuple(outputs.call(line, scope) for line in told.beat.calls)
        replies = told.beat.agent or voice.ways()[f"reply.{meeting.lang}"]
        return Said(user, calls, scope.said(self._dice.pick(replies)), (told.mark,))

    def _noise(self, thread: Thread, meeting: Meeting, room: int) -> list[list[Said]]:
        """The thread, and what else there is room for."""
        found = [self._said(self._threads.exchanges(thread), meeting)[:room]]
        while (left := room - sum(map(len, found))) > 0 and meeting.where != "helper":
            if self._dice.chance(60):
                found.append(self._said([self._threads.side(meeting.lang)], meeting))
            else:
                other = self._threads.thread(meeting)
                found.append(self._said(self._threads.exchanges(other), meeting)[:left])
        return found

    def _said(self, exchanges: Sequence[Exchange], meeting: Meeting) -> list[Said]:
        scope = self._scope(meeting, self._frame_values(meeting))
        return [self._exchange(one, scope, meeting) for one in exchanges]

    def _exchange(self, one: Exchange, scope: Scope, meeting: Meeting) -> Said:
        user = scope.said(self._dice.pick(one.user))
        lines = [*self._looking(one, meeting), *one.calls]
        calls = tuple(outputs.call(line, scope) for line in lines)
        agent = scope.said(self._dice.pick(one.agent))
        more = [scope.said(line) for line in one.more if self._dice.chance(70)]
        return Said(user, calls, "\n\n".join([agent, *more]))

    def _looking(self, one: Exchange, meeting: Meeting) -> list[str]:
        """What an agent looks at before it does what was asked."""
        if meeting.where == "life":
            return []
        kind = "desk" if meeting.agent != "chat" else "chat"
        if not (one.calls or self._dice.chance(40 if kind == "desk" else 12)):
            return []
        lines = voice.ways()[f"look-{kind}.{meeting.lang}"]
        return self._dice.order(lines)[: self._dice.between(0, 3 if kind == "desk" else 1)]

    def _with_passing(self, noise: list[list[Said]], told: Sequence[Told], meeting: Meeting) -> None:
        """Puts each thing said in passing among other words of its own."""
        places = [(n, k) for n, unit in enumerate(noise) for k in range(len(unit))]
        for (n, k), one in zip(sorted(self._dice.order(places)[: len(told)]), told, strict=True):
            noise[n][k] = self._passed(noise[n][k], self._beat(one, meeting), meeting)

    def _passed(self, said: Said, beat: Said, meeting: Meeting) -> Said:
        ending = "а" if self._person.is_woman else ""
        user = voice.joined(beat.user, said.user, meeting.lang, ending, self._dice)
        agent = said.agent
        if self._dice.chance(35):
            ack = voice.way("ack", meeting.lang, self._dice)
            agent = f"{ack} {agent}" if self._dice.chance(50) else f"{agent}\n\n{ack}"
        return replace(said, user=user, agent=agent, marks=(*said.marks, *beat.marks))

    # --- turns ---

    def _turns(self, said: Sequence[Said], meeting: Meeting) -> tuple[tuple[Turn, ...], dict[Mark, int]]:
        turns: list[Turn] = []
        places: dict[Mark, int] = {}
        at = meeting.start
        for one in said:
            places |= {mark: len(turns) + 1 for mark in one.marks}
            text = voice.articles(one.user)
            if meeting.where != "helper":
                text = self._voice.dressed(text, meeting.lang, not turns)
            turns.append(_user(len(turns) + 1, text, at))
            at += timedelta(seconds=self._dice.between(6, 50 + 40 * len(one.calls)))
            turns.append(self._assistant(len(turns) + 1, one, meeting, at))
            at += timedelta(seconds=self._dice.between(20, 420))
        if meeting.where != "helper" and self._dice.chance(30):
            turns += self._farewell(len(turns), meeting, at)
        return tuple(turns), places

    def _farewell(self, count: int, meeting: Meeting, at: datetime) -> list[Turn]:
        thanks = self._scope(meeting, {}).said(voice.way("thanks", meeting.lang, self._dice))
        found = [_user(count + 1, self._voice.dressed(thanks, meeting.lang, False), at)]
        if self._dice.chance(40):
            bye = self._scope(meeting, {}).said(voice.way("bye", meeting.lang, self._dice))
            reply = Said("", (), bye)
            found.append(self._assistant(count + 2, reply, meeting, at + timedelta(seconds=5)))
        return found

    def _assistant(self, n: int, said: Said, meeting: Meeting, at: datetime) -> Turn:
        blocks: list[Text | ToolCall] = []
        if said.calls and self._dice.chance(45):
            blocks.append(Text(voice.way("lead", meeting.lang, self._dice)))
        for call in said.calls:
            name, given = outputs.named(meeting.agent, call)
            blocks.append(ToolCall(name, given, call.result, call.is_error))
        blocks.append(Text(voice.articles(voice.sentence(said.agent))))
        trust = Trust.THIRD if said.calls else Trust.AGENT
        return Turn(n, Role.ASSISTANT, at, tuple(blocks), Origin.ASSISTANT, trust)


def _user(n: int, text: str, at: datetime) -> Turn:
    return Turn(n, Role.USER, at, (Text(text.strip()),), quoted=quotation.passages(text.strip()))


def _runs(told: Sequence[Told]) -> Iterator[list[Told]]:
    """Beats of one story that follow each other at once stay together."""
    held: list[Told] = []
    for one in told:
        if held and not (one.mark[0] == held[-1].mark[0] and one.beat.gap == (0, 0)):
            yield held
            held = []
        held.append(one)
    if held:
        yield held
