"""Every file stands where it belongs, under a name that every system can hold.

Purpose
    A brain is cloned to other machines, opened by other programs and handed to `grep` and `git`.
    A name that only some systems can hold, that an option parser or git itself would take for its
    own, or that becomes another file's name where case does not count, loses memory there. Below
    `memory/` only the places of docs/format.md exist, so that nothing hides beside them. A page
    is named after its title; a person may rename it, so that alone is only a warning.

Passes
    A title with characters that no file name may hold: the name carries a mark of the whole title.

        @ memory/knowledge/tools/AC-DC~5a5abe.md
        + ---
        + title: AC/DC
        + kind: tool
        + ---

Fails
    A file that only differs by case from one that is there.

        @ memory/knowledge/people/ILYA BRANDT.md
        + ---
        ! name-twin
        + title: ILYA BRANDT
        + kind: person
        + ---

    A file that git reads as orders.

        @ memory/notes/.gitattributes
        + * filter=run
        ! git-file
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from brain import layout
from brain.model import PAGE_FOLDERS
from brain.names import BadTitle, file_name, is_safe_path
from brain.validators.documents import Document, Kind, line_of, session_of
from brain.validators.findings import Finding, Reporter, Severity, excerpt
from brain.validators.pair import Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "git-file": (Severity.ERROR, "A name that git takes for its own."),
    "name-unsafe": (Severity.ERROR, "A path that not every system can hold, or that leaves its folder."),
    "name-not-nfc": (Severity.ERROR, "A path that is not in Unicode's composed form (NFC)."),
    "name-twin": (Severity.ERROR, "A path that is another one where case or Unicode form do not count."),
    "not-a-file": (Severity.ERROR, "A link or the like where a plain file should be."),
    "place-unknown": (Severity.ERROR, "A file below memory/ where docs/format.md has no place for it."),
    "session-folder": (Severity.ERROR, "A session's folder that does not carry the session's id."),
    "session-incomplete": (Severity.ERROR, "A session's folder without its transcript."),
    "kind-folder": (Severity.ERROR, "A page in the folder of another kind."),
    "name-differs": (Severity.WARNING, "A page or note whose file is not named after its title."),
}

find = Reporter(CODES)

_HEX = "[0-9a-f]{8,64}"
_PLACES = re.compile(
    r"index\.md|(?:sessions|notes|knowledge)/index\.md"
    rf"|sessions/(?:\d{{4}}/\d{{2}}/\d{{2}}-|undated/){_HEX}/(?:transcript\.md|summary\.md|attachments/[^/]+)"
    r"|notes/[^/]+/[^/]+\.md"
    rf"|knowledge/(?:{'|'.join(sorted(PAGE_FOLDERS.values()))})/[^/]+\.md"
)
# Characters that show nothing: some file systems leave them out when they compare names.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]"
)
_DIGITS = (6, 12, 18, 24)
"""How much of a hash a file's name may carry (see names.file_name)."""


def check(pair: Pair) -> Iterator[Finding]:
    for path in pair.present:
        yield from list(_check_path(path)) or _check_place(pair, path)
    yield from _twins(pair)
    for path, why in sorted(pair.staged.problems.items()):
        if pair.base is None or path not in pair.base.problems:
            fix = "put a plain file there, or take it away"
            yield find("not-a-file", path, 0, f"this is no plain file: {why}", fix)
    for document in pair.documents():
        yield from _check_title(document)


def _check_path(path: str) -> Iterator[Finding]:
    if any(_is_git_name(part) for part in path.split("/")):
        yield find("git-file", path, 1, "git takes this name for its own and may do what it says", "remove the file")
    elif reason := is_safe_path(path):
        yield find("name-unsafe", path, 1, f"not every system can hold this path: {reason}", "rename the file")
    if not unicodedata.is_normalized("NFC", path):
        yield find("name-not-nfc", path, 1, "the path is not in composed form (NFC)", "rename the file to its NFC form")


def _is_git_name(part: str) -> bool:
    return _UNSEEN.sub("", part).casefold().startswith((".git", "git~"))


def _check_place(pair: Pair, path: str) -> Iterator[Finding]:
    below = path.removeprefix(f"{layout.MEMORY}/")
    if below == path:
        return
    if not _PLACES.fullmatch(below):
        fix = "move it out of memory/, or rename it"
        yield find("place-unknown", path, 1, "the memory has no place for this file", fix)
    elif below.startswith("sessions/") and path not in layout.INDEXES:
        yield from _check_session(pair, path)


def _check_session(pair: Pair, path: str) -> Iterator[Finding]:
    folder = session_of(path)
    if layout.transcript_path(folder) not in pair.staged:
        yield find("session-incomplete", path, 1, "this session has no transcript.md", "bring the transcript back")
    session = pair.staged.session(folder) if layout.is_transcript(path) else None
    if session is None or not session.id:
        return
    tail = re.split("[-/]", folder)[-1]
    wanted = layout.short_id(session.id, len(tail))
    if wanted != tail:
        line = next((n for n, text in enumerate(pair.staged.text(path).split("\n"), 1) if text.startswith("id:")), 1)
        message = f"the folder ends in {tail}, the session's id gives {wanted}"
        yield find("session-folder", path, line, message, "move the session to its own folder")


# --- twins ----------------------------------------------------------------------


def _twins(pair: Pair) -> Iterator[Finding]:
    spellings: dict[str, set[str]] = {}
    for prefix in _prefixes(pair.staged.paths):
        spellings.setdefault(_folded(prefix), set()).add(prefix)
    twins = {spelling: group for group in spellings.values() if len(group) > 1 for spelling in group}
    if not twins:
        return
    known = set(_prefixes(pair.base.paths)) if pair.base else set()
    for path in pair.present:
        clash = next(((p, twins[p]) for p in sorted(_prefixes([path])) if p in twins), None)
        first = min(clash[1], key=lambda p: (p not in known, p)) if clash else None
        if clash and first and clash[0] != first:
            message = f"{excerpt(clash[0])} is {excerpt(first)} where case and Unicode form do not count"
            yield find("name-twin", path, 1, message, "rename one of the two, or merge them")


def _prefixes(paths: Iterable[str]) -> set[str]:
    """The paths and every folder above them."""
    found: set[str] = set()
    for path in paths:
        prefix = path
        while prefix and prefix not in found:
            found.add(prefix)
            prefix = prefix.rpartition("/")[0]
    return found


def _folded(path: str) -> str:
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", _UNSEEN.sub("", path)).casefold())


# --- titles ---------------------------------------------------------------------


def _check_title(document: Document) -> Iterator[Finding]:
    path, kind = document.path, document.page_kind
    if kind is not None and path.split("/")[-2] != kind.folder:
        line = line_of(document.front, "kind")
        message = f"a page of kind {kind} stands in {path.split('/')[-2]}/"
        yield find("kind-folder", path, line, message, f"move it to {kind.folder}/, or change its kind")
    title = document.front.get_text("title")
    if title is None or document.kind is Kind.SUMMARY:
        return
    try:
        wanted = [file_name(title, digits) for digits in _DIGITS]
    except BadTitle:
        return
    if path.rsplit("/", 1)[-1] not in wanted:
        message = f"the title {excerpt(title)} gives the file name {excerpt(wanted[0])}"
        yield find("name-differs", path, line_of(document.front, "title"), message, "rename the file, or the title")
