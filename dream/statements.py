"""Sessions -> statements: what is worth remembering, in words that read alone, with who, when, and on what evidence.

Invariants: nothing that is not in a turn; a turn that repeats the memory is no evidence; only a user's own words become
preferences, procedures and profile; what an agent read elsewhere becomes a fact that names its source, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from brain import layout
from brain.config import Settings
from brain.dream import agreed, outcomes, sift, steps, wording
from brain.dream.hearing import Heard, Spoken, hear
from brain.dream.plan import NewTurns
from brain.dream.subjects import NOBODY, Subject, Subjects
from brain.dream.topic_choice import Setting, topic_of
from brain.dream.topics import PERSONAL, Talk, Topic, Topics
from brain.language import dates
from brain.model import ObservationType, Origin, Role, Session, SessionKind, Trust, Turn

MAX_PER_SESSION = 40
"""Beyond this a session's weakest statements are left out; a person says less than that in a day's talk."""
_CONFIDENCE = {Trust.USER: 0.95, Trust.OWN: 0.9, Trust.AGENT: 0.7, Trust.ORG: 0.6, Trust.THIRD: 0.5, Trust.HIDDEN: 0.0}
_HEDGED = 0.5
_AGREED = 0.9
_OF_TASKS = frozenset({*ObservationType} - {ObservationType.DECISION})
_OF_OTHERS = frozenset({ObservationType.FACT, ObservationType.EVENT, ObservationType.OPINION})
_CORRECTED = 0.98


@dataclass(frozen=True, slots=True)
class Statement:
    """One observation before it has a place."""

    text: str
    """As it will stand: `Nadia: “…”`."""
    type: ObservationType
    confidence: float
    day: str | None
    """Day it holds from."""
    said: str
    """Orders statements by the events, not by imports: local time of the turn, "" where unknown."""
    evidence: tuple[str, ...]
    session: str
    topic: Topic
    subjects: tuple[Subject, ...]
    """What its main clause names."""
    named: tuple[Subject, ...]
    """All that it names."""
    speaker: str
    cues: frozenset[str]
    main: Subject | None = None
    """The name that it says something of, where its subject is one."""
    is_defining: bool = False
    """It says who or what its subject is."""
    is_hedged: bool = False
    is_private: bool = False
    is_own: bool = False
    """A person tells of themselves."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading a session needs to know of the rest."""

    settings: Settings
    subjects: Subjects
    topics: Topics

    @property
    def zone(self) -> ZoneInfo:
        return self.settings.zone


def domain_of(session: Session) -> str:
    """The project of a session, else `personal`."""
    slug = wording.harmless(session.project or "").replace("/", "-").strip(". -")
    return slug or PERSONAL


def read(spoken: Spoken, reader: Reader) -> tuple[Statement, ...]:
    """The statements of a session's new turns, in their order."""
    talk = Talk([heard for _, heard in spoken.turns], domain_of(spoken.new.session), reader.topics)
    setting = _Session(spoken.new, reader, talk, talk.domain != PERSONAL or _is_personal(spoken))
    found: list[Statement] = []
    before: Sequence[Heard] = ()
    for turn, sentences in spoken.turns:
        if turn.role is Role.USER and agreed.is_yes(sentences):
            found += setting.agreed(turn, before)
        found += setting.statements(turn, sentences)
        before = sentences if turn.role is Role.ASSISTANT else ()
    if len(found) <= MAX_PER_SESSION:
        return tuple(found)
    best = sorted(range(len(found)), key=lambda at: (-_weight(found[at]), at))[:MAX_PER_SESSION]
    return tuple(found[at] for at in sorted(best))


def _is_personal(spoken: Spoken) -> bool:
    """Somebody tells of himself, or at least sets no task whose matter the rest would be."""
    said = [heard for turn, heard in spoken.turns if _is_users(turn) and heard]
    tells = any(sift.is_about_self(heard) for turn in said for heard in turn)
    return tells or not any(sift.is_task(turn[0]) for turn in said)


def time_of(new: NewTurns, turn: Turn, zone: ZoneInfo) -> datetime | None:
    return layout.said_at(turn, new.session, new.folder, zone)


