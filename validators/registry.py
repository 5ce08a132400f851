"""The rules, by name. A rule that is not listed here does not exist.

Every rule is a module with a docstring (its page in docs/rules.md), CODES (all it can find) and
`check`, which reads two trees and yields findings; it never repairs and never keeps anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Protocol

from brain.validators.findings import Finding, Severity
from brain.validators.pair import Pair
from brain.validators.rules import (
    citations,
    claims,
    conservation,
    evidence,
    front_matter,
    instructions,
    links,
    names,
    secrets,
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
