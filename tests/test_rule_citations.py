"""The rule citations: marks, entries, sources, quotes, days and origins."""

from __future__ import annotations

import pytest
from trees import (
    ANSWERS,
    AUGUST,
    CLOCK,
    ILYA,
    KESTREL,
    MARINA,
    SEPTEMBER,
    SHORT,
    Fault,
    check,
    edited,
    fault,
    line_with,
    plant,
    world,
)

from brain.evidence import quote
from brain.validators.rules import citations

SUMMARY = f"{AUGUST}/summary.md"
TRANSCRIPT = f"{AUGUST}/transcript.md"
FACT = "“Ilya now works at Kestrel Audio.” [cite:2]"
FIRST = "2026/08/12-5b0c1d2e#t1"

FAULTS = [
    fault("a number without an entry", ILYA, FACT, FACT + " [cite:9]", ("[cite:9]", "citation-missing")),
    fault(
        "a number without an entry in a lead",
        ILYA,
        "2026. [cite:2]",
        "2026. [cite:7]",
        ("[cite:7]", "citation-missing"),
    ),
    fault(
        "a number without an entry in a note",
        CLOCK,
        "[cite:1] ^g1h2",
        "[cite:4] ^g1h2",
        ("^g1h2", "citation-missing"),
        ("  1: {", "citation-unused"),
    ),
    fault(
        "a number without an entry in code",
        ILYA,
        "## Facts",
        "```\n[cite:8]\n```\n\n## Facts",
        ("[cite:8]", "citation-missing"),
    ),
    fault(
        "a file without entries",
        MARINA,
        "citations:\n  1:",
        "mine:\n  1:",
        ("на пристани. [cite:1]", "citation-missing"),
        ("^d4e5", "citation-missing"),
    ),
    fault("a space in the mark", ILYA, FACT, FACT.replace("cite:2", "cite: 2"), ("[cite: 2]", "citation-mark")),
    fault("a mark in capitals", ILYA, FACT, FACT.replace("cite:2", "Cite:2"), ("[Cite:2]", "citation-mark")),
    fault("a mark with two numbers", ILYA, FACT, FACT.replace("cite:2", "cite:1,2"), ("[cite:1,2]", "citation-mark")),
    fault("a mark without a colon", ILYA, FACT, FACT.replace("cite:2", "cite 2"), ("[cite 2]", "citation-mark")),
    fault("a mark with number 0", ILYA, FACT, FACT.replace("cite:2", "cite:0"), ("[cite:0]", "citation-mark")),
    fault("a mark with a word", ILYA, FACT, FACT.replace("cite:2", "cite:user"), ("[cite:user]", "citation-mark")),
    fault("a source that is no turn", ILYA, FIRST, "2026/08/12-5b0c1d2e", ("afadc77be30a", "citation-form")),
    fault(
        "a source with a path in it",
        ILYA,
        "sessions/" + FIRST,
        "sessions/../sessions/" + FIRST,
        ("afadc77be30a", "citation-form"),
    ),
    fault(
        "a source on the web", ILYA, "sessions/" + FIRST, "https://kestrel.example/", ("afadc77be30a", "citation-form")
    ),
    fault("turn 0", ILYA, FIRST, "2026/08/12-5b0c1d2e#t0", ("afadc77be30a", "citation-form")),
    fault("a quote without a length", ILYA, "afadc77be30a/71", "afadc77be30a", ("5b0c1d2e#t1", "quote-form")),
    fault("a quote of nothing", ILYA, "afadc77be30a/71", "e3b0c44298fc/0", ("5b0c1d2e#t1", "quote-form")),
    fault("a quote in capitals", ILYA, "afadc77be30a/71", "AFADC77BE30A/71", ("5b0c1d2e#t1", "quote-form")),
    fault("a session that is not there", ILYA, FIRST, "2026/08/13-5b0c1d2e#t1", ("afadc77be30a", "source-gone")),
    fault("a turn that is not there", KESTREL, '09/14-1f2e3d4c#t1"', '09/14-1f2e3d4c#t9"', ("#t9", "quote-moved")),
    fault("a result that is not there", KESTREL, "#t2.r1", "#t2.r2", ("#t2.r2", "quote-moved")),
    fault("words that nobody said", ILYA, "afadc77be30a/71", "000000000000/71", ("5b0c1d2e#t1", "quote-changed")),
    fault("more words than there are", ILYA, "afadc77be30a/71", "afadc77be30a/72", ("5b0c1d2e#t1", "quote-changed")),
    fault("words of another turn", ILYA, "fd37b5aaabd6/34", quote("Booked for Friday at ten."), ("#t3", "quote-moved")),
    fault(
        "another day",
        ILYA,
        "afadc77be30a/71, date: 2026-08-12",
        "afadc77be30a/71, date: 2026-08-14",
        ("afadc77be30a", "citation-date"),
    ),
    fault(
        "a day where the turn has none",
        MARINA,
        "origin: import",
        "date: 2026-09-14, origin: import",
        ("undated", "citation-date"),
    ),
    fault("a web page as the user's word", KESTREL, "origin: tool", "origin: user", ("#t2.r1", "citation-origin")),
    fault("an agent as the user", CLOCK, "origin: assistant", "origin: user", ("  2: {", "citation-origin")),
    fault("a letter as the user", MARINA, "origin: import", "origin: user", ("undated", "citation-origin")),
    fault("an entry that nothing cites", ILYA, " [cite:3] ^p5q6", " ^p5q6", ("#t3", "citation-unused")),
    fault(
        "a summary that cites what is not there",
        SUMMARY,
        "[cite:1]",
        "[cite:2]",
        ("[cite:2]", "citation-missing"),
        ("#t1", "citation-unused"),
    ),
]


