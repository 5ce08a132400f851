"""Small invented worlds for the tests of the ablation, and dreamers that plant a wiki whose worth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain import layout
from brain.dream.plan import Dreamer, Open, Operation, Plan, Scope, Sentence, State, Summarise
from brain.eval import world as world_
from brain.eval.datasets.talk import Said, session, session_id
from brain.eval.task import ABSTAIN, Sample, World
from brain.eval.world import Built
from brain.model import Claim, PageKind, Session
from brain.validators.registry import RULES

PLACES = ("harbour", "lighthouse", "bakery", "orchard", "library", "foundry")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
WRONG = "4999"


def port(world: int, place: int) -> str:
    return str(5000 + 10 * world + place)


def question(place: str) -> str:
    return f"which port does the {place} gateway use"


def world(number: int) -> World:
    """Six gateways; of each somebody first asks in the words of the question, and says the port another day."""
    sessions = []
    samples = []
    for n, place in enumerate(PLACES):
        asked = _session(number, 2 * n, f"So {question(place)}? The gateway, the {place} port, nobody remembers.")
        told = _session(number, 2 * n + 1, f"Found it for the {place} gateway: {port(number, n)}, since the move.")
        sessions += [asked, told]
        samples.append(
            Sample(
                id=f"q{n}",
                question=question(place),
                category="fact" if n % 2 else "port",
                answers=(port(number, n),),
                evidence=frozenset({f"{told.id}#t1"}),
                distance=2 * (len(PLACES) - 1 - n),
            )
        )
    samples.append(Sample("none", "how old is the foreman's parrot", ABSTAIN))
    return World(f"w{number}", tuple(sessions), tuple(samples), "Mirre Oost")


def _session(world: int, n: int, words: str) -> Session:
    said = [Said(words, is_user=True), Said("Noted, I will look at it when the build has run.", is_user=False)]
    return session(session_id("test", world, n), "test", "test.json", said, START + timedelta(days=n))


@dataclass(frozen=True, slots=True)
class Planted:
    """Marks all sessions as read, and on each told port lays down what it is given for it."""

    claim: Callable[[str, str], str] | None
    """(place, port) -> a statement; None: an empty wiki."""
    name: str = "planted"

    def dream(self, scope: Scope) -> Plan:
        operations: list[Operation] = []
        for new in scope.sessions:
            operations.append(Summarise(new.folder, "Gateways", "A word about a gateway.", (), "read"))
            words = new.session.turns[0].text
            if self.claim is not None and words.startswith("Found it for the "):
                place, told = words.split()[4], words.split()[6].rstrip(",")
                operations += _page(new.folder, place, self.claim(place, told))
        return Plan(tuple(operations))


def _page(folder: str, place: str, claim: str) -> list[Operation]:
    title = f"{place.capitalize()} gateway"
    path = f"{layout.KNOWLEDGE}/{PageKind.TOOL.folder}/{title}.md"
    evidence = (layout.source_of(folder, 1),)
    return [
        Open(path, title, PageKind.TOOL, (), claim, (Sentence(claim, evidence),), "a gateway"),
        State(path, "Facts", Claim(claim), evidence, "said"),
    ]


def built(one: World, root: Path, dreamer: Dreamer, nights: int) -> Built:
    """A world with what was planted in it: what is wrong on purpose would not get past a gate that asks a judge."""
    return world_.built(one, root, dreamer, nights, RULES)
