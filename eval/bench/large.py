"""A large brain, invented and seeded: sessions with one fact each among much talk, pages of people, summaries, maps."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain import config, index, layout, page, summary, transcript
from brain.evidence import quote
from brain.model import Citation, Claim, Origin, PageKind, Role, Session, Source, Summary, Text, ToolCall, Turn
from brain.store import Store
from brain.tree import tree_of

TURNS = 12
BEGINNING = datetime(2024, 1, 1, 9, tzinfo=UTC)
_GAP = timedelta(hours=5)
_PEOPLE = 600
_CLAIMS = 6
_FIRST = "Ada Boris Clara Dmitri Elsa Fedor Greta Hanna Igor Jana Karl Lena Marek Nadia Oleg Petra Quirin Rosa Stepan"
_LAST = "Almgren Bruun Cerny Dahl Ek Fomin Grimm Holm Ivanov Juhl Krogh Lind Maslov Nygaard Orlov Popov Quist Rask Sand"
_THINGS = "locker bicycle boat violin notebook telescope sledge kiln loom anvil easel drum globe lathe"
_FACTS = "stands behind the {0} {1}|was lent to the {0} {1}|has a broken {0} under the {1}|is painted like a {0} {1}"
_WORDS = (
    "gauge harbour reading service table column berth tide forecast deploy branch build cache parser token queue "
    "window buffer schema retry timeout worker thread signal journal commit index page note session "
    "станция прилив журнал лодка copper lantern meadow granite saddle ribbon walnut kettle basalt thistle marble"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """What one session tells, and nothing else does."""

    name: str
    thing: str
    words: str
    source: str
    quote: str = ""
    """Hash of the turn that tells it."""
    day: str = ""

    @property
    def question(self) -> str:
        return f"What do we know of the {self.thing} of {self.name}?"


def build(root: Path, sessions: int, pages: int = 0) -> tuple[Store, list[Fact]]:
    """The brain, in one commit, and the facts in it; `pages`: so many of concepts besides those of people."""
    text = config.default_toml("UTC", "Nadia").replace('embedder = "use"', 'embedder = "none"')
    store = Store.init(root, toml=text, at=BEGINNING)
    files: dict[str, bytes] = {}
    facts = []
    for n in range(sessions):
        written, fact = _session(n)
        files |= written
        facts.append(fact)
    files |= dict(_pages(facts))
    files |= dict(concept(n, facts) for n in range(pages))
    files |= index.files(tree_of(files), store.settings.index.budget)
    head = store.head()
    commit = store.write(files, base=head, message="A large brain", command="bench", run_id="bench", at=BEGINNING)
    store.advance(commit, head)
    return store, facts


def _session(n: int) -> tuple[dict[str, bytes], Fact]:
    rng, at = random.Random(n), BEGINNING + n * _GAP
    name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"bench:{n}"))
    folder = layout.session_folder(name, at.date())
    place = 2 * rng.randrange(TURNS // 2) + 1
    fact = _fact(rng, n, layout.source_of(folder, place))
    turns = tuple(_turn(rng, k, at, fact.words if k == place else "") for k in range(1, TURNS + 1))
    origin = Source("claude-code", f"{name}.jsonl", "0" * 64)
    session = Session(name, "claude-code", origin, turns, title=f"Talk {n}", started=at, ended=turns[-1].time)
    fact = replace(fact, quote=quote(turns[place - 1].text), day=(at + timedelta(minutes=3 * place)).date().isoformat())
    citation = Citation(fact.source, quote(turns[place - 1].text), at.date().isoformat(), Origin.USER)
    summed = Summary(
        folder.removeprefix(f"{layout.MEMORY}/"),
        f"Talk {n}",
        fact.words,
        TURNS,
        0,
        ((fact.words, (1,)),),
        {1: citation},
    )
    files = {
        layout.transcript_path(folder): transcript.render(session).encode(),
        layout.summary_path(folder): summary.render(summed).encode(),
    }
    return files, fact


def _fact(rng: random.Random, n: int, source: str) -> Fact:
    first, last, things = _FIRST.split(), _LAST.split(), _THINGS.split()
    name = f"{first[n % 19]} {last[n // 19 % 19]}"
    thing = things[n // 361 % 14]
    words = rng.choice(_FACTS.split("|")).format(*rng.sample(_WORDS.split(), 2))
    return Fact(name, thing, f"The {thing} of {name} {words}, says entry {n}.", source)


def _turn(rng: random.Random, n: int, at: datetime, fact: str) -> Turn:
    words = " ".join(filter(None, (_prose(rng, 2), fact, _prose(rng, 3))))
    time = at + timedelta(minutes=3 * n)
    if n % 2:
        return Turn(n, Role.USER, time, (Text(words),))
    call = ToolCall("Bash", f"make {rng.choice(_WORDS.split())}", "\n".join(_prose(rng, 1) for _ in range(24)))
    return Turn(n, Role.ASSISTANT, time, (Text(words), call), Origin.ASSISTANT)


def _prose(rng: random.Random, sentences: int) -> str:
    return " ".join(" ".join(rng.choices(_WORDS.split(), k=12)).capitalize() + "." for _ in range(sentences))


def _pages(facts: list[Fact]) -> Iterator[tuple[str, bytes]]:
    """A page for each of the people, with the newest facts."""
    told: dict[str, list[Fact]] = {}
    for fact in facts:
        told.setdefault(fact.name, []).append(fact)
    for name, known in list(told.items())[:_PEOPLE]:
        made = page.new_page(name, PageKind.PERSON, summary=f"Somebody with a {known[0].thing}.")
        for fact in known[-8:]:
            made, number = page.cite(made, Citation(fact.source, fact.quote, fact.day, Origin.USER))
            made = page.add_claim(made, "Facts", Claim(fact.words, (number,)))
        yield f"{layout.KNOWLEDGE}/people/{name}.md", page.render(made).encode()


def concept(n: int, facts: list[Fact], words: str = "") -> tuple[str, bytes]:
    """Path and text of the page of an invented concept, which states some of the facts, and `words` in each."""
    title = f"{_WORDS.split()[n % 20].capitalize()} {n}"
    told = [facts[(7 * n + k) % len(facts)] for k in range(_CLAIMS)]
    made = page.new_page(title, PageKind.CONCEPT, summary=f"What is known of {title}.")
    for fact in told:
        made, number = page.cite(made, Citation(fact.source, fact.quote, fact.day, Origin.USER))
        made = page.add_claim(made, "Facts", Claim(f"{title}{words}: {fact.words}", (number,)))
    return f"{layout.KNOWLEDGE}/concepts/{title}.md", page.render(made).encode()
