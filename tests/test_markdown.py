from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import bugs
import frontmatter
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.text import markdown
from brain.text.blocks import scan
from brain.text.front import MAX_BYTES, FrontMatter, Locked, simple, subset, tag_list, text_list
from brain.text.front.reading import Reading, Value
from brain.text.front.write import Bare, Writable, as_read
from brain.text.markdown import Block, BlockKind, body_blocks

PROFILE = settings(derandomize=True, max_examples=60, deadline=None)
LETTERS = "aZ9 йЖ東م\u0301é🦦\u200d\u00a0\u2028\x85\t\n\r\0\x07\ud800\ufeff\"'\\:#-?{}[],&*!|>%@`~=<.0e1"
TEXTS = st.one_of(
    st.text(st.sampled_from(LETTERS), max_size=12),
    st.text(max_size=12),
    st.sampled_from(
        ["yes", "No", "null", "~", "2026-01-01", "1e3", "0x1f", "1_000", "12:30", ".inf", "=", "<<", "- x", "", " "]
    ),
)
KEYS = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True)
VALUES = st.recursive(
    TEXTS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, TEXTS.filter(bool)), inner, max_size=3)
    ),
    max_leaves=5,
).filter(lambda value: depth(value) < 3)


def depth(value: object) -> int:
    match value:
        case dict():
            return 1 + max(map(depth, value.values()), default=0)
        case list():
            return 1 + max(map(depth, value), default=0)
    return 0


def notes(case: str) -> list[Path]:
    return sorted((bugs.case(case) / "notes").iterdir())


# --- the cases --------------------------------------------------------------------


@pytest.mark.parametrize("path", notes("07"), ids=lambda path: path.name)
def test_case_07_a_broken_block_is_text_and_is_never_rewritten(path: Path) -> None:
    text, broken = bugs.read(path), bugs.to_check("07")["problems"]
    front = FrontMatter.parse(text)
    assert front.render() == text
    if path.name not in broken:
        assert front.problems == ()
        assert front.body == (text if path.name == "e-rule.md" else "Body F.\n")
        return
    (problem,) = front.problems
    assert problem.reason
    assert 1 <= problem.line <= text.count("\n")
    assert front.body == text
    with pytest.raises(Locked, match=r"The front matter was not changed: "):
        front.set("status", "archived")
    with pytest.raises(Locked):
        front.delete("title")
    assert front.with_body(front.body + "More.\n").render() == text + "More.\n"


def test_case_07_lines_are_those_of_the_file() -> None:
    lines = {path.name: [p.line for p in FrontMatter.parse(bugs.read(path)).problems] for path in notes("07")}
    assert lines == {
        "a-bad-yaml.md": [2],
        "b-tab.md": [4],
        "c-no-close.md": [1],
        "d-list.md": [2],
        "e-rule.md": [],
        "f-empty.md": [],
    }


def test_case_08_values_are_text() -> None:
    front, values = FrontMatter.parse(bugs.read(bugs.case("08") / "note.md")), bugs.to_check("08")["values"]
    assert list(tag_list(front.values["tags"])) == values.pop("tags")
    assert {key: front.values[key] for key in values} == values
    assert set(front.values) == {*values, "tags"}


def test_case_08_adding_a_key_leaves_every_other_line() -> None:
    front = FrontMatter.parse(bugs.read(bugs.case("08") / "note.md"))
    after = bugs.read(bugs.case("08") / "note.after-adding-reviewed.md")
    assert front.set("reviewed", date(2026, 6, 1)).render() == after
    assert FrontMatter.parse(after).delete("reviewed").render() == front.render()


@pytest.mark.parametrize("title", json.loads(bugs.read(bugs.case("08") / "titles.json")))
def test_case_08_titles_come_back_from_every_strict_parser(title: str) -> None:
    text = FrontMatter.parse("Body.\n").set("title", title).render()
    assert FrontMatter.parse(text).get_text("title") == title
    assert yaml.safe_load(text.split("---\n")[1]) == {"title": title}
    assert frontmatter.loads(text).metadata == {"title": title}


