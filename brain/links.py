"""Titles and aliases -> pages; who links to whom.

A link is resolved in the table of names alone, never on a disk: no link reaches a file that
is not part of the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal, TypeAlias

from brain.model import Wikilink
from brain.names import stem, title_key
from brain.text.wikilinks import link_target, rename, render_link, wikilinks

__all__ = ["NameProblem", "Names", "link_target", "rename", "render_link", "wikilinks"]

MAX_TARGET = 1024
Subjects: TypeAlias = Mapping[str, tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class NameProblem:
    """Two pages that claim one name."""

    code: Literal["alias-twice", "alias-is-title", "unicode-twins", "title-twins"]
    name: str
    paths: tuple[str, ...]
    reason: str


class Names:
    """What wikilinks may name. Titles come first, then file names, then aliases; pages before notes."""

    def __init__(self, pages: Subjects, notes: Subjects = MappingProxyType({})) -> None:
        """path -> (title, aliases); a title that is "" is the file's name.

        A note may have the name of a page, since both are about one thing: the name is then the page's.
        """
        self._pages = _Table(pages)
        self._notes = _Table(notes)
        self.titles: Mapping[str, str] = self._pages.titles | self._notes.titles

    @classmethod
    def build(cls, pages: Iterable[tuple[str, str, Iterable[str]]]) -> Names:
        return cls({path: (title, tuple(aliases)) for path, title, aliases in pages})

    def resolve(self, target: str) -> str | None:
        """The page's path; None: no page, or two that claim the name with equal right."""
        if len(target) > MAX_TARGET:
            return None
        target = target.strip()
        found = self._named(target)
        if not found and "/" in target:
            found = self._below(target)
        return _best(found, target, self.titles)

    def resolve_link(self, link: Wikilink) -> str | None:
        """As `resolve`; a title that holds `#` and more is tried whole first."""
        if link.heading:
            whole = self.resolve(f"{link.target}#{link.heading}")
            if whole:
                return whole
        return self.resolve(link.target) if link.target else None

    def _named(self, target: str) -> list[str]:
        key = title_key(target)
        found = self._pages.titled(key) or self._notes.titled(key)
        if found:
            return found
        claimed = self._pages.by_alias.get(key) or self._notes.by_alias.get(key, [])
        return claimed if len(set(claimed)) == 1 else []

    def _below(self, target: str) -> list[str]:
        """`places/East pier`: the page of that name whose folder ends like this."""
        at = target.find("/")
        while at >= 0:
            folder = "/" + title_key(target[:at]).strip("/")
            key = title_key(target[at + 1 :])
            named = [*self._pages.titled(key), *self._notes.titled(key)]
            found = [path for path in named if title_key("/" + path.rpartition("/")[0]).endswith(folder)]
            if found:
                return found
            at = target.find("/", at + 1)
        return []

    @cached_property
    def problems(self) -> tuple[NameProblem, ...]:
        return tuple(problem for table in (self._pages, self._notes) for problem in table.problems())

    # --- the graph; `links` gives the links of each file of the tree ---

    def backlinks(self, links: Mapping[str, Iterable[Wikilink]]) -> dict[str, tuple[str, ...]]:
        """path -> the other files that link to it, sorted."""
        found: dict[str, set[str]] = {}
        for path, outgoing in links.items():
            for link in outgoing:
                target = self.resolve_link(link)
                if target and target != path:
                    found.setdefault(target, set()).add(path)
        return {path: tuple(sorted(sources)) for path, sources in sorted(found.items())}

    def dangling(self, links: Mapping[str, Iterable[Wikilink]]) -> tuple[tuple[str, Wikilink], ...]:
        """(file, link) of every link that names no page."""
        pairs = ((path, link) for path, outgoing in sorted(links.items()) for link in outgoing)
        return tuple((path, link) for path, link in pairs if link.target and self.resolve_link(link) is None)

    def orphans(self, links: Mapping[str, Iterable[Wikilink]]) -> tuple[str, ...]:
        """Pages to which no other file links."""
        linked = self.backlinks(links)
        return tuple(path for path in self.titles if path not in linked)


class _Table:
    """The names of the pages, or of the notes."""

    def __init__(self, subjects: Subjects) -> None:
        self.titles = {path: title or stem(path) for path, (title, _) in sorted(subjects.items())}
        self.aliases = {path: aliases for path, (_, aliases) in sorted(subjects.items())}
        self.by_title = _grouped((title, path) for path, title in self.titles.items())
        self.by_alias = _grouped((alias, path) for path, found in self.aliases.items() for alias in found)

    @cached_property
    def by_file(self) -> dict[str, list[str]]:
        found = _grouped((stem(path), path) for path in self.titles)
        for path, title in self.titles.items():
            if (target := link_target(title)) not in (title, stem(path)):
                found.setdefault(title_key(target), []).append(path)
        return found

    def titled(self, key: str) -> list[str]:
        return self.by_title.get(key) or self.by_file.get(key, [])

    def problems(self) -> Iterator[NameProblem]:
        for paths in self.by_title.values():
            if len(paths) > 1:
                yield self._twins(tuple(paths))
        for key, claimed in self.by_alias.items():
            yield from self._claimed(key, tuple(dict.fromkeys(claimed)))

    def _twins(self, paths: tuple[str, ...]) -> NameProblem:
        title = self.titles[paths[0]]
        unicode = len({title_key(path) for path in paths}) == 1 and len({path.casefold() for path in paths}) > 1
        reason = f"{title} is the title of {len(paths)} pages: {', '.join(paths)}"
        return NameProblem("unicode-twins" if unicode else "title-twins", title, paths, reason)

    def _claimed(self, key: str, paths: tuple[str, ...]) -> Iterator[NameProblem]:
        alias = next(a for a in self.aliases[paths[0]] if title_key(a) == key).strip()
        titled = [path for path in self.by_title.get(key, []) if path not in paths]
        if titled:
            owners = ", ".join(self.titles[path] for path in paths)
            reason = f"{self.titles[titled[0]]} is a page and an alias of {owners}"
            yield NameProblem("alias-is-title", alias, (*titled, *paths), reason)
        elif len(paths) > 1:
            number = "two" if len(paths) == 2 else str(len(paths))
            yield NameProblem("alias-twice", alias, paths, f"{alias} is an alias of {number} pages")


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, path in pairs:
        found.setdefault(title_key(name), []).append(path)
    return found


def _best(found: list[str], target: str, titles: Mapping[str, str]) -> str | None:
    """Of twins the one that is written exactly like the link, else the first."""
    exact = (path for path in found if target in (titles[path], stem(path)))
    return next(exact, found[0] if found else None)
