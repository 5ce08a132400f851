"""The command line: the group, its lazy table, the one error handler.

A command is arguments, one call and printing. The table names modules as text, so that
`brain index` imports neither git nor the search table, and no part is imported from below.
"""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from brain import __version__
from brain.cli import output
from brain.errors import BrainError

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("brain.cli.init:init", "Make a brain, or take a folder on as one."),
    "ingest": ("brain.cli.ingest:ingest", "Take transcripts in as evidence."),
    "dream": ("brain.dream.commands:dream", "Turn new sessions into better notes and pages."),
    "validate": ("brain.validators.commands:validate", "Check the whole tree, or a staged one."),
    "index": ("brain.cli.index:index", "Print what an agent's first message carries."),
    "recall": ("brain.sandbox.recall:recall", "Find what the memory holds on something."),
    "sandbox": ("brain.sandbox.commands:sandbox", "Work on a part of the memory in a folder of its own."),
    "mount": ("brain.sandbox.mount_command:mount", "Show the whole memory as a read-only folder."),
    "show": ("brain.cli.show:show", "Show a session, a turn, a page or a note."),
    "history": ("brain.cli.history:history", "Show how a page or note came to say what it says."),
    "log": ("brain.dream.commands:log", "List the nights and what each one changed."),
    "status": ("brain.dream.status:status", "Say where the brain is and how it is."),
    "eval": ("brain.eval.commands:evaluate", "Measure what the memory is worth."),
    "demo": ("brain.eval.demo_command:demo", "Build a brain from the sample and look around in it."),
}
"""command -> (module:function, its one line of help)."""


class LazyGroup(click.Group):
    """Imports a command's module when that command is asked for; `table` is like COMMANDS."""

    def __init__(self, name: str, *, table: Mapping[str, tuple[str, str]], **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._table:
            return None
        module, _, attribute = self._table[name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._table.items()])


@click.group(
    cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="brain", message="%(prog)s %(version)s")
def cli() -> None:
    """A file-tree wiki that gives an AI agent a memory which it reads with cat, grep and git.

    \b
    Example:
      brain init ~/brain
      brain ingest ~/.claude/projects --brain ~/brain
      brain dream --brain ~/brain
      brain index --brain ~/brain
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status (0 done, 1 findings, 2 misused, 3 could not, 130 interrupted)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    as_json = "--json" in arguments
    try:
        status = _run(arguments)
        sys.stdout.flush()
        sys.exit(status)
    except BrokenPipeError:
        # Whoever read us has gone; say nothing, and let the interpreter's own flush find an open file.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (KeyboardInterrupt, click.Abort):
        output.error("interrupted", "Interrupted; main is as it was or as it was going to be.", as_json=as_json)
        sys.exit(130)
    except click.ClickException as error:
        output.error("usage", error.format_message(), _usage_hint(error), as_json=as_json)
        sys.exit(2)
    except BrainError as error:
        output.error(error.code, error.message, error.hint, as_json=as_json)
        sys.exit(error.exit_status)
    except Exception as error:
        if os.environ.get("BRAIN_DEBUG"):
            raise
        code, message, hint = _unforeseen(error)
        output.error(code, message, hint, as_json=as_json)
        sys.exit(3)


def _run(arguments: list[str]) -> int:
    """Run one command; none is a question for help.

    Not by click's own `main`: that answers a broken pipe with 1, and an interrupt with an empty line.
    """
    try:
        with cli.make_context("brain", arguments or ["--help"]) as context:
            result = cli.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code
    return result if isinstance(result, int) else 0


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help" if context else "brain --help"


_SYSTEM = {
    errno.ENOSPC: ("disk-full", "the disk is full"),
    errno.EDQUOT: ("disk-full", "the disk quota is used up"),
    errno.EROFS: ("read-only", "the file system is read-only"),
    errno.EACCES: ("permission", "permission was refused"),
    errno.EPERM: ("permission", "permission was refused"),
    errno.EIO: ("io", "the disk gave an input/output error"),
    errno.EMFILE: ("system", "too many files are open"),
}


def _unforeseen(error: Exception) -> tuple[str, str, str]:
    """(code, message, hint) of an error that no room has turned into a BrainError."""
    if isinstance(error, OSError):
        code, cause = _SYSTEM.get(error.errno or 0, ("system", error.strerror or type(error).__name__))
        where = f" ({error.filename})" if error.filename else ""
        return code, f"The command did not finish: {cause}{where}.", "mend that and run the same command again"
    if isinstance(error, MemoryError):
        return "memory", "The command did not finish: memory ran out.", "free some and run the same command again"
    return (
        "internal",
        f"The command did not finish: internal error, {type(error).__name__}: {error}.",
        "run it again with BRAIN_DEBUG=1 and report what it prints",
    )
