"""The rule table of redaction, read from brain/redact.toml, and what a pattern alone cannot say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from brain.redact.sieve import Sieve


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret. Examples are written with ⟨a36⟩ for 36 letters and digits, so that no scanner finds them."""

    kind: str
    pattern: re.Pattern[str]
    """Its named group (the one that matched) is the secret; without one the whole match is."""
    check: str
    close: re.Pattern[str] | None
    """Of a block: where it ends."""
    yes: tuple[str, ...]
    no: tuple[str, ...]


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
    table = tomllib.loads(resources.files(__package__).joinpath("redact.toml").read_text(encoding="utf-8"))
    words: dict[str, str] = table["words"]
    return tuple(_rule(entry, words) for entry in table["rule"])


@cache
def sieve() -> Sieve:
    """Says of a text which rules can match in it."""
    return Sieve([rule.pattern.pattern for rule in rules()])


def _rule(entry: dict[str, object], words: Mapping[str, str]) -> Rule:
    def texts(key: str) -> tuple[str, ...]:
        value = entry.get(key, [])
        assert isinstance(value, list)
        return tuple(map(str, value))

    def pattern(key: str) -> re.Pattern[str]:
        return re.compile(re.sub(r"@(\w+)@", lambda m: words[m.group(1)], str(entry[key])))

    return Rule(
        kind=str(entry["kind"]),
        pattern=pattern("pattern"),
        check=str(entry.get("check", "any")),
        close=pattern("close") if "close" in entry else None,
        yes=texts("yes"),
        no=texts("no"),
    )
