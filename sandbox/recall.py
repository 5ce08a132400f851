"""brain recall: find what the memory holds on something."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from brain import fence
from brain.cli import output, world
from brain.errors import UsageError
from brain.model import Audience
from brain.search import Hit, Mode, Question, search
from brain.search.passages import Kind

if TYPE_CHECKING:
    from brain.store import Store

_LITERAL = "brain.recall.literal"
EXCERPT = 400
"""Characters of a hit that a person is shown; the whole text stands in the file and in --json."""
NOTHING = "Nothing in this memory answers that. Try: fewer or other words, a name, or brain index for what it holds."


class _Asked(TypedDict):
    """Options that go into the question."""

    count: int
    mode: str
    kinds: tuple[str, ...]
    since: datetime | None
    until: datetime | None
    audience: str
    about: str | None
    project: str | None
    explain: bool
    budget: int | None
    into: Path | None
    now: datetime


class _Command(click.Command):
    """Takes what is no option of its own as words: a question may be about `--no-verify`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_LITERAL] = "--" in args
        return super().parse_args(ctx, args)


@click.command(cls=_Command, context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("-k", "count", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most so many hits.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "keyword", "semantic"]),
    default="hybrid",
    show_default=True,
    help="Words and meaning, or one of them.",
)
@click.option(
    "--kind", "kinds", type=click.Choice([kind.value for kind in Kind]), multiple=True, help="Only this; may repeat."
)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Only what is of this day or later.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Only what is of this day or earlier.")
@click.option("--about", metavar="NAME", help="Only what is about this subject: its page, what it stands on, its name.")
@click.option("--project", metavar="NAME", help="Only what was said in sessions of this project.")
@click.option("--explain", is_flag=True, help="Show what each voice and factor gave to a hit.")
@click.option("--budget", type=click.IntRange(1), metavar="CHARS", help="At most so much text; the best hit always.")
@click.option("--audience", type=click.Choice(["trusted", "public"]), default="trusted", show_default=True)
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Lay the files that answer into this sandbox; of the options above only --budget counts then.",
)
@world.brain_option
@world.now_option
@world.json_option
def recall(query: tuple[str, ...], brain_path: str | None, as_json: bool, **asked: Unpack[_Asked]) -> None:
    """Find what the memory holds on something: ranked hits with path, anchor and evidence.

    The query is plain text in any language; no character of it is syntax. What stands after -- is never an option.

    \b
    Example:
      brain recall where does Ilya work
      brain recall --json -k 3 -- --no-verify
      brain recall --into . what must I know before I ship
    """
    if asked["into"]:
        _bring(query, brain_path, as_json, asked)
        return
    store = world.open_store(brain_path, write=False)
    question = Question(
        " ".join(query),
        asked["count"],
        Mode(asked["mode"]),
        Audience(asked["audience"]),
        tuple(map(Kind, asked["kinds"])),
        _day(asked["since"]),
        _day(asked["until"]),
        about=_names(store, asked["about"]),
        among=_of_project(store, asked["project"]),
        now=asked["now"],
    )
    found = search(store, question, lambda paths: output.progress(paths, len(paths), "Reading"))
    explain = asked["explain"]
    notes = [*_not_options(query), *found.notes]
    hits = _within(found.hits, asked["budget"])
    if as_json:
        output.emit({"hits": [_as_json(hit) for hit in hits], "notes": notes})
        return
    for note in notes:
        output.note(note)
    output.say(fence.fenced("\n\n".join(_as_text(hit, explain=explain) for hit in hits)) if hits else NOTHING)


def _names(store: Store, about: str | None) -> tuple[str, ...]:
    """What a subject is called: the title and aliases of the page that a name leads to, and the name itself."""
    if about is None:
        return ()
    tree = store.working()
    page = tree.page(tree.names().resolve(about) or "")
    return tuple(dict.fromkeys((about, *((page.title, *page.aliases) if page else ()))))


def _of_project(store: Store, project: str | None) -> Callable[[str], bool] | None:
    """Whether a path lies in a session of the project. Raises: UsageError where no session is of it."""
    if project is None:
        return None
    from brain.index.maps import session_lines

    lines = session_lines(store.working())
    folders = {line.folder for line in lines if line.project.casefold() == project.casefold()}
    if not folders:
        known = ", ".join(sorted({line.project for line in lines if line.project})) or "none"
        raise UsageError(f"No session is of a project {project}; nothing was searched.", f"known: {known}")
    return lambda path: path.rpartition("/")[0] in folders


def _bring(query: tuple[str, ...], brain_path: str | None, as_json: bool, asked: _Asked) -> None:
    from brain.sandbox import into

    assert asked["into"] is not None
    done = into.bring(asked["into"], " ".join(query), brain_path, asked["budget"], asked["now"])
    done["notes"] = [*_not_options(query), *done["notes"]]
    output.emit(done) if as_json else into.show(done)


def _day(time: datetime | None) -> date | None:
    return time.date() if time else None


def _within(hits: Sequence[Hit], budget: int | None) -> Sequence[Hit]:
    """The best ones whose texts have room in so many characters, and the very best."""
    if budget is None:
        return hits
    ends = itertools.accumulate(len(hit.text) for hit in hits)
    return [hit for n, (hit, end) in enumerate(zip(hits, ends, strict=True)) if n == 0 or end <= budget]


def _not_options(query: tuple[str, ...]) -> list[str]:
    """A word for a mistyped option, which else would be searched for in silence."""
    if click.get_current_context().meta[_LITERAL] or len(query) < 2:
        return []
    taken = [word for word in query if word.startswith("--") and len(word) > 2]
    return [f"{word} is no option of recall; it was searched for as words." for word in taken]


def _as_json(hit: Hit) -> dict[str, object]:
    return {
        "path": hit.path,
        "anchor": hit.anchor,
        "kind": hit.kind.value,
        "score": hit.score,
        "text": hit.text,
        "evidence": list(hit.evidence),
        "time": hit.time,
        "until": hit.until,
        "past": hit.past,
        "origin": hit.origin.value,
        "also": list(hit.also),
        "subjects": list(hit.subjects),
        "cited_by": list(hit.cited_by),
        "voices": dict(hit.voices),
        "factors": dict(hit.factors),
    }


def _as_text(hit: Hit, *, explain: bool = False) -> str:
    """Where it stands, since when and by whose words, then the words; the evidence where that is another place."""
    time = (hit.time or "")[:10]
    if hit.past:
        time = f"no longer true: {time or '?'} – {hit.until or '?'}"
    head = [hit.place, hit.kind.value, time, hit.speaker or hit.origin.value, f"{hit.score:.2f}"]
    lines = [" · ".join(part for part in head if part), excerpt(hit.text)]
    if hit.kind not in (Kind.TURN, Kind.RESULT) and hit.evidence:
        lines.append("evidence: " + " ".join(hit.evidence))
    if hit.also:
        lines.append("also: " + _listed(hit.also))
    if hit.cited_by:
        lines.append("cited by: " + _listed(hit.cited_by))
    if explain:
        given = " + ".join(f"{name} {value:.2f}" for name, value in hit.voices.items())
        times = "".join(f" × {name} {value:.2f}" for name, value in hit.factors.items())
        lines.append(f"score: ({given}){times}")
    return "\n".join(lines)


def _listed(places: Sequence[str]) -> str:
    return " ".join(f"<{place}>" if " " in place else place for place in places)


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
