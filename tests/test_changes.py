"""Talks in which something changes or only seems to: what holds at the end, what is history, what has a page.

The rules were fitted to one half of the cases; the other half only measures them. What they cannot do is marked `open`
in the data, with the reason, and must fail: a case that begins to pass has to lose its mark.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from talks import AGENT, Line, base, known, night, session, take

from brain import index
from brain import page as pages
from brain.model import Audience
from brain.tree import Tree

CASES = Path(__file__).parent / "cases" / "changes"


def _cases() -> Iterator[Any]:
    for path in sorted(CASES.glob("*.toml")):
        for case in tomllib.loads(path.read_text("utf-8"))["case"]:
            marks = [pytest.mark.xfail(reason=case["open"], strict=True)] if "open" in case else []
            yield pytest.param(case, id=f"{path.stem}: {case['name']}", marks=marks)


def nights(case: dict[str, Any]) -> Tree:
    """A night after every day of the case."""
    tree = base()
    for number, (day, *said) in enumerate(case["said"], 1):
        start = datetime.fromisoformat(day).replace(hour=10, tzinfo=UTC)
        lines = [_line(text, start + timedelta(minutes=n)) for n, text in enumerate(said)]
        tree = night(take(tree, session(lines, number, case.get("project"))))
    return tree


def _line(text: str, at: datetime) -> Line:
    agent, words = text.startswith("A: "), text.removeprefix("A: ")
    return Line(AGENT if agent else "", words, at.isoformat())


def wrong(case: dict[str, Any], tree: Tree) -> list[str]:
    """What a tree lacks of what the case expects of it."""
    lines = known(tree)
    holding = [line.text for line in lines if line.holds] + list(_on_pages(tree)) + [_index(tree)]
    former = [line.text for line in lines if not line.holds]
    found = [f"holds: {words}" for words in case.get("holds", ()) if not any(words in text for text in holding)]
    for words in case.get("past", ()):
        found += [] if any(words in text for text in former) else [f"past: {words}"]
        found += [f"still: {words} in {text[:90]}" for text in holding if words in text][:1]
    found += [f"no change: {text}" for text in former if case.get("nothing_past")]
    found += [f"said: {words}" for words in case.get("nowhere", ()) if any(words in t for t in holding + former)]
    for words, type_ in case.get("types", {}).items():
        found += [] if any(words in line.text and line.type == type_ for line in lines) else [f"type: {words}"]
    kinds = {page.title: page.kind.value if page.kind else "" for page in tree.pages().values()}
    for title, kind in case.get("pages", {}).items():
        found += [] if kinds.get(title) == kind else [f"page: {title} {kind} not in {kinds}"]
    return found


def _on_pages(tree: Tree) -> Iterator[str]:
    """What pages say of today: claims, leads and summaries."""
    for page in tree.pages().values():
        yield page.summary or ""
        for claim in pages.claims(page):
            if claim.section != pages.HISTORY:
                yield claim.text


def _index(tree: Tree) -> str:
    """The first message, without the titles of sessions: those are what was said at the time."""
    return index.render(tree, Audience.TRUSTED, 8000).partition("## Recent sessions")[0]


@pytest.mark.parametrize("case", list(_cases()))
def test_what_changes_and_what_does_not(case: dict[str, Any]) -> None:
    assert wrong(case, nights(case)) == []
