"""brain sandbox: the group, its commands loaded when asked for."""

from __future__ import annotations

import click

from brain.cli import LazyGroup

SANDBOX: dict[str, tuple[str, str]] = {
    "open": ("brain.sandbox.set_commands:open_set", "Lay a part of the memory into a folder."),
    "refresh": ("brain.sandbox.set_commands:refresh", "Move a sandbox to a newer commit."),
    "status": ("brain.sandbox.set_commands:status", "Say what a sandbox is and holds."),
    "list": ("brain.sandbox.set_commands:list_sets", "List the sandboxes of a brain."),
    "exec": ("brain.sandbox.exec_command:exec_command", "Run a command that reads a sandbox and nothing else."),
    "close": ("brain.sandbox.set_commands:close", "Remove a sandbox from the disk."),
}
"""command of `brain sandbox` -> (module:function, its one line of help)."""


@click.group(cls=LazyGroup, table=SANDBOX)
def sandbox() -> None:
    """Work on a part of the memory in a folder of its own: plain files, and git over them.

    \b
    Example:
      brain sandbox open --task "ship the tide clock's new firmware"
      brain sandbox status
    """
