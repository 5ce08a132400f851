"""`brain dream` and `brain log` from the outside: what is printed, and the exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import NOW, Result
from nights import session, store_of
from test_prune import SECRET

from brain.config import default_toml
from brain.files.locks import Lock

Call = Callable[..., Result]


def test_a_night_is_told_in_two_lines(fed: Path, call: Call) -> None:
    done = call("dream", "--brain", fed, "--now", NOW)
    first, second = done.out.splitlines()
    assert done.status == 0
    assert first.startswith("Dream 2026-11-29: 3 sessions, ")
    assert second.startswith("Report: dreams/2026-11-29T030000Z.md · commit ")


def test_a_second_night_has_nothing_to_do(fed: Path, call: Call) -> None:
    call("dream", "--brain", fed, "--now", NOW)
    done = call("dream", "--brain", fed, "--now", NOW)
    assert (done.status, done.out) == (0, "Nothing new to dream of.\n")


def test_a_dry_run_prints_the_report_and_changes_nothing(fed: Path, call: Call) -> None:
    done = call("dream", "--brain", fed, "--now", NOW, "--dry-run")
    assert done.status == 0
    assert "# Dream 2026-11-29" in done.out
    assert not (fed / "dreams").exists()
    assert json.loads(call("log", "--brain", fed, "--json").out) == {"nights": []}


def test_the_nights_are_listed(fed: Path, call: Call) -> None:
    assert "No dream has changed anything yet" in call("log", "--brain", fed).out
    commit = json.loads(call("dream", "--brain", fed, "--now", NOW, "--json").out)["commit"]
    (night,) = json.loads(call("log", "--brain", fed, "--json").out)["nights"]
    assert (night["commit"], night["dreamer"], night["time"]) == (commit, "extractive", NOW)
    assert night["subject"] in call("log", "--brain", fed, "--limit", "1").out


def test_another_dream_at_work_is_named(fed: Path, call: Call) -> None:
    with Lock(fed / ".brain" / "dream.lock", "the dream of last night", wait=0):
        done = call("dream", "--brain", fed, "--now", NOW)
    assert done.status == 3
    assert done.err.startswith("brain: No dream was started: the dream of last night")


@pytest.mark.parametrize(
    ("toml", "arguments", "message"),
    [
        ('mode = "off"', (), 'dream.mode is "off"'),
        ("", ("--dreamer", "nobody"), "there is no dreamer 'nobody'"),
        ('dreamer = "nobody"', (), "there is no dreamer 'nobody'"),
    ],
)
def test_what_cannot_be_asked_for_is_used_wrongly(
    fed: Path, call: Call, toml: str, arguments: tuple[str, ...], message: str
) -> None:
    text = default_toml("UTC", "Nadia").replace('dreamer = "extractive"', toml)
    (fed / "brain.toml").write_text(text, encoding="utf-8")
    done = call("dream", "--brain", fed, "--now", NOW, *arguments)
    assert done.status == 2
    assert done.err.startswith("brain: No dream was started: ")
    assert message in done.err


def test_a_rejected_dream_is_findings_and_says_where_it_is_kept(tmp_path: Path, call: Call) -> None:
    root = tmp_path / "brain"
    store_of(root, replace(session(words=("Hm.",)), title=SECRET)).close()
    done = call("dream", "--brain", root, "--now", NOW)
    assert done.status == 1
    assert "main is as it was" in done.out
    assert str(root / ".brain" / "rejected") in done.err
