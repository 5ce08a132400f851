"""Front matter says what its schema allows, and the file can be read.

Purpose
    Everything that is computed from a page (its map, its links, its evidence) starts at the keys
    between the two `---`. A key with a wrong value, a key that stands twice, a block that cannot be
    read: each makes a file into plain text that nothing finds. The schemas are brain/schemas/*.json,
    over the texts that stand there: every scalar is text. Keys that no schema names are a person's
    and pass. Transcripts are read turn by turn, brain.toml as every command reads it.

Passes
    A key of one's own.

        @ memory/knowledge/people/Ilya Brandt.md
        - importance: 3
        + importance: 4
        + shoe size: 44

Fails
    A kind that does not exist.

        @ memory/knowledge/people/Ilya Brandt.md
        - kind: person
        + kind: human
        ! key-wrong

    A key that stands twice; the first one counts.

        @ memory/knowledge/people/Ilya Brandt.md
        - status: active
        + status: active
        + status: archived
        ! key-twice
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from brain import config, layout, transcript
from brain.text.front import FrontMatter
from brain.validators.documents import Document, line_of
from brain.validators.findings import Finding, Reporter, Severity
from brain.validators.pair import Pair
from brain.validators.schema import faults

CODES: Mapping[str, tuple[Severity, str]] = {
    "not-utf-8": (Severity.ERROR, "A text file whose bytes are no UTF-8."),
    "front-matter-missing": (Severity.ERROR, "A file that should begin with front matter and does not."),
    "front-matter-unreadable": (Severity.ERROR, "A block that is not of the subset of YAML that Brain reads."),
    "key-twice": (Severity.ERROR, "A key that stands twice in one block."),
    "key-missing": (Severity.ERROR, "A key that the schema asks for."),
    "key-wrong": (Severity.ERROR, "A value that the schema does not allow."),
    "dates-reversed": (Severity.ERROR, "A file that was updated before it was created."),
    "turn-unreadable": (Severity.ERROR, "A turn or block of a transcript that cannot be read as written."),
    "turns-miscounted": (Severity.ERROR, "A transcript with more or fewer turns than its front matter says."),
    "settings-wrong": (Severity.ERROR, "A brain.toml that no command could read."),
}

find = Reporter(CODES)

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def check(pair: Pair) -> Iterator[Finding]:
    for path in pair.present:
        if path.endswith(".md") and f"/{layout.ATTACHMENTS}/" not in path:
            yield from _check_bytes(path, pair.staged.bytes(path))
    for document in pair.documents():
        yield from _check_front(document.path, document.kind, document.front)
        yield from _check_order(document)
    for path in filter(layout.is_transcript, pair.present):
        yield from _check_transcript(path, pair.staged.text(path))
    if layout.SETTINGS in pair.changed and layout.SETTINGS in pair.staged:
        yield from _check_settings(pair.staged.bytes(layout.SETTINGS))


def _check_bytes(path: str, data: bytes) -> Iterator[Finding]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield find("not-utf-8", path, line, f"byte {error.start} is no UTF-8", "save the file as UTF-8")


def _check_front(path: str, schema: str, front: FrontMatter) -> Iterator[Finding]:
    if not front.block_start and not front.problems:
        fix = "begin the file with a block between two `---`"
        yield find("front-matter-missing", path, 1, "the file has no front matter", fix)
        return
    for problem in front.problems:
        twice = problem.key is not None
        line = problem.other_line if twice else problem.line
        code, fix = ("key-twice", "keep one") if twice else ("front-matter-unreadable", "mend the block")
        yield find(code, path, line or 1, problem.reason, fix)
    if not front.block_start:
        return
    for fault in faults(schema, front.values):
        code = "key-missing" if fault.missing else "key-wrong"
        fix = "add it" if fault.missing else f"see brain/schemas/{schema}.json"
        yield find(code, path, line_of(front, *fault.keys), fault.message, fix)


def _check_order(document: Document) -> Iterator[Finding]:
    created, updated = (document.front.get_text(key) or "" for key in ("created", "updated"))
    if _DAY.fullmatch(created) and _DAY.fullmatch(updated) and updated < created:
        line = line_of(document.front, "updated")
        message = f"updated on {updated}, before it was created on {created}"
        yield find("dates-reversed", document.path, line, message, "write the days of the evidence")


def _check_transcript(path: str, text: str) -> Iterator[Finding]:
    parsed = transcript.parse(text)
    yield from _check_front(path, "transcript", parsed.front)
    for problem in parsed.problems:
        if problem not in parsed.front.problems and problem.key is None:
            yield find("turn-unreadable", path, problem.line, problem.reason, "bring the transcript back from git")
    told = parsed.front.get_text("turns")
    if told is not None and told.isdecimal() and int(told) != len(parsed.session.turns):
        message = f"the front matter says {told} turns, and there are {len(parsed.session.turns)}"
        line = line_of(parsed.front, "turns")
        yield find("turns-miscounted", path, line, message, "bring the transcript back from git")


def _check_settings(data: bytes) -> Iterator[Finding]:
    try:
        config.parse(data)
    except config.SettingsError as error:
        yield find("settings-wrong", layout.SETTINGS, 1, error.message, error.hint or "see docs/commands.md")
