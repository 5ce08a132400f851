"""What became of the evidence of every statement, months later: `brain validate --evidence`.

Invariant: each cited statement has one standing, that of its weakest citation; a statement is judged only where all it
cites stands as it was cited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum

from brain import evidence, layout
from brain.evidence import Match
from brain.model import Citation
from brain.tree import Tree
from brain.validators.asking import Talk, ask
from brain.validators.documents import Document, Said, documents
from brain.validators.judge.verdict import Judge
from brain.validators.rules.citations import texts


class Standing(StrEnum):
    """From the best to the worst."""

    SUPPORTED = "supported"
    UNPROVED = "no longer supported"
    MOVED = "moved"
    """Its words stand elsewhere in the session."""
    ALTERED = "altered"
    """Its words are not what they were."""
    GONE = "source gone"


_ORDER = tuple(Standing)
_OF_MATCH: Mapping[Match, Standing] = {
    Match.MATCH: Standing.SUPPORTED,
    Match.MOVED: Standing.MOVED,
    Match.CHANGED: Standing.ALTERED,
    Match.INVALID: Standing.ALTERED,
    Match.GONE: Standing.GONE,
}


def prove(tree: Tree, judge: Judge) -> Mapping[Standing, int]:
    """How many of the cited statements of pages, notes and summaries stand how."""
    counts = Counter(standing for _, _, standing in standings(tree, judge))
    return {standing: counts[standing] for standing in Standing}


def standings(tree: Tree, judge: Judge) -> Iterator[tuple[str, Said, Standing]]:
    """(path, statement, standing) of every cited statement, in order."""
    talk = Talk.of(tree)
    for document in documents(tree, tree.paths):
        for said in document.said:
            cited = [document.citations[n] for n in said.claim.cites if n in document.citations]
            if cited:
                worst = max((_of_citation(tree, one) for one in cited), key=_ORDER.index)
                is_borne_out = worst is not Standing.SUPPORTED or _follows(tree, talk, document, said, judge)
                yield document.path, said, worst if is_borne_out else Standing.UNPROVED


def _follows(tree: Tree, talk: Talk, document: Document, said: Said, judge: Judge) -> bool:
    asked = ask(tree, talk, document, said)
    return asked is not None and judge.judge(asked).is_supported


def _of_citation(tree: Tree, citation: Citation) -> Standing:
    words = tree.cited_text(citation.source)
    match = evidence.matches(citation.quote, words)
    if match is Match.MATCH or match is Match.INVALID:
        return _OF_MATCH[match]
    folder = (layout.parse_source(citation.source) or ("",))[0]
    return _OF_MATCH[evidence.matches(citation.quote, words, (text for _, text in texts(tree, folder)))]
