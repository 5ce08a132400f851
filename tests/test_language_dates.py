"""Expressions of time: the tables in cases/dates_*.txt, and what must hold for any text."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.language.dates import annotate, resolve, show

ZONE = ZoneInfo("Europe/Copenhagen")
CASES = Path(__file__).parent / "cases"
_NOTE = re.compile(r" \(\d{4}(?:-\d\d){0,2}(?: (?:–|or) \d{4}(?:-\d\d){0,2})*\)")


def _cases(name: str) -> list[tuple[str, str]]:
    lines = (CASES / name).read_text("utf-8").splitlines()
    return [tuple(line.split(" | ", 1)) for line in lines if line and not line.startswith("#")]  # type: ignore[misc]


def _noon(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), time(12), ZONE)


@pytest.mark.parametrize(("day", "sentence"), _cases("dates_en.txt") + _cases("dates_ru.txt"))
def test_expression(day: str, sentence: str) -> None:
    assert annotate(_NOTE.sub("", sentence), _noon(day), ZONE) == sentence


def test_the_tables_are_as_long_as_promised() -> None:
    assert len(_cases("dates_en.txt")) >= 60
    assert len(_cases("dates_ru.txt")) >= 40


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("Last week the well ran dry.", "Last week (date unknown) the well ran dry."),
        ("Вчера был дождь.", "Вчера (date unknown) был дождь."),
        ("On 28 November we sing.", "On 28 November (date unknown) we sing."),
        ("On 28 November 2026 we sing.", "On 28 November 2026 we sing."),
    ],
)
def test_without_a_time_nothing_is_invented(said: str, sentence: str) -> None:
    assert annotate(said, None, ZONE) == sentence


def test_the_day_is_that_of_the_zone_of_the_memory() -> None:
    late = datetime.fromisoformat("2026-02-28T23:30:00+00:00")
    assert annotate("The mason comes tomorrow.", late, ZoneInfo("UTC")) == "The mason comes tomorrow (2026-03-01)."
    assert annotate("The mason comes tomorrow.", late, ZONE) == "The mason comes tomorrow (2026-03-02)."


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("Am 12. Mai haben wir geheiratet, und wir wohnen in Wien.", ["2026-05-12"]),
        ("Le 3 octobre nous partons pour Lyon avec les enfants.", ["2026-10-03"]),
        ("Ich habe 15 Äpfel gekauft und keine Birnen mehr.", []),
        ("El 4 de julio de 2025 llegamos a Sevilla con los niños.", ["2025-07-04"]),
    ],
)
def test_absolute_dates_of_other_languages(said: str, days: list[str]) -> None:
    assert [show(when) for when in resolve(said, _noon("2026-06-01"), ZONE)] == days


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["next", "last", "Friday", "in", "9999", "weeks", "ago", "31", "June", "через", "İ", "the"])
    ),
    st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(ZoneInfo("UTC"))),
)
def test_no_words_break_it_and_offsets_hold(parts: list[str], at: datetime) -> None:
    text = " ".join(parts)
    last = 0
    for when in resolve(text, at, ZoneInfo("UTC")):
        assert last <= when.start < when.end <= len(text)
        assert all(timedelta() <= b - a for a, b in when.days)
        last = when.end


def test_long_text_takes_linear_time() -> None:
    assert resolve("next Friday in a week " * 2000, _noon("2026-09-16"), ZONE)