@pytest.mark.parametrize("path", notes("09"), ids=lambda path: path.name)
def test_case_09_a_key_that_stands_twice(path: Path) -> None:
    text, check = bugs.read(path), bugs.to_check("09")
    front = FrontMatter.parse(text)
    assert [[p.key, p.line, p.other_line] for p in front.problems] == (
        [check["problems"][path.name]] if path.name in check["problems"] else []
    )
    for key, value in check["values"].get(path.name, {}).items():
        assert front.values[key] == value
    assert front.body == "Body.\n"
    if front.problems:
        with pytest.raises(Locked):
            front.set("title", "Other")
    else:
        assert front.set("more", "x").render() == text.replace("lock]\n", "lock]\nmore: x\n")


@pytest.mark.parametrize("path", notes("10"), ids=lambda path: path.name)
def test_case_10_line_ends_and_byte_order_mark(path: Path) -> None:
    text, bodies = bugs.read(path), bugs.to_check("10")["bodies"]
    front = FrontMatter.parse(text)
    assert front.get_text("title") == "Ferry"
    assert front.problems == ()
    assert front.body.replace("\r\n", "\n").strip("\n") == bodies[path.name]
    added = front.with_body(front.body + "More." + front.eol).render()
    assert added == text + "More." + front.eol
    assert "\r\n" in front.eol or path.name in ("bom.md", "eof.md")
    changed = front.set("updated", date(2026, 6, 1)).render()
    assert changed == text.replace("Ferry" + line_end(text), f"Ferry{line_end(text)}updated: 2026-06-01{front.eol}")


def line_end(text: str) -> str:
    return "\r\n" if "Ferry\r\n" in text else "\n"


# --- reading ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "reason", "line"),
    [
        ("a: &x 1\n", "anchor", 2),
        ("a: 1\nb: *x\n", "alias", 3),
        ("a: !!str 1\n", "tag", 2),
        ("a: ! 1\n", "tag", 2),
        ("<<: {a: b}\n", "merge", 2),
        ("? [a]\n: b\n", "no text", 2),
        ("? {a: b}\n: b\n", "no text", 2),
        (": b\n", "", 2),
        ("--- # again\na: b\n", "", 2),
        ("a: b\n...\nc: d\n", "", 3),
        ("%YAML 1.1\n", "", 2),
        ("plain words\n", "no mapping", 2),
        ("[a, b]\n", "no mapping", 2),
        ("a: {b: {c: {d: {e: f}}}}\n", "deeper than 4", 2),
        ("a: " + "[" * 100_000 + "\n", "deeper than 4", 2),
        ("a: \x07\n", "U+0007", 2),
        ("a: b\rc: d\n", "U+000D", 2),
        ("a: x\nb: y\u2028z\n", "U+2028", 3),
        ("a: \ud800\n", "U+D800", 2),
        ('a: "\\ud800"\n', "", 2),
        ('a: "\\U00110000"\n', "", 2),
        ("a: '\n", "", 2),
        ("a: " + "x" * MAX_BYTES + "\n", "256 KiB", 2),
    ],
)
def test_what_is_not_of_the_subset_is_a_problem(block: str, reason: str, line: int) -> None:
    text = f"---\n{block}---\nBody.\n"
    front = FrontMatter.parse(text)
    assert [(reason in p.reason, p.line >= line) for p in front.problems] == [(True, True)]
    assert front.values == {}
    assert front.body == text
    assert not front.editable


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("", {}),
        ("# only a comment\n\n", {}),
        ("a: b # c\n", {"a": "b"}),
        ("a: 'it''s'\nb: \"x\\ty\"\n", {"a": "it's", "b": "x\ty"}),
        ("a:\n  - b\n  - c: d\n    e:\n", {"a": ["b", {"c": "d", "e": None}]}),
        ("a: |\n  b\n  c\nd: >\n  e\n  f\n", {"a": "b\nc\n", "d": "e f\n"}),
        ("a: b\n  c\n", {"a": "b c"}),
        ("a: {b: {c: [d]}}\n", {"a": {"b": {"c": ["d"]}}}),
        ("'q': 1\n\"r\": ~\n", {"q": "1", "r": "~"}),
        ("{a: b, c: [d]}\n", {"a": "b", "c": ["d"]}),
        ("ключ: значение\n", {"ключ": "значение"}),
        ("a: ''\nb: \"\"\nc: []\nd: {}\n", {"a": "", "b": "", "c": [], "d": {}}),
    ],
)
def test_the_subset_is_read(block: str, values: dict[str, Value]) -> None:
    front = FrontMatter.parse(f"---\n{block}---\nBody.\n")
    assert front.values == values
    assert front.problems == ()
    assert front.body == "Body.\n"


