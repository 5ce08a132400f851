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
    from brain.validators.judge.verdict import Judge
    from brain.validators.registry import Rule


@click.command()
@click.option("--staged", metavar="RUN|PATH", help="Check a dream's staged tree, or a folder, against main.")
@click.option("--rule", "names", metavar="NAME", multiple=True, help="Run this rule alone; may be given again.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print."
)
@click.option("--evidence", is_flag=True, help="Prove every statement again: does what it cites still say so?")
@world.brain_option
@world.json_option
def validate(
    staged: str | None, names: tuple[str, ...], form: str, evidence: bool, brain_path: str | None, as_json: bool
) -> int:
    """Check the whole memory as it lies in the folder, or a staged tree.

    Prints each fault with its place, its code and what to do; docs/rules.md explains the codes. The exit status is 1
    where there is an error, warnings alone are 0. With --evidence a judge that needs no model reads each statement
    beside the words that it cites; what does not, or no longer, follow from them is a warning.

    \b
    Example:
      brain validate
      brain validate --rule citations --rule links
      brain validate --staged 2026-11-29T030000Z --json
      brain validate --evidence
    """
    from brain.validators import gate
    from brain.validators.judge.offline import OfflineJudge
    from brain.validators.judge.remembering import Remembering
    from brain.validators.staged import find

    judge = Remembering(OfflineJudge()) if evidence else None
    rules = _rules(names, judge)
    store = world.open_store(brain_path, write=False)
    pair = gate.Pair(None, store.working())
    if staged:
        pair = gate.Pair(store.tree(), find(store, staged), gate.Command.DREAM)
    findings = gate.validate(pair, rules)
    counts = _counts(pair.staged)
    proved = _proved(pair.staged, judge) if judge else {}
    if as_json or form == "json":
        found = {"evidence": proved} if judge else {}
        output.emit({**counts, **found, "findings": [finding.as_json() for finding in findings]})
    else:
        _tell(counts, findings)
        if judge:
            output.say(f"Evidence: {', '.join(f'{count} {standing}' for standing, count in proved.items())}.")
    return 0 if gate.is_ok(findings) else 1


def _rules(names: Sequence[str], judge: Judge | None) -> Mapping[str, Rule]:
    """Those that are named, else all; the semantic ones where there is a judge. Raises: click.BadParameter."""
    from brain.validators.registry import RULES, SEMANTIC, judged

    known = {**RULES, **(judged(judge) if judge else {})}
    unknown = [name for name in names if name not in known]
    if unknown and unknown[0] in SEMANTIC:
        raise click.BadParameter(f"the rule {unknown[0]!r} asks a judge: add --evidence", param_hint="--rule")
    if unknown:
        raise click.BadParameter(f"there is no rule {unknown[0]!r}; known: {', '.join(known)}", param_hint="--rule")
    return {name: rule for name, rule in known.items() if not names or name in names}


def _proved(tree: Tree, judge: Judge) -> Mapping[str, int]:
    """How many cited statements stand how."""
    from brain.validators.proof import prove

    return {standing.value: count for standing, count in prove(tree, judge).items()}


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
