"""The Memory Agent: a need in words -> the files that answer it, each with why. It writes nothing.

It searches in several ways (planning.py), takes what is called by a name of the need, and follows what it found:
citations down to the sessions they stand on, links sideways, other pages that stand on the same turns, beside a
transcript its summary. What is nearest to the need comes first, and a budget of characters ends it. The same memory and
need give the same places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from brain import layout, links
from brain.audience import is_public
from brain.language.namekeys import is_same
from brain.language.words import fold
from brain.model import Audience
from brain.names import stem, title_key
from brain.sandbox.planning import NAMED, Need, Planner, Query, names, plan
from brain.search import Found, Hit, Question, Searcher
from brain.tree import Tree

_HITS = 30
"""Of one query."""
_LOWER = 0.97
"""Each hit counts so much of the one before it, beside its score: of equals the first is nearer to the need."""
_DOWN = 0.7
_SUMMARY = 0.6
_SAME_TURNS = 0.4
_SIDEWAYS = 0.35
"""Share of its points that a file gives to those it leads to."""
_FOLLOWED = 12
"""Files, and turns, that are followed."""
_REASONS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """One file that answers."""

    path: str
    why: str
    size: int
    """Characters."""
    anchor: str = ""
    words: str = ""
    """Where in the file the nearest passage is, and what it says; "" where the file was reached by following."""


@dataclass(frozen=True, slots=True)
class Brought:
    places: tuple[Place, ...]
    """The nearest first."""
    notes: tuple[str, ...] = ()
    """What the reader should know of how it was found; each one sentence."""


@dataclass(slots=True)
class _Candidate:
    points: float = 0.0
    reasons: Counter[str] = field(default_factory=Counter)
    hits: list[tuple[float, Hit]] = field(default_factory=list)

    @property
    def best(self) -> Hit | None:
        return max(self.hits, key=lambda hit: hit[0])[1] if self.hits else None


Answers = Sequence[tuple[Query, Found]]


class _Tally:
    """Points and reasons of files, as they come in."""

    def __init__(self) -> None:
        self.found: dict[str, _Candidate] = {}

    def add(self, path: str, points: float, why: str, hit: Hit | None = None) -> None:
        candidate = self.found.setdefault(path, _Candidate())
        # The best reason decides, further ones add a little: many weak hits make no answer.
        candidate.points = max(candidate.points, points) + 0.1 * min(candidate.points, points)
        candidate.reasons[why] += 1
        if hit is not None:
            candidate.hits.append((points, hit))

    def ranked(self) -> list[tuple[str, _Candidate]]:
        return sorted(self.found.items(), key=lambda item: (-item[1].points, item[0]))


def bring(tree: Tree, searcher: Searcher, need: Need, planner: Planner = plan) -> Brought:
    """The files of a tree that answer a need, as far as its budget goes; `searcher` searches that tree."""
    tally = _Tally()
    known = dict(_known(tree, need))
    for path, name in known.items():
        tally.add(path, NAMED, f"is about {name}")
    answers = [(query, _ask(searcher, need, query)) for query in (*planner(need), *_respelled(known))]
    _count(tally, answers)
    _follow(tree, tally, answers)
    notes = list(dict.fromkeys(note for _, found in answers for note in found.notes))
    places, left_out = _within(tree, tally, need)
    if left_out:
        notes.append(f"Left out for want of room: {left_out} files farther from the need (--budget CHARS takes more).")
    return Brought(tuple(places), tuple(notes))


def _count(tally: _Tally, answers: Answers) -> None:
    for query, found in answers:
        for hit, points in _weighed(query, found):
            tally.add(hit.path, points, _reason(query, hit), hit)


def _follow(tree: Tree, tally: _Tally, answers: Answers) -> None:
    """Citations down from every hit, then sideways from the files that are nearest by then."""
    for query, found in answers:
        for hit, points in _weighed(query, found):
            for path, why in _below(tree, hit):
                tally.add(path, points * _DOWN, why)
    for path, points, why in list(_sideways(tree, tally, _turns(answers))):
        tally.add(path, points, why)


def _known(tree: Tree, need: Need) -> Iterator[tuple[str, str]]:
    """(path, name) of the pages and notes whose titles hold a name of the need, in whatever script or case."""
    titles = {path: stem(path) for path in _named(tree).values()}
    for name in dict.fromkeys(names(need.text)):
        found = [path for path, title in titles.items() if _holds(title, name)]
        yield from ((path, name) for path in found if len(found) <= _FOLLOWED)


def _holds(title: str, name: str) -> bool:
    words, size = title.split(), len(name.split())
    return any(is_same(name, " ".join(words[n : n + size])) for n in range(len(words) - size + 1))


def _respelled(known: Mapping[str, str]) -> Iterator[Query]:
    """Titles that a name of the need stands for and that no word of it finds: Раи is Raya here."""
    titles = {stem(path): name for path, name in known.items()}
    for title, name in titles.items():
        if fold(name) not in fold(title):
            yield Query(title, f"names {title}", NAMED)


def _ask(searcher: Searcher, need: Need, query: Query) -> Found:
    question = Question(query.text, _HITS, audience=need.audience, since=query.since, until=query.until, now=need.now)
    return searcher.find(question)


def _weighed(query: Query, found: Found) -> Iterator[tuple[Hit, float]]:
    best = found.hits[0].score if found.hits else 1.0
    for n, hit in enumerate(found.hits):
        yield hit, query.weight * _LOWER**n * hit.score / (best or 1.0)


def _reason(query: Query, hit: Hit) -> str:
    return query.why or ("no longer true, but near" if hit.past else "near to the need")


def _below(tree: Tree, hit: Hit) -> Iterator[tuple[str, str]]:
    """(path, why) of the evidence of a hit: the transcript, and the whole of a result that was cut there."""
    title = _title(tree, hit.path)
    for source in hit.evidence:
        address = layout.parse_source(source)
        if address is None:
            continue
        folder, _, result = address
        transcript = layout.transcript_path(folder)
        if transcript != hit.path and transcript in tree:
            yield transcript, f"cited by {title}"
        turn = tree.turn(source) if result else None
        call = turn.tool_calls[result - 1] if turn and result and result <= len(turn.tool_calls) else None
        if call and call.attachment:
            yield f"{folder}/{layout.ATTACHMENTS}/{call.attachment}", f"the whole of {source}"


def _turns(answers: Answers) -> dict[str, float]:
    """The turns that answer best, by themselves or through what cites them, with their points."""
    points: dict[str, float] = {}
    for query, found in answers:
        for hit, worth in _weighed(query, found):
            for source in hit.evidence:
                points[source] = max(worth, points.get(source, 0.0))
    return dict(sorted(points.items(), key=lambda item: (-item[1], item[0]))[:_FOLLOWED])


def _sideways(tree: Tree, tally: _Tally, turns: dict[str, float]) -> Iterator[tuple[str, float, str]]:
    """(path, points, why) of what the nearest files lead to."""
    nearest = [(path, candidate.points) for path, candidate in tally.ranked()[: 2 * _FOLLOWED]]
    for path, points in nearest:
        folder = layout.session_of(path)
        if folder and layout.summary_path(folder) in tree and layout.is_transcript(path):
            yield layout.summary_path(folder), points * _SUMMARY, "sums up a session that is near"
    named = _named(tree)
    for path, points in [(path, points) for path, points in nearest if path in named.values()][:_FOLLOWED]:
        for target in _linked(tree, path, named):
            yield target, points * _SIDEWAYS, f"linked from {_title(tree, path)}"
    for path in named.values():
        text = tree.bytes(path)
        cited = [source for source in turns if _cites(text, source)]
        if cited:
            yield path, turns[cited[0]] * _SAME_TURNS, f"stands on {cited[0]}"


def _cites(text: bytes, source: str) -> bool:
    """Whether a file names a turn, and not only one whose number begins alike. No file is parsed for it."""
    at = text.find(wanted := source.encode())
    while at >= 0:
        if not text[at + len(wanted) : at + len(wanted) + 1].isdigit():
            return True
        at = text.find(wanted, at + 1)
    return False


def _linked(tree: Tree, path: str, named: Mapping[str, str]) -> Iterator[str]:
    for link in links.wikilinks(tree.text(path)):
        target = named.get(title_key(link.target.rpartition("/")[2]))
        if target and target != path:
            yield target


def _named(tree: Tree) -> dict[str, str]:
    """Title -> path, by the names of files: reading every page for its aliases would cost more than the search."""
    subjects = [*filter(layout.is_note, tree.paths), *filter(layout.is_page, tree.paths)]
    return {title_key(stem(path)): path for path in subjects}


def _within(tree: Tree, tally: _Tally, need: Need) -> tuple[list[Place], int]:
    """The nearest places that have room, the very nearest always; and how many had none."""
    places: list[Place] = []
    left, left_out = need.budget, 0
    for path, candidate in tally.ranked():
        if path not in tree or (need.audience is Audience.PUBLIC and not is_public(tree, path)):
            continue
        size = len(tree.text(path))
        if places and size > left:
            left_out += 1
            continue
        left -= size
        best = candidate.best
        found = (best.anchor, best.text) if best else ("", "")
        places.append(Place(path, _why(candidate), size, *found))
    return places, left_out


def _why(candidate: _Candidate) -> str:
    reasons = candidate.reasons.most_common(_REASONS)
    return "; ".join(f"{why} ({count}×)" if count > 1 else why for why, count in reasons)


def _title(tree: Tree, path: str) -> str:
    record = tree.page(path) or tree.note(path)
    return f"[[{record.title}]]" if record is not None and record.title else path.removeprefix(f"{layout.MEMORY}/")
