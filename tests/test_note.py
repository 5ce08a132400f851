from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import note as notes
from brain.model import Citation, Observation, ObservationType, Origin, Privacy, Status
from brain.text.claims import one_line
from brain.text.record import NoSuchClaim, NotPlaced

PROFILE = settings(derandomize=True, max_examples=100, deadline=None)
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
    "fact · 0.50 · ",
    " · ended",
    "[[x]]",
]
TEXTS = (
    st.lists(st.sampled_from([*PIECES, "\n", "`", "<!--", "|"]), min_size=1, max_size=6)
    .map("".join)
    .map(one_line)
    .filter(bool)
)
DAYS = st.none() | st.just("2026-11-20")
OBSERVATIONS = st.builds(
    Observation,
    TEXTS,
    st.sampled_from(ObservationType),
    st.integers(0, 100).map(lambda percent: percent / 100),
    DAYS,
    st.none(),
    st.lists(st.integers(1, 9), unique=True, max_size=3).map(tuple),
)
CITATION = Citation("sessions/2026/11/29-1f2e3d4c#t12", "9f3a1c22b4d0/412", "2026-11-29", Origin.USER)
SHORT = Observation(
    "Nadia: “I prefer short answers in chat.”", ObservationType.PREFERENCE, 0.95, "2026-11-20", None, (1,)
)


def one_note() -> notes.Note:
    note, number = notes.cite(
        notes.new_note("Chat style", "habits", created="2026-11-20", summary="How to answer."), CITATION
    )
    assert number == 1
    return notes.add(note, SHORT)


def test_the_form_on_disk() -> None:
    note = one_note()
    (said,) = note.observations
    assert notes.render(note) == (
        "---\ntitle: Chat style\ndomain: habits\naliases: []\nsummary: How to answer.\ncreated: 2026-11-20\n"
        "importance: 3\nprivacy: shared\nstatus: active\ncitations:\n"
        '  1: {source: "sessions/2026/11/29-1f2e3d4c#t12", quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}\n'
        "---\n\n# Chat style\n\n"
        f"- 2026-11-20 · preference · 0.95 · Nadia: “I prefer short answers in chat.” [cite:1] ^{said.id}\n"
    )
    assert (note.title, note.domain, note.created, note.privacy) == (
        "Chat style",
        "habits",
        "2026-11-20",
        Privacy.SHARED,
    )
    assert note.problems == ()


@PROFILE
@given(st.lists(OBSERVATIONS, max_size=4))
def test_observations_are_read_back_as_they_were_added(said: list[Observation]) -> None:
    note = notes.new_note("T", "d")
    for one in said:
        note = notes.add(note, one)
    assert [replace(one, id=None, line=0) for one in note.observations] == said
    assert note.others == ()
    ids = [one.id for one in note.observations]
    assert len(set(ids)) == len(ids)
    assert notes.parse(notes.render(note)) == note
    lines = notes.render(note).split("\n")
    assert all(lines[one.line - 1].endswith(f" ^{one.id}") for one in note.observations)
    assert notes.add_all(notes.new_note("T", "d"), said) == note


def test_what_no_longer_holds_goes_to_history() -> None:
    note = notes.add(one_note(), replace(SHORT, text="Nadia: “Long answers are fine.”", date="2026-12-01"))
    old, new = note.observations
    assert old.id is not None
    after = notes.supersede(note, old.id, new.id, "2026-12-01")
    assert after.observations == (replace(new, line=new.line - 1),)
    (past,) = after.history
    assert past.observation == replace(old, until="2026-12-01", line=past.observation.line)
    assert (past.superseded_by, past.ended) == (new.id, False)
    assert (
        f"- 2026-11-20 – 2026-12-01 · preference · 0.95 · {old.text} [cite:1] ^{old.id} · superseded by ^{new.id}\n"
        in notes.render(after)
    )
    ended = notes.supersede(note, old.id, None, None).history[0]
    assert (ended.observation.until, ended.superseded_by, ended.ended) == (None, None, True)


def test_removing_an_observation_takes_its_citation() -> None:
    note = one_note()
    said = note.observations[0]
    for which in (said.id, said.line):
        assert which is not None
        after = notes.remove(note, which)
        assert (after.observations, dict(after.citations)) == ((), {})
    twice = notes.add(note, replace(SHORT, text="Another thing."))
    assert dict(notes.remove(twice, twice.observations[0].line).citations) == {1: CITATION}
    with pytest.raises(NoSuchClaim, match=r"no claim \^zzzz"):
        notes.remove(note, "zzzz")


def test_what_a_person_wrote_is_said_too_and_stays() -> None:
    text = (
        notes.render(one_note())
        + "- remember the quiet hours\n\n## Mine\n\nA word of my own. And more.\n\n```\n- no item\n```\n"
    )
    note = notes.parse(text)
    assert [(claim.text, claim.cites, claim.section) for claim in note.others] == [
        ("remember the quiet hours", (), ""),
        ("A word of my own.", (), "Mine"),
        ("And more.", (), "Mine"),
    ]
    assert [claim.text for claim in notes.claims(note)] == [SHORT.text, *(claim.text for claim in note.others)]
    added = notes.add(note, replace(SHORT, text="New."))
    (line,) = [line for line in notes.render(added).splitlines(keepends=True) if "New." in line]
    assert notes.render(added).replace(line, "") == text
    assert notes.render(added).index(line) < notes.render(added).index("## Mine")


def test_more_evidence_for_what_was_said() -> None:
    note, number = notes.cite(one_note(), replace(CITATION, source="sessions/2026/11/30-1f2e3d4c#t1"))
    said = note.observations[0]
    assert said.id is not None
    after = notes.support(note, {said.id: (1, number)})
    assert after.observations == (replace(said, cites=(1, number)),)
    assert notes.cite(after, CITATION) == (after, 1)


def test_fields_change_their_own_lines() -> None:
    note = one_note()
    after = notes.archive(notes.edit(note, updated="2026-12-01", importance=5, aliases=["style"], title="Chat: style"))
    assert (after.status, after.updated, after.importance, after.aliases) == (
        Status.ARCHIVED,
        "2026-12-01",
        5,
        ("style",),
    )
    assert after.title == "Chat: style"
    before, now = notes.render(note).split("\n"), notes.render(after).split("\n")
    assert [line for line in now if line not in before] == [
        'title: "Chat: style"',
        "aliases: [style]",
        "importance: 5",
        "status: archived",
        "updated: 2026-12-01",
    ]


def test_an_unclosed_code_block_takes_nothing() -> None:
    note = notes.parse("---\ntitle: x\n---\n```\ncode\n")
    with pytest.raises(NotPlaced, match="Nothing was added"):
        notes.add(note, SHORT)


@PROFILE
@given(st.text(st.sampled_from("ab-·? 01^[]:cite\n#`|>"), max_size=80))
def test_reading_is_total(words: str) -> None:
    for text in (words, f"---\ntitle: x\n---\n- {words}"):
        note = notes.parse(text)
        assert notes.render(note) == text
        assert len(notes.claims(note)) == len(note.observations) + len(note.history) + len(note.others)
