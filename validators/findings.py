"""What a rule found: one record, one order, two written forms.

A finding speaks about the memory, never about the program; it is yielded, not raised. Words of the
memory inside it are shown with control, format and unassigned characters spelled out, so that a
page cannot write to the terminal of the person who reads the finding.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from brain.text.counted import counted

EXCERPT = 60


class Severity(StrEnum):
    """An error closes the gate; a warning wants a person's eye; an info is only worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault at one place. Ordered by path, line, code; the rest only makes the order total."""

    path: str
    line: int
    """1-based, in the staged file; in the base file where the fault is that something is gone;
    0 where no line can be named."""
    code: str
    """Kebab-case, listed in CODES of the rule that gives it."""
    severity: Severity
    message: str
    """What is wrong, in one sentence without a full stop."""
    fix: str = ""
    """What makes it right, as an order to the reader."""

    def __str__(self) -> str:
        fix = f" (fix: {self.fix})" if self.fix else ""
        return visible(f"{self.path}:{self.line}: {self.severity} {self.code} {self.message}{fix}")

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"severity": self.severity.value}


def is_ok(findings: Iterable[Finding]) -> bool:
    """True: nothing among them closes the gate."""
    return not any(f.severity is Severity.ERROR for f in findings)


def tally(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 warning`; `nothing found` for none."""
    counts = Counter(f.severity for f in findings)
    told = [counted(counts[s], s.value) for s in Severity if counts[s] and s is not Severity.INFO]
    if counts[Severity.INFO]:
        told.append(counted(counts[Severity.INFO], "remark"))
    return ", ".join(told) or "nothing found"


def visible(text: str) -> str:
    """The text with every character that a screen would obey or hide written as `\\u{…}`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else f"\\u{{{ord(c):x}}}" for c in text)


def _is_harmless(char: str) -> bool:
    return unicodedata.category(char)[0] not in "CZ" or char == " "


def excerpt(text: str, limit: int = EXCERPT) -> str:
    """Words of the memory to quote in a message: one line, cut, in quotation marks."""
    flat = " ".join(text.split())
    return f"“{flat if len(flat) <= limit else flat[: limit - 1].rstrip() + '…'}”"


@dataclass(frozen=True, slots=True)
class Reporter:
    """Makes the findings of one rule: the severity is the one that its CODES promise."""

    codes: Mapping[str, tuple[Severity, str]]

    def __call__(self, code: str, path: str, line: int, message: str, fix: str = "") -> Finding:
        return Finding(path, line, code, self.codes[code][0], message, fix)
