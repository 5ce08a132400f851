"""brain history: how a page or note came to say what it says."""

from __future__ import annotations

import click

from brain.cli import output, world


@click.command()
@click.argument("reference")
@world.brain_option
@world.json_option
def history(reference: str, brain_path: str | None, as_json: bool) -> None:
    """Show how a page or note came to say what it says.

    REFERENCE is a title or a path, also of a file that is gone; the newest change comes first. What each one changed:
    git log -p -- PATH.

    \b
    Example:
      brain history "Ilya Maslov"
      brain history memory/knowledge/people/Ilya\\ Maslov.md --json
    """
    from brain import memory

    changes = memory.history(world.open_store(brain_path, write=False), reference)
    if as_json:
        output.emit({"changes": [change.to_json() for change in changes]})
        return
    rows = [(c.date.strftime("%Y-%m-%d %H:%M"), c.commit[:8], c.command or c.author, c.subject) for c in changes]
    output.say(output.table(rows, ("date", "commit", "by", "why")))
