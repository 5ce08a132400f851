"""Every transcript format Brain reads, in the order in which they are asked."""

from __future__ import annotations

from pathlib import Path

from brain.ingest import (
    agent_memory,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    codex_exec,
    cursor,
    cursor_db,
    cursor_text,
    document,
    gemini_cli,
    langchain,
    mail,
    markdown_log,
    openai_agents,
    openai_messages,
    openclaw,
    opencode,
    opencode_db,
    sqlite,
)
from brain.ingest.jsonvalues import beginning
from brain.ingest.reading import Format, first_objects
from brain.ingest.source import Input

FORMATS: dict[str, Format] = {
    claude_code.NAME: Format(
        claude_code.NAME, claude_code.detect, claude_code.read, by_line=True, is_part=claude_code.is_part
    ),
    codex.NAME: Format(codex.NAME, codex.detect, codex.read, by_line=True),
    codex_exec.NAME: Format(codex_exec.NAME, codex_exec.detect, codex_exec.read, by_line=True),
    cursor.NAME: Format(cursor.NAME, cursor.detect, cursor.read, by_line=True),
    cursor_text.NAME: Format(cursor_text.NAME, cursor_text.detect, cursor_text.read),
    cursor_db.NAME: Format(cursor_db.NAME, cursor_db.detect, cursor_db.read),
    gemini_cli.NAME: Format(gemini_cli.NAME, gemini_cli.detect, gemini_cli.read),
    opencode.NAME: Format(
        opencode.NAME, opencode.detect, opencode.read, state=opencode.state, is_part=opencode.is_part
    ),
    opencode_db.NAME: Format(opencode_db.NAME, opencode_db.detect, opencode_db.read),
    openclaw.NAME: Format(openclaw.NAME, openclaw.detect, openclaw.read, by_line=True, is_part=openclaw.is_part),
    chatgpt.NAME: Format(chatgpt.NAME, chatgpt.detect, chatgpt.read),
    claude_ai.NAME: Format(claude_ai.NAME, claude_ai.detect, claude_ai.read),
    langchain.NAME: Format(langchain.NAME, langchain.detect, langchain.read),
    openai_messages.NAME: Format(openai_messages.NAME, openai_messages.detect, openai_messages.read),
    openai_agents.NAME: Format(openai_agents.NAME, openai_agents.detect, openai_agents.read),
    agent_memory.NAME: Format(agent_memory.NAME, agent_memory.detect, agent_memory.read, place=agent_memory.place),
    markdown_log.NAME: Format(markdown_log.NAME, markdown_log.detect, markdown_log.read),
    mail.NAME: Format(mail.NAME, mail.detect, mail.read),
    document.NAME: Format(document.NAME, document.detect, document.read, place=document.place),
}
"""name -> format; a new one is a module and a line here."""


def is_part(path: Path) -> bool:
    """Whether a file that lies in a folder is read together with another one, or only helps to keep it."""
    return sqlite.is_beside(path) or any(form.is_part(path) for form in FORMATS.values() if form.is_part)


def unlike(head: bytes) -> str:
    """What a file is that no format takes, in a few words for a person."""
    if sqlite.is_sqlite(head):
        return "a SQLite database without conversations that Brain knows"
    if not document.is_text(head) and not beginning(head):
        return "binary data"
    if beginning(head) or first_objects(head):
        return "JSON, but of no agent and no export that Brain knows"
    return "text with neither turns of speakers nor running words"


def choose(source: Input) -> Format | dict[str, str]:
    """The first format that takes a source, else why each of them refuses it; text that is named is a document."""
    reasons = {}
    for format_ in FORMATS.values():
        reason = format_.detect(source.head, source.file_name) or (format_.place(source) if format_.place else "")
        if not reason:
            return format_
        reasons[format_.name] = reason
    is_named = source.path is not None and not source.below
    return FORMATS[document.NAME] if is_named and document.is_writing(source.head) else reasons
