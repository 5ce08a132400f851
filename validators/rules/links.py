"""Every wikilink leads to a page, and to one page only.

Purpose
    Links carry a reader sideways; one that leads nowhere, or anywhere, costs trust. What is new must
    be right: a link that names no page and did not stand in the file before is an error. A link that
    stood there is somebody's, or lost its page tonight: it is a warning, until a person or a dream
    mends it; without a base nothing is new. Two pages under one title are an error, because no link
    can choose between them; an alias that two pages claim leads to neither. A page that no file links
    to, not even a map, is only worth knowing. A title beats an alias, and nothing here looks at a disk.

Passes
    A link by an alias, and one to a claim.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - [[Kestrel|The studio]] is where he works now, see [[#^k3f9]]. [cite:2]

Fails
    A page that is not there.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - He worked with [[Otto Lindgren]]. [cite:1]
        ! link-dangling

    An alias that another page has. The second page is where it is reported.

        @ memory/knowledge/places/Harbour workshop.md
        - aliases: [The shed]
        + aliases: [The shed, Ilya]
        ! alias-twice
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from brain import layout
from brain.links import Names, wikilinks
from brain.model import Wikilink
from brain.names import title_key
from brain.tree import Tree
from brain.validators.documents import Document, document, documents, line_of
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.pair import Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "link-dangling": (Severity.ERROR, "A new link that names no page."),
    "title-twice": (Severity.ERROR, "Two pages with one title."),
    "link-lost": (Severity.WARNING, "An old link that names no page."),
    "link-anchor": (Severity.WARNING, "A link to a heading or claim that its page does not have."),
    "alias-twice": (Severity.WARNING, "An alias that two pages claim, so that it names neither."),
    "alias-is-title": (Severity.WARNING, "An alias that is the title of another page, so that it names that one."),
    "page-orphan": (Severity.INFO, "A page to which nothing links."),
}

find = Reporter(CODES)


def check(pair: Pair) -> Iterator[Finding]:
    names = pair.staged.names()
    for path in _linking(pair):
        known = _targets(pair.base, path) if pair.base else None
        for link in _links(pair.staged, path):
            yield from _check_link(pair.staged, names, path, link, is_new=known is not None and _key(link) not in known)
    yield from _check_names(pair, names)
    if pair.base is None:
        yield from _orphans(pair.staged, names)


def _linking(pair: Pair) -> Iterator[str]:
    """Files whose links may have changed, or may have lost their page."""
    yield from filter(_may_link, pair.present)
    if pair.base is not None and any(_lost_names(pair)):
        yield from (p for p in pair.staged.paths if _may_link(p) and p not in pair.changed)


def _may_link(path: str) -> bool:
    return layout.is_page(path) or layout.is_note(path)


def _lost_names(pair: Pair) -> Iterator[str]:
    assert pair.base is not None
    for before in documents(pair.base, filter(_may_link, sorted(pair.changed))):
        after = document(pair.staged, before.path) if before.path in pair.staged else None
        yield from _names_of(before) - (_names_of(after) if after else set())


def _names_of(found: Document) -> set[str]:
    return {title_key(name) for name in (found.front.get_text("title") or "", *found.aliases)}


# --- links --------------------------------------------------------------------------


def _links(tree: Tree, path: str) -> tuple[Wikilink, ...]:
    key = ("wikilinks", tree.blob(path) or "")
    if key not in tree.cache:
        text = tree.text(path)
        tree.cache[key] = wikilinks(text) if "[[" in text else ()
    return cast(tuple[Wikilink, ...], tree.cache[key])


def _targets(tree: Tree, path: str) -> set[tuple[str, str]]:
    return {_key(link) for link in _links(tree, path)} if path in tree else set()


def _key(link: Wikilink) -> tuple[str, str]:
    return title_key(link.target), link.heading or ""


def _check_link(tree: Tree, names: Names, path: str, link: Wikilink, *, is_new: bool) -> Iterator[Finding]:
    target = names.resolve_link(link) if link.target else path
    if target is None:
        code = "link-dangling" if is_new else "link-lost"
        fix = "name a page that is there, or write the words without a link"
        yield find(code, path, link.line, f"{excerpt(link.target)} is no page", fix)
    elif link.heading and not _has_anchor(tree, names, target, link):
        message = f"{excerpt(names.titles.get(target, target))} has no {excerpt(link.heading)}"
        yield find("link-anchor", path, link.line, message, "name a heading or ^id that is there")


def _has_anchor(tree: Tree, names: Names, target: str, link: Wikilink) -> bool:
    anchor = link.heading or ""
    if names.resolve(f"{link.target}#{anchor}") == target:
        return True  # a title that holds "#"
    found = document(tree, target)
    if anchor.startswith("^"):
        return anchor[1:] in {said.claim.id for said in found.said}
    headings = {title_key(section.heading) for section in found.sections} | {title_key(names.titles[target])}
    return title_key(anchor.rpartition("#")[2]) in headings


# --- names --------------------------------------------------------------------------


def _check_names(pair: Pair, names: Names) -> Iterator[Finding]:
    for problem in names.problems:
        # Of a page and a note about one subject neither is in the other's way.
        for paths in (list(filter(layout.is_page, problem.paths)), list(filter(layout.is_note, problem.paths))):
            code = "title-twice" if "twins" in problem.code else problem.code
            is_title = code == "title-twice"
            if len(paths) < 2 or not pair.changed.intersection(paths) or (is_title and layout.is_note(paths[0])):
                continue
            path = _newest(pair, paths if code != "alias-is-title" else paths[1:])
            line = line_of(document(pair.staged, path).front, "title" if is_title else "aliases")
            fix = "merge the two pages, or give one another title" if is_title else "take it out of one of the two"
            yield find(code, path, line, problem.reason, fix)


def _newest(pair: Pair, paths: Iterable[str]) -> str:
    """Where a clash is reported: the last of the files that changed."""
    return max(paths, key=lambda path: (path in pair.changed, path))


def _orphans(tree: Tree, names: Names) -> Iterator[Finding]:
    linking = [p for p in tree.paths if _may_link(p) or p in layout.INDEXES]
    linked = names.backlinks({path: _links(tree, path) for path in linking})
    for path in tree.paths:
        if layout.is_page(path) and path not in linked:
            yield find("page-orphan", path, 1, "nothing links to this page", "link it from a page that needs it")
