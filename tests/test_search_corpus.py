"""A tree as passages: what of it is found, where, on which evidence, and who may see it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import transcript
from brain.model import Audience, Origin, Role, Session, Source, Text, ToolCall, Trust, Turn
from brain.search import embed, table
from brain.search.corpus import TreeCorpus
from brain.search.passages import LONGEST, Kind, Passage, pieces
from brain.search.rank import Question, find
from brain.tree import Tree, tree_of

FOLDER = "memory/sessions/2026/11/29-7dbc1bfb"
TRANSCRIPT = f"{FOLDER}/transcript.md"
PAGE = "memory/knowledge/people/Ilya Brandt.md"
NOTE = "memory/notes/work/Sound.md"
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)

PAGE_TEXT = """---
title: Ilya Brandt
kind: person
aliases: [Ilyusha]
summary: "Sound engineer at Kestrel Audio."
created: 2026-08-12
updated: 2026-10-02
importance: 3
privacy: shared
status: active
citations:
  1: {source: "sessions/2026/11/29-7dbc1bfb#t1", quote: 9f3a1c22b4d0/10, date: 2026-11-29, origin: user}
  2: {source: "sessions/2026/11/29-7dbc1bfb#t2.r1", quote: 9f3a1c22b4d0/10, date: 2026-11-29, origin: tool}
---

# Ilya Brandt

Ilya is a sound engineer. [cite:1]

## Facts

- 2026-09-14 · Kestrel Audio builds his microphones. [cite:1] [cite:2] ^k3f9

## Related

- [[Kestrel Audio]] · where he works
"""

NOTE_TEXT = """---
title: Sound
domain: work
privacy: private
citations:
  1: {source: "sessions/2026/11/29-7dbc1bfb#t1", quote: 9f3a1c22b4d0/10, date: 2026-11-29, origin: user}
---

- 2026-11-20 · preference · 0.95 · Nadia prefers ribbon microphones. [cite:1] ^a1b2
"""


def session(audience: Audience = Audience.TRUSTED) -> Session:
    page = ToolCall("WebFetch", "{}", "Kestrel Audio was founded in 1998.")
    turns = (
        Turn(1, Role.USER, NOON, (Text("Ilya works at Kestrel Audio."),), speaker="Nadia"),
        Turn(2, Role.ASSISTANT, None, (Text("I looked it up."), page), Origin.ASSISTANT, Trust.THIRD),
        Turn(3, Role.ASSISTANT, NOON, (Text("From memory: Ilya is a plumber."),), Origin.ASSISTANT, derived=True),
        Turn(4, Role.USER, NOON, (ToolCall("Bash", "ls", "a hidden message", trust=Trust.HIDDEN),)),
    )
    source = Source("claude-code", "x.jsonl", "0" * 64)
    return Session("7dbc1bfb-9331-4e22-a691-c75fe9779cf6", "claude-code", source, turns, audience=audience)


def tree(audience: Audience = Audience.TRUSTED) -> Tree:
    text = transcript.render(session(audience))
    return tree_of({TRANSCRIPT: text, PAGE: PAGE_TEXT, NOTE: NOTE_TEXT, "memory/index.md": "Ilya", "DREAM.md": "Ilya"})


def test_transcripts_summaries_notes_and_pages_are_searched_and_nothing_generated() -> None:
    assert set(TreeCorpus(tree()).blobs) == {TRANSCRIPT, PAGE, NOTE}


def test_turns_stand_on_themselves_and_results_come_after_them() -> None:
    found = TreeCorpus(tree()).passages(TRANSCRIPT)
    assert [(p.anchor, p.kind, p.origin, p.evidence) for p in found] == [
        ("t1", Kind.TURN, Origin.USER, ("sessions/2026/11/29-7dbc1bfb#t1",)),
        ("t2", Kind.TURN, Origin.ASSISTANT, ("sessions/2026/11/29-7dbc1bfb#t2",)),
        ("t2.r1", Kind.RESULT, Origin.TOOL, ("sessions/2026/11/29-7dbc1bfb#t2.r1",)),
    ]
    assert found[0].searched == "Nadia: Ilya works at Kestrel Audio."
    assert (found[0].time, found[1].time) == ("2026-11-29T12:00:00+00:00", None)


def test_a_claim_carries_its_evidence_and_the_least_trusted_origin() -> None:
    whole, lead, claim = TreeCorpus(tree()).passages(PAGE)
    assert (whole.anchor, whole.kind) == ("", Kind.PAGE)
    assert "Ilyusha" in whole.text and whole.evidence == ("sessions/2026/11/29-7dbc1bfb#t1",)
    assert (lead.text, lead.anchor[0], lead.origin) == ("Ilya is a sound engineer.", "L", Origin.USER)
    assert (claim.anchor, claim.kind, claim.time, claim.origin) == ("^k3f9", Kind.CLAIM, "2026-09-14", Origin.TOOL)
    assert claim.evidence == ("sessions/2026/11/29-7dbc1bfb#t1", "sessions/2026/11/29-7dbc1bfb#t2.r1")
    assert claim.searched.startswith("Ilya Brandt: ")


def test_an_observation_is_its_statement() -> None:
    (found,) = TreeCorpus(tree()).passages(NOTE)
    assert (found.text, found.anchor, found.kind) == ("Nadia prefers ribbon microphones.", "^a1b2", Kind.OBSERVATION)


@pytest.mark.parametrize(("audience", "paths"), [(Audience.TRUSTED, {PAGE}), (Audience.PUBLIC, {PAGE, TRANSCRIPT})])
def test_others_see_shared_pages_and_public_sessions(audience: Audience, paths: set[str], tmp_path: Path) -> None:
    question = Question("Who is Ilya at Kestrel, and what microphones?", audience=Audience.PUBLIC)
    found = find(tmp_path, TreeCorpus(tree(audience)), question)
    assert {hit.path for hit in found.hits} == paths
    assert any("Private files" in note for note in found.notes)


@given(st.text(alphabet=st.sampled_from("ab .\n漢。"), min_size=1, max_size=6000))
def test_pieces_are_short_and_lose_only_space(text: str) -> None:
    found = list(pieces(Passage("t1", Kind.TURN, text, "Nadia")))
    assert all(0 < len(piece.text) <= LONGEST and piece.context == "Nadia" for piece in found) or len(text) <= LONGEST
    assert "".join("".join(piece.text.split()) for piece in found) == "".join(text.split())


CHANGED = """---
title: Nadia on answers
kind: preference
created: 2026-08-01
updated: 2026-09-16
importance: 3
privacy: shared
status: active
citations:
  1: {source: "sessions/2026/08/01-00000001#t1", quote: 9f3a1c22b4d0/10, date: 2026-08-01, origin: user}
  2: {source: "sessions/2026/09/16-00000002#t1", quote: 9f3a1c22b4d0/10, date: 2026-09-16, origin: user}
