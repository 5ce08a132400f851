"""Small whole brains to try rules on: `trees/<name>/` as files, changed by text, checked exactly.

`check(rule, staged, finds=[(path, line, code)])` holds for exactly these findings; none named, none
allowed. An example of a rule's manual page is applied by `apply`: see `Example`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from brain.tree import Tree, tree_of
from brain.validators.findings import Finding
from brain.validators.gate import Command, Pair
from brain.validators.registry import Rule

Files = dict[str, str]
Place = tuple[str, int, str]
"""path, line, code."""

ROOT = Path(__file__).parent / "trees"
ILYA = "memory/knowledge/people/Ilya Brandt.md"
MARINA = "memory/knowledge/people/Марина Ветрова.md"
KESTREL = "memory/knowledge/organisations/Kestrel Audio.md"
WORKSHOP = "memory/knowledge/places/Harbour workshop.md"
ANSWERS = "memory/knowledge/preferences/Answers.md"
CLOCK = "memory/notes/work/Tide clock.md"
SHORT = "memory/notes/life/Short answers.md"
AUGUST = "memory/sessions/2026/08/12-5b0c1d2e"
SEPTEMBER = "memory/sessions/2026/09/14-1f2e3d4c"
LETTER = "memory/sessions/undated/5f7908e5"


def world(name: str = "harbour") -> Files:
    """The files of one of the trees here."""
    folder = ROOT / name
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def tree(files: Mapping[str, str | bytes]) -> Tree:
    return tree_of(files)


def edited(files: Files, path: str, old: str, new: str) -> Files:
    """The files with one text, which stands once in `path`, replaced."""
    assert files[path].count(old) == 1, f"{old!r} stands {files[path].count(old)} times in {path}"
    return files | {path: files[path].replace(old, new)}


def line_with(files: Mapping[str, str], path: str, text: str) -> int:
    """1-based line of the only line that holds `text`."""
    found = [number for number, line in enumerate(files[path].split("\n"), 1) if text in line]
    assert len(found) == 1, f"{text!r} stands on {len(found)} lines of {path}"
    return found[0]


def pair(staged: Files, base: Files | None = None, command: Command = Command.OTHER) -> Pair:
    return Pair(tree(base) if base is not None else None, tree(staged), command)


def check(
    rule: Rule | ModuleType,
    staged: Files,
    finds: Sequence[Place] = (),
    base: Files | None = None,
    command: Command = Command.OTHER,
) -> list[Finding]:
    """Exactly these places and codes, in the order of the gate; the findings, for what else a test wants to know."""
    found = sorted(set(rule.check(pair(staged, base, command))))
    assert [(f.path, f.line, f.code) for f in found] == sorted(finds), "\n".join(map(str, found)) or "nothing found"
    return found


# --- planted faults ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fault:
    """A change to the harbour and what must be found for it."""

    name: str
    edits: tuple[tuple[str, str | None, str | None], ...]
    """(path, old, new): old None makes the file, new None takes it away, else the one text is replaced."""
    finds: tuple[tuple[str, str | int, str], ...]
    """(path, a text of the line in staged, or in base where staged has lost it, or its number; code)."""

    def __str__(self) -> str:
        return self.name


def fault(name: str, path: str, old: str | None, new: str | None, *finds: tuple[str | int, str]) -> Fault:
    """A change in one file, with all that is found in the same file."""
    return Fault(name, ((path, old, new),), tuple((path, place, code) for place, code in finds))


def plant(planted: Fault, files: Files) -> tuple[Files, list[Place]]:
    """The files with the fault in them, and the exact findings."""
    staged = dict(files)
    for path, old, new in planted.edits:
        if new is None:
            del staged[path]
        elif old is None:
            staged[path] = new
        else:
            staged = edited(staged, path, old, new)
    return staged, [(path, _line(path, place, staged, files), code) for path, place, code in planted.finds]


def _line(path: str, place: str | int, staged: Files, files: Files) -> int:
    if isinstance(place, int):
        return place
    return line_with(staged if place in staged.get(path, "") else files, path, place)


# --- the examples of manual pages -----------------------------------------------


@dataclass(frozen=True, slots=True)
class Example:
    """A change to the harbour, written in a rule's docstring.

    `@ path` begins a file; then a line is context (` `), taken out (`-`) or put in (`+`); a context
    line that ends in `…` stands for every line that begins so. Lines put in where nothing stands
    before them are a new file, or its end. `! code` says what is found at the line above it, in base
    where that line was taken out.
    """

    passes: bool
    words: str
    lines: tuple[str, ...]

    @property
    def command(self) -> Command:
        return next((c for c in Command if f"(By a {c}.)" in self.words or f"(By {c}.)" in self.words), Command.OTHER)


def examples(rule: Rule | ModuleType) -> Iterator[Example]:
    """The examples of a rule's manual page, in order."""
    words = ""
    lines: list[str] = []
    passes = True
    for line in [*(rule.__doc__ or "").split("\n"), ""]:
        if line.startswith("        "):
            lines.append(line[8:])
            continue
        if lines and line.strip():
            yield Example(passes, words, tuple(lines))
            words, lines = "", []
        if line.strip() in ("Passes", "Fails"):
            passes, words = line.strip() == "Passes", ""
        words += " " + line.strip()
    if lines:
        yield Example(passes, words, tuple(lines))


def apply(example: Example, files: Files) -> tuple[Files, list[Place]]:
    """The files after the change, and what the example says is found."""
    staged, finds = dict(files), []
    for path, lines in _by_file(example.lines):
        old = files.get(path, "").split("\n")[:-1] if path in files else []
        new, found = _changed(old, lines, path)
        staged[path] = "".join(line + "\n" for line in new)
        finds += found
    return staged, finds


def _by_file(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    path, held = "", []
    for line in lines:
        if line.startswith("@ "):
            if path:
                yield path, held
            path, held = line[2:], []
        elif line.strip():
            held.append(line)
    yield path, held


def _changed(old: list[str], lines: list[str], path: str) -> tuple[list[str], list[Place]]:
    new = list(old)
    finds: list[Place] = []
    at = len(new) if lines[0].startswith("+") else 0
    shift = last = 0
    for line in lines:
        mark, text = line[0], line[2:]
        if mark == "!":
            finds.append((path, last, text))
        elif mark == "+":
            new.insert(at, text)
            at, last, shift = at + 1, at + 1, shift - 1
        else:
            place = _find(new, text, at)
            if mark == "-":
                del new[place]
                at, last, shift = place, place + 1 + shift, shift + 1
            else:
                at, last = place + 1, place + 1
    return new, finds


def _find(lines: list[str], text: str, start: int) -> int:
    form = re.escape(text[:-1]) + ".*" if text.endswith("…") else re.escape(text)
    return next(n for n in range(start, len(lines)) if re.fullmatch(form, lines[n]))
