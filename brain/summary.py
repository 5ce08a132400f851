"""summary.md of a session, and the mark of how far it has been dreamt; Summary <-> text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brain.model import Claim, Problem, Summary
from brain.text.claims import citation_value, read_citations, render_item
from brain.text.front import Bare, FrontMatter, Writable
from brain.text.sections import read_sections

_DREAMT = re.compile(r"t(0|[1-9][0-9]{0,8})/(0|[1-9][0-9]{0,11})")


@dataclass(frozen=True, slots=True)
class Parsed:
    summary: Summary
    problems: tuple[Problem, ...]
    claims: tuple[Claim, ...]
    """The sentences with the lines they stand on."""
    front: FrontMatter


def parse(text: str) -> Parsed:
    """Total; a mark that cannot be read counts as nothing dreamt."""
    front = FrontMatter.parse(text)
    citations, problems = read_citations(front)
    found = list(front.problems) + problems
    mark = _DREAMT.fullmatch(front.get_text("dreamt") or "")
    if mark is None and not front.problems:
        found.append(Problem("`dreamt` is no mark like t14/5230", front.line_of("dreamt"), "dreamt"))
    sections = read_sections(text, front.body_start, front.body_line)
    claims = tuple(claim for section in sections for claim in section.claims)
    summary = Summary(
        session=front.get_text("session") or "",
        title=front.get_text("title") or "",
        line=front.get_text("line") or "",
        dreamt_turn=int(mark[1]) if mark else 0,
        dreamt_chars=int(mark[2]) if mark else 0,
        sentences=tuple((claim.text, claim.cites) for claim in claims),
        citations=citations,
    )
    return Parsed(summary, tuple(found), claims, front)


def render(summary: Summary) -> str:
    entries: dict[str, Writable] = {Bare(number): citation_value(c) for number, c in sorted(summary.citations.items())}
    head: dict[str, Writable] = {
        "session": summary.session,
        "title": summary.title,
        "line": summary.line,
        "dreamt": Bare(f"t{summary.dreamt_turn}/{summary.dreamt_chars}"),
        "citations": entries,
    }
    lines = [render_item(Claim(text, cites)) for text, cites in summary.sentences]
    return FrontMatter.build(head, "\n" + "\n".join(lines) + "\n" if lines else "").text
