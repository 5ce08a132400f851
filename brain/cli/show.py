"""brain show: a session, a turn, a page or a note, as it is written."""

from __future__ import annotations

import click

from brain.cli import output, world


@click.command()
@click.argument("reference")
@world.brain_option
@world.json_option
def show(reference: str, brain_path: str | None, as_json: bool) -> None:
    """Show a session, a turn, a page or a note.

    REFERENCE is what a citation names (sessions/2026/11/29-1f2e3d4c#t12, a tool result in it #t12.r3), the start of a
    session's id, a path, or a title.

    \b
    Example:
      brain show "Ilya Maslov"
      brain show sessions/2026/09/11-174f659c#t1
      brain show 174f659c --json
    """
    from brain import memory, transcript

    shown = memory.show(world.open_store(brain_path, write=False), reference)
    if as_json:
        output.emit(shown.to_json())
        return
    match shown:
        case memory.ShownSession():
            output.say(transcript.render(shown.session).rstrip("\n"))
        case memory.ShownTurn(turn=turn):
            time = turn.time.isoformat() if turn.time else "unknown"
            output.say(f"{shown.source} · {turn.speaker or turn.role.value} · {time}\n\n{shown.text}")
        case memory.ShownFile():
            output.say(shown.text.rstrip("\n"))