def test_python_frontmatter_reads_as_brain_does_with_our_handler() -> None:
    post = frontmatter.loads("---\na: 007\nb: [no, 1.10]\n---\nBody.\n", handler=subset.Handler())
    assert post.metadata == {"a": "007", "b": ["no", "1.10"]}
    assert post.content == "Body."
    again = frontmatter.loads(frontmatter.dumps(post), handler=subset.Handler())
    assert again.metadata == post.metadata


# Thousands of small blocks find corners that a hundred do not: a seeded walk is fifty times as fast as hypothesis.
INDENTS = ["", "", "", "  ", " ", "    "]
NAMES = ["a", "b", "title", "1", "2", "no", "x-y", "A_b", "ключ", '"q"', "-"]
COLONS = [": ", ": ", ": ", ":", ":  ", ":\t", " : "]
ENDS = ["\n", "\n", "\n", "\r\n", " \n", "\t\n"]
OTHERS = ["\n", "# comment\n", "  # comment\n", "- a\n", "  words\n", " \n", "  - b\n", "}\n"]
WRITTEN = [
    *("", "", "x", "plain words, of a kind", "ünïcode", "10:00", "a: b", "a:", "trailing  ", "yes", "~", "null", "1e3"),
    *(
        '"quoted"',
        '"a \\"b\\" \\\\ c"',
        '"a\\tb"',
        "'single' ",
        "'it''s'",
        '"x" # c',
        "x # c",
        "x#c",
        "- x",
        "|",
        "?x",
        "@x",
        "x\ty",
    ),
    *(
        '{a: b, c: "d#e"}',
        "{a: b, a: c}",
        "{a: b,c: d}",
        "{}",
        "[]",
        "[ ]",
        "[a, 'b', \"c\"]",
        "[a,b]",
        "[a, b c, 1]",
        "[a: b]",
        "{a}",
    ),
    *(
        "[a, ]",
        "{a: [b]}",
        '["", a]',
        "{a: , b: c}",
        "東京",
        "م‍ب",
        "\u00a0x",
        "x\u3000",
        "x\u3000y",
        "é: \u3000",
        "&x",
        "*x",
        "!x",
    ),
    '{source: "sessions/2026/11/29-1f2e3d4c#t12", quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}',
]


def random_block(choose: random.Random) -> str:
    lines = []
    for _ in range(choose.randint(1, 6)):
        if choose.random() < 0.15:
            lines.append(choose.choice(OTHERS))
        else:
            lines.append("".join(map(choose.choice, (INDENTS, NAMES, COLONS, WRITTEN, ENDS))))
    return "".join(lines)


def test_the_fast_reader_says_what_the_yaml_reader_says() -> None:
    choose, answered = random.Random(7), 0
    for _ in range(25000):
        block = random_block(choose)
        fast = simple.read(block)
        if fast is not None:
            answered += 1
            assert fast == subset.read(block), block
            assert simple.read(block, places=False) == Reading(fast.values)
    assert answered > 600


def test_both_yaml_parsers_give_the_same() -> None:
    choose = random.Random(8)
    for _ in range(1500):
        block = random_block(choose)
        assert subset.read(block) == subset.read(block, yaml.SafeLoader), block


