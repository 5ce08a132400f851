"""A tree as passages: its transcripts, summaries, notes and pages.

Memory that came back in a turn (`derived`) is no passage: it would be found twice and prove nothing. What a session
holds is as private as the session; what a summary says, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from brain import layout
from brain.audience import is_private
from brain.links import wikilinks
from brain.model import Audience, Citation, Claim, Origin, Session, Summary, Trust, Turn
from brain.note import Note
from brain.note import claims as note_claims
from brain.page import Page
from brain.page import claims as page_claims
from brain.search.passages import Kind, Passage, pieces
from brain.text.claims import HISTORY, RELATED, Statement
from brain.text.sections import Section
from brain.tree import Tree


@dataclass(frozen=True, slots=True)
class TreeCorpus:
    """The passages of a tree."""

    tree: Tree

    @property
    def blobs(self) -> Mapping[str, str]:
        return {path: blob for path, blob in self.tree.blobs.items() if _reader(path)}

    def passages(self, path: str) -> tuple[Passage, ...]:
        read = _reader(path)
        return tuple(piece for passage in read(self.tree, path) for piece in pieces(passage)) if read else ()


def _reader(path: str) -> Callable[[Tree, str], Iterable[Passage]] | None:
    for is_kind, read in (
        (layout.is_transcript, _transcript),
        (layout.is_summary, _summary),
        (layout.is_note, lambda tree, path: of_note(tree.notes()[path])),
        (layout.is_page, lambda tree, path: of_page(tree.pages()[path])),
    ):
        if is_kind(path):
            return read
    return None


def _transcript(tree: Tree, path: str) -> Iterator[Passage]:
    folder = path.rpartition("/")[0]
    return of_session(folder, tree.sessions()[folder])


def _summary(tree: Tree, path: str) -> Iterator[Passage]:
    session = tree.session(path.rpartition("/")[0])
    return of_summary(tree.summaries()[path], private=session is None or session.audience is Audience.TRUSTED)


def of_session(folder: str, session: Session) -> Iterator[Passage]:
    """The turns first, one after the other, since a turn is lifted by those beside it; then what tools gave."""
    private = session.audience is Audience.TRUSTED
    turns = [turn for turn in session.turns if not turn.derived]
    yield from (_turn(folder, turn, private) for turn in turns if turn.text)
    for turn in turns:
        yield from _results(folder, turn, private)


def _turn(folder: str, turn: Turn, private: bool) -> Passage:
    return Passage(
        anchor=f"t{turn.n}",
        kind=Kind.TURN,
        text=turn.text,
        context=turn.speaker or "",
        evidence=(layout.source_of(folder, turn.n),),
        time=turn.time.isoformat() if turn.time else None,
        origin=turn.origin,
        speaker=turn.speaker,
        private=private,
        subjects=(turn.speaker,) if turn.speaker else (),
    )


def _results(folder: str, turn: Turn, private: bool) -> Iterator[Passage]:
    for number, call in enumerate(turn.tool_calls, 1):
        # Hidden text was never meant to be seen; a search that finds it would show it.
        if not call.result or call.trust is Trust.HIDDEN:
            continue
        yield Passage(
            anchor=f"t{turn.n}.r{number}",
            kind=Kind.RESULT,
            text=call.result,
            context=call.name,
            evidence=(layout.source_of(folder, turn.n, number),),
            time=turn.time.isoformat() if turn.time else None,
            origin=Origin.TOOL,
            private=private,
        )


def of_summary(summary: Summary, *, private: bool) -> Iterator[Passage]:
    if summary.line:
        passage = Passage("", Kind.SUMMARY, summary.line, summary.title, private=private)
        yield _cited(passage, summary.citations, summary.citations)
    for number, (text, cites) in enumerate(summary.sentences, 1):
        passage = Passage(f"s{number}", Kind.SUMMARY, text, summary.title, private=private)
        yield _cited(passage, cites, summary.citations)


def of_note(note: Note) -> Iterator[Passage]:
    private = is_private(note)
    named = tuple(filter(None, (note.title, *note.aliases)))
    for claim, statement in zip(note_claims(note), _statements(note.layout), strict=True):
        passage = Passage("", Kind.OBSERVATION, claim.text, note.title, private=private, subjects=named)
        yield _claim(claim, statement, passage, note.citations)


def of_page(page: Page) -> Iterator[Passage]:
    """The page as a whole (its names and what it is), then its claims."""
    private = is_private(page)
    about = " · ".join(words for words in (page.title, *page.aliases, page.summary) if words)
    named = tuple(filter(None, (page.title, *page.aliases)))
    base = Passage("", Kind.PAGE, about, private=private, subjects=named, importance=page.importance)
    if about:
        lead = [number for claim in page.lead for number in claim.cites]
        yield replace(_cited(base, lead, page.citations), links=tuple(related.title for related in page.related))
    for claim, statement in zip(page_claims(page), _statements(page.layout), strict=True):
        passage = replace(base, kind=Kind.CLAIM, text=claim.text, context=page.title)
        yield _claim(claim, statement, passage, page.citations)


def _statements(sections: Iterable[Section]) -> Iterator[Statement]:
    return (statement for section in sections if not section.is_named(RELATED) for statement in section.statements)


def _claim(claim: Claim, statement: Statement, passage: Passage, citations: Mapping[int, Citation]) -> Passage:
    said = replace(
        passage,
        anchor=f"^{claim.id}" if claim.id else f"L{claim.line}",
        time=claim.date,
        until=claim.until,
        past=claim.section.casefold() == HISTORY.casefold(),
        replaced_by=f"^{statement.superseded_by}" if statement.superseded_by else "",
        links=tuple(link.target for link in wikilinks(claim.text) if link.target),
    )
    return _cited(said, claim.cites, citations)


def _cited(passage: Passage, cites: Iterable[int], citations: Mapping[int, Citation]) -> Passage:
    """The passage with what it stands on, and with the day and the origin that follow from that."""
    cited = [citations[number] for number in cites if number in citations]
    return replace(
        passage,
        evidence=tuple(dict.fromkeys(citation.source for citation in cited)),
        time=passage.time or next((citation.date for citation in cited if citation.date), None),
        origin=_lowest(citation.origin for citation in cited),
    )


_LEAST_TRUSTED = (Origin.TOOL, Origin.IMPORT, Origin.ASSISTANT, Origin.USER)


def _lowest(origins: Iterable[Origin]) -> Origin:
    """A statement speaks for the least trusted of those it stands on; one without any is nobody's word yet."""
    return min(origins, key=_LEAST_TRUSTED.index, default=Origin.IMPORT)
