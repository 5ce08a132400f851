"""A small brain to dream on, and a dreamer that says what it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from brain import layout, transcript
from brain.config import Settings, default_toml
from brain.dream.orient import orient
from brain.dream.plan import Attach, Open, Operation, Plan, Scope, Sentence, State, Summarise
from brain.model import (
    Claim,
    Observation,
    ObservationType,
    Origin,
    PageKind,
    Role,
    Session,
    Source,
    Text,
    Trust,
    Turn,
)
from brain.store import Store
from brain.tree import Tree, tree_of

NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
DAY = date(2026, 11, 28)
START = datetime(2026, 11, 28, 10, tzinfo=UTC)

WORDS = (
    "Ilya now works at Kestrel Audio.",
    "Noted: Ilya works at Kestrel Audio.",
    "I prefer short answers in chat.",
    "Understood, short answers it is.",
    "The tide clock has 48 teeth.",
)
"""The turns of the first session; the person speaks first."""


def session(number: int = 1, words: tuple[str, ...] = WORDS, start: datetime = START) -> Session:
    """A session of the person and the agent in turns."""
    turns = tuple(_turn(n, text, start + timedelta(minutes=n)) for n, text in enumerate(words, 1))
    return Session(
        id=f"{number:08x}-0000-4000-8000-000000000000",
        agent="claude-code",
        source=Source("claude-code", f"{number}.jsonl", "0" * 64),
        turns=turns,
        title=f"Session {number}",
        started=turns[0].time,
        ended=turns[-1].time,
    )


def _turn(n: int, text: str, time: datetime) -> Turn:
    role = Role.USER if n % 2 else Role.ASSISTANT
    origin, trust = (Origin.USER, Trust.USER) if n % 2 else (Origin.ASSISTANT, Trust.AGENT)
    return Turn(n, role, time, (Text(text),), origin, trust)


def folder(number: int = 1, day: date = DAY) -> str:
    return layout.session_folder(session(number).id, day)


def source(n: int, number: int = 1, day: date = DAY) -> str:
    return layout.source_of(folder(number, day), n)


def files(*sessions: Session) -> dict[str, bytes]:
    """The files of a brain that holds these sessions and nothing else."""
    found = {layout.SETTINGS: default_toml("UTC", "Nadia").encode(), layout.DELETIONS: b"# Deletion log\n"}
    for one in sessions:
        day = one.started.date() if one.started else None
        path = layout.transcript_path(layout.session_folder(one.id, day))
        found[path] = transcript.render(one).encode()
    return found


def tree(*sessions: Session, extra: dict[str, bytes] | None = None) -> Tree:
    return tree_of({**files(*(sessions or (session(),))), **(extra or {})})


def scope(base: Tree | None = None, now: datetime = NOW, settings: Settings | None = None) -> Scope:
    return orient(base or tree(), now, settings or Settings())


def store_of(root: Path, *sessions: Session) -> Store:
    """A brain on disk that holds these sessions."""
    store = Store.init(root, toml=default_toml("UTC", "Nadia"), at=START)
    add(store, *(sessions or (session(),)))
    return store


def add(store: Store, *sessions: Session) -> None:
    """Take sessions in, as ingest would."""
    changes = {path: data for path, data in files(*sessions).items() if layout.is_transcript(path)}
    head = store.head()
    ids = "-".join(one.id[:8] for one in sessions) + f"-{sum(len(one.turns) for one in sessions)}"
    store.advance(
        store.write(changes, base=head, message="Take in", command="ingest", run_id=f"ingest-{ids}", at=START), head
    )


@dataclass(slots=True)
class ScriptedDreamer:
    """Gives the plan that `script` makes of a scope; counts how often it was asked."""

    script: Callable[[Scope], Plan]
    name: str = "scripted"
    asked: int = 0

    def dream(self, scope: Scope) -> Plan:
        self.asked += 1
        return self.script(scope)


def says(*operations: Operation) -> ScriptedDreamer:
    return ScriptedDreamer(lambda _: Plan(operations))


# --- operations ---------------------------------------------------------------------

ILYA = "memory/knowledge/people/Ilya Brandt.md"
CLOCK = "memory/notes/work/Tide clock.md"
CHAT = "memory/notes/habits/Chat.md"


def opened(**fields: object) -> Open:
    given: dict[str, object] = {
        "page": ILYA,
        "title": "Ilya Brandt",
        "kind": PageKind.PERSON,
        "aliases": ("Ilya",),
        "summary": "Sound engineer at Kestrel Audio.",
        "lead": (Sentence("Ilya Brandt works with sound.", (source(1),)),),
        "why": "named again and again",
    }
    return Open(**(given | fields))  # type: ignore[arg-type]


def stated(text: str = "Nadia: “Ilya now works at Kestrel Audio.”", *evidence: str, **fields: object) -> State:
    given: dict[str, object] = {
        "page": ILYA,
        "section": "Facts",
        "claim": Claim(text, date="2026-11-28"),
        "evidence": evidence or (source(1),),
        "why": "a durable fact",
    }
    return State(**(given | fields))  # type: ignore[arg-type]


def attached(
    text: str = "Nadia: “The tide clock has 48 teeth.”",
    *evidence: str,
    type: ObservationType = ObservationType.FACT,
    date: str | None = "2026-11-28",
    **fields: object,
) -> Attach:
    given: dict[str, object] = {
        "note": CLOCK,
        "title": "Tide clock",
        "domain": "work",
        "observation": Observation(text, type, 0.9, date),
        "evidence": evidence or (source(5),),
        "why": "about the clock",
    }
    return Attach(**(given | fields))  # type: ignore[arg-type]


def summarised(*sentences: Sentence, number: int = 1, day: date = DAY, **fields: object) -> Summarise:
    given: dict[str, object] = {
        "session": folder(number, day),
        "title": f"Session {number}",
        "line": "Ilya's new job, short answers, the clock.",
        "sentences": sentences or (Sentence("Ilya now works at Kestrel Audio.", (source(1, number, day),)),),
        "why": "new tonight",
    }
    return Summarise(**(given | fields))  # type: ignore[arg-type]


def everything() -> tuple[Operation, ...]:
    """A whole night: a summary, a page with a claim, a note."""
    return (summarised(), opened(), stated(), attached())
