"""What rules see of pages, notes and summaries, and where they say that it stands."""

from __future__ import annotations

import pytest
from trees import AUGUST, CLOCK, ILYA, KESTREL, SEPTEMBER, edited, line_with, tree, world

from brain.model import ObservationType, PageKind
from brain.validators.documents import Kind, document, documents, is_document, is_own_file, line_of, session_of


def test_a_page() -> None:
    found = document(tree(world()), ILYA)
    assert (found.kind, found.page_kind, found.aliases) == (Kind.PAGE, PageKind.PERSON, ("Ilya",))
    assert [said.claim.id for said in found.said] == [None, "p5q6", "k3f9", "a81c"]
    assert [said.is_past for said in found.said] == [False, False, False, True]
    assert found.said[3].superseded_by == "k3f9"
    assert found.evidence(found.said[1]) == {"sessions/2026/08/12-5b0c1d2e#t3"}


def test_a_note_says_its_observations_without_type_and_confidence() -> None:
    found = document(tree(world()), CLOCK)
    assert (found.kind, found.page_kind) == (Kind.NOTE, None)
    assert [said.type for said in found.said] == [ObservationType.DECISION, ObservationType.EVENT]
    assert found.said[0].claim.text == "Nadia: “The gear has 48 teeth from now on.”"
    assert found.said[1].ended and found.said[1].is_past


def test_a_summary() -> None:
    found = document(tree(world()), f"{AUGUST}/summary.md")
    assert (found.kind, found.sections) == (Kind.SUMMARY, ())
    assert [said.claim.text for said in found.said] == ["Ilya works at Lumen Lab."]


def test_related_says_nothing() -> None:
    assert "across the water" not in " ".join(said.claim.text for said in document(tree(world()), KESTREL).said)


def test_a_number_without_an_entry_has_no_evidence() -> None:
    found = document(tree(edited(world(), ILYA, "[cite:3] ^p5q6", "[cite:9] ^p5q6")), ILYA)
    assert found.evidence(found.said[1]) == frozenset()


def test_documents_come_in_the_order_asked_for_and_only_what_is_there() -> None:
    asked = [KESTREL, "memory/knowledge/people/Nobody.md", f"{AUGUST}/transcript.md", ILYA]
    assert [found.path for found in documents(tree(world()), asked)] == [KESTREL, ILYA]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("title",), "title:"),
        (("citations",), "citations:"),
        (("citations", "2"), "  2: {"),
        (("citations", "2", "quote"), "  2: {"),
        (("citations", "9"), "citations:"),
    ],
)
def test_lines_of_keys(keys: tuple[str, ...], text: str) -> None:
    files = world()
    assert line_of(document(tree(files), ILYA).front, *keys) == line_with(files, ILYA, text)


def test_a_key_that_is_not_there_is_at_the_first_line() -> None:
    assert line_of(document(tree(world()), ILYA).front, "colour") == 1


def test_sessions_and_documents_by_their_paths() -> None:
    assert session_of(f"{SEPTEMBER}/attachments/t4-r1.txt") == session_of(f"{SEPTEMBER}/summary.md") == SEPTEMBER
    given = [ILYA, CLOCK, f"{AUGUST}/summary.md", f"{AUGUST}/transcript.md", "memory/index.md", "DREAM.md"]
    assert [is_document(path) for path in given] == [True, True, True, False, False, False]


@pytest.mark.parametrize(
    ("source", "own"),
    [
        ("notes/x/y.md", True),
        ("memory/knowledge/index.md", True),
        ("sessions/2026/08/12-5b0c1d2e/summary.md", True),
        ("sessions/2026/08/12-5b0c1d2e#t1", False),
        ("sessions/undated/5f7908e5#t1.r2", False),
        ("https://notes.example/x", False),
    ],
)
def test_what_a_memory_wrote_itself(source: str, own: bool) -> None:
    assert is_own_file(source) is own
