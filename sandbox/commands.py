"""brain recall: find what the memory holds on something."""

from __future__ import annotations

import unicodedata

import click

from brain import fence
from brain.cli import output, world
from brain.model import Audience
from brain.search import Hit, Mode, Question, search
from brain.search.passages import Kind

EXCERPT = 400
"""Characters of a hit that a person is shown; the whole text stands in the file and in --json."""


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("-k", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most so many hits.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Words and meaning, or one of them.",
)
@click.option("--audience", type=click.Choice(["trusted", "public"]), default="trusted", show_default=True)
@world.brain_option
@world.json_option
def recall(query: tuple[str, ...], count: int, mode: str, audience: str, brain_path: str | None, as_json: bool) -> None:
    """Find what the memory holds on something: ranked hits with path, anchor and evidence.

    The query is plain text in any language; no character of it is syntax.

    \b
    Example:
      brain recall where does Ilya work
      brain recall --json -k 3 "--no-verify"
    """
    store = world.open_store(brain_path, write=False)
    question = Question(" ".join(query), count, Mode(mode), Audience(audience))
    found = search(store, question, lambda paths: output.progress(paths, len(paths), "Reading"))
    for note in found.notes:
        output.note(note)
    if as_json:
        output.emit({"hits": [_as_json(hit) for hit in found.hits]})
    elif found.hits:
        output.say(fence.fenced("\n\n".join(_as_text(hit) for hit in found.hits)))
    else:
        output.say("Nothing in this memory answers that.")


def _as_json(hit: Hit) -> dict[str, object]:
    return {
        "path": hit.path,
        "anchor": hit.anchor,
        "kind": hit.kind.value,
        "score": hit.score,
        "text": hit.text,
        "evidence": list(hit.evidence),
    }


def _as_text(hit: Hit) -> str:
    """Where it stands, since when and by whose words, then the words; the evidence where that is another place."""
    place = f"{hit.path}#{hit.anchor}" if hit.anchor else hit.path
    head = [place, hit.kind.value, (hit.time or "")[:10], hit.speaker or hit.origin.value, f"{hit.score:.2f}"]
    lines = [" · ".join(part for part in head if part), excerpt(hit.text)]
    if hit.kind not in (Kind.TURN, Kind.RESULT) and hit.evidence:
        lines.append("evidence: " + " ".join(hit.evidence))
    return "\n".join(lines)


def excerpt(text: str, longest: int = EXCERPT) -> str:
    """The text on one line, cut between words; where a script has no spaces, never inside a character."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    cut = line.rfind(" ", longest // 2, longest)
    if cut < 0:
        cut = longest
        # What joins a character to the one before it (a vowel sign, a skin tone, a joiner) is not left behind.
        while cut > 0 and (_joins(line[cut]) or line[cut - 1] == "\u200d"):
            cut -= 1
    return line[:cut].rstrip() + " …"


def _joins(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc", "Me") or character in "\u200d\ufe0f🏻🏼🏽🏾🏿"
