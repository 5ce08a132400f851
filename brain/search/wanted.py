"""Which rows may be an answer; the others still lend their words and their neighbourhood to these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brain import layout
from brain.names import title_key
from brain.search import words
from brain.search.rows import KINDS
from brain.search.tokens import tokens

if TYPE_CHECKING:
    from brain.search.rank import Question
    from brain.search.rows import Rows
    from brain.search.score import Answers


def wanted(rows: Rows, question: Question) -> Answers:
    """By kind, day, file and subject."""
    import numpy as np

    found = np.ones(len(rows), bool)
    if question.kinds:
        found &= np.isin(rows.kinds, [KINDS.index(kind) for kind in question.kinds])
    if question.since:
        found &= rows.days >= question.since.toordinal()
    if question.until:
        found &= (rows.days > 0) & (rows.days <= question.until.toordinal())
    if question.among:
        found &= np.array([question.among(name) for name in rows.names], bool)[rows.files]
    if question.about:
        found &= _about(rows, question.about)
    return found


def _about(rows: Rows, names: tuple[str, ...]) -> Answers:
    """What stands on a page or note of one of these names, what that leads to in one step, and what says the name."""
    import numpy as np

    keys = {title_key(name) for name in names}
    titled = np.array([title_key(name.rpartition("/")[2].removesuffix(".md")) in keys for name in rows.names], bool)
    own = titled[rows.files] if len(rows) else np.zeros(0, bool)
    found = own.copy()
    if len(rows.edges):
        a, b = rows.edges[:, 0], rows.edges[:, 1]
        found[b[own[a]]] = True
        found[a[own[b]]] = True
    for name in names:
        said = [words.holders(rows, token) for token in dict.fromkeys(tokens(name))]
        if said:
            found |= np.logical_and.reduce(said)
    return found


def open_sources(rows: Rows, sources: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the sources whose transcripts are among the rows: a private session is not even named."""
    import numpy as np

    held = {rows.names[number] for number in np.unique(rows.files)}
    return tuple(
        source for source in sources if layout.transcript_path(f"{layout.MEMORY}/{source.partition('#')[0]}") in held
    )


def cited_by(rows: Rows, row: int) -> tuple[str, ...]:
    """The files whose statements stand on a turn."""
    if not len(rows.edges):
        return ()
    a, b = rows.edges[:, 0], rows.edges[:, 1]
    near = {*b[a == row].tolist(), *a[b == row].tolist()}
    return tuple(sorted({rows.names[rows.files[other]] for other in near}))
