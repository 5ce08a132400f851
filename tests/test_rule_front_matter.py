"""The rule front_matter: schemas, double keys, unreadable blocks, transcripts, settings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import ANSWERS, AUGUST, CLOCK, ILYA, KESTREL, LETTER, MARINA, Fault, check, fault, pair, plant, tree, world

from brain.validators import schema
from brain.validators.gate import Pair
from brain.validators.rules import front_matter

TRANSCRIPT = f"{AUGUST}/transcript.md"
SUMMARY = f"{AUGUST}/summary.md"

FAULTS = [
    fault("no front matter", ILYA, None, "# Ilya\n", (1, "front-matter-missing")),
    fault("never closed", ILYA, None, "---\ntitle: Ilya\n", (1, "front-matter-unreadable")),
    fault("an alias of YAML", ILYA, "[Ilya]", "*ilya", ("*ilya", "front-matter-unreadable")),
    fault("a tag of YAML", CLOCK, "44", "!!python/none 44", ("!!python", "front-matter-unreadable")),
    fault("nested too deep", CLOCK, "44", "{a: {b: {c: {d: e}}}}", ("{a:", "front-matter-unreadable")),
    fault("a key twice", ILYA, "status: active", "status: active\nkind: tool", ("kind: tool", "key-twice")),
    fault("an unknown kind", ILYA, "kind: person", "kind: Person", ("kind: Person", "key-wrong")),
    fault("no kind", ILYA, "kind: person\n", "", (1, "key-missing")),
    fault("no title", MARINA, "title: Марина Ветрова\n", "", (1, "key-missing")),
    fault("an empty title", MARINA, "title: Марина Ветрова\n", 'title: " "\n', ('title: " "', "key-wrong")),
    fault("no domain", CLOCK, "domain: work\n", "", (1, "key-missing")),
    fault("a title that is a list", ILYA, "title: Ilya Brandt", "title: [Ilya]", ("title: [", "key-wrong")),
    fault("importance 6", ILYA, "importance: 3", "importance: 6", ("importance: 6", "key-wrong")),
    fault("importance in words", ILYA, "importance: 3", "importance: high", ("importance: high", "key-wrong")),
    fault("a privacy of its own", ILYA, "privacy: shared", "privacy: secret", ("privacy: secret", "key-wrong")),
    fault("a status of its own", CLOCK, "status: active", "status: done", ("status: done", "key-wrong")),
    fault("a day that is none", ILYA, "created: 2026-08-12", "created: 2026-02-30", ("created:", "key-wrong")),
    fault("a day in another form", ILYA, "updated: 2026-09-14", "updated: 14.9.2026", ("updated:", "key-wrong")),
    fault("updated before created", ILYA, "updated: 2026-09-14", "updated: 2026-01-01", ("updated:", "dates-reversed")),
    fault("a long summary", ANSWERS, "Short in chat, long in files.", "long " * 40, ("long long", "key-wrong")),
    fault("an alias that is a mapping", ILYA, "[Ilya]", "{a: b}", ("aliases:", "key-wrong")),
    fault("an empty alias", ILYA, "[Ilya]", '[Ilya, ""]', ("aliases:", "key-wrong")),
    fault("citations as a list", ANSWERS, "citations:\n  1: {", "citations: [1]\nmine: {", ("citations:", "key-wrong")),
    fault("a citation with number 0", ILYA, "  3: {", "  0: {", ("  0: {", "key-wrong")),
    fault("a citation without origin", KESTREL, ", origin: tool", "", ("#t2.r1", "key-missing")),
    fault("a citation without quote", ILYA, "quote: afadc77be30a/71, ", "", ("2e#t1", "key-missing")),
    fault("a citation of an unknown origin", KESTREL, "origin: tool", "origin: god", ("origin: god", "key-wrong")),
    fault(
        "a citation that praises itself", KESTREL, "origin: tool", "origin: tool, trust: user", ("trust:", "key-wrong")
    ),
    fault("a summary without its mark", SUMMARY, "dreamt: t5/56\n", "", (1, "key-missing")),
    fault("a mark that cannot be read", SUMMARY, "dreamt: t5/56", "dreamt: yes", ("dreamt: yes", "key-wrong")),
    fault("a long line of a summary", SUMMARY, "Ilya, the studio, and", "Ilya " * 40, ("line:", "key-wrong")),
    fault("a transcript without id", TRANSCRIPT, "id: 5b0c1d2e-7a41-4c1b-9d0e-2f6a8b3c4d5e\n", "", (1, "key-missing")),
    fault(
        "a time without a zone",
        TRANSCRIPT,
        "started: 2026-08-12T10:02:11+01:00",
        "started: 2026-08-12T10:02:11",
        ("started:", "key-wrong"),
    ),
    fault("a source without hash", TRANSCRIPT, "1" * 64, "no", ("source:", "key-wrong")),
    fault("another kind of session", TRANSCRIPT, "kind: main", "kind: chat", ("kind: chat", "key-wrong")),
    fault("turns miscounted", TRANSCRIPT, "turns: 5", "turns: 6", ("turns: 6", "turns-miscounted")),
    fault("a turn out of order", TRANSCRIPT, "## t3 ·", "## t9 ·", ("## t9 ·", "turn-unreadable")),
    fault("a role of its own", TRANSCRIPT, "## t3 · user", "## t3 · system", ("## t3 ·", "turn-unreadable")),
    fault(
        "a time that is none",
        f"{LETTER}/transcript.md",
        "· unknown ·",
        "· yesterday ·",
        ("yesterday", "turn-unreadable"),
    ),
    fault("settings with an unknown key", "brain.toml", "format = 1", "formatt = 1", (1, "settings-wrong")),
    fault("settings that are no TOML", "brain.toml", "format = 1", "format = ", (1, "settings-wrong")),
]


@pytest.mark.parametrize("planted", FAULTS, ids=str)
def test_finds_at_its_line(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(front_matter, staged, finds)
    check(front_matter, staged, finds, base=world())


def test_a_clean_tree_gives_nothing() -> None:
    check(front_matter, world())


def test_keys_of_a_person_pass() -> None:
    staged = world() | {
        ILYA: world()[ILYA].replace("status: active", "status: active\nшоколад: [да, нет]\nmap: {a: {b: c}}")
    }
    check(front_matter, staged)


def test_bytes_that_are_no_text_are_found_at_their_line() -> None:
    files: dict[str, str | bytes] = dict(world())
    files[ILYA] = world()[ILYA].encode() + b"\nbad \xff\n"
    found = list(front_matter.check(Pair(None, tree(files))))
    assert [(f.path, f.line, f.code) for f in found] == [(ILYA, world()[ILYA].count("\n") + 2, "not-utf-8")]


def test_an_attachment_may_be_any_bytes() -> None:
    files: dict[str, str | bytes] = dict(world())
    files["memory/sessions/2026/09/14-1f2e3d4c/attachments/t4-r1.txt"] = b"\xff\xfe"
    assert list(front_matter.check(Pair(None, tree(files)))) == []


def test_only_what_changed_is_looked_at() -> None:
    broken = world() | {ILYA: "# no front matter\n"}
    assert list(front_matter.check(pair(broken, broken))) == []


# --- the quick predicate says what jsonschema says --------------------------------

_TEXT = st.sampled_from(
    ["", " ", "x", "person", "3", "2026-01-01", "2026-02-30", "2026-1-1", "active", "t1/2", "ы" * 161]
)
_VALUE = st.recursive(
    _TEXT | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["1", "0", "source", "origin"]), inner, max_size=3)
    ),
    max_leaves=6,
)
_CITATION = st.fixed_dictionaries(
    {"source": _TEXT, "quote": _TEXT, "origin": st.sampled_from(["user", "tool", "god"])},
    optional={"date": _TEXT, "trust": _TEXT},
)
_BLOCK = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["title", "kind", "domain", "aliases", "summary", "created", "updated", "session"], _VALUE),
        **dict.fromkeys(["importance", "privacy", "status", "dreamt", "line", "id", "agent", "turns", "mine"], _VALUE),
        "source": _VALUE | st.fixed_dictionaries({"format": _TEXT, "name": _TEXT, "sha256": st.just("a" * 64)}),
        "citations": _VALUE | st.dictionaries(st.sampled_from(["1", "12", "01", "x"]), _CITATION | _VALUE, max_size=3),
    },
)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(name=st.sampled_from(["page", "note", "summary", "transcript"]), values=_BLOCK)
def test_the_predicate_and_jsonschema_agree(name: str, values: dict[str, object]) -> None:
    faults = list(schema.faults(name, values))
    assert schema.is_valid(name, values) is schema._validator(name).is_valid(values)
    assert bool(faults) is not schema.is_valid(name, values)


def test_a_schema_with_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(KeyError):
        schema._compile({"type": "string", "minimum": 3})
