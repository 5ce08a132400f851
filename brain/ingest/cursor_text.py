"""Cursor's older transcripts: plain text with a line for the speaker, and marks for what the agent thought and did."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.ingest.cursor_content import about, answered, asked, paths_in
from brain.ingest.hosts import finished
from brain.ingest.pieces import Call, Piece, Result
from brain.ingest.reading import Draft, too_large
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation

NAME = "cursor-text"
LARGEST = 256 << 20
_SPEAKER = re.compile(r"(user|assistant):[ \t]*")
_MARK = re.compile(r"\[(Thinking|Tool call|Tool result)\][ \t]*(.*)")
_ARGUMENT = re.compile(r"[ \t]+([\w-]{1,100}): ?(.*)")
_OPEN, _CLOSED = "<user_query>", "</user_query>"


def detect(head: bytes, name: str) -> str:
    """By its first line, a speaker's alone, and a frame around the words or a second speaker."""
    del name
    lines = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    first = next((line for line in lines if line.strip()), "")
    if not _SPEAKER.fullmatch(first.rstrip("\r")):
        return "its first line is no speaker"
    speakers = {match[1] for line in lines if (match := _SPEAKER.fullmatch(line.rstrip("\r")))}
    framed = any(line.strip().startswith(_OPEN) for line in lines)
    return "" if framed or len(speakers) == 2 else "it has one speaker and no frame around the words"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """The one session of the file."""
    if refused := too_large(source, LARGEST):
        yield refused
        return
    text = source.read().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    talk, answers = Conversation(), _Answers()
    for speaker, lines in _spoken(text.replace("\r\n", "\n").split("\n")):
        if speaker == "user":
            pieces, time = asked("\n".join(lines))
            talk.user(pieces, time)
        else:
            talk.assistant(answers.pieces(lines), None)
    yield from finished(source, talk, about(source, NAME, answers.paths))


def _spoken(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(speaker, lines) in their order. A speaker's line stands at the start or after an empty one, in no frame."""
    quoted = _framed(lines)
    speaker, held = "", list[str]()
    for n, line in enumerate(lines):
        match = _SPEAKER.fullmatch(line)
        if match and n not in quoted and (n == 0 or not lines[n - 1].strip()):
            if speaker:
                yield speaker, held
            speaker, held = match[1], []
        else:
            held.append(line)
    if speaker:
        yield speaker, held


def _framed(lines: list[str]) -> set[int]:
    """Numbers of the lines between the marks around a prompt; a mark that is never closed frames nothing."""
    framed: set[int] = set()
    opened: int | None = None
    for n, line in enumerate(lines):
        if line.lstrip().startswith(_OPEN):
            opened = n
        if opened is not None and line.rstrip().endswith(_CLOSED):
            framed.update(range(opened, n))
            opened = None
    return framed


class _Answers:
    """What the agent did; a result follows its call, maybe after others."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self._waiting: list[tuple[str, str]] = []
        """(name, id) of calls without a result yet."""
        self._calls = 0

    def pieces(self, lines: list[str]) -> list[Piece]:
        """Words stand before the first call of a block; what follows a mark belongs to it up to the next."""
        marks = [(n, match) for n, line in enumerate(lines) if (match := _MARK.fullmatch(line))]
        starts = [n for n, _ in marks] + [len(lines)]
        words, pieces = lines[: starts[0]], list[Piece]()
        for (n, match), end in zip(marks, starts[1:], strict=True):
            below, name = lines[n + 1 : end], match[2].strip()
            if match[1] == "Thinking":
                words += below if name else below[_paragraph(below) :]
            elif match[1] == "Tool call":
                pieces.append(self._call(name, _arguments(below)))
            else:
                pieces += self._result(name, "\n".join(below).strip("\n"))
        return [*answered("\n".join(words)), *pieces]

    def _call(self, name: str, given: dict[str, str]) -> Call:
        self._calls += 1
        self._waiting.append((name, f"call {self._calls}"))
        self.paths += paths_in(given)
        return Call(f"call {self._calls}", name, given)

    def _result(self, name: str, text: str) -> Iterator[Result]:
        place = next((n for n, (asked_for, _) in enumerate(self._waiting) if asked_for == name), 0)
        if self._waiting:
            yield Result(self._waiting.pop(place)[1], text)


def _paragraph(lines: list[str]) -> int:
    """How many lines the first paragraph takes."""
    start = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    return next((n for n, line in enumerate(lines) if n > start and not line.strip()), len(lines))


def _arguments(lines: list[str]) -> dict[str, str]:
    """`  key: value` lines; a value may go on below."""
    given: dict[str, str] = {}
    last = ""
    for line in lines:
        match = _ARGUMENT.fullmatch(line)
        if match:
            last = match[1]
            given[last] = match[2]
        elif last:
            given[last] += f"\n{line}"
    return {key: value.rstrip() for key, value in given.items()}
