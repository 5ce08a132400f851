"""The agent without a model: the index, what recall finds for the question as it stands, and the pages behind it.

Who asks of themselves has the pages opened that the index quotes their standing words from; no other page is opened.
Deterministic. It measures what any agent would have before it, so what it cannot show no model can answer from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain import layout
from brain.eval.agents import Answer, Budget, Cost, Shown, View
from brain.index.first_message import STANDING_WORDS
from brain.links import wikilinks
from brain.names import title_key
from brain.search import Hit, Question, Searcher
from brain.search.asking import asking
from brain.search.corpus import TreeCorpus
from brain.search.passages import Kind
from brain.search.tokens import query_tokens, tokens

HITS = 40
"""Asked for; the budget decides how many of them are shown."""
OPENED = 1000
"""Characters of the budget for the pages of the asker's standing words."""


@dataclass(frozen=True, slots=True)
class Reader:
    name: str = "reader"

    def answer(self, question: str, at: datetime | None, view: View, budget: Budget) -> Answer:
        found, calls = _FINDERS[view.arm.finds](question, view, budget)
        first = [Shown("", view.first_message)] if view.first_message else []
        return Answer(None, (*first, *found), Cost(tool_calls=calls), abstained=not found)


def _search(question: str, view: View, budget: Budget) -> tuple[list[Shown], int]:
    """What recall finds; where the asker asks of themselves, then the pages of their standing words."""
    searcher = Searcher(view.home, TreeCorpus(view.tree), view.embedder)
    pages = _standing(view) if asking(question, None).own else []
    opened = _within(_read(question, searcher, pages), min(OPENED, budget.found))
    seen = {one.place for one in opened}
    hits = (_of_hit(hit) for hit in searcher.find(Question(question, HITS)).hits if hit.place not in seen)
    return _within(hits, budget.found - sum(len(one.text) for one in opened)) + opened, 1 + len(pages)


def _standing(view: View) -> list[str]:
    """The pages that the first message quotes the user's standing words from."""
    quoted = view.first_message.partition(STANDING_WORDS)[2].partition("\n## ")[0]
    titles = {title_key(link.target) for link in wikilinks(quoted) if link.target}
    return [path for path, page in view.tree.pages().items() if title_key(page.title) in titles]


def _read(question: str, searcher: Searcher, pages: Sequence[str]) -> Iterator[Shown]:
    """The lines of these pages, those first that answer the question, then the others as they stand."""
    if not pages:
        return
    found = searcher.find(Question(question, HITS, kinds=(Kind.CLAIM,), among=frozenset(pages).__contains__)).hits
    yield from (_of_hit(hit) for hit in found)
    seen = {hit.place for hit in found}
    for path in pages:
        for passage in searcher.corpus.passages(path):
            shown = Shown(f"{path}#{passage.anchor}", passage.text, passage.evidence, passage.past)
            if passage.kind is Kind.CLAIM and shown.place not in seen:
                yield shown


def _of_hit(hit: Hit) -> Shown:
    return Shown(hit.place, hit.text, hit.evidence, hit.past)


def _grep(question: str, view: View, budget: Budget) -> tuple[list[Shown], int]:
    """What grep gives, word by word: the turns that hold one, those with the most and the rarest first."""
    asked = set(query_tokens(question, lambda _: True))
    turns = [(shown, asked & set(tokens(shown.text))) for shown in _turns(view)]
    spread = Counter(word for _, held in turns for word in held)
    told = [(math.fsum(1 / spread[word] for word in sorted(held)), shown) for shown, held in turns if held]
    told.sort(key=lambda item: (-item[0], item[1].place))
    return _within((shown for _, shown in told), budget.found), len(asked)


def _all(question: str, view: View, budget: Budget) -> tuple[list[Shown], int]:
    return list(_turns(view)), 1


def _gold(question: str, view: View, budget: Budget) -> tuple[list[Shown], int]:
    return [shown for shown in _turns(view) if set(shown.evidence) & view.gold], 0


def _turns(view: View) -> Iterator[Shown]:
    for folder, session in view.tree.sessions().items():
        for turn in session.turns:
            text = "\n".join([turn.text, *(call.result or "" for call in turn.tool_calls)]).strip()
            if text and not turn.derived:
                source = layout.source_of(folder, turn.n)
                yield Shown(f"{layout.transcript_path(folder)}#t{turn.n}", text, (source,))


def _within(shown: Iterable[Shown], budget: int) -> list[Shown]:
    """The first ones that have room; one that is too long leaves room for shorter ones after it."""
    taken: list[Shown] = []
    for one in shown:
        if len(one.text) <= budget:
            taken.append(one)
            budget -= len(one.text)
    return taken


_FINDERS = {"search": _search, "grep": _grep, "all": _all, "gold": _gold}
