"""Who may read what: the one place that decides whether a file is private.

A page or note is private where it says so, and where what it says of that cannot be read; what belongs to a session is
as private as the session, and that is private unless it says otherwise. Whatever else lies in a brain (settings,
reports, the deletion log, the generated indexes) names private files and is private too.
"""

from __future__ import annotations

from collections.abc import Mapping

from brain import layout
from brain.model import Audience, Privacy
from brain.note import Note
from brain.page import Page
from brain.text.markdown import FrontMatter
from brain.tree import Tree


def is_private(record: Page | Note) -> bool:
    """Whether the user alone may read a page or note."""
    return record.privacy is Privacy.PRIVATE or any(p.key in ("privacy", None) for p in record.problems)


def of_session(front: Mapping[str, object]) -> Audience:
    """Who may read a session, by the front matter of its transcript."""
    return Audience.PUBLIC if front.get("audience") == Audience.PUBLIC else Audience.TRUSTED


def is_public(tree: Tree, path: str) -> bool:
    """Whether others than the user may read a file of the tree; of a transcript its front matter alone is read."""
    record = tree.page(path) or tree.note(path)
    if record is not None:
        return not is_private(record)
    folder = layout.session_of(path)
    transcript = layout.transcript_path(folder) if folder else ""
    if transcript not in tree or path not in tree:
        return False
    return of_session(FrontMatter.parse(tree.text(transcript)).values) is Audience.PUBLIC
