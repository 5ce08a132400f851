"""The report of a night is computed from what differs, and tells no statement's words."""

from __future__ import annotations

from dataclasses import replace

from nights import CHAT, CLOCK, ILYA, NOW, attached, everything, folder, opened, scope, source, stated, summarised

from brain.config import Settings
from brain.dream.apply import apply
from brain.dream.changes import compare, headline
from brain.dream.plan import Archive, Describe, Operation, Relate, Scope, Sentence, Skipped, Supersede
from brain.dream.report import Night, render, subject
from brain.model import Claim
from brain.tree import Tree, overlay
from brain.validators.documents import Kind

BASE = scope()


def staged(*operations: Operation, base: Scope = BASE) -> Tree:
    return overlay(base.tree, apply(operations, base).changes)


def report(*operations: Operation, base: Scope = BASE, skipped: tuple[Skipped, ...] = ()) -> str:
    applied = apply(operations, base)
    found = compare(base.tree, overlay(base.tree, applied.changes))
    return render(Night("2026-11-29T030000Z", "scripted", base, skipped), applied, found)


def told(*operations: Operation, base: Scope = BASE) -> str:
    return headline(compare(base.tree, staged(*operations, base=base)))


def only_claim(base: Scope) -> str:
    page = base.tree.page(ILYA)
    assert page is not None
    (claim,) = page.sections[0].claims
    assert claim.id
    return claim.id


SECOND = replace(BASE, tree=staged(opened(), stated(), attached()))
"""A brain in which a page and a note stand already."""


def test_a_headline_counts_what_differs() -> None:
    assert told() == "maps brought up to date"
    assert told(*everything()) == "1 session, 1 page opened, 2 claims, 1 note opened, 1 observation"
    by = Claim("Ilya has left.", date="2026-11-29")
    replaced = Supersede(ILYA, only_claim(SECOND), by, None, (source(3),), "news")
    assert told(replaced, base=SECOND) == "1 page changed, 1 claim, 1 superseded"
    ended = Supersede(ILYA, only_claim(SECOND), None, None, (), "over")
    assert told(ended, Archive(CLOCK, "done"), base=SECOND) == "1 page changed, 1 note changed, 1 ended, 1 archived"


def test_a_subject_carries_the_local_day_of_the_dream() -> None:
    abroad = replace(BASE, settings=Settings(timezone="America/Los_Angeles"))
    assert subject(Night("run", "scripted", abroad), ()) == "Dream 2026-11-28: maps brought up to date"
    assert subject(Night("run", "scripted", BASE), ()) == "Dream 2026-11-29: maps brought up to date"


def test_a_report_names_sessions_files_claims_and_reasons() -> None:
    text = report(*everything())
    assert text.startswith("---\nrun: 2026-11-29T030000Z\ndreamer: scripted\n---\n\n# Dream 2026-11-29\n")
    assert f"- `{folder()}` · t1–t5\n" in text
    assert f"## `{ILYA}`\n\n- opened · named again and again\n" in text
    claim = only_claim(replace(BASE, tree=staged(*everything())))
    assert f"- added ^{claim} · {source(1)} · a durable fact\n" in text
    assert f"## `{CLOCK}`" in text


def test_a_report_tells_no_statements_words() -> None:
    by = Claim("Ilya has left.")
    texts = [
        report(*everything()),
        report(Supersede(ILYA, only_claim(SECOND), by, None, (source(3),), "news"), base=SECOND),
        report(opened(), stated("Forbidden words.", "nowhere")),
    ]
    for words in ("Kestrel", "teeth", "has left", "Forbidden"):
        assert not any(words in text for text in texts)


def test_a_report_says_what_was_superseded_cited_again_and_described() -> None:
    old = only_claim(SECOND)
    again = stated("Nadia: “Ilya now works at Kestrel Audio.”", source(3), why="said once more")
    assert f"- ^{old} also rests on {source(3)} · said once more\n" in report(again, base=SECOND)
    fresh = Describe(ILYA, "Engineer.", (), "the old one was stale", ("I.B.",))
    text = report(fresh, base=SECOND)
    assert "- aliases changed · the old one was stale\n- summary changed · the old one was stale\n" in text
    text = report(Supersede(ILYA, old, Claim("Ilya has left."), None, (source(3),), "a new job"), base=SECOND)
    assert f"- ^{old} superseded by ^" in text
    assert " · a new job\n" in text
    assert f"- ^{old} ended · it is over\n" in report(Supersede(ILYA, old, None, None, (), "it is over"), base=SECOND)


def test_a_report_says_what_was_linked_and_archived() -> None:
    text = report(Relate(ILYA, "Tide clock", "he built it", "said so"), Archive(CLOCK, "finished"), base=SECOND)
    assert "- links to “Tide clock” · said so\n" in text
    assert "- status changed · finished\n" in text


def test_a_report_says_what_was_left_out_and_skipped() -> None:
    text = report(opened(), stated("Lost.", "nowhere"), skipped=(Skipped(folder(), "waits"),))
    assert f"## Left out\n\n- State in `{ILYA}` · its evidence nowhere is not in the tree\n" in text
    assert f"## Skipped\n\n- `{folder()}` · waits\n" in text


def test_a_session_that_was_not_marked_as_read_is_told_apart() -> None:
    assert f"- `{folder()}` · t1–t5 · not marked as read\n" in report(attached())


def test_a_reason_is_one_line_and_not_endless() -> None:
    text = report(attached(why="because\n\n## of\n" + "x" * 900))
    line = next(line for line in text.splitlines() if "because" in line)
    assert "## of" in line
    assert len(line) < 300


def test_an_unchanged_tree_has_no_changes() -> None:
    assert compare(BASE.tree, BASE.tree) == ()


def test_a_change_tells_added_from_moved() -> None:
    by = Claim("Ilya has left.")
    after = staged(Supersede(ILYA, only_claim(SECOND), by, "2026-11-29", (source(3),), "w"), base=SECOND)
    (change,) = compare(SECOND.tree, after)
    assert [said.claim.text for said, _ in change.added] == ["Ilya has left."]
    assert [said.claim.until for said in change.past] == ["2026-11-29"]
    assert (change.kind, change.is_new) == (Kind.PAGE, False)


def test_the_same_night_gives_the_same_report() -> None:
    assert report(*everything()) == report(*reversed(everything()), base=scope(now=NOW))


def test_a_summary_is_a_session_and_a_note_is_none() -> None:
    assert told(summarised()) == "1 session"
    assert told(attached("x", note=CHAT, title="Chat", domain="habits")) == "1 note opened, 1 observation"


def test_a_new_lead_is_named_as_such() -> None:
    text = report(Describe(ILYA, "", (Sentence("Ilya is an engineer.", (source(1),)),), "stale"), base=SECOND)
    assert f"- added a sentence of the lead · {source(1)} · stale\n" in text
