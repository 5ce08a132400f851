"""What a question asks for: days, intents, subjects, projects; and what a hit tells of how it was found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from conftest import Result

from brain import layout, transcript
from brain.eval.datasets.talk import Said, session, session_id
from brain.model import Audience
from brain.search import Hit, Question, find
from brain.search.asking import Intent, asking
from brain.search.corpus import TreeCorpus
from brain.tree import Tree, tree_of

NOW = datetime(2026, 12, 1, 9, tzinfo=UTC)
DAYS = ("2026-11-02", "2026-11-12", "2026-11-24", "2026-11-27")
SAID = (
    "The ferry to the island was cancelled and everybody slept in the harbour office.",
    "Tove repaired the tide clock with a spring from an old lamp.",
    "We painted the boat house green and had soup afterwards.",
    "The lighthouse keeper retired, there was a long speech about fog.",
)
PAGE = """---
title: Tide clock
kind: tool
aliases: [the clock]
summary: A clock that Tove repaired.
created: 2026-11-12
updated: 2026-11-12
importance: 3
privacy: {privacy}
status: active
citations:
  1: {{source: "{source}", quote: 000000000000/10, date: 2026-11-12, origin: user}}
---

# Tide clock

It was mended with a spring. [cite:1]

## Facts

- 2026-11-12 · A spring of an old lamp drives it. [cite:1] ^k3f9
"""


def tree(privacy: str = "shared", audience: Audience = Audience.TRUSTED) -> Tree:
    files: dict[str, str | bytes] = {}
    for day, words in zip(DAYS, SAID, strict=True):
        start = datetime.fromisoformat(f"{day}T10:00:00+00:00")
        made = session(session_id("asking", day), "test", "x", [Said(words, is_user=True)], start)
        folder = layout.session_folder(made.id, start.date())
        files[layout.transcript_path(folder)] = transcript.render(made).replace(
            "audience: trusted", f"audience: {audience}"
        )
        if day == DAYS[1]:
            files[f"{layout.KNOWLEDGE}/tools/Tide clock.md"] = PAGE.format(
                privacy=privacy, source=layout.source_of(folder, 1)
            )
    return tree_of(files)


def hits(home: Path, text: str, **asked: object) -> tuple[Hit, ...]:
    given = {"now": NOW, **asked}
    return find(home, TreeCorpus(tree()), Question(text, 10, **given)).hits  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "intent", "now", "days"),
    [
        ("which port does production use", Intent.WHAT, False, None),
        ("when did Tove repair it", Intent.WHEN, False, None),
        ("who repaired it", Intent.WHO, False, None),
        ("how do I wind it", Intent.HOW, False, None),
        ("what does Tove prefer", Intent.PREFERS, False, None),
        ("what is the current port", Intent.WHAT, True, None),
        ("what happened last week", Intent.WHAT, False, (date(2026, 11, 23), date(2026, 11, 29))),
        ("что было на прошлой неделе", Intent.WHAT, False, (date(2026, 11, 23), date(2026, 11, 29))),
        ("what happened around 27 November", Intent.WHAT, False, (date(2026, 11, 27), date(2026, 11, 27))),
        ("что любит Това", Intent.PREFERS, False, None),
    ],
)
def test_a_question_is_understood(text: str, intent: Intent, now: bool, days: tuple[date, date] | None) -> None:
    found = asking(text, NOW)
    assert (found.intent, found.now, found.days) == (intent, now, days)


def test_without_a_clock_whole_dates_alone_are_understood() -> None:
    assert asking("what happened last week", None).days is None
    assert asking("what happened on 2026-11-27", None).days == (date(2026, 11, 27), date(2026, 11, 27))


def test_what_happened_on_a_day_is_what_was_said_then(tmp_path: Path) -> None:
    found = hits(tmp_path, "what happened around 27 November")
    assert found[0].text == SAID[3]
    assert {hit.text for hit in found if hit.kind == "turn"} == {SAID[3]}
    assert hits(tmp_path, "what happened last week")[0].text in (SAID[2], SAID[3])


def test_days_beside_words_lift_and_hide_nothing(tmp_path: Path) -> None:
    found = hits(tmp_path, "the boat house last week")
    assert found[0].text == SAID[2]
    assert any(hit.text == SAID[1] for hit in hits(tmp_path, "tide clock last week"))


def test_a_turn_tells_who_cites_it_and_a_hit_how_it_was_found(tmp_path: Path) -> None:
    turn = next(hit for hit in hits(tmp_path, "spring from an old lamp") if hit.kind == "turn")
    assert turn.cited_by == ("memory/knowledge/tools/Tide clock.md",)
    assert turn.voices["words"] > 0
    product = sum(turn.voices.values())
    for factor in turn.factors.values():
        product *= factor
    assert turn.score == pytest.approx(product, rel=0.01)


def test_what_is_asked_about_a_subject_stays_with_it(tmp_path: Path) -> None:
    found = hits(tmp_path, "green soup speech spring", about=("Tide clock", "the clock"))
    assert found and {hit.text for hit in found if hit.kind == "turn"} == {SAID[1]}
    assert hits(tmp_path, "green soup", about=("Nobody",)) == ()


def test_others_are_not_told_of_private_pages_that_cite_a_turn(tmp_path: Path) -> None:
    corpus = TreeCorpus(tree("private", Audience.PUBLIC))
    found = find(tmp_path, corpus, Question("spring from an old lamp", audience=Audience.PUBLIC)).hits
    assert [hit.text for hit in found] == [SAID[1]]
    assert found[0].cited_by == () and "graph" not in found[0].voices


def test_others_are_not_told_of_private_sessions_that_a_page_stands_on(tmp_path: Path) -> None:
    corpus = TreeCorpus(tree("shared", Audience.TRUSTED))
    found = find(tmp_path, corpus, Question("spring of an old lamp", audience=Audience.PUBLIC)).hits
    assert found and all(hit.kind in ("claim", "page") for hit in found)
    assert all(hit.evidence == () for hit in found)
    assert find(tmp_path, corpus, Question("spring of an old lamp")).hits[0].evidence


def test_what_is_old_is_not_hidden(tmp_path: Path) -> None:
    late = datetime(2030, 1, 1, tzinfo=UTC)
    files = {path: tree().text(path) for path in tree().paths}
    made = session(session_id("late"), "test", "x", [Said("Nothing of note today.", is_user=True)], late)
    files[layout.transcript_path(layout.session_folder(made.id, (late + timedelta(0)).date()))] = transcript.render(
        made
    )
    found = find(tmp_path, TreeCorpus(tree_of(files)), Question("lighthouse keeper fog speech")).hits
    assert found[0].text == SAID[3] and found[0].factors["age"] < 1


def test_the_command_explains_and_narrows(call: Callable[..., Result], tmp_path: Path) -> None:
    brain = tmp_path / "brain"
    assert call("init", str(brain)).status == 0
    talk = tmp_path / "talk.json"
    talk.write_text('[{"role": "user", "content": "The tide clock is by the door."}]', encoding="utf-8")
    assert call("ingest", str(talk), "--brain", str(brain)).status == 0
    told = call("recall", "tide clock", "--explain", "--brain", str(brain))
    assert told.status == 0 and "score: (" in told.out
    nowhere = call("recall", "tide clock", "--project", "nowhere", "--brain", str(brain))
    assert nowhere.status == 2 and "nothing was searched" in nowhere.err
    about = call("recall", "door", "--about", "tide clock", "--brain", str(brain))
    assert "by the door" in about.out