def _is_users(turn: Turn) -> bool:
    return turn.role is Role.USER


def _weight(statement: Statement) -> float:
    kinds = {ObservationType.FACT: 1.0, ObservationType.EVENT: 0.8, ObservationType.OPINION: 0.2}
    return kinds.get(statement.type, 2.0) * statement.confidence + 0.2 * len(statement.subjects)


@dataclass(frozen=True, slots=True)
class _Session:
    """One session on its second reading."""

    new: NewTurns
    reader: Reader
    talk: Talk
    is_personal: bool = True
    """False: nobody speaks of himself or a project in it; what it states is matter for the agent to work on."""

    def statements(self, turn: Turn, sentences: Sequence[Heard]) -> Iterator[Statement]:
        if turn.role is Role.ASSISTANT:
            for outcome in outcomes.outcomes(turn, sentences, self.reader.zone):
                yield self._statement(outcome.heard, ObservationType.FACT, outcome.speaker, outcome.results)
            return
        is_private = any("private" in heard.cues for heard in sentences)
        own = self._is_own(turn)
        source = wording.harmless(self.new.session.title or self.new.session.source.name)
        speaker = wording.speaker_of(turn, self.reader.settings.person) if own else f"According to {source}"
        for heard, kind in self._kept(sentences):
            said = self._statement(heard, kind if own else ObservationType.FACT, speaker)
            text = wording.statement(speaker, self._with_tail(said.text, heard, sentences))
            yield replace(said, text=text, is_private=is_private, is_own=own and sift.is_own(heard))

    def _kept(self, sentences: Sequence[Heard]) -> Iterator[tuple[Heard, ObservationType]]:
        """The sentences that say something, with what they say it as."""
        is_task = (bool(sentences) and sift.is_task(sentences[0])) or not self.is_personal
        matter = _OF_OTHERS if self.is_personal else _OF_TASKS
        for heard in sentences:
            kind = sift.type_of(heard)
            if kind is None or _is_taken_along(heard) or sift.is_tail(heard) or steps.is_step(heard):
                continue
            if is_task and kind in matter and not sift.is_own(heard):
                continue
            is_corrected = heard.before is not None and _is_denial(heard.before) and kind is ObservationType.FACT
            yield heard, ObservationType.CORRECTION if is_corrected else kind

    def _with_tail(self, text: str, heard: Heard, sentences: Sequence[Heard]) -> str:
        """The words with those behind them that have no verb of their own: `The second in two weeks.`"""
        words = wording.read(text)[1]
        for tail in sentences[sentences.index(heard) + 1 :]:
            if not (sift.is_tail(tail) or steps.is_step(tail)):
                break
            words = f"{words} {wording.words_of(tail, self._at(tail.turn), self.reader.zone)}"
        return words

    def agreed(self, turn: Turn, proposal: Sequence[Heard]) -> Iterator[Statement]:
        """What the agent recapped in the turn before, and this turn said yes to."""
        who = wording.speaker_of(turn, self.reader.settings.person)
        for found in agreed.agreed(proposal):
            said = self._statement(found.heard, ObservationType.FACT, f"{wording.AGENT}, confirmed by {who}")
            words = dates.annotate(wording.harmless(found.words), self._at(found.heard.turn), self.reader.zone)
            yield replace(
                said,
                text=wording.statement(said.speaker, words),
                evidence=(*said.evidence, layout.source_of(self.new.folder, turn.n)),
                confidence=_AGREED,
                said=self._said(turn),
            )

    def _is_own(self, turn: Turn) -> bool:
        is_document = self.new.session.kind is SessionKind.DOCUMENT
        return turn.origin is Origin.USER and turn.trust is Trust.USER and not is_document

    def _statement(self, heard: Heard, kind: ObservationType, speaker: str, results: tuple[int, ...] = ()) -> Statement:
        turn, subjects = heard.turn, self.reader.subjects
        about = tuple(dict.fromkeys(s for m in heard.main_mentions if (s := subjects.find(m.name))))
        if heard.stands_for and heard.stands_for not in about:
            about = (heard.stands_for, *about)
        topic = topic_of(heard, kind, Setting(subjects, self.talk, self._user, self.talk.domain))
        words = wording.words_of(heard, self._at(turn), self.reader.zone)
        gone = "changed_mind" in heard.cues or (kind is ObservationType.PREFERENCE and "tastes" in heard.cues)
        if gone and (after := _after(heard, subjects)):
            words = f"{words} {after}"
        return Statement(
            text=wording.statement(speaker, words),
            type=kind,
            confidence=_confidence(heard, kind),
            day=self._day(heard, kind),
            said=self._said(turn),
            evidence=tuple(layout.source_of(self.new.folder, turn.n, r) for r in (None, *results)),
            session=self.new.folder,
            topic=topic,
            subjects=about,
            named=tuple(dict.fromkeys(s for m in heard.mentions if (s := subjects.find(m.name)))),
            speaker=speaker,
            cues=heard.cues,
            main=_main(heard, about, subjects),
            is_defining=heard.is_defining and not sift.is_hedged(heard),
            is_hedged=sift.is_hedged(heard),
            is_private="private" in heard.cues,
        )

    @property
    def _user(self) -> str:
        """Whose session it is."""
        person = self.reader.settings.person
        spoken = (t for t in self.new.session.turns if _is_users(t))
        return next((wording.speaker_of(turn, person) for turn in spoken), person.name or NOBODY)

    def _said(self, turn: Turn) -> str:
        at = self._at(turn)
        return f"{at.astimezone(self.reader.zone):%Y-%m-%dT%H:%M:%S}#{turn.n:06d}" if at else ""

    def _at(self, turn: Turn) -> datetime | None:
        return time_of(self.new, turn, self.reader.zone)

    def _day(self, heard: Heard, kind: ObservationType) -> str | None:
        at = self._at(heard.turn)
        if at is None:
            return None
        today = at.astimezone(self.reader.zone).date()
        return (_told_day(heard, at, self.reader.zone, kind, today) or today).isoformat()


