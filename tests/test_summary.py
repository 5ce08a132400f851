from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.model import Citation, Origin, Summary
from brain.summary import parse, render
from brain.text.claims import one_line

PIECES = [
    "words",
    "Слова.",
    "東京",
    " ",
    "# x",
    "- x",
    "[cite:1]",
    "\\[cite:2]",
    " ^k3f9",
    "2026-01-01 · ",
    "? · ",
    " · ended",
    "[[x]]",
    "“a. b”",
]
TEXTS = st.lists(st.sampled_from([*PIECES, ": ", '"', "\n", "`", "|", "yes"]), max_size=6).map("".join)
CITATIONS = st.builds(
    Citation,
    st.sampled_from(["sessions/2026/11/29-1f2e3d4c#t12", "sessions/undated/1f2e3d4c#t1.r3", "x y: {}"]),
    st.sampled_from(["9f3a1c22b4d0/412", "123456789012/1"]),
    st.none() | st.just("2026-11-29"),
    st.sampled_from(Origin),
)
SUMMARIES = st.builds(
    Summary,
    st.just("sessions/2026/11/29-1f2e3d4c"),
    TEXTS,
    TEXTS,
    st.integers(0, 999_999),
    st.integers(0, 10**9),
    st.lists(
        st.tuples(TEXTS.map(one_line).filter(bool), st.lists(st.integers(1, 99), unique=True).map(tuple)), max_size=4
    ).map(tuple),
    st.dictionaries(st.integers(1, 99), CITATIONS, max_size=4),
)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(SUMMARIES)
def test_what_is_rendered_is_read_back(summary: Summary) -> None:
    text = render(summary)
    parsed = parse(text)
    assert parsed.summary == summary
    assert parsed.problems == ()
    assert render(parsed.summary) == text


def test_the_form_on_disk() -> None:
    citation = Citation("sessions/2026/11/29-1f2e3d4c#t12", "9f3a1c22b4d0/412", "2026-11-29", Origin.USER)
    summary = Summary(
        "sessions/2026/11/29-1f2e3d4c",
        "The clock",
        "Why it drifts.",
        14,
        5230,
        (("It drifts. Badly.", (1,)),),
        {1: citation},
    )
    text = render(summary)
    assert text == (
        "---\nsession: sessions/2026/11/29-1f2e3d4c\ntitle: The clock\nline: Why it drifts.\ndreamt: t14/5230\n"
        'citations:\n  1: {source: "sessions/2026/11/29-1f2e3d4c#t12", '
        "quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}\n"
        "---\n\n- It drifts. Badly. [cite:1]\n"
    )
    assert [(claim.text, claim.line) for claim in parse(text).claims] == [("It drifts. Badly.", 10)]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", ["dreamt"]),
        ("---\ndreamt: yesterday\n---\n", ["dreamt"]),
        ("---\ndreamt: t1/2\ncitations: none\n---\n", ["citations"]),
        ("---\ndreamt: t1/2\ncitations:\n  x: {source: a, quote: b, origin: user}\n---\n", ["citations.x"]),
        ("---\ndreamt: t1/2\ncitations:\n  1: {source: a, quote: b, origin: nobody}\n---\n", ["citations.1"]),
        ("---\ndreamt: [\n---\n", [None]),
    ],
)
def test_a_broken_summary_is_a_record_with_problems(text: str, keys: list[str | None]) -> None:
    parsed = parse(text)
    assert [problem.key for problem in parsed.problems] == keys
    assert parsed.summary.sentences == () or parsed.front.body == text
