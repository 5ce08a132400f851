"""The gate: order, determinism, rules that break, and findings in their two forms."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import ANSWERS, CLOCK, ILYA, KESTREL, edited, pair, tree, world

from brain.validators.findings import Finding, Reporter, Severity, excerpt, is_ok, tally, visible
from brain.validators.gate import Command, Pair, validate
from brain.validators.registry import CRASHED, RULES, Rule

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


def finding(path: str = "a.md", line: int = 1, code: str = "x", severity: Severity = ERROR) -> Finding:
    return Finding(path, line, code, severity, "something is wrong", "mend it")


# --- the gate ---------------------------------------------------------------------


def test_a_clean_tree_gives_nothing() -> None:
    assert validate(pair(world())) == ()
    assert validate(pair(world(), world(), Command.DREAM)) == ()
    assert validate(Pair(None, tree({}))) == ()


def test_findings_come_in_one_order_whatever_the_order_of_the_rules() -> None:
    broken = edited(edited(world(), ILYA, "kind: person", "kind: human"), CLOCK, "[cite:1] ^g1h2", "[cite:9] ^g1h2")
    found = validate(pair(broken))
    names = list(RULES)
    random.Random(7).shuffle(names)
    assert found == validate(pair(broken), {name: RULES[name] for name in names})
    assert list(found) == sorted(found)
    assert [f.code for f in found] == ["key-wrong", "citation-unused", "citation-missing"]
    assert not is_ok(found)


def test_only_the_rules_that_were_asked_for() -> None:
    broken = edited(edited(world(), ILYA, "kind: person", "kind: human"), CLOCK, "[cite:1] ^g1h2", "[cite:9] ^g1h2")
    assert [f.code for f in validate(pair(broken), {"front_matter": RULES["front_matter"]})] == ["key-wrong"]


class Breaks:
    """A rule that gives one finding and then breaks off."""

    CODES: Mapping[str, tuple[Severity, str]] = {"seen": (INFO, "Seen.")}

    def check(self, pair: Pair) -> Iterator[Finding]:
        yield Reporter(self.CODES)("seen", "a.md", 1, "seen")
        raise KeyError("words of the memory")


def test_a_rule_that_breaks_closes_the_gate_and_says_where() -> None:
    rules: dict[str, Rule] = {"breaks": Breaks(), "names": RULES["names"]}
    found = validate(pair(world()), rules)
    assert [f.code for f in found] == ["seen", CRASHED]
    assert not is_ok(found)
    assert "breaks" in found[1].message and "KeyError" in found[1].message and "test_gate.py" in found[1].message
    assert "words of the memory" not in str(found[1])


def test_one_fault_found_twice_is_one_finding() -> None:
    assert (
        len(
            validate(
                pair(edited(world(), ILYA, "kind: person", "kind: human")),
                {"a": RULES["front_matter"], "b": RULES["front_matter"]},
            )
        )
        == 1
    )


def test_changed_names_what_differs() -> None:
    staged = edited(world(), ILYA, "importance: 3", "importance: 4") | {"memory/x.md": ""}
    del staged[KESTREL]
    judged = pair(staged, world())
    assert judged.changed == {ILYA, KESTREL, "memory/x.md"}
    assert judged.present == tuple(sorted([ILYA, "memory/x.md"]))
    assert [d.path for d in judged.documents()] == [ILYA]
    before = judged.before(KESTREL)
    assert before is not None and before.front.get_text("title") == "Kestrel Audio"
    assert pair(staged).before(KESTREL) is None
    assert pair(staged).changed == set(staged)


_PIECES = [
    *("[cite:1]", "[cite:9]", "[[Otto]]", "[[", "^k3f9", "## History\n", "---\n", "```\n", "title: Ilya\n", "<!--"),
    *("- 2026-13-40 · x\n", "\x1b[0m", "\u202e", "\ufffd", "| a | b |\n| - | - |\n", "· superseded by ^zz99\n"),
]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    edits=st.lists(
        st.tuples(st.sampled_from(sorted(world())), st.integers(0, 2000), st.integers(0, 60), st.sampled_from(_PIECES)),
        min_size=1,
        max_size=6,
    ),
    command=st.sampled_from(list(Command)),
)
def test_no_rule_breaks_on_damaged_trees_and_twice_is_the_same(
    edits: list[tuple[str, int, int, str]], command: Command
) -> None:
    staged = world()
    for path, at, length, piece in edits:
        text = staged[path]
        staged[path] = text[:at] + piece + text[at + length :]
    found = validate(pair(staged, world(), command))
    assert CRASHED not in {f.code for f in found}
    assert found == validate(pair(staged, world(), command))
    assert {f.code for f in found} <= {code for rule in RULES.values() for code in rule.CODES}
    lines = {path: text.count("\n") + 1 for path, text in (world() | staged).items()}
    assert all(0 <= f.line <= max(lines[f.path], world().get(f.path, "").count("\n") + 1) for f in found)


# --- findings ---------------------------------------------------------------------


def test_text_form() -> None:
    assert str(finding()) == "a.md:1: error x something is wrong (fix: mend it)"
    assert str(replace(finding(), fix="")) == "a.md:1: error x something is wrong"


def test_json_form() -> None:
    given = finding().as_json()
    assert json.loads(json.dumps(given)) == {
        "path": "a.md",
        "line": 1,
        "code": "x",
        "severity": "error",
        "message": "something is wrong",
        "fix": "mend it",
    }


def test_order_is_by_path_line_code() -> None:
    wanted = [finding("a.md", 2, "z"), finding("a.md", 10, "a"), finding("b.md", 1, "a"), finding("b.md", 1, "b")]
    shuffled = [wanted[2], wanted[0], wanted[3], wanted[1]]
    assert sorted(shuffled) == wanted


def test_only_errors_close_the_gate() -> None:
    assert is_ok([])
    assert is_ok([finding(severity=WARNING), finding(severity=INFO)])
    assert not is_ok([finding(severity=WARNING), finding()])


@pytest.mark.parametrize(
    ("severities", "told"),
    [
        ([], "nothing found"),
        ([ERROR], "1 error"),
        ([ERROR, ERROR, WARNING], "2 errors, 1 warning"),
        ([INFO], "1 remark"),
        ([WARNING, INFO, INFO], "1 warning, 2 remarks"),
    ],
)
def test_tally(severities: list[Severity], told: str) -> None:
    assert tally([finding(severity=severity) for severity in severities]) == told


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Марина, 日本, é", "Марина, 日本, é"),
        ("a\x1b[8mb", "a\\u{1b}[8mb"),
        ("a\nb\tc", "a\\u{a}b\\u{9}c"),
        ("a\u202eb", "a\\u{202e}b"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\U000e0041b", "a\\u{e0041}b"),
        ("a\x9bb", "a\\u{9b}b"),
        ("a b", "a b"),
        ("a\xa0b", "a\\u{a0}b"),
    ],
)
def test_no_character_of_a_finding_is_obeyed_by_a_screen(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert str(replace(finding(), message=text)) == f"a.md:1: error x {shown} (fix: mend it)"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("one\n two", 60, "“one two”"),
        ("abcdef", 6, "“abcdef”"),
        ("abcdefg", 6, "“abcde…”"),
        ("ab cd efg", 7, "“ab cd…”"),
    ],
)
def test_excerpts_are_one_line_and_short(text: str, limit: int, cut: str) -> None:
    assert excerpt(text, limit) == cut


def test_the_gate_says_nothing_of_a_page_that_got_better() -> None:
    staged = edited(world(), ANSWERS, "importance: 4", "importance: 5")
    assert validate(pair(staged, world(), Command.DREAM)) == ()
