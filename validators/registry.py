"""The rules, by name. A rule that is not listed here does not exist.

Every rule is a module with a docstring (its page in docs/rules.md), CODES (all it can find) and
`check`, which reads two trees and yields findings; it never repairs and never keeps anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from brain.validators.findings import Finding, Severity
from brain.validators.judge.verdict import Judge
from brain.validators.pair import Pair
from brain.validators.rules import (
    citations,
    claims,
    conservation,
    contradiction,
    evidence,
    front_matter,
    instructions,
    links,
    names,
    secrets,
    support,
    tombstones,
)

CRASHED = "rule-crashed"
"""The one code that no rule gives: the gate's own, for a rule that broke off."""


class Rule(Protocol):
    """What a rule's module offers."""

    @property
    def CODES(self) -> Mapping[str, tuple[Severity, str]]:
        """code -> (severity, what it says, in one line)."""

    def check(self, pair: Pair) -> Iterator[Finding]: ...


class JudgingRule(Protocol):
    """A rule that asks a judge."""

    @property
    def CODES(self) -> Mapping[str, tuple[Severity, str]]:
        """As of `Rule`."""

    def check(self, pair: Pair, judge: Judge) -> Iterator[Finding]: ...


@dataclass(frozen=True, slots=True)
class Judged:
    """A rule with the judge that it asks: a rule like any other."""

    rule: JudgingRule
    judge: Judge

    @property
    def CODES(self) -> Mapping[str, tuple[Severity, str]]:
        return self.rule.CODES

    def check(self, pair: Pair) -> Iterator[Finding]:
        return self.rule.check(pair, self.judge)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "front_matter": front_matter,
        "names": names,
        "citations": citations,
        "links": links,
        "claims": claims,
        "evidence": evidence,
        "conservation": conservation,
        "tombstones": tombstones,
        "instructions": instructions,
        "secrets": secrets,
    }
)
"""Those that need nobody's judgement."""

SEMANTIC: Mapping[str, JudgingRule] = MappingProxyType({"support": support, "contradiction": contradiction})
"""Those that ask a judge: what the words mean."""


def judged(judge: Judge) -> Mapping[str, Rule]:
    """The semantic rules, asking this judge."""
    return MappingProxyType({name: Judged(rule, judge) for name, rule in SEMANTIC.items()})
