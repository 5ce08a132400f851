"""The errors that stop a command.

Each class has a stable `code` for --json and an exit status; its message is one line
that says what did not happen, where, and what to do next. Modules subclass BrainError
beside the code that raises it; docs/errors.md lists every code (held by a test).
"""

from __future__ import annotations


class BrainError(Exception):
    """The program cannot go on. Never raised for a fault in the memory: that is a Finding."""

    code = "error"
    exit_status = 3

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(BrainError):
    """The command was used wrongly: arguments, settings, or a file that is not what it should be."""

    code = "usage"
    exit_status = 2
