"""What a command prints: text for people, one JSON object for machines.

Memory is other people's text: no control character of it reaches a terminal.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

import click

T = TypeVar("T")


def clean(text: str) -> str:
    """Text without C0, C1 and DEL characters other than line feed and tab."""
    return "".join(c if (c >= " " and not "\x7f" <= c <= "\x9f") or c in "\n\t" else "\ufffd" for c in text)


def say(text: str = "") -> None:
    """Print lines for a person."""
    click.echo(clean(text))


def note(text: str) -> None:
    """Print something beside the result, on standard error."""
    click.echo(clean(text), err=True)


def emit(value: object) -> None:
    """Print one JSON object: stable keys, any script as it is."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1, default=str))


def error(code: str, message: str, hint: str = "", *, as_json: bool) -> None:
    """One error, on standard error: one line, or `{"error": {"code", "message", "hint"}}`."""
    if as_json:
        click.echo(
            json.dumps({"error": {"code": code, "message": message, "hint": hint}}, ensure_ascii=False), err=True
        )
        return
    line = " ".join(clean(message).split())
    end = "" if line.endswith((".", "?", "!")) else "."
    note(f"brain: {line}{end}" + (f" Try: {hint}" if hint else ""))


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Rows under a header, columns aligned by characters."""
    widths = [max(len(row[n]) for row in (header, *rows)) for n in range(len(header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def progress(items: Iterable[T], total: int, label: str, stream: TextIO | None = None) -> Iterator[T]:
    """Pass items through; after two seconds, and only where a person watches, show how far it is."""
    stream = stream or sys.stderr
    watched = stream.isatty()
    started, shown = time.monotonic(), 0.0
    for n, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if watched and now - started > 2 and now - shown > 0.2:
            shown = now
            filled = 30 * n // max(total, 1)
            stream.write(f"\r{label} [{'#' * filled}{'.' * (30 - filled)}] {n}/{total}")
            stream.flush()
    if shown:
        stream.write("\r" + " " * (len(label) + 60) + "\r")
        stream.flush()
