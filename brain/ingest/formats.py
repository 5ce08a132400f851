"""Every transcript format Brain reads, in the order in which they are asked."""

from __future__ import annotations

from pathlib import Path

from brain.ingest import claude_code, codex, codex_exec, markdown_log, openai_agents, openai_messages, sqlite
from brain.ingest.reading import Format

FORMATS: dict[str, Format] = {
    claude_code.NAME: Format(claude_code.NAME, claude_code.detect, claude_code.read, by_line=True),
    codex.NAME: Format(codex.NAME, codex.detect, codex.read, by_line=True),
    codex_exec.NAME: Format(codex_exec.NAME, codex_exec.detect, codex_exec.read, by_line=True),
    openai_messages.NAME: Format(openai_messages.NAME, openai_messages.detect, openai_messages.read),
    openai_agents.NAME: Format(openai_agents.NAME, openai_agents.detect, openai_agents.read),
    markdown_log.NAME: Format(markdown_log.NAME, markdown_log.detect, markdown_log.read),
}
"""name -> format; a new one is a module and a line here."""


def is_part(path: Path) -> bool:
    """Whether a file that lies in a folder is read together with another one, or only helps to keep it."""
    return sqlite.is_beside(path) or any(form.is_part(path) for form in FORMATS.values() if form.is_part)


def choose(head: bytes, name: str) -> Format | dict[str, str]:
    """The first format that takes a file, else why each of them refuses it."""
    reasons = {}
    for format_ in FORMATS.values():
        reason = format_.detect(head, name)
        if not reason:
            return format_
        reasons[format_.name] = reason
    return reasons
