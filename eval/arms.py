"""What an agent may see: views of one commit that differ in one thing.

Invariant: what an arm hides is nowhere in its view, neither as a file, nor in its index, nor to its search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from brain import index, layout
from brain.eval.task import UnknownName
from brain.model import Audience
from brain.tree import Tree, overlay


@dataclass(frozen=True, slots=True)
class Arm:
    name: str
    about: str
    hides: Callable[[str], bool]
    """Of a path in the tree."""
    rewrites: Callable[[str, str], str] | None = None
    """(path, text) -> the text as the arm has it."""
    first_message: bool = True
    """The agent's first message carries the index."""
    finds: str = "search"
    """How the agent gets at more: `search`, `grep` (files and nothing else), `all` (everything at once), `gold`."""


def _wiki(path: str) -> bool:
    return path.startswith(f"{layout.KNOWLEDGE}/")


def _derived(path: str) -> bool:
    return _wiki(path) or path.startswith(f"{layout.NOTES}/") or layout.is_summary(path)


def _nothing(_: str) -> bool:
    return False


_LINK = re.compile(r"!?\[\[([^\[\]\n|#]*)(?:#[^\[\]\n|]*)?(?:\|([^\[\]\n]*))?\]\]")
_RELATED = re.compile(r"^## Related\n(?:(?!## ).*\n?)*", re.MULTILINE)
_CITE = re.compile(r" ?\[cite:\d+\]")
_CITATIONS = re.compile(r"^citations:\n(?: .*\n)*", re.MULTILINE)


def _without_links(path: str, text: str) -> str:
    """Wikilinks become the words they show; the section that is nothing but links goes."""
    if not (layout.is_page(path) or layout.is_note(path)):
        return text
    return _LINK.sub(lambda found: found[2] or found[1], _RELATED.sub("", text))


def _without_citations(path: str, text: str) -> str:
    if not (layout.is_page(path) or layout.is_note(path) or layout.is_summary(path)):
        return text
    return _CITATIONS.sub("citations: {}\n", _CITE.sub("", text), count=1)


_ALL = (
    Arm("off", "sessions and notes, their index, search over them", _wiki),
    Arm("on", "the same and the wiki", _nothing),
    Arm("sessions", "raw sessions alone", _derived),
    Arm("no-index", "everything, but nothing in the first message", _nothing, first_message=False),
    Arm("no-links", "everything, but no link between pages", _nothing, _without_links),
    Arm("no-citations", "everything, but no way from a claim to its turns", _nothing, _without_citations),
    Arm("full-context", "every session whole, nothing to look for", _derived, first_message=False, finds="all"),
    Arm("oracle", "the gold evidence alone", _derived, first_message=False, finds="gold"),
    Arm("files", "sessions as files and grep, no search", _derived, first_message=False, finds="grep"),
)
ARMS: Mapping[str, Arm] = MappingProxyType({arm.name: arm for arm in _ALL})


def named(name: str) -> Arm:
    """Raises: UnknownName."""
    if name not in ARMS:
        raise UnknownName.among("arm", name, ARMS)
    return ARMS[name]


def view(tree: Tree, arm: Arm, budget: int) -> Tree:
    """The tree as the arm has it, with the index files made anew from what is left."""
    hidden = [path for path in tree.paths if path in layout.INDEXES or arm.hides(path)]
    changes: dict[str, bytes | None] = dict.fromkeys(hidden)
    changes |= _rewritten(tree, arm, set(hidden))
    seen = overlay(tree, changes)
    maps = {path: data for path, data in index.files(seen, budget).items() if not arm.hides(path)}
    return overlay(seen, maps)


def _rewritten(tree: Tree, arm: Arm, hidden: Iterable[str]) -> dict[str, bytes | None]:
    if arm.rewrites is None:
        return {}
    given = {path: arm.rewrites(path, tree.text(path)) for path in tree.paths if path not in hidden}
    return {path: text.encode() for path, text in given.items() if text != tree.text(path)}


def first_message(seen: Tree, arm: Arm, budget: int) -> str:
    """What the agent's first message carries of this view."""
    return index.render(seen, Audience.TRUSTED, budget) if arm.first_message else ""
