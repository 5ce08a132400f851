"""Secrets out of text, before anything is written or logged.

The rules are data: brain/redact.toml. What was a secret becomes `[secret:<kind>]`, and redacting a
second time changes nothing. The mark carries no hash of what it replaced: two machines that take in
the same session must write the same bytes, so a key per brain is out, and four hex digits without a
key would help to guess a short password.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from brain.redact.rules import CHECKS, Rule, rules, sieve

MARK = re.compile(r"\[secret:[a-z0-9-]{1,40}\]")
_OPEN = "[secret:"
_LONGEST_MARK = 50
_PASSES = 6
"""What a mark has replaced may lay bare the start of another secret glued to it; so on until nothing is found."""


@dataclass(frozen=True, slots=True)
class Redacted:
    text: str
    found: Mapping[str, int]
    """How many of each kind were taken out of this text."""


def mark(kind: str) -> str:
    return f"{_OPEN}{kind}]"


def redact(text: str) -> Redacted:
    """The text without its secrets; linear in its length, whatever it holds."""
    found: Counter[str] = Counter()
    for _ in range(_PASSES):
        before = found.total()
        for place in sieve()(text):
            rule = rules()[place]
            text = _without_blocks(text, rule, found) if rule.close else _without(text, rule, found)
        text = _without_scanned(text, found)
        if found.total() == before:
            break
    return Redacted(text, dict(found))


def _without(text: str, rule: Rule, found: Counter[str]) -> str:
    accept = CHECKS[rule.check]

    def put(match: re.Match[str]) -> str:
        group = match.lastgroup or 0
        start = match.start(group)
        kept = accept(match.group(group))
        if kept == 0 or _in_mark(text, start):
            return match.group()
        found[rule.kind] += 1
        return text[match.start() : start] + mark(rule.kind) + text[start + kept : match.end()]

    return rule.pattern.sub(put, text)


def _in_mark(text: str, start: int) -> bool:
    """True where a mark of an earlier rule begins at or around `start`."""
    opened = text.rfind(_OPEN, max(0, start - _LONGEST_MARK), start + len(_OPEN))
    return opened != -1 and text.find("]", opened, start) == -1


def _without_blocks(text: str, rule: Rule, found: Counter[str]) -> str:
    """Blocks from an opening to a closing line; one that is not closed loses what can be its body."""
    assert rule.close is not None
    openings = [match.span() for match in rule.pattern.finditer(text)]
    closings = [match.span() for match in rule.close.finditer(text)]
    parts, at = [], 0
    for number, (start, opened) in enumerate(openings):
        following = openings[number + 1][0] if number + 1 < len(openings) else len(text)
        nearest = bisect_left(closings, (opened, 0))
        if nearest < len(closings) and closings[nearest][0] < min(following, opened + _LONGEST_BLOCK):
            end = closings[nearest][1]
        else:
            body = _BODY.match(text, opened)
            end = body.end() if body else opened
        parts += [text[at:start], mark(rule.kind)]
        at = end
        found[rule.kind] += 1
    return "".join(parts) + text[at:]


_LONGEST_BLOCK = 20_000
_BODY = re.compile(r"(?:(?:\s|\\[nr]|[>|\"',+])*+[A-Za-z0-9+/=]{16,}+)*+(?:(?:\s|\\[nr])*+[A-Za-z0-9+/]{1,15}={1,2})?")


# --- the scanner of the extra `secrets` ----------------------------------------


@cache
def _scanner() -> Callable[[str], list[tuple[str, str]]] | None:
    """betterleaks, where it is installed: text -> (rule, secret) of what it finds."""
    if importlib.util.find_spec("betterleaks") is None:
        return None
    betterleaks = importlib.import_module("betterleaks")

    def scan(text: str) -> list[tuple[str, str]]:
        found = betterleaks.scan_string(text)
        # Its general rules call "required" a password; ours say the same with fewer mistakes.
        return [(finding.rule_id, finding.match.value) for finding in found if finding.confidence == "high"]

    return scan


def _without_scanned(text: str, found: Counter[str]) -> str:
    scan = _scanner()
    if scan is None:
        return text
    for rule_id, value in scan(text):
        if len(value) < 6 or _OPEN in value or value not in text:
            continue
        kind = re.sub(r"[^a-z0-9]+", "-", rule_id.lower()).strip("-")[:40] or "scanned"
        found[kind] += text.count(value)
        text = text.replace(value, mark(kind))
    return text
