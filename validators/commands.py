"""brain validate: the rules over the whole tree, or over a staged one against main."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from brain.cli import output, world
from brain.text.counted import counted

if TYPE_CHECKING:
    from brain.tree import Tree
    from brain.validators.findings import Finding


@click.command()
@click.option("--staged", metavar="RUN|PATH", help="Check a dream's staged tree, or a folder, against main.")
@click.option("--rule", "names", metavar="NAME", multiple=True, help="Run this rule alone; may be given again.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print."
)
@world.brain_option
@world.json_option
def validate(staged: str | None, names: tuple[str, ...], form: str, brain_path: str | None, as_json: bool) -> int:
    """Check the whole memory as it lies in the folder, or a staged tree.

    Prints each fault with its place, its code and what to do; docs/rules.md explains the codes. The exit status is 1
    where there is an error, warnings alone are 0.

    \b
    Example:
      brain validate
      brain validate --rule citations --rule links
      brain validate --staged 2026-11-29T030000Z --json
    """
    from brain.validators import gate
    from brain.validators.registry import RULES
    from brain.validators.staged import find

    unknown = [name for name in names if name not in RULES]
    if unknown:
        raise click.BadParameter(f"there is no rule {unknown[0]!r}; known: {', '.join(RULES)}", param_hint="--rule")
    store = world.open_store(brain_path, write=False)
    pair = gate.Pair(None, store.working())
    if staged:
        pair = gate.Pair(store.tree(), find(store, staged), gate.Command.DREAM)
    findings = gate.validate(pair, {name: rule for name, rule in RULES.items() if not names or name in names})
    counts = _counts(pair.staged)
    if as_json or form == "json":
        output.emit({**counts, "findings": [finding.as_json() for finding in findings]})
    else:
        _tell(counts, findings)
    return 0 if gate.is_ok(findings) else 1


def _counts(tree: Tree) -> Mapping[str, int]:
    """What was looked at; claims are the cited statements of pages and notes, those of History too."""
    from brain.validators.documents import document

    written = [document(tree, path) for path in (*tree.pages(), *tree.notes())]
    return {
        "claims": sum(1 for found in written for said in found.said if said.claim.cites),
        "pages": len(tree.pages()),
        "notes": len(tree.notes()),
        "sessions": len(tree.sessions()),
    }


def _tell(counts: Mapping[str, int], findings: Sequence[Finding]) -> None:
    from brain.validators.findings import tally

    for finding in findings:
        output.say(str(finding))
    claims, pages, notes, sessions = (counted(count, key[:-1]) for key, count in counts.items())
    output.say(f"Checked {claims} on {pages} and {notes}, with {sessions} as evidence: {tally(findings)}.")
