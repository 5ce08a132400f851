"""From a plan to a valid staged tree: what a finding names is dropped, and the rest is judged again.

Beside the other rules the semantic ones ask the judge that needs no model. First the statement at the finding's line
goes, then every operation on that file. An error that base has as well is not this dream's, and drops nothing. Ends
after a bounded number of rounds: valid, or rejected as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from brain.dream.apply import Applied, Dropped, apply
from brain.dream.plan import Operation, Relate, Scope, labels, target, without
from brain.evidence import fingerprint
from brain.tree import Tree
from brain.validators import gate
from brain.validators.documents import Document, document, is_document, line_of
from brain.validators.findings import Finding, Severity
from brain.validators.judge.offline import OfflineJudge
from brain.validators.judge.remembering import Remembering
from brain.validators.pair import Command, Pair
from brain.validators.registry import RULES, Rule, judged

ROUNDS = 12
PATIENCE = 3
"""Rounds in which one file may lose single statements, before all operations on it go."""

Stage = Callable[[Applied], Tree]
"""Lays what was applied into the staged tree, with all that is generated from it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What is left of a plan after the gate."""

    applied: Applied
    staged: Tree
    dropped: tuple[Dropped, ...]
    findings: tuple[Finding, ...]
    """What the gate says of `staged`."""
    is_valid: bool


def judge(
    operations: Iterable[Operation], scope: Scope, stage: Stage, rules: Mapping[str, Rule] | None = None
) -> Judged:
    """Apply, stage, validate; drop what the errors name and begin again, until the staged tree is valid.

    `rules`: other ones than all that there are.
    """
    left: Sequence[Operation] = tuple(operations)
    dropped: list[Dropped] = []
    blamed: dict[str, int] = {}
    rules = rules or {**RULES, **judged(Remembering(OfflineJudge()))}
    for number in range(ROUNDS):
        applied = _with_dropped(apply(left, scope), dropped)
        dropped = list(applied.dropped)
        staged = stage(applied)
        findings = gate.validate(Pair(scope.tree, staged, Command.DREAM), rules)
        errors = _new_errors(scope.tree, findings)
        if not errors:
            break
        left, lost = _without(applied.done, errors, staged, _is_hopeless(blamed, errors, number))
        dropped += lost
        if not lost:
            break
    return Judged(applied, staged, tuple(dropped), findings, is_valid=not errors)


def _with_dropped(applied: Applied, before: Sequence[Dropped]) -> Applied:
    return replace(applied, dropped=(*before, *applied.dropped))


def _new_errors(base: Tree, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    errors = _only_errors(findings)
    if not errors:
        return ()
    standing = {_key(finding) for finding in _only_errors(gate.validate(Pair(None, base)))}
    return tuple(finding for finding in errors if _key(finding) not in standing)


def _only_errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.path, finding.code, finding.message


def _is_hopeless(blamed: dict[str, int], errors: Sequence[Finding], number: int) -> Callable[[str], bool]:
    """Which files have lost single statements often enough."""
    for path in {finding.path for finding in errors}:
        blamed[path] = blamed.get(path, 0) + 1
    return lambda path: blamed[path] > PATIENCE or number >= ROUNDS - 3


def _without(
    done: Sequence[Operation], errors: Sequence[Finding], staged: Tree, is_hopeless: Callable[[str], bool]
) -> tuple[tuple[Operation, ...], list[Dropped]]:
    """The operations that are left, and what the errors cost."""
    left, lost = list(done), []
    for finding in errors:
        here = [operation for operation in left if target(operation) == finding.path]
        cut = {} if is_hopeless(finding.path) else dict(_named(here, finding, staged))
        for operation in cut if cut else here:
            smaller = cut.get(operation)
            at = left.index(operation)
            left[at : at + 1] = [smaller] if smaller is not None else []
            lost.append(Dropped(operation, f"the gate: {finding.code}"))
    return tuple(left), lost


def _named(here: Sequence[Operation], finding: Finding, staged: Tree) -> Iterator[tuple[Operation, Operation | None]]:
    """(operation, what is left of it) of the operations that wrote the line of a finding; none: nobody can tell."""
    if finding.path not in staged or not is_document(finding.path):
        return
    found = document(staged, finding.path)
    bad = _statements(found, finding.line)
    line = _line(found, finding.line)
    for operation in here:
        smaller = without(operation, lambda text: fingerprint(text) in bad)
        if smaller != operation:
            yield operation, smaller
        elif (isinstance(operation, Relate) and f"[[{operation.title}" in line) or (
            not bad
            and _is_in_front(found, finding.line)
            and any(label and label in line for label in labels(operation))
        ):
            yield operation, None


def _statements(found: Document, line: int) -> frozenset[str]:
    """Fingerprints of what is said on a line, or with the citation that stands on it."""
    numbers = {number for number in found.citations if line_of(found.front, "citations", str(number)) == line}
    said = (s.claim for s in found.said if s.claim.line == line or numbers.intersection(s.claim.cites))
    return frozenset(fingerprint(claim.text) for claim in said)


def _line(found: Document, line: int) -> str:
    lines = found.front.text.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _is_in_front(found: Document, line: int) -> bool:
    return line <= found.front.text.count("\n", 0, found.front.body_start)
