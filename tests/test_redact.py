"""Secrets go, look-alikes stay, and no text takes more than linear time."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import string
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import redact
from brain.redact.rules import CHECKS, Rule, rules, sieve
from brain.redact.sieve import loosened

CASE = Path(__file__).parent / "cases" / "bugs" / "18-secrets"
ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_letters,
}
RULES = rules()


def expand(example: str, seed: int = 0) -> str:
    """⟨a36⟩ -> 36 letters and digits, the same for the same seed."""
    chance = random.Random(seed)

    def made(match: re.Match[str]) -> str:
        run = [chance.choice(ALPHABETS[match[1]]) for _ in range(int(match[2]))]
        if match[1] in "au" and len(run) > 2:
            run[1:3] = "7Q"
        return "".join(run)

    return re.sub(r"⟨([ahdul])(\d+)⟩", made, example)


def _id(rule: Rule) -> str:
    return f"{rule.kind}-{RULES.index(rule)}"


@pytest.mark.parametrize("rule", RULES, ids=_id)
def test_a_rule_finds_its_examples(rule: Rule) -> None:
    assert len(rule.yes) >= 2
    for example in rule.yes:
        for seed in range(3):
            text = expand(example, seed)
            secret = re.search("⟪(.+?)⟫", text, re.DOTALL)
            assert secret is not None, example
            done = redact.redact(re.sub("[⟪⟫]", "", text))
            assert secret[1] not in done.text
            assert done.found[rule.kind] >= 1
            assert done.text == text.replace(secret[0], redact.mark(rule.kind))


@pytest.mark.parametrize("rule", RULES, ids=_id)
def test_a_rule_leaves_its_look_alikes(rule: Rule) -> None:
    assert len(rule.no) >= 2
    for example in rule.no:
        text = expand(example)
        assert redact.redact(text) == redact.Redacted(text, {})


def test_there_are_about_sixty_rules_and_each_can_be_tried() -> None:
    assert 50 <= len(RULES) <= 80
    for rule in RULES:
        assert rule.check in CHECKS


def test_the_planted_secrets_go_and_the_look_alikes_stay() -> None:
    expected = json.loads(re.search(r"```json\n(.+?)```", (CASE / "expected.md").read_text("utf-8"), re.DOTALL)[1])  # type: ignore[index]
    lines = [json.loads(line)["text"] for line in (CASE / "talk.jsonl").read_text("utf-8").splitlines()]
    kept = "\n".join(redact.redact(line).text for line in lines)
    assert [secret for secret in expected["secret"] if secret in kept] == []
    assert [word for word in expected["keep"] if word not in kept] == []
    assert set(redact.MARK.findall(kept)) == {
        "[secret:password]",
        "[secret:api-key]",
        "[secret:url-password]",
        "[secret:private-key]",
        "[secret:jwt]",
        "[secret:cookie]",
    }


FRAGMENTS = [
    *"aZ0 -_.:/=@\"'\\\n\tё,;({<$+~!«—\u3000\x00",
    *("password is ", "пароль от ", "token=", "Bearer ", "://a:", "[secret:password]", "[secret:", "İ", "cookie: a="),
    *(re.sub("[⟪⟫]", "", expand(example)) for rule in RULES for example in rule.yes),
]


@settings(derandomize=True, max_examples=1000, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_the_sieve_lets_no_rule_pass_that_matches(text: str) -> None:
    passed = set(sieve()(text))
    assert [rule.kind for place, rule in enumerate(RULES) if rule.pattern.search(text) and place not in passed] == []


def test_the_sieve_stops_most_of_what_holds_no_secret() -> None:
    text = "The key to the harbour office hangs in the pass; the token of thanks is on page 12 of --help."
    assert list(sieve()(text)) == []


@pytest.mark.parametrize(
    ("pattern", "looser"),
    [
        (r"(?<!a)b(?=c(?:d)[)\]])e", "be"),
        (r"\bx\s{1,3}+[\w-]{0,60}?$", r"x[\s\pZ\x{1c}-\x{1f}\x{85}]{1,3}[\w\pL\pN-]{0,}"),
        (r"[^\W_]\d[^\s\]]*+", r"(?s:.)[\p{Nd}][^\s\]]*"),
        (r"(?:(?<=api)|(?<=api[-_ ]))key(?i:s)?", "(?:|)key(?i:s)?"),
    ],
)
def test_a_pattern_is_loosened(pattern: str, looser: str) -> None:
    assert loosened(pattern) == looser


def test_spaces_and_letters_of_other_scripts_pass_the_sieve() -> None:
    assert redact.redact("password:\u3000Kestrel!42").text == "password:\u3000[secret:password]"


def test_half_characters_do_not_stop_the_sieve() -> None:
    assert redact.redact("\ud800 password: Kestrel!42").found == {"password": 1}


def test_what_stands_between_two_blocks_stays() -> None:
    cut = expand("-----BEGIN RSA PRIVATE KEY-----\n⟨a64⟩\n⟨a64⟩\n")
    whole = cut + "-----END RSA PRIVATE KEY-----\n"
    done = redact.redact(f"first\n{cut}… and so on.\nThen the second:\n{whole}last").text
    assert done == "first\n[secret:private-key]\n… and so on.\nThen the second:\n[secret:private-key]\nlast"


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_a_second_pass_changes_nothing(text: str) -> None:
    once = redact.redact(text).text
    assert redact.redact(once).text == once


@pytest.mark.parametrize(
    "fragment", [*FRAGMENTS[:28], "password ", "пароль от ", "sk-", "eyJ", "-----BEGIN PRIVATE KEY-----"]
)
def test_any_text_is_done_in_linear_time(fragment: str) -> None:
    """Four times the text takes about four times as long; a quadratic pattern takes sixteen times."""

    def seconds(size: int) -> float:
        text = (fragment * (size // len(fragment) + 1))[:size]
        start = time.process_time()
        redact.redact(text)
        return time.process_time() - start

    small = min(seconds(100_000) for _ in range(2))
    assert seconds(400_000) < 10 * small + 0.2


@pytest.mark.skipif(importlib.util.find_spec("betterleaks") is None, reason="the extra `secrets` is not installed")
def test_the_scanner_of_the_extra_adds_its_findings() -> None:
    text = expand("the station logs in with EZAK⟨a54⟩ every hour")
    done = redact.redact(text)
    assert expand("EZAK⟨a54⟩") not in done.text
    assert sum(done.found.values()) == 1
