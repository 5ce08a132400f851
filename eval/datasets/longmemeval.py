"""LongMemEval (Wu et al., ICLR 2025): one question, one haystack of sessions; each question is a world of its own.

`path` is a published file (`longmemeval_s.json`, `…_oracle.json`): a list of questions with `haystack_sessions`. The
repackaged sample that has flattened them into one list of dated messages (`{"data": […]}`) is read too; it names no
evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from brain.eval.datasets.talk import Said, needed, read_json, session, session_id, time
from brain.eval.task import ABSTAIN, Sample, World
from brain.model import Session

_FORMS = ("%Y/%m/%d (%a) %H:%M",)


@dataclass(frozen=True, slots=True)
class LongMemEval:
    name: str = "longmemeval"

    def load(self, path: Path | None) -> Iterator[World]:
        file = needed(path, "LongMemEval")
        read = read_json(file)
        for item in read if isinstance(read, list) else read["data"]:
            yield _published(file.name, item) if "haystack_sessions" in item else _flat(file.name, item)


def _published(file: str, item: Mapping[str, Any]) -> World:
    name = str(item["question_id"])
    named = zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True)
    sessions = {str(id_): _session(name, file, id_, str(day), said) for id_, day, said in named}
    held = [sessions[str(id_)] for id_ in item.get("answer_session_ids", ()) if str(id_) in sessions]
    evidence = [_marked(one, said) for one, said in zip(sessions.values(), item["haystack_sessions"], strict=True)]
    turns = frozenset(source for marks in evidence for source in marks)
    ordered = sorted(sessions.values(), key=lambda one: (one.started is None, one.started))
    return _asked(name, tuple(ordered), item, turns or frozenset(one.id for one in held))


def _marked(one: Session, said: Sequence[Mapping[str, Any]]) -> list[str]:
    """The turns that the data set marks as holding the answer."""
    return [f"{one.id}#t{n}" for n, message in enumerate(said, 1) if message.get("has_answer")]


def _flat(file: str, item: Mapping[str, Any]) -> World:
    name = str(item["id"])
    days = groupby(item["conversation"], key=lambda message: str(message["date"]))
    sessions = [_session(name, file, n, day, list(said)) for n, (day, said) in enumerate(days)]
    return _asked(name, tuple(sessions), item, frozenset())


def _asked(name: str, sessions: tuple[Session, ...], item: Mapping[str, Any], evidence: frozenset[str]) -> World:
    asked = item.get("questions", (item,))
    return World(name, sessions, tuple(_sample(name, one, str(item["question_type"]), evidence) for one in asked))


def _sample(name: str, asked: Mapping[str, Any], kind: str, evidence: frozenset[str]) -> Sample:
    unanswerable = name.endswith("_abs")
    return Sample(
        id=str(asked.get("id") or name),
        question=str(asked["question"]),
        category=ABSTAIN if unanswerable else kind,
        answers=() if unanswerable else (str(asked["answer"]),),
        evidence=frozenset() if unanswerable else evidence,
        at=time(str(asked.get("question_date", "")), *_FORMS),
    )


def _session(name: str, file: str, id_: object, day: str, said: Sequence[Mapping[str, Any]]) -> Session:
    words = [Said(str(message["content"]), message["role"] == "user") for message in said]
    return session(session_id("longmemeval", name, id_), "longmemeval", file, words, time(day, *_FORMS))
