"""What agents with words of their own are told, in the same words for all; and how they say that they do not know."""

from __future__ import annotations

import hashlib
from datetime import datetime
from functools import cache
from importlib import resources

from brain import fence
from brain.eval.agents import View

NOT_KNOWN = "not in memory"


def is_not_known(said: str) -> bool:
    return NOT_KNOWN in said.casefold() or not said.strip()


def asked(question: str, at: datetime | None, view: View) -> str:
    """The first message of the view, fenced, and the question behind it."""
    index = fence.fenced(view.first_message) + "\n\n" if view.first_message else ""
    day = f" (asked on {at:%Y-%m-%d})" if at else ""
    return f"{index}Question{day}: {question}"


@cache
def prompt(name: str) -> str:
    """The text of `eval/prompts/NAME.md`."""
    return resources.files("brain.eval").joinpath("prompts", f"{name}.md").read_text("utf-8")


def prompt_hash(*names: str) -> str:
    """What a log keeps of the prompts that were used."""
    return hashlib.sha256("\n".join(map(prompt, names)).encode()).hexdigest()[:12]
