"""The compact map of a tree: what the first message carries, and the three maps it points to.

Bytes depend on tree, audience and budget alone, so that prompt caches hold. Everything here is
made by code from fields; free text that did not come from the user does not get in.
"""

from __future__ import annotations

from brain import layout
from brain.index import maps
from brain.index.first_message import render
from brain.model import Audience
from brain.tree import Tree

__all__ = ["files", "render"]


def files(tree: Tree, budget: int) -> dict[str, bytes]:
    """All generated index files of a tree, by path; `budget` is that of the first message, in characters."""
    return {
        layout.INDEX: render(tree, Audience.TRUSTED, budget).encode(),
        layout.SESSIONS_INDEX: maps.sessions(tree).encode(),
        layout.NOTES_INDEX: maps.notes(tree).encode(),
        layout.KNOWLEDGE_INDEX: maps.knowledge(tree).encode(),
    }