@PROFILE
@given(st.text(st.sampled_from("ab:-#\n\r \t[]{}'\"|>&*!%?,\u2028\ufeff"), max_size=60))
def test_reading_is_total_and_rendering_gives_the_same_bytes(words: str) -> None:
    for text in (words, f"---\n{words}\n---\n{words}", f"\ufeff---\r\n{words}---\n"):
        front = FrontMatter.parse(text)
        assert front.render() == text
        assert front.text[: front.body_start] + front.body == text


# --- writing ------------------------------------------------------------------------


@PROFILE
@given(st.dictionaries(KEYS, VALUES, max_size=5), KEYS, VALUES)
def test_what_is_set_is_read_back_by_every_parser(values: dict[str, Value], key: str, value: Value) -> None:
    front = FrontMatter.build(values, "Body.\n")
    assert front.values == {k: as_read(v) for k, v in values.items()}
    changed = front.set(key, value)
    assert changed.values == front.values | {key: as_read(value)}
    assert yaml.safe_load(changed.text[changed.block_start : changed.block_end]) == changed.values
    assert FrontMatter.parse(changed.render()) == changed
    assert changed.delete(key).values == {k: v for k, v in changed.values.items() if k != key}


def test_a_change_touches_the_lines_of_its_key_alone() -> None:
    choose, changes = random.Random(9), 0
    values: list[Writable] = ["x", "a: b", "", None, ["a", "b c"], {"k": "v"}, {"k": {"l": "m"}}, 7, "yes"]
    for _ in range(1500):
        front = FrontMatter.parse(f"---\n{random_block(choose)}---\nBody.\n")
        key, value = choose.choice(NAMES[:8]), choose.choice(values)
        if not front.editable:
            continue
        try:
            changed = front.set(key, value)
        except Locked:
            continue
        changes += 1
        assert changed.body == "Body.\n"
        others = {k: v for k, v in front.values.items() if k != key}
        assert changed.values == others | {key: as_read(value)}
        entry = next((e for e in front.entries if e.key == key), None)
        start = front.block_start + entry.start if entry else front.block_end
        end = front.block_start + entry.end if entry else front.block_end
        assert changed.text.startswith(front.text[:start])
        assert changed.text.endswith(front.text[end:])
    assert changes > 100


HAND_WRITTEN = """---
# mine
title:\tTide clock   # keep
aliases: [clock,  'the clock' ]
citations:
  # first night
  1: {source: "a#t1", quote: x}   # read twice
  2: {source: "a#t2", quote: y}

# the rest
odd : [ 1,
  2 ]
status: active
---
Body.
"""


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("title", "Tidal clock", "Tide clock ", "Tidal clock "),
        ("title", "a: b", "Tide clock ", '"a: b" '),
        ("status", "archived", "active", "archived"),
        ("aliases", ["clock"], "[clock,  'the clock' ]", "[clock]"),
        ("odd", "1", "[ 1,\n  2 ]", "1"),
        (("citations", "3"), {"source": "z"}, "quote: y}\n", 'quote: y}\n  "3": {source: z}\n'),
        (("citations", Bare("3")), {"source": "z"}, "quote: y}\n", "quote: y}\n  3: {source: z}\n"),
        (("citations", "1"), {"source": "b"}, '{source: "a#t1", quote: x}', "{source: b}"),
        ("new", None, "active\n", "active\nnew:\n"),
        ("new", True, "active\n", "active\nnew: True\n"),
    ],
)
def test_an_edit_keeps_comments_and_spacing(key: str | tuple[str, str], value: Value, old: str, new: str) -> None:
    front = FrontMatter.parse(HAND_WRITTEN)
    if old.startswith("[ 1"):
        # The new value fits one line, so the two old ones are replaced.
        assert front.set(key, value).render() == HAND_WRITTEN.replace("odd : [ 1,\n  2 ]", 'odd: "1"')
    else:
        assert front.set(key, value).render() == HAND_WRITTEN.replace(old, new)


