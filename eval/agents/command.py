"""An agent that the person already has: a program that takes a prompt and prints an answer, in the folder of its view.

It runs with its own account, network and rights, since it could not reach its model otherwise: what it may do is what
its own flags allow. Its working folder lies in `.brain`, so that what it writes down of itself is never taken in.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brain.errors import BrainError, UsageError
from brain.eval.agents import Answer, Budget, Cost, Shown, View
from brain.eval.agents.asking import asked, is_not_known, prompt, prompt_hash
from brain.eval.agents.folder import Folders
from brain.llm import json_object

PRESETS: Mapping[str, str] = MappingProxyType(
    {
        "claude": "claude -p --output-format json --setting-sources project --strict-mcp-config "
        "--allowedTools Read,Grep,Glob",
        "codex": "codex exec --sandbox read-only --skip-git-repo-check --ephemeral -",
        "gemini": "gemini --output-format json",
    }
)
"""Reading alone, no settings, servers or memory of their own; the prompt comes on standard input."""
_MARKS = {"BRAIN_EVAL": "1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}
PROMPT = "command"
_MOST = 1_000_000
"""Characters of an answer that are read."""


class AgentFailed(BrainError):
    """The person's own agent gave no answer."""

    code = "agent"


@dataclass(frozen=True, slots=True)
class CommandAgent:
    argv: Sequence[str]
    environment: Mapping[str, str]
    seconds: float = 600.0
    """For one question; what takes longer is stopped, and counts as no answer."""
    name: str = "command"
    _folders: Folders = field(default_factory=Folders)

    def answer(self, question: str, at: datetime | None, view: View, budget: Budget) -> Answer:
        """Raises: AgentFailed."""
        folder = self._folders.of(view)
        start = time.monotonic()
        printed, ended = self._ask(f"{prompt(PROMPT)}\n{asked(question, at, view)}\n", folder)
        text, cost = _read(printed, time.monotonic() - start)
        changed = {"changed": "it changed files of its folder"} if self._folders.is_changed(view) else {}
        return Answer(
            text,
            (Shown("", view.first_message),) if view.first_message else (),
            cost,
            abstained=is_not_known(text),
            extra={"command": shlex.join(self.argv), "prompt": prompt_hash(PROMPT), "ended": ended, **changed},
        )

    def _ask(self, words: str, folder: Path) -> tuple[str, str]:
        """What it printed, and what ended it. Raises: AgentFailed."""
        with subprocess.Popen(
            list(self.argv),
            cwd=folder,
            env={**self.environment, **_MARKS},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(words.encode(), self.seconds)
            except subprocess.TimeoutExpired:
                return "", "time"
            finally:
                _stop(process)
        if process.returncode:
            raise AgentFailed(
                f"{self.argv[0]} gave no answer (exit status {process.returncode}): {_last(err) or _last(out)}",
                f"see whether it works by itself: {shlex.join(self.argv)}; the same command goes on with the run",
            )
        return out.decode("utf-8", "replace")[:_MOST], "itself"


def from_environment(environment: Mapping[str, str]) -> CommandAgent:
    """The program that `BRAIN_EVAL_COMMAND` names: a preset, or a command line. Raises: UsageError."""
    given = environment.get("BRAIN_EVAL_COMMAND", "")
    try:
        argv = shlex.split(PRESETS.get(given, given))
    except ValueError as error:
        raise UsageError(f"BRAIN_EVAL_COMMAND is no command line: {error}; nothing was run.", _HINT) from None
    if not argv:
        raise UsageError("No command was named; nothing was run.", _HINT)
    if shutil.which(argv[0], path=environment.get("PATH")) is None:
        raise UsageError(f"{argv[0]} was not found; nothing was run.", _HINT)
    return CommandAgent(tuple(argv), dict(environment))


_HINT = f"BRAIN_EVAL_COMMAND={'|'.join(PRESETS)} or a command that reads a prompt from standard input"


def _read(printed: str, seconds: float) -> tuple[str, Cost]:
    """The answer and what it cost, of JSON as these programs print it, or of plain text."""
    said = json_object(printed) if printed.lstrip().startswith("{") else None
    answer = (said or {}).get("result", (said or {}).get("response"))
    if said is None or not isinstance(answer, str):
        return printed.strip(), Cost(seconds=seconds)
    usage = said.get("usage")
    counts: Mapping[str, Any] = usage if isinstance(usage, dict) else {}
    return answer.strip(), Cost(
        tool_calls=max(0, _number(said.get("num_turns")) - 1),
        tokens_in=sum(_number(value) for key, value in counts.items() if key.endswith("input_tokens")),
        tokens_out=_number(counts.get("output_tokens")),
        money=float(said.get("total_cost_usd") or 0.0),
        seconds=seconds,
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _last(printed: bytes) -> str:
    lines = [line.strip() for line in printed.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Whatever of its group is still there, helpers included."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
