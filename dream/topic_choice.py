"""Which topic a sentence is filed under; the order of the tries is the whole of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from brain.dream import sift
from brain.dream.hearing import Heard
from brain.dream.subjects import Subject, Subjects
from brain.dream.topics import PERSONAL, Talk, Topic, phrases
from brain.language.titles import title_of, title_words
from brain.language.words import words
from brain.model import ObservationType, PageKind

_MAX_TITLE = 60


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a sentence was said."""

    subjects: Subjects
    talk: Talk
    speaker: str
    domain: str


def topic_of(heard: Heard, kind: ObservationType, setting: Setting) -> Topic:
    """The topic of a sentence; always one."""
    for find in _ORDER.get(kind, _USUAL):
        found = find(heard, setting)
        if isinstance(found, Subject):
            return Topic(found.title, setting.domain, found)
        if found:
            return Topic(found[:_MAX_TITLE].strip(), setting.domain)
    return Topic(setting.speaker, setting.domain, setting.subjects.find(setting.speaker))


def purpose_of(text: str) -> str:
    """ "To deploy to the shed: build …" -> "Deploy to the shed"; "" where it says no purpose."""
    match = _PURPOSE.search(text)
    return match[1][0].upper() + match[1][1:] if match else ""


_PURPOSE = re.compile(
    r"(?:(?:^|that |note|down,? |remember,? (?:how )?)to|(?:^|[\s,])(?:чтобы|для|как(?: мы)?))\s+([^:,.;]{3,60})[:,]",
    re.IGNORECASE,
)

_Try = Callable[[Heard, Setting], "Subject | str | None"]


def _purpose(heard: Heard, setting: Setting) -> str:
    return purpose_of(heard.text)


def _named_subject(heard: Heard, setting: Setting) -> Subject | None:
    if heard.stands_for:
        return heard.stands_for
    chunk = heard.subject
    if chunk is None:
        return None
    inside = heard.inside(chunk)
    return setting.subjects.find(inside[0].name) if inside else None


def _noun_subject(heard: Heard, setting: Setting) -> str:
    if heard.antecedent:
        return _title(heard.antecedent, heard)
    if heard.subject is None or heard.subject.is_pronoun:
        return ""
    title = _title(heard.words(heard.subject), heard)
    return title if setting.talk.comes_back_to(title) else ""


def _hard_noun_subject(heard: Heard, setting: Setting) -> str:
    """Named this once, but with a name, a number or a time: something that will be asked for."""
    if heard.subject is None or heard.subject.is_pronoun or not sift.is_hard(heard):
        return ""
    title = _title(heard.words(heard.subject), heard)
    return title if title and (setting.talk.has_thing(title) or setting.talk.comes_back_to(title)) else ""


def _title(phrase: str, heard: Heard) -> str:
    named = title_words(words(phrase), heard.rules)
    return title_of(named) if named else ""


def _named_object(heard: Heard, setting: Setting) -> Subject | None:
    """The first name of the main clause, else the first name."""
    found = (setting.subjects.find(m.name) for m in heard.main_mentions)
    return next((s for s in found if s and (s.page or s.guess is not PageKind.CONCEPT or s.count > 1)), None)


def _speaker(heard: Heard, setting: Setting) -> Subject | str:
    return setting.subjects.find(setting.speaker) or setting.speaker


def _repeated_phrase(heard: Heard, setting: Setting) -> str:
    return setting.talk.best_phrase(heard)


def _first_phrase(heard: Heard, setting: Setting) -> str:
    """A thing of two words, or one that stands behind `the` or `my`: a single word may be anything."""
    for phrase in phrases(heard):
        before = next((w.low for w in reversed(heard.row) if w.end < phrase[0].start), "")
        if len(phrase) > 1 or heard.rules.has_cases or heard.rules.has("determiners", before):
            return title_of(phrase)
    return ""


def _talk(heard: Heard, setting: Setting) -> str:
    return setting.talk.main()


def _strong_talk(heard: Heard, setting: Setting) -> str:
    return setting.talk.main(often=True)


def _project(heard: Heard, setting: Setting) -> Subject | None:
    return setting.subjects.find(setting.domain) if setting.domain != PERSONAL else None


_USUAL: tuple[_Try, ...] = (
    _named_subject,
    _noun_subject,
    _named_object,
    _repeated_phrase,
    _strong_talk,
    _hard_noun_subject,
    _talk,
    _project,
    _speaker,
)
_ORDER: dict[ObservationType, tuple[_Try, ...]] = {
    ObservationType.PROCEDURE: (_purpose, *_USUAL),
    ObservationType.PROFILE: (_named_subject, _speaker),
    ObservationType.PREFERENCE: (
        _named_subject,
        _noun_subject,
        _first_phrase,
        _named_object,
        _talk,
        _project,
        _speaker,
    ),
    ObservationType.OPINION: _USUAL,
}
