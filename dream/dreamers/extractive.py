"""The dreamer that needs no model: everything it writes is quoted, or worked out, from a turn.

Same tree, same settings, same plan, to the byte.
"""

from __future__ import annotations

from dataclasses import replace

from brain.config import Settings
from brain.dream.distil import distil
from brain.dream.handwritten import cite, is_handwritten
from brain.dream.hearing import learn, listen
from brain.dream.ledger import Ledger
from brain.dream.plan import Operation, Plan, Scope, Summarise
from brain.dream.statements import Reader, Statement, domain_of, read
from brain.dream.subjects import Subjects
from brain.dream.summarise import summarise
from brain.dream.synthesise import synthesise
from brain.dream.topics import Topics


class ExtractiveDreamer:
    """Orient, then summarise, distil and synthesise, in words that were said."""

    name = "extractive"

    def dream(self, scope: Scope) -> Plan:
        subjects = Subjects(scope.tree)
        for new in scope.sessions:
            if new.session.project:
                subjects.project(domain_of(new.session)).sessions.add(new.folder)
            if not is_handwritten(new):
                learn(new, subjects)
        reader = Reader(_with_user(scope.settings, subjects), subjects, Topics(scope.tree.paths))
        summaries: list[Summarise] = []
        statements: list[Statement] = []
        for new in scope.sessions:
            spoken = listen(new, subjects)
            summaries.append(summarise(spoken, reader))
            statements += () if is_handwritten(new) else read(spoken, reader)
        distilled = distil(statements, reader, Ledger(scope.tree))
        pages = synthesise(scope, reader, distilled.placed)
        written = cite([new for new in scope.sessions if is_handwritten(new)], scope.tree)
        operations: tuple[Operation, ...] = (*written, *distilled.operations, *pages, *summaries)
        return Plan(operations)


def _with_user(settings: Settings, subjects: Subjects) -> Settings:
    """The settings with the name that the user gave in a session, where they give none."""
    if settings.person.name or not subjects.user:
        return settings
    return replace(settings, person=replace(settings.person, name=subjects.user))