@pytest.mark.parametrize("planted", FAULTS, ids=str)
def test_finds_at_its_line(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(citations, staged, finds)
    check(citations, staged, finds, base=world())


def test_a_clean_tree_gives_nothing() -> None:
    check(citations, world())


@pytest.mark.parametrize(
    "words",
    ["[cited twice]", "\\[cite:9]", "[citation needed]", "[cite](x)", "cite:9", "[cite:1][cite:2]", "[site:9]"],
)
def test_what_is_no_citation_passes(words: str) -> None:
    check(citations, edited(world(), ILYA, FACT, f"{FACT} {words}"))


def test_the_day_of_another_zone_passes() -> None:
    staged = edited(world(), ILYA, "fd37b5aaabd6/34, date: 2026-08-12", "fd37b5aaabd6/34, date: 2026-08-13")
    check(citations, staged)


def test_a_part_of_a_turn_may_be_quoted_and_the_turn_may_grow() -> None:
    grown = "of a turn, and more.\n\n## t4"
    staged = edited(world(), TRANSCRIPT, "at the pier on Fridays.\n\n## t4", "at the pier on Fridays.\n" + grown)
    check(citations, staged, base=world())
    check(citations, edited(world(), ILYA, "afadc77be30a/71", quote("Ilya works at Lumen Lab.")))


def test_a_long_result_is_quoted_whole_from_its_attachment() -> None:
    whole = world()[f"{SEPTEMBER}/attachments/t4-r1.txt"]
    entry = (
        f'  3: {{source: "sessions/2026/09/14-1f2e3d4c#t4.r1", quote: {quote(whole)}, date: 2026-09-14, origin: tool}}'
    )
    staged = edited(world(), KESTREL, "---\n\n# Kestrel", f"{entry}\n---\n\n# Kestrel")
    staged = edited(staged, KESTREL, "[cite:1] ^f2a1", "[cite:1] [cite:3] ^f2a1")
    check(citations, staged)
    path = f"{SEPTEMBER}/attachments/t4-r1.txt"
    changed = edited(staged, path, "line 30 of the log", "line 30 of the dog")
    check(citations, changed, [(KESTREL, line_with(staged, KESTREL, "#t4.r1"), "quote-changed")], base=staged)


def test_a_changed_transcript_is_found_wherever_it_is_cited() -> None:
    staged = edited(world(), TRANSCRIPT, "I prefer short answers", "I prefer long answers")
    finds = [(path, line_with(world(), path, "#t5"), "quote-changed") for path in (ANSWERS, SHORT)]
    check(citations, staged, finds, base=world())
    check(citations, staged, finds)


def test_a_session_that_is_gone_is_found_wherever_it_is_cited() -> None:
    staged = {path: text for path, text in world().items() if not path.startswith(AUGUST)}
    lines = [(ILYA, "#t1"), (ILYA, "#t3"), (ANSWERS, "#t5"), (SHORT, "#t5"), (CLOCK, "#t2")]
    finds = [(path, line_with(world(), path, f"5b0c1d2e{text}"), "source-gone") for path, text in lines]
    check(citations, staged, finds, base=world())


def test_what_a_memory_wrote_is_left_to_the_rule_evidence() -> None:
    check(citations, edited(world(), ILYA, "sessions/" + FIRST, "notes/work/Tide clock.md"))


def test_a_day_in_no_calendar_is_no_day_of_a_turn() -> None:
    staged = edited(world(), ILYA, "afadc77be30a/71, date: 2026-08-12", "afadc77be30a/71, date: 2026-02-31")
    check(citations, staged, [(ILYA, line_with(world(), ILYA, "afadc77be30a"), "citation-date")])
