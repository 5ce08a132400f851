"""What every rule keeps: its manual page runs, its codes are its own, docs/rules.md is up to date."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from trees import Example, apply, check, examples, world

from brain.validators import manual
from brain.validators.judge.offline import OfflineJudge
from brain.validators.registry import CRASHED, SEMANTIC, judged
from brain.validators.registry import RULES as PLAIN

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
RULES = {**PLAIN, **judged(OfflineJudge())}
PAGES = {**PLAIN, **SEMANTIC}
EXAMPLES = [(name, number, e) for name, rule in PAGES.items() for number, e in enumerate(examples(rule), 1)]


@pytest.mark.parametrize(("name", "number", "example"), EXAMPLES, ids=[f"{name}-{n}" for name, n, _ in EXAMPLES])
def test_examples_of_the_manual_find_what_they_say(name: str, number: int, example: Example) -> None:
    staged, finds = apply(example, world())
    assert bool(finds) is not example.passes, "an example that passes names a finding, or one that fails names none"
    check(RULES[name], staged, finds, base=world(), command=example.command)


@pytest.mark.parametrize("name", RULES)
def test_manual_page_has_its_parts(name: str) -> None:
    doc = PAGES[name].__doc__ or ""
    assert [line for line in doc.split("\n")[1:] if line and not line.startswith(" ")] == ["Purpose", "Passes", "Fails"]
    assert [e.passes for e in examples(PAGES[name])].count(True) >= 1
    assert [e.passes for e in examples(PAGES[name])].count(False) >= 2


def test_codes_are_kebab_case_and_belong_to_one_rule() -> None:
    codes = Counter(code for rule in RULES.values() for code in rule.CODES)
    codes[CRASHED] += 1
    assert [code for code, count in codes.items() if count > 1] == []
    assert [code for code in codes if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)] == []


def test_every_code_says_what_it_means_in_one_line() -> None:
    lines = [words for rule in RULES.values() for _, words in rule.CODES.values()]
    assert [words for words in lines if "\n" in words or not words.endswith(".") or len(words) > 90] == []


def test_the_page_of_rules_is_the_generated_one(update: bool) -> None:
    if update:
        PAGE.write_text(manual.render(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == manual.render(), "pytest tests/test_rules.py --update rewrites it"
