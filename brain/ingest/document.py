"""Plain documents: Markdown and text, one turn a section, of origin import: material, whoever wrote it.

A file that is named itself is taken whatever its name is, as long as it holds running words. In a folder only what
looks like somebody's writing is: `.md`, and `.txt` of running words, that is not part of a program's source.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path

from brain.ingest import speakers
from brain.ingest.jsonvalues import beginning
from brain.ingest.pieces import Words
from brain.ingest.reading import Draft, draft, too_large
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Origin, Session, SessionKind, Source, Trust
from brain.text.front import FrontMatter


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NAME = "document"
LARGEST = 64 << 20
MARKDOWN = (".md", ".markdown", ".mdown")
_SUFFIXES = (*MARKDOWN, ".txt", ".text")
_PROGRAMS = _words(
    "package.json pyproject.toml setup.py setup.cfg requirements.txt cargo.toml go.mod pom.xml build.gradle "
    "build.gradle.kts gemfile composer.json cmakelists.txt mix.exs deno.json pubspec.yaml stack.yaml"
)
"""Files that a program's source has; what lies beside or below them tells of the program."""
_NO_WRITING = _words(
    "readme changelog changes history license licence copying notice authors contributors contributing install "
    "security support maintainers codeowners code_of_conduct pull_request_template issue_template requirements robots "
    "humans agents claude gemini copilot-instructions skill soul tools identity heartbeat bootstrap boot"
)
"""Stems of files that a program or an agent has, not a person's memory."""
_NOT_OURS = _words(
    "node_modules bower_components vendor third_party site-packages dist-packages __pycache__ dist build target "
    "venv env coverage fixtures testdata tool-results"
)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S.*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_WORDS_A_LINE = 4
_WITHOUT_SPACES = "\u0e00"
"""Thai and what comes after it in Unicode: Khmer, Chinese, Japanese (and Korean, which has spaces)."""


def detect(head: bytes, name: str) -> str:
    """By its name and that it is text; what `.txt` holds must be words."""
    if not name.lower().endswith(_SUFFIXES):
        return "its name is not that of a document"
    if not is_text(head):
        return "it is no text"
    is_markdown = name.lower().endswith(MARKDOWN)
    return "" if is_markdown or _is_running(decoded(head)) else "it holds no running words"


def is_text(head: bytes) -> bool:
    """Whether the first bytes are text of any language, and no JSON."""
    if not head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and b"\0" in head:
        return False
    text = decoded(head)
    return text.count("\ufffd") * 20 <= len(text) and not beginning(head) and text.strip() not in ("[]", "{}")


def is_writing(head: bytes) -> bool:
    """Whether the first bytes are text of running words: what makes a document of a file with any name."""
    lines = [line.split() for line in decoded(head)[:20_000].split("\n") if line.strip()]
    words = sum(_words_in(part) for line in lines for part in line if part[0].isalpha())
    return is_text(head) and words >= 2 * len(lines) > 0


def _words_in(part: str) -> int:
    """One; of a script that puts no spaces between words, about as many as it has."""
    return 1 + (len(part) // 3 if part[0] >= _WITHOUT_SPACES else 0)


def _is_running(text: str) -> bool:
    lines = [line for line in text[:20_000].split("\n") if line.strip()]
    return sum(len(_WORD.findall(line)) for line in lines) >= _WORDS_A_LINE * len(lines) > 0


def place(source: Input) -> str:
    """ "" or why a file that was found in a folder is no person's writing, by where it lies."""
    *folders, name = source.below or ("",)
    if any(part.startswith(".") or part.lower() in _NOT_OURS for part in folders):
        return "it lies where programs keep their files"
    if folders or name:
        if name.partition(".")[0].lower() in _NO_WRITING:
            return "its name is that of a program's file"
        if source.path and _is_source(source.path.parent, len(folders)):
            return "it lies in the source of a program"
    return ""


def _is_source(folder: Path, above: int) -> bool:
    return any(holds_any(one, _PROGRAMS) for one in (folder, *folder.parents[:above]))


@lru_cache(maxsize=10_000)
def holds_any(folder: Path, names: frozenset[str]) -> bool:
    """Whether one of these names, in small letters, stands in the folder; each folder is looked into once."""
    try:
        return any(entry.name.lower() in names for entry in folder.iterdir())
    except OSError:
        return False


def read(source: Input) -> Iterator[Draft | Skipped]:
    """One session, one turn for each section."""
    if refused := too_large(source, LARGEST):
        yield refused
        return
    yield from read_text(source, FrontMatter.parse(decoded(source.read())))


def read_text(source: Input, front: FrontMatter) -> Iterator[Draft]:
    """The document with its front matter apart; one without a word is none."""
    talk = Conversation()
    for section in sections(front.body):
        talk.user([Words(section)], None, origin=Origin.IMPORT, trust=Trust.THIRD)
    done = talk.finish()
    if not done.turns:
        return
    session = Session(
        id=talk.line(source.stem),
        agent=NAME,
        source=Source(NAME, source.file_name, source.sha256),
        turns=(),
        project=talk.line(front.get_text("project") or "") or None,
        title=talk.line(front.get_text("title") or speakers.title(front.body)) or None,
        kind=SessionKind.DOCUMENT,
    )
    yield draft(session, done, day_of(front.values, source.stem))


def sections(body: str) -> Iterator[str]:
    """The text between headings, each with its own; headings with nothing below stand with what follows."""
    lines = body.split("\n")
    hidden = speakers.hidden_lines(lines)
    held: list[str] = []
    has_words = False
    for n, line in enumerate(lines):
        is_heading = n not in hidden and _HEADING.fullmatch(line[:1000]) is not None
        if is_heading and has_words:
            yield "\n".join(held)
            held, has_words = [], False
        held.append(line)
        has_words = has_words or (not is_heading and bool(line.strip()))
    if any(line.strip() for line in held):
        yield "\n".join(held)


def decoded(data: bytes) -> str:
    r"""Bytes as text with "\n" line ends, UTF-8 unless a byte order mark says otherwise."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = data.decode("utf-16" if wide else "utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def day_of(values: Mapping[str, object], stem: str) -> date | None:
    """The day that the front matter or the name of a file gives."""
    for given in (values.get("date"), values.get("created"), stem):
        found = re.match(r"\d{4}-\d\d-\d\d", given) if isinstance(given, str) else None
        try:
            if found:
                return date.fromisoformat(found[0])
        except ValueError:
            continue
    return None