def _told_day(heard: Heard, at: datetime, zone: ZoneInfo, kind: ObservationType, today: date) -> date | None:
    """The day that the sentence itself gives: since when it holds, or when it happened."""
    for when in dates.resolve(heard.text, at, zone):
        if len(when.days) != 1 or when.days[0][0] != when.days[0][1] or when.days[0][0] > today:
            continue
        begins = [w.low for w in heard.row if w.end <= when.start][-1:]
        begins += [w.low for w in heard.row if w.start >= when.start][:1]
        if kind is ObservationType.EVENT or any(heard.rules.has("since", low) for low in begins):
            return when.days[0][0]
    return None


def _confidence(heard: Heard, kind: ObservationType) -> float:
    if kind is ObservationType.CORRECTION:
        return _CORRECTED
    found = _CONFIDENCE[heard.turn.trust]
    return round(found * _HEDGED if sift.is_hedged(heard) else found, 2)


def _is_denial(heard: Heard) -> bool:
    return "correction" in heard.cues and sift.is_empty(heard)


def _is_taken_along(heard: Heard) -> bool:
    """A sentence that says nothing alone: the one before it carries it, or it points at one that is not kept."""
    before = heard.before
    if before is not None and "changed_mind" in before.cues:
        return True
    return heard.pronoun == "pointing" and (before is None or sift.type_of(before) is None)


def _after(heard: Heard, subjects: Subjects) -> str:
    """What stands behind a sentence that says only that a mind was changed: `Urgent? Write me a mail.`"""
    heards = hear(heard.turn, subjects)
    at = next((n for n, one in enumerate(heards, 1) if one.text == heard.text), len(heards))
    end = next((n for n, one in enumerate(heards[at:], at + 1) if not sift.is_question(one)), at)
    return wording.harmless(" ".join(one.text for one in heards[at:end]))


def _main(heard: Heard, about: Sequence[Subject], subjects: Subjects) -> Subject | None:
    if heard.stands_for:
        return heard.stands_for
    if heard.subject is None:
        return None
    inside = [m for m in heard.mentions if heard.subject.start <= m.start and m.end <= heard.subject.end]
    whole = [m for m in inside if not heard.row[m.end - 1].low.endswith("'s")]
    return subjects.find(whole[-1].name) if whole else None
