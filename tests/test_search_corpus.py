"""A tree as passages: what of it is found, where, on which evidence, and who may see it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain import transcript
from brain.model import Audience, Origin, Role, Session, Source, Text, ToolCall, Trust, Turn
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
