"""The fields of the front matter that pages and notes share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict, TypeVar

from brain.model import Citation, Privacy, Problem, Status
from brain.names import clean_title
from brain.text.claims import read_citations
from brain.text.front import Bare, FrontMatter, Writable, text_list

DEFAULT_IMPORTANCE = 3
MAX_SUMMARY = 160

E = TypeVar("E", bound=StrEnum)


class Days(TypedDict, total=False):
    """Of the evidence, not of runs."""

    created: str
    updated: str


class NewFields(Days, total=False):
    """What a new file may be given besides its title."""

    aliases: Sequence[str]
    summary: str
    importance: int
    privacy: Privacy
    status: Status


class Fields(NewFields, total=False):
    """What `edit` may change in the front matter."""

    title: str


@dataclass(frozen=True, slots=True)
class Meta:
    """The front matter's fields as far as they could be read."""

    title: str
    aliases: tuple[str, ...]
    summary: str
    created: str | None
    updated: str | None
    importance: int
    privacy: Privacy
    status: Status
    citations: Mapping[int, Citation]
    problems: tuple[Problem, ...]


def read_meta(front: FrontMatter) -> Meta:
    citations, problems = read_citations(front)
    found = list(front.problems) + problems
    importance = front.get_text("importance") or str(DEFAULT_IMPORTANCE)
    if not re.fullmatch("[1-5]", importance):
        found.append(
            Problem(f"importance is {importance!r}, no number from 1 to 5", front.line_of("importance"), "importance")
        )
        importance = str(DEFAULT_IMPORTANCE)
    return Meta(
        title=front.get_text("title") or "",
        aliases=text_list(front.values.get("aliases")) + text_list(front.values.get("alias")),
        summary=front.get_text("summary") or "",
        created=front.get_text("created"),
        updated=front.get_text("updated"),
        importance=int(importance),
        privacy=read_choice(front, "privacy", Privacy, found) or Privacy.SHARED,
        status=read_choice(front, "status", Status, found) or Status.ACTIVE,
        citations=citations,
        problems=tuple(found),
    )


def read_choice(front: FrontMatter, key: str, choices: type[E], problems: list[Problem]) -> E | None:
    """One of a closed set; another value is a problem and counts as missing."""
    value = front.get_text(key)
    if value is None:
        return None
    if value in set(choices):
        return choices(value)
    problems.append(Problem(f"{key} is {value!r}, none of {', '.join(choices)}", front.line_of(key), key))
    return None


def new_text(head: Mapping[str, Writable], fields: NewFields) -> str:
    """A new file without claims; `head` stands first, in its order."""
    days = {key: Bare(fields[key]) for key in ("created", "updated") if fields.get(key)}
    rest: dict[str, Writable] = {
        "aliases": list(fields.get("aliases", ())),
        "summary": fields.get("summary", ""),
        **days,
        "importance": fields.get("importance", DEFAULT_IMPORTANCE),
        "privacy": fields.get("privacy", Privacy.SHARED).value,
        "status": fields.get("status", Status.ACTIVE).value,
        "citations": {},
    }
    return FrontMatter.build({**head, **rest}, f"\n# {head['title']}\n").text


def edited_front(front: FrontMatter, fields: Fields) -> FrontMatter:
    for key, value in fields.items():
        match value:
            case StrEnum():
                front = front.set(key, value.value)
            case str() if key in ("created", "updated"):
                front = front.set(key, Bare(value))
            case str() if key == "title":
                front = front.set(key, clean_title(value))
            case str() | int():
                front = front.set(key, value)
            case _:
                front = _with_aliases(front, fields["aliases"])
    return front


def _with_aliases(front: FrontMatter, aliases: Sequence[str]) -> FrontMatter:
    return front.delete("alias").set("aliases", list(aliases))
