"""brain sandbox exec: a command over a working set, held in."""

from __future__ import annotations

from pathlib import Path

import click

from brain.cli import output, world
from brain.sandbox.set_commands import find

TIMED_OUT, OVER = 124, 125
"""Exit statuses of a command that one of its limits ended."""


@click.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--in", "folder", metavar="DIR", type=click.Path(path_type=Path), help="The sandbox; else the one above.")
@click.option("--seconds", type=click.FloatRange(0.1, 3600), default=20.0, show_default=True, help="Then it is killed.")
@click.option("--unsafe-direct", is_flag=True, help="Run it unguarded: it can read and write what you can.")
@world.json_option
@click.pass_context
def exec_command(
    ctx: click.Context,
    command: tuple[str, ...],
    folder: Path | None,
    seconds: float,
    unsafe_direct: bool,
    as_json: bool,
) -> None:
    """Run a command that can read a sandbox and nothing else: no network, no other files, nothing written.

    Its exit status is passed on; 124: it ran out of time, 125: it had too many processes, too much memory or output.
    Under bubblewrap the sandbox is /memory.

    \b
    Example:
      brain sandbox exec -- grep -rn "tide clock" memory
      brain sandbox exec --in /tmp/memory -- git log --oneline
    """
    from brain.sandbox.isolation import Policy, run

    working = find(folder)
    policy = Policy(working.folder.resolve(), objects(working.folder), seconds)
    result = run(command, policy, how="direct" if unsafe_direct else None)
    status = {"itself": result.status, "time": TIMED_OUT}.get(result.ended, OVER)
    if as_json:
        output.emit(
            {"status": status, "output": result.output, "cut": result.cut, "how": result.how, "ended": result.ended}
        )
    else:
        click.echo(result.output, nl=False)
        if result.ended != "itself":
            output.note(f"The command was stopped: {_REASONS[result.ended]}.")
    ctx.exit(status)


_REASONS = {
    "time": "it ran out of time (--seconds)",
    "processes": "it had too many processes",
    "memory": "it took too much memory",
    "output": "it printed too much",
}


def objects(folder: Path) -> tuple[Path, ...]:
    """The folders of git's objects that the sandbox borrows; nothing that is no such folder."""
    try:
        lines = (folder / ".git" / "objects" / "info" / "alternates").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ()
    named = [Path(line) for line in lines if line.startswith("/")]
    return tuple(path for path in named if path.name == "objects" and (path.parent / "HEAD").is_file())
