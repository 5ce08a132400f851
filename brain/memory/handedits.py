"""What a person wrote into pages and notes by hand, as a session that dreams can cite.

Evidence is what is new and stands on nothing yet: a line without a citation, or a cited one whose
words were changed. A line that was only moved, and one that comes back with its citations (a revert),
is no new evidence: trust rises by what a person wrote, not by what they left standing.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from brain import layout
from brain.model import Role, Session, SessionKind, Source, Text, Turn
from brain.text.front import FrontMatter
from brain.transcript import clean_text
from brain.tree import Tree, changed

AGENT = "human"
FORMAT = "hand-edit"
_MARKS = re.compile(r"[ \t]*\[cite:\d+\]|[ \t]+\^[a-z0-9]{4,8}[ \t]*$", re.MULTILINE)
_CITE = re.compile(r"\[cite:\d+\]")
_RELATED = "## Related"
_ALIKE = 0.7
"""How much of a line must be left for it to be the same line, changed."""
_MOST = 200
"""Lines that are gone which a new one is compared with: keeps a file that was written anew cheap."""


def session_of(before: Tree | None, after: Tree, commit: str, at: datetime) -> Session | None:
    """The session `human:<commit>`: one user turn per page or note that got new words; None where none did."""
    texts = [(path, text) for path in sorted(_edited(before, after)) if (text := new_words(before, after, path))]
    if not texts:
        return None
    turns = tuple(
        Turn(n=number, role=Role.USER, time=at, blocks=(Text(text),)) for number, (_, text) in enumerate(texts, 1)
    )
    names = [path.rpartition("/")[2].removesuffix(".md") for path, _ in texts]
    digest = hashlib.sha256("\n".join(f"{path}\n{text}" for path, text in texts).encode()).hexdigest()
    return Session(
        id=f"{AGENT}:{commit}",
        agent=AGENT,
        source=Source(FORMAT, names[0] if len(names) == 1 else f"{len(names)} files", digest),
        turns=turns,
        title=f"Written by hand: {', '.join(names[:3])}{' …' if len(names) > 3 else ''}",
        started=at,
        ended=at,
        kind=SessionKind.HAND_EDIT,
    )


def _edited(before: Tree | None, after: Tree) -> Iterator[str]:
    for path in changed(before, after):
        if path in after and (layout.is_page(path) or layout.is_note(path)):
            yield path


def new_words(before: Tree | None, after: Tree, path: str) -> str:
    """The lines of a file that a person added, without the marks of citations and block ids."""
    old = _lines(before, path) if before is not None and path in before else []
    new = _lines(after, path)
    there, gone = Counter(old), list((Counter(old) - Counter(new)).elements())
    kept: list[str] = []
    last = 0
    for number, line in enumerate(new):
        if there[line] > 0:
            there[line] -= 1
        elif _is_evidence(line, gone):
            # Lines that do not stand together are paragraphs of their own.
            kept += [""] if number > last + 1 else []
            kept.append(_MARKS.sub("", line))
            last = number
    return clean_text("\n".join(kept))


def _lines(tree: Tree, path: str) -> list[str]:
    """The lines of the body; links under Related say nothing that a claim could stand on."""
    text = tree.text(path).replace("\r\n", "\n")
    lines, related = [], False
    for line in text[FrontMatter.parse(text).body_start :].split("\n"):
        if line.startswith(("# ", "## ")):
            related = line.strip() == _RELATED
        if not related:
            lines.append(line.rstrip())
    return lines


def _is_evidence(line: str, gone: list[str]) -> bool:
    if not line.strip() or line.startswith("#"):
        return False
    return not _CITE.search(line) or any(_is_changed(line, other) for other in gone[:_MOST])


def _is_changed(line: str, other: str) -> bool:
    mine, theirs = _MARKS.sub("", line), _MARKS.sub("", other)
    return mine != theirs and difflib.SequenceMatcher(None, mine, theirs, autojunk=False).quick_ratio() > _ALIKE
