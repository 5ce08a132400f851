"""Secrets out of text, before anything is written or logged.

The rules are data: brain/redact.toml. What was a secret becomes `[secret:<kind>]`, and redacting a
second time changes nothing. The mark carries no hash of what it replaced: two machines that take in
the same session must write the same bytes, so a key per brain is out, and four hex digits without a
key would help to guess a short password.
"""

from __future__ import annotations

import heapq
import importlib
import importlib.util
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

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


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret. Examples are written with ⟨a36⟩ for 36 letters and digits, so that no scanner finds them."""

    kind: str
    near: tuple[str, ...]
    """In small letters; one of them must occur in the text before the pattern is tried."""
    prefix: tuple[str, ...]
    """Instead of `near`: the pattern is tried where a long run of letters and digits begins with one of them."""
    everywhere: bool
    """True: tried on the whole text, not only on the lines around a `near` word."""
    pattern: re.Pattern[str]
    """Its named group (the one that matched) is the secret; without one the whole match is."""
    check: str
    close: re.Pattern[str] | None
    """Of a block: where it ends."""
    yes: tuple[str, ...]
    no: tuple[str, ...]


def mark(kind: str) -> str:
    return f"{_OPEN}{kind}]"


def redact(text: str) -> Redacted:
    """The text without its secrets; linear in its length, whatever it holds."""
    found: Counter[str] = Counter()
    for _ in range(_PASSES):
        before = found.total()
        text = _without_scanned(_pass(text, found), found)
        if found.total() == before:
            break
    return Redacted(text, dict(found))


def _pass(text: str, found: Counter[str]) -> str:
    text = _without_tokens(text, found)
    lowered = text.lower()
    near = {word for word in _words() if word in lowered}
    for rule in rules():
        words = [word for word in rule.near if word in near]
        if not words and not (rule.everywhere and not rule.near):
            continue
        count = found.total()
        text = _apply(text, lowered, words, rule, found)
        if found.total() != count:
            lowered = text.lower()
    return text


def _apply(text: str, lowered: str, words: list[str], rule: Rule, found: Counter[str]) -> str:
    if rule.close:
        return _without_blocks(text, rule, found)
    if rule.everywhere or len(lowered) != len(text):
        return _without(text, rule, found)
    parts, at = [], 0
    for start, end in _windows(lowered, words):
        parts += [text[at:start], _without(text[start:end], rule, found)]
        at = end
    return "".join(parts) + text[at:]


def _windows(lowered: str, words: list[str]) -> Iterator[tuple[int, int]]:
    """The lines that hold one of the words, each with the line after it; none overlap."""
    start = end = -1
    for at in heapq.merge(*(_places(lowered, word) for word in words)):
        if at < end:
            continue
        first = lowered.rfind("\n", 0, at) + 1
        if first >= end and end != -1:
            yield start, end
            start = first
        elif end == -1:
            start = first
        line = lowered.find("\n", at)
        after = lowered.find("\n", line + 1) if line != -1 else -1
        end = len(lowered) if after == -1 else after + 1
    if end != -1:
        yield start, end


def _places(lowered: str, word: str) -> Iterator[int]:
    at = lowered.find(word)
    while at != -1:
        yield at
        at = lowered.find(word, at + 1)


_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.$-]{15,}")


def _without_tokens(text: str, found: Counter[str]) -> str:
    """Without what its maker gave a prefix: one pass over the long runs of letters and digits, for all such rules."""
    parts, at = [], 0
    heads = _heads()
    for run in _RUN.finditer(text):
        start = run.start()
        for prefix, rule in heads.get(text[start : start + 2], ()):
            match = rule.pattern.match(text, start) if start >= at and text.startswith(prefix, start) else None
            if match and CHECKS[rule.check](match.group()):
                parts += [text[at:start], mark(rule.kind)]
                at = match.end()
                found[rule.kind] += 1
                break
    return "".join(parts) + text[at:] if parts else text


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
    """Blocks from an opening to a closing line; one that is never closed loses what can be its body."""
    assert rule.close is not None
    parts, at = [], 0
    closed = rule.close.search(text)
    for opening in rule.pattern.finditer(text):
        if opening.start() < at:
            continue
        if closed and closed.start() < opening.end():
            closed = rule.close.search(text, opening.end())
        body = _BODY.match(text, opening.end())
        end = closed.end() if closed else body.end() if body else opening.end()
        parts += [text[at : opening.start()], mark(rule.kind)]
        at = end
        found[rule.kind] += 1
    return "".join(parts) + text[at:]


_BODY = re.compile(r"(?:(?:\s|\\[nr]|[>|\"',+])*+[A-Za-z0-9+/=]{16,}+)*+(?:(?:\s|\\[nr])*+[A-Za-z0-9+/]{1,15}={1,2})?")


# --- what a pattern alone cannot say -------------------------------------------

_PLACEHOLDER = re.compile(
    r"""[*xX.•#_-]+ | [<{$%(].* | [/~][\w./-]* | \.\.\..* | .*(?:\.\.\.|…) | \[secret:.*
    | (?i:your|my|the|some|a|insert|enter|put)[-_ ].* | (?i:your\w+)
    | (?i:null|none|nil|true|false|undefined|string|str|text|bytes|required|optional|hidden|redacted|empty|unset|todo
        |password|passwd|passphrase|pass|pwd|secret|token|key|api_?key|user|username|stdin|prompt|default|value)
    | (?i:os\.environ|process\.env|env\.|getenv|getpass|keyring|vault:|config\.|settings\.|self\.|args\.|request\.).*
    """,
    re.VERBOSE | re.DOTALL,
)
_CODE = re.compile(r"[A-Za-z_][\w.]*(?:\(.*|\[.*)?", re.DOTALL)
_SIGN = re.compile(r"[!@#$%^&*+=~?|][^\W_]")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_TAIL = ".,;:!?)]}\"'`”»"


def _any(value: str) -> int:
    return len(value)


def _not_placeholder(value: str) -> int:
    """All of a value, without the punctuation of the sentence around it."""
    kept = value.rstrip(_TAIL) if not value.endswith("=") else value
    return 0 if not kept or _PLACEHOLDER.fullmatch(kept) else len(kept)


def _secretlike(value: str) -> int:
    """A value that is no plain word and no name of a variable: with a digit or a sign among its letters."""
    length = _not_placeholder(value)
    kept = value[:length]
    plain = not any(c.isdigit() for c in kept) and not _SIGN.search(kept)
    return 0 if plain or _UUID.fullmatch(kept) or _is_call(kept) else length


def _is_call(value: str) -> bool:
    return bool(_CODE.fullmatch(value)) and ("(" in value or "[" in value or ("." in value and not value[-1].isdigit()))


def _not_example(value: str) -> int:
    return 0 if value.upper().endswith("EXAMPLE") or len(set(value[-16:])) < 4 else len(value)


def _mixed(value: str) -> int:
    """Letters with digits or with capitals inside: random characters, not a word and not a number."""
    digits = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return len(value) if digits or re.search("[a-z][A-Z]", value) else 0


def _luhn(value: str) -> int:
    digits = [int(c) for c in value if c.isdigit()]
    doubled = [d if n % 2 == 0 else sum(divmod(2 * d, 10)) for n, d in enumerate(reversed(digits))]
    known = re.match(r"4|5[1-5]|2[2-7]|3[0-9]|6", value)
    return len(value) if known and len(set(digits)) > 1 and sum(doubled) % 10 == 0 else 0


CHECKS: Mapping[str, Callable[[str], int]] = {
    "any": _any,
    "not-placeholder": _not_placeholder,
    "secretlike": _secretlike,
    "not-example": _not_example,
    "mixed": _mixed,
    "luhn": _luhn,
}
"""Name in a rule -> how many characters of the value are the secret; 0: it is none."""


@cache
def rules() -> tuple[Rule, ...]:
    """The rule table, in the order in which it is tried."""
    table = tomllib.loads(resources.files("brain").joinpath("redact.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = table["words"]
    return tuple(_rule(entry, words) for entry in table["rule"])


@cache
def _words() -> frozenset[str]:
    return frozenset(word for rule in rules() for word in rule.near)


@cache
def _heads() -> Mapping[str, list[tuple[str, Rule]]]:
    """First two characters -> the prefixes that begin so, in the order of the table."""
    heads: dict[str, list[tuple[str, Rule]]] = {}
    for rule in rules():
        for prefix in rule.prefix:
            heads.setdefault(prefix[:2], []).append((prefix, rule))
    return heads


def _rule(entry: dict[str, object], words: Mapping[str, str]) -> Rule:
    def texts(key: str) -> tuple[str, ...]:
        value = entry.get(key, [])
        assert isinstance(value, list)
        return tuple(map(str, value))

    def pattern(key: str) -> re.Pattern[str]:
        return re.compile(re.sub(r"@(\w+)@", lambda m: words[m.group(1)], str(entry[key])))

    return Rule(
        kind=str(entry["kind"]),
        near=texts("near"),
        prefix=texts("prefix"),
        everywhere=bool(entry.get("everywhere", False)),
        pattern=pattern("pattern"),
        check=str(entry.get("check", "any")),
        close=pattern("close") if "close" in entry else None,
        yes=texts("yes"),
        no=texts("no"),
    )


# --- the scanner of the extra `secrets` ----------------------------------------


@cache
def _scanner() -> Callable[[str], list[tuple[str, str]]] | None:
    """betterleaks, where it is installed: text -> (rule, secret) of what it finds."""
    if importlib.util.find_spec("betterleaks") is None:
        return None
    betterleaks = importlib.import_module("betterleaks")

    def scan(text: str) -> list[tuple[str, str]]:
        return [(finding.rule_id, finding.match.value) for finding in betterleaks.scan_string(text)]

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