---

# Nadia on answers

## Facts

- 2026-09-16 · Nadia: “I have changed my mind, full explanations please.” [cite:2] ^new1

## History

- 2026-08-01 – 2026-08-20 · Nadia: “I prefer short answers in one sentence.” [cite:1] ^old1 · superseded by ^old2
- 2026-08-20 – 2026-09-16 · Nadia: “I prefer short answers of three sentences.” [cite:1] ^old2 · superseded by ^new1
- ? – ? · Nadia: “I prefer tea.” [cite:2] ^old3 · ended
"""
PREFERENCE = "memory/knowledge/preferences/Nadia on answers.md"


def test_of_a_text_of_megabytes_beginning_and_end_are_searched() -> None:
    lines = "\n".join(f"line {n} of a log that somebody pasted" for n in range(200_000))
    found = list(pieces(Passage("t1", Kind.TURN, f"First words.\n{lines}\nLast words.")))
    assert len(found) < 100
    assert found[0].text.startswith("First words.")
    assert found[-1].text.endswith("Last words.")


def test_what_no_longer_holds_is_marked_and_stands_behind_what_took_its_place(tmp_path: Path) -> None:
    corpus = TreeCorpus(tree_of({PREFERENCE: CHANGED}))
    for text in ("short answers in one sentence", "I prefer short answers", "answers"):
        hits = [hit for hit in find(tmp_path, corpus, Question(text), "use").hits if hit.kind is Kind.CLAIM]
        assert [hit.anchor for hit in hits][:3] == ["^new1", "^old2", "^old1"], text
        assert [(hit.past, hit.until) for hit in hits][:2] == [(False, None), (True, "2026-09-16")]
    (ended,) = find(tmp_path, corpus, Question("tea"), "use").hits
    assert (ended.past, ended.until) == (True, None)


@pytest.mark.parametrize("words", ["I prefer short answers of three sentences.", "The ferry was late."])
def test_the_turn_that_said_it_stands_behind_it_too(words: str, tmp_path: Path) -> None:
    folder = "memory/sessions/2026/08/01-00000001"
    turns = (Turn(1, Role.USER, NOON, (Text(f"{words} And short ones, short answers."),), speaker="Nadia"),)
    source = Source("claude-code", "x.jsonl", "0" * 64)
    said = Session("00000001-0000-0000-0000-000000000000", "claude-code", source, turns)
    corpus = TreeCorpus(tree_of({PREFERENCE: CHANGED, f"{folder}/transcript.md": transcript.render(said)}))
    rows = table.current(tmp_path, corpus, None).rows
    old2, turn = (list(map(tuple, zip(rows.files, rows.parts, strict=True))).index(place) for place in ((0, 3), (1, 0)))
    # A turn that only stands beside what was replaced said something else.
    assert rows.heirs[turn] == (rows.heirs[old2] if words.startswith("I prefer") else -1)
    hits = [hit.anchor for hit in find(tmp_path, corpus, Question("short answers"), embed.NONE).hits]
    assert hits.index("^new1") < hits.index("t1")


def test_what_says_the_same_on_the_same_evidence_is_one_hit(tmp_path: Path) -> None:
    texts = {PAGE: PAGE_TEXT, "memory/notes/work/Ilya.md": NOTE_TEXT.replace("privacy: private\n", "")}
    note = texts["memory/notes/work/Ilya.md"].replace("Nadia prefers ribbon microphones.", "Ilya is a sound engineer.")
    texts["memory/notes/work/Ilya.md"] = note
    hits = find(tmp_path, TreeCorpus(tree_of(texts)), Question("a sound engineer"), "hashing").hits
    lead, *_ = [hit for hit in hits if hit.text == "Ilya is a sound engineer."]
    assert [hit.text for hit in hits].count(lead.text) == 1
    assert len(lead.also) == 1 and lead.place not in lead.also
