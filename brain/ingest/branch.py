"""A tree of messages -> the way from its root to one of them: what was said, and what was given up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def way_to(last: str, parents: Mapping[str, str]) -> list[str]:
    """The ids from the root to `last`, which is one of `parents`; a circle is left where it closes."""
    way: dict[str, None] = {}
    at = last
    while at in parents and at not in way:
        way[at] = None
        at = parents[at]
    return list(reversed(way))


def leaves(parents: Mapping[str, str]) -> Iterable[str]:
    """The ids that are nobody's parent, in their order; where all go in circles, every one."""
    inner = set(parents.values())
    return [one for one in parents if one not in inner] or list(parents)