def test_deleting_takes_the_lines_of_the_key() -> None:
    front = FrontMatter.parse(HAND_WRITTEN)
    assert front.delete(("citations", "2")).render() == HAND_WRITTEN.replace('  2: {source: "a#t2", quote: y}\n', "")
    assert front.delete("odd").render() == HAND_WRITTEN.replace("odd : [ 1,\n  2 ]\n", "")
    assert front.delete("missing") is front
    flow = FrontMatter.parse("---\na: {b: c, d: e}\n---\n").delete(("a", "b"))
    assert flow.render() == "---\na: {d: e}\n---\n"


def test_a_key_below_another_is_added_whatever_that_one_is() -> None:
    for block in (
        "",
        "a:\n",
        "a: {}\n",
        "a: text\n",
        "a: {b: c}\n",
        "a:\n  b: c\n",
        "a:\n    b: c\n    # mine\nz: 1\n",
    ):
        front = FrontMatter.parse(f"---\n{block}---\n")
        before = front.values.get("a")
        changed = front.set(("a", "new"), {"k": "v"})
        assert changed.values == front.values | {
            "a": {**(before if isinstance(before, dict) else {}), "new": {"k": "v"}}
        }
        assert changed == front.extend("a", {"new": {"k": "v"}})
    twice = FrontMatter.parse("---\na: 1\na: 2\n---\n")
    for edit in (lambda: twice.extend("a", {"b": "c"}), lambda: twice.delete("a"), lambda: twice.set(("a", "b"), "c")):
        with pytest.raises(Locked, match="stands twice"):
            edit()


def test_a_block_is_made_where_there_is_none() -> None:
    assert FrontMatter.parse("Words.\n").set("a", "b").render() == "---\na: b\n---\nWords.\n"
    assert FrontMatter.parse("\ufeffWords.\r\n").set("a", "b").render() == "\ufeff---\r\na: b\r\n---\r\nWords.\r\n"


def test_text_and_tag_lists_take_what_people_write() -> None:
    assert text_list(None) == text_list("") == text_list([]) == ()
    assert text_list("one two") == ("one two",)
    assert text_list(["a", "", None, "b"]) == ("a", "b")
    assert tag_list("#harbour, ferry") == tag_list(["harbour", "#ferry"]) == ("harbour", "ferry")


# --- blocks -------------------------------------------------------------------------

BODY_LINES = [
    "",
    "Words of a paragraph.",
    "- an item",
    "More words",
    "",
    "слова",
    "# Title",
    "## Section ##",
    "#no heading",
    "- item",
    "- another [cite:1] ^k3f9",
    "-no item",
    "[[Link]] first",
    "[x]: y",
    "(a)",
    "—",
    "```",
    "~~~",
    "    code",
    "  more",
    "  - nested",
    "> quoted",
    "---",
    "===",
    "a | b",
    "--|--",
    "<!-- c",
    "-->",
    "<div>",
    "$$",
    "1. first",
    "* star",
    "- ```",
]


def random_body(choose: random.Random) -> str:
    lines = [choose.choice(BODY_LINES) for _ in range(choose.randint(1, 9))]
    return "".join(line + choose.choice(["\n", "\n", "\n", "\r\n"]) for line in lines)


def test_the_line_scanner_finds_what_mistune_finds() -> None:
    choose, answered = random.Random(10), 0
    for _ in range(4000):
        text = random_body(choose)
        quick = markdown._simple_blocks(text, 0)
        if quick is not None:
            answered += 1
            assert quick == [markdown._block(text, t) for t in scan(text) if t["type"] != "blank_line"], text
    assert answered > 300


def test_blocks_stand_in_order_and_hold_every_word() -> None:
    choose = random.Random(11)
    for _ in range(1000):
        text = random_body(choose)
        blocks = body_blocks(text)
        edges = [offset for block in blocks for offset in (block.start, block.end)]
        assert edges == sorted(edges), text
        assert all(block.start <= block.content <= block.end <= len(text) for block in blocks), text
        left = list(text)
        for block in blocks:
            left[block.start : block.end] = " " * (block.end - block.start)
        assert not "".join(left).strip(), text


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind.value, text[block.content : block.end].strip()) for block in body_blocks(text)]


