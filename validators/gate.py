"""The gate: all rules as one yes or no.

The same pair gives the same findings in the same order, however often it is asked. A rule that
breaks is itself a finding that closes the gate: nothing passes because nobody looked.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from brain import layout
from brain.validators.findings import Finding, Severity, is_ok
from brain.validators.pair import Command, Pair
from brain.validators.registry import CRASHED, RULES, Rule

__all__ = ["Command", "Pair", "is_ok", "validate"]


def validate(pair: Pair, rules: Mapping[str, Rule] = RULES) -> tuple[Finding, ...]:
    """What the rules find in `pair`, each fault once, ordered by path, line and code."""
    return tuple(sorted({finding for name, rule in rules.items() for finding in _run(name, rule, pair)}))


def _run(name: str, rule: Rule, pair: Pair) -> Iterator[Finding]:
    try:
        yield from rule.check(pair)
    except Exception as error:
        yield Finding(
            path=layout.MEMORY,
            line=0,
            code=CRASHED,
            severity=Severity.ERROR,
            message=f"the rule {name} broke off ({type(error).__name__} in {_place(error)}): nobody knows if it holds",
            fix="report this with the file that makes it happen",
        )


def _place(error: Exception) -> str:
    """File and line that raised; never the error's own words, which may hold words of the memory."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{PurePath(last.filename).name}, line {last.lineno}"
