from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from brain.deletions import HEADER, Deletion, append, parse, render
from brain.evidence import fingerprint

ENTRY = Deletion(datetime(2026, 11, 29, 10, tzinfo=UTC), fingerprint("my number is 12"), "claim", "asked to · forget")


def test_the_form_of_an_entry() -> None:
    assert render(ENTRY) == f"- 2026-11-29T10:00:00Z · {ENTRY.fingerprint} · claim · asked to · forget"


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=3)), timezone(timedelta(hours=-9, minutes=-30))])
def test_entries_are_read_back_in_order(zone: timezone) -> None:
    entries = [
        Deletion(datetime(2026, 11, day, 10, 0, 1, tzinfo=zone), f"{day:016x}", "claim", "почему") for day in (3, 2, 1)
    ]
    text = ""
    for entry in entries:
        text = append(text, entry)
    parsed = parse(text)
    assert parsed.deletions == tuple(entries)
    assert parsed.problems == ()
    assert text.startswith(HEADER)


def test_what_a_person_wrote_between_stays() -> None:
    text = "# Mine\n\nNot an entry.\n\n- 2026-11-29T10:00:00Z · 0123456789abcdef · claim · why"
    grown = append(text, ENTRY)
    assert grown == f"{text}\n{render(ENTRY)}\n"
    assert len(parse(grown).deletions) == 2


def test_a_why_stays_on_its_line() -> None:
    (entry,) = parse(append("", Deletion(ENTRY.at, ENTRY.fingerprint, "page", "two\nlines"))).deletions
    assert entry.why == "two lines"


@pytest.mark.parametrize(
    "line",
    [
        "- forget this",
        "- 2026-13-40T10:00:00Z · 0123456789abcdef · claim · why",
        "- 2026-11-29T10:00:00Z · xyz · claim · why",
    ],
)
def test_an_item_that_is_no_entry_is_a_problem(line: str) -> None:
    parsed = parse(f"# Deletions\n\n{line}\n{render(ENTRY)}\n")
    assert [problem.line for problem in parsed.problems] == [3]
    assert parsed.deletions == (ENTRY,)