def test_blocks_of_a_hand_written_page() -> None:
    text = (
        "# Title\n\nLead one.\nLead two.\n\n- item\n  goes on\n- other\n  - nested\n\n    with words\n\n"
        "        code in it\n\n> said\n> so\n\n```sh\n# no heading\n```\n\n    code\n\n"
        "a|b\n-|-\nc|d\n\nTitle\n===\n\n---\n<!-- - no\n\n- item -->\n"
    )
    assert kinds(text) == [
        ("heading", "Title"),
        ("paragraph", "Lead one.\nLead two."),
        ("item", "item\n  goes on"),
        ("item", "other"),
        ("item", "nested"),
        ("paragraph", "with words"),
        ("code", "code in it"),
        ("quote", "> said\n> so"),
        ("code", "```sh\n# no heading\n```"),
        ("code", "code"),
        ("table", "a|b\n-|-\nc|d"),
        ("heading", "Title\n==="),
        ("other", "---"),
        ("html", "<!-- - no\n\n- item -->"),
    ]


def test_a_fence_in_an_item_ends_with_the_item() -> None:
    text = "- a\n  ```\n  code\nAfter.\n"
    assert kinds(text) == [("item", "a"), ("code", "```\n  code"), ("paragraph", "After.")]
    assert kinds("- ```\n  x\n  ```\n- y\n") == [("code", "- ```\n  x\n  ```"), ("item", "y")]


def test_offsets_are_those_of_the_whole_text() -> None:
    text = "skipped\n# A\n- b\n"
    assert body_blocks(text, 8) == (
        Block(BlockKind.HEADING, 8, 12, 10, 1),
        Block(BlockKind.ITEM, 12, 16, 14),
    )


# --- cost -----------------------------------------------------------------------------

HOSTILE = [
    *(
        "a: b\n",
        "a{}: b\n",
        "a{}: {{b: c}}\n",
        "a:\n  b{}: c\n",
        "- a\n",
        "[",
        "{{",
        "a: [",
        "'",
        '"',
        "\\",
        "# c\n",
        "a: 'b\n",
        "  ",
    ),
    *(
        "? a\n",
        "a{}: |\n b\n",
        "---\n",
        "--- \n",
        " ",
        ": ",
        "a b ",
        "&a ",
        "a: \t",
        "\t",
        "\r\n",
        "<<: a\n",
        "a{}:\n  - b\n",
        "a{}: 'b'\n",
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_front_matter_costs_in_proportion(piece: str) -> None:
    def cost(size: int) -> float:
        block = "".join(piece.format(n) for n in range(size // len(piece)))
        text = f"---\n{block}\n---\nBody.\n"
        start = time.process_time()
        assert FrontMatter.parse(text).render() == text
        return time.process_time() - start

    cost(1000)
    # Quadratic would be sixteenfold for four times the text; the constant forgives a busy machine.
    assert cost(200_000) < 10 * cost(50_000) + 0.5


def test_what_brain_writes_is_read_without_yaml_and_mistune() -> None:
    script = (
        "import sys\n"
        "from brain import page\n"
        "from brain.model import Citation, Claim, Origin, PageKind\n"
        "record = page.new_page('Tide clock: the 2nd', PageKind.TOOL, summary='yes', created='2026-01-01')\n"
        "record, n = page.cite(record, Citation('sessions/undated/1f2e3d4c#t1', '9f3a1c22b4d0/1', None, Origin.USER))\n"
        "record = page.replace_lead(record, [Claim('It shows \"the tide\".', (n,))])\n"
        "record = page.add_claim(record, 'Facts', Claim('Nadia: “It drifts.”', (n,), date='2026-01-01'))\n"
        "record = page.add_related(record, 'Harbour', 'there')\n"
        "assert page.parse(page.render(record)) == record\n"
        "print(sorted({'yaml', 'frontmatter', 'mistune', 'jsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")
