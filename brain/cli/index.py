"""brain index: what an agent's first message carries."""

from __future__ import annotations

import json
from pathlib import Path

import click

from brain import config, fence, layout
from brain.cli import output, world
from brain.errors import UsageError

HOOK_LIMIT = 9_500
"""Characters of the printed JSON that a host takes whole; beyond 10,000 it shows a preview only."""


@click.command()
@world.brain_option
@click.option("--hook", type=click.Choice(["claude-code"]), help="Print the JSON this host expects at session start.")
@click.option("--audience", type=click.Choice(["trusted", "public"]), default="trusted", show_default=True)
@world.json_option
def index(brain_path: str | None, hook: str | None, audience: str, as_json: bool) -> None:
    """Print what an agent's first message carries.

    A hook never disturbs its host: where there is no brain it prints nothing and ends well.

    \b
    Example:
      brain index
      brain index --hook claude-code
    """
    if hook:
        _hook(brain_path, audience)
        return
    text = _text(world.root(brain_path), audience)
    if as_json:
        output.emit({"audience": audience, "characters": len(text), "text": text})
    else:
        output.say(fence.fenced(text))


def _text(root: Path, audience: str) -> str:
    """The generated file for the trusted audience: no git, no parsing. Others are made from the tree."""
    settings = config.load(root)
    if audience == "public":
        from brain.index import render
        from brain.model import Audience
        from brain.store import Store

        return render(Store.open(root).tree(), Audience.PUBLIC, settings.index.budget)
    path = root / layout.INDEX
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"{root} has no index yet.", "brain dream") from None


def _hook(brain_path: str | None, audience: str) -> None:
    try:
        text = output.clean(fence.fenced(_text(world.root(brain_path), audience)))
    except Exception as error:
        output.note(f"brain: no index: {error}")
        return
    answer = {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text},
        "suppressOutput": True,
    }
    printed = json.dumps(answer, ensure_ascii=False)
    if len(printed) > HOOK_LIMIT:
        output.note(f"brain: the index has {len(printed)} characters, the host takes {HOOK_LIMIT}; lower index.budget")
        return
    click.echo(printed)
