"""A plan over a tree: what each operation makes of a file, what is dropped, and that twice is once."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nights import (
    CHAT,
    CLOCK,
    DAY,
    ILYA,
    START,
    WORDS,
    attached,
    everything,
    folder,
    opened,
    scope,
    session,
    source,
    stated,
    summarised,
    tree,
)

from brain import layout, note, page
from brain.dream.apply import Applied, apply
from brain.dream.plan import Archive, Describe, Operation, Relate, Scope, Sentence, Supersede
from brain.evidence import fingerprint, quote
from brain.model import (
    Citation,
    Claim,
    Observation,
    ObservationType,
    Origin,
    PageKind,
    Privacy,
    Status,
    ToolCall,
    Trust,
)
from brain.tree import Tree, overlay
from brain.validators import gate
from brain.validators.pair import Command, Pair

BASE = scope()


def over(applied: Applied, base: Scope = BASE) -> Tree:
    return overlay(base.tree, applied.changes)


def after(*operations: Operation, base: Scope = BASE) -> Scope:
    """The scope over the tree that operations make, none of which may have been dropped."""
    applied = apply(operations, base)
    assert applied.dropped == ()
    return replace(base, tree=over(applied, base))


def page_at(found: Scope, path: str = ILYA) -> page.Page:
    there = found.tree.page(path)
    assert there is not None
    return there


def note_at(found: Scope, path: str = CLOCK) -> note.Note:
    there = found.tree.note(path)
    assert there is not None
    return there


def facts(found: Scope, path: str = ILYA) -> list[str]:
    return [claim.text for part in page_at(found, path).sections for claim in part.claims]


def why(*operations: Operation, base: Scope = BASE) -> str:
    """The reason for which the last of the operations is dropped."""
    dropped = apply(operations, base).dropped
    assert [one.operation for one in dropped] == [operations[-1]]
    return dropped[0].why


# --- new files --------------------------------------------------------------------


def test_a_page_is_opened_with_its_evidence_looked_up() -> None:
    made = page_at(after(opened(), stated()))
    assert (made.title, made.kind, made.aliases) == ("Ilya Brandt", PageKind.PERSON, ("Ilya",))
    assert made.citations == {1: Citation(source(1), quote(WORDS[0]), "2026-11-28", Origin.USER)}
    assert [(claim.text, claim.cites) for claim in made.lead] == [("Ilya Brandt works with sound.", (1,))]
    assert facts(after(opened(), stated())) == ["Nadia: “Ilya now works at Kestrel Audio.”"]
    assert (made.created, made.updated) == ("2026-11-28", "2026-11-28")


def test_a_note_is_opened_by_its_first_observation() -> None:
    made = note_at(after(attached()))
    (said,) = made.observations
    assert (said.text, said.type, said.confidence) == ("Nadia: “The tide clock has 48 teeth.”", "fact", 0.9)
    assert made.domain == "work"
    assert made.summary == "Nadia: “The tide clock has 48 teeth.”"


def test_a_summary_marks_the_session_as_read() -> None:
    found = after(summarised())
    (made,) = found.tree.summaries().values()
    assert (made.session, made.dreamt_turn, made.dreamt_chars) == (folder().removeprefix("memory/"), 5, len(WORDS[4]))
    assert made.sentences == (("Ilya now works at Kestrel Audio.", (1,)),)


def test_a_night_passes_the_gate() -> None:
    pair = Pair(BASE.tree, after(*everything()).tree, Command.DREAM)
    assert gate.validate(pair) == ()


def test_the_line_of_a_summary_is_cut_to_what_a_map_can_hold() -> None:
    (made,) = after(summarised(line="long " * 60)).tree.summaries().values()
    assert len(made.line) == 160
    assert made.line.endswith("…")


def test_a_day_is_the_local_day_of_the_turn() -> None:
    base = replace(BASE, settings=replace(BASE.settings, timezone="Pacific/Auckland"))
    assert page_at(after(opened(), base=base)).citations[1].date == "2026-11-28"
    base = replace(BASE, settings=replace(BASE.settings, timezone="Pacific/Kiritimati"))
    assert page_at(after(opened(), base=base)).citations[1].date == "2026-11-29"


def test_a_tool_result_is_cited_as_what_a_tool_said() -> None:
    call = ToolCall("WebFetch", "{}", "High water is at 06:12.")
    one = session()
    turns = list(one.turns)
    turns[1] = replace(turns[1], blocks=(*turns[1].blocks, call))
    base = scope(tree(replace(one, turns=tuple(turns))))
    made = page_at(after(opened(lead=(Sentence("High water is at 06:12.", (source(2) + ".r1",)),)), base=base))
    assert made.citations[1] == Citation(source(2) + ".r1", quote("High water is at 06:12."), "2026-11-28", Origin.TOOL)


# --- saying it again --------------------------------------------------------------


def test_the_same_words_again_only_bring_their_evidence() -> None:
    found = after(opened(), stated("Nadia: “Ilya now works at Kestrel Audio.”"))
    again = after(stated("nadia: Ilya now works at KESTREL AUDIO", source(3)), base=found)
    (claim,) = page_at(again).sections[0].claims
    assert claim.text == "Nadia: “Ilya now works at Kestrel Audio.”"
    assert [page_at(again).citations[n].source for n in claim.cites] == [source(1), source(3)]


def test_a_repeated_observation_is_one_line_with_more_evidence() -> None:
    made = note_at(after(attached(), attached("Nadia: “The tide clock has 48 teeth.”", source(1), date="2026-11-29")))
    (said,) = made.observations
    assert (said.date, len(said.cites)) == ("2026-11-28", 2)


def test_a_different_number_is_another_statement() -> None:
    made = note_at(after(attached("The tide clock has 48 teeth."), attached("The tide clock has 84 teeth.")))
    assert len(made.observations) == 2


def test_the_same_event_on_another_day_is_another_event() -> None:
    first = attached("Nadia ran to the pier.", type=ObservationType.EVENT)
    second = attached("Nadia ran to the pier.", type=ObservationType.EVENT, date="2026-11-27")
    assert len(note_at(after(first, second)).observations) == 2
    assert len(note_at(after(first, first)).observations) == 1


def test_what_a_person_wrote_by_hand_gets_evidence_and_a_name() -> None:
    found = after(opened(), stated())
    text = page.render(page_at(found)) + "- Ilya plays the cello.\n"
    base = replace(found, tree=overlay(found.tree, {ILYA: text.encode()}))
    again = after(stated("Ilya plays the cello.", source(3)), base=base)
    claim = page_at(again).sections[0].claims[-1]
    assert claim.cites
    assert claim.id
    assert facts(again).count("Ilya plays the cello.") == 1


def test_a_sentence_of_a_lead_does_not_stand_for_a_claim() -> None:
    found = after(opened(lead=(Sentence("Ilya is kind.", (source(1),)),)), stated("Ilya is kind."))
    assert facts(found) == ["Ilya is kind."]


def test_a_session_that_grew_gets_the_sentences_of_its_new_turns() -> None:
    short = session(words=WORDS[:3])
    first = after(summarised(), base=scope(tree(short)))
    grown = overlay(first.tree, {layout.transcript_path(folder()): tree().bytes(layout.transcript_path(folder()))})
    base = scope(grown)
    assert [turn.n for turn in base.sessions[0].turns] == [4, 5]
    found = after(summarised(Sentence("The clock has 48 teeth.", (source(5),))), base=base)
    (made,) = found.tree.summaries().values()
    assert [text for text, _ in made.sentences] == ["Ilya now works at Kestrel Audio.", "The clock has 48 teeth."]
    assert made.dreamt_turn == 5


def test_a_key_that_a_person_put_into_a_summary_stays() -> None:
    first = after(summarised(), base=scope(tree(session(words=WORDS[:3]))))
    path = layout.summary_path(folder())
    text = first.tree.text(path).replace("line:", "mood: cheerful\nline:", 1)
    grown = {layout.transcript_path(folder()): tree().bytes(layout.transcript_path(folder())), path: text.encode()}
    found = after(summarised(Sentence("New.", (source(5),))), base=scope(overlay(first.tree, grown)))
    assert "mood: cheerful\n" in found.tree.text(path)


# --- what changes -----------------------------------------------------------------


def test_a_claim_that_was_replaced_is_history_with_its_day() -> None:
    found = after(opened(), stated("Ilya works at Lumen Lab."))
    by = Claim("Ilya works at Kestrel Audio.", date="2026-11-28")
    done = Supersede(ILYA, "Ilya works at Lumen Lab.", by, None, (source(3),), "a new job")
    made = page_at(after(done, base=found))
    (past,) = made.history
    assert (past.claim.text, past.claim.until) == ("Ilya works at Lumen Lab.", "2026-11-28")
    (now,) = made.sections[0].claims
    assert (now.text, now.id) == ("Ilya works at Kestrel Audio.", past.superseded_by)
    assert gate.validate(Pair(found.tree, over(apply([done], found), found), Command.DREAM)) == ()


def test_a_claim_that_only_ended_says_so_with_the_evidence_of_its_end() -> None:
    found = after(opened(), stated())
    (claim,) = page_at(found).sections[0].claims
    assert claim.id
    made = page_at(after(Supersede(ILYA, claim.id, None, "2026-11-29", (source(3),), "he left"), base=found))
    (past,) = made.history
    assert (past.ended, past.superseded_by, past.claim.until, past.claim.id) == (True, None, "2026-11-29", claim.id)
    assert [made.citations[n].source for n in past.claim.cites] == [source(1), source(3)]


def test_an_observation_is_replaced_in_its_note() -> None:
    found = after(attached("The tide clock has 48 teeth."))
    by = Observation("The tide clock has 52 teeth.", ObservationType.FACT, 0.9, "2026-11-29")
    made = note_at(after(Supersede(CLOCK, "The tide clock has 48 teeth.", by, None, (source(3),), "recut"), base=found))
    assert [said.text for said in made.observations] == ["The tide clock has 52 teeth."]
    (past,) = made.history
    assert (past.observation.text, past.superseded_by) == ("The tide clock has 48 teeth.", made.observations[0].id)


def test_a_statement_of_the_same_plan_can_be_replaced_by_its_words() -> None:
    by = Claim("Ilya works at Kestrel Audio.")
    done = (Supersede(ILYA, "Ilya works at Lumen Lab.", by, None, (source(3),), "news"), opened())
    made = page_at(after(*done, stated("Ilya works at Lumen Lab.")))
    assert len(made.history) == 1


def test_what_stopped_being_true_does_not_come_back_by_its_own_evidence() -> None:
    found = after(opened(), stated("Ilya works at Lumen Lab."))
    ended = after(Supersede(ILYA, "Ilya works at Lumen Lab.", None, None, (), "over"), base=found)
    assert after(stated("Ilya works at Lumen Lab."), base=ended).tree.text(ILYA) == ended.tree.text(ILYA)


def test_what_stopped_being_true_may_be_true_again_by_new_evidence() -> None:
    found = after(opened(), stated("Ilya works at Lumen Lab."))
    ended = after(Supersede(ILYA, "Ilya works at Lumen Lab.", None, None, (), "over"), base=found)
    again = after(stated("Ilya works at Lumen Lab.", source(3)), base=ended)
    assert facts(again) == ["Ilya works at Lumen Lab."]
    assert len(page_at(again).history) == 1


def test_a_new_lead_replaces_the_old_and_loses_none_of_it() -> None:
    found = after(opened(), stated())
    fresh = Describe(ILYA, "Engineer.", (Sentence("Ilya is a sound engineer.", (source(1),)),), "stale", ("I.B.",), 5)
    made = page_at(after(fresh, base=found))
    assert [claim.text for claim in made.lead] == ["Ilya is a sound engineer."]
    assert "Ilya Brandt works with sound." in facts(after(fresh, base=found))
    assert (made.summary, made.aliases, made.importance) == ("Engineer.", ("Ilya", "I.B."), 5)
    assert gate.validate(Pair(found.tree, over(apply([fresh], found), found), Command.DREAM)) == ()


def test_a_link_is_written_once_and_by_title() -> None:
    base = after(opened(), attached(note=CHAT, title="Chat", domain="habits"))
    made = page_at(after(Relate(ILYA, "chat", "how he writes", "w"), Relate(ILYA, "Chat", "again", "w"), base=base))
    assert [(one.title, one.why) for one in made.related] == [("Chat", "how he writes")]


def test_a_link_may_name_a_page_of_the_same_plan() -> None:
    kestrel = opened(
        page="memory/knowledge/organisations/Kestrel Audio.md",
        title="Kestrel Audio",
        kind=PageKind.ORGANISATION,
        aliases=("Kestrel",),
    )
    made = page_at(after(Relate(ILYA, "Kestrel", "where he works", "w"), opened(), kestrel))
    assert [one.title for one in made.related] == ["Kestrel Audio"]


def test_archiving_removes_nothing() -> None:
    found = after(opened(), stated(), attached())
    done = after(Archive(ILYA, "long over"), Archive(CLOCK, "long over"), base=found)
    assert page_at(done).status is Status.ARCHIVED
    assert note_at(done).status is Status.ARCHIVED
    assert facts(done) == facts(found)


def test_private_stays_private() -> None:
    found = after(attached(privacy=Privacy.PRIVATE), opened())
    assert note_at(after(attached("More."), base=found)).privacy is Privacy.PRIVATE
    assert page_at(after(opened(privacy=Privacy.PRIVATE), base=found)).privacy is Privacy.PRIVATE


def test_the_days_of_a_page_widen_to_its_evidence() -> None:
    later = session(2, start=START + timedelta(days=3))
    base = scope(tree(session(), later), now=START + timedelta(days=9))
    found = after(opened(), stated("New.", source(1, 2, DAY + timedelta(days=3))), base=base)
    assert (page_at(found).created, page_at(found).updated) == ("2026-11-28", "2026-12-01")


# --- what is dropped --------------------------------------------------------------


def test_an_operation_without_evidence_is_dropped() -> None:
    assert "names no evidence" in why(opened(), stated(evidence=()))


@pytest.mark.parametrize("wrong", ["sessions/2026/11/28-00000001#t99", "sessions/2020/01/01-00000001#t1", "a page", ""])
def test_evidence_that_is_no_turn_is_dropped(wrong: str) -> None:
    assert "not in the tree" in why(opened(), stated("Something.", wrong))


def test_summaries_and_pages_are_no_evidence() -> None:
    assert "not in the tree" in why(opened(), stated("Something.", "knowledge/people/Ilya Brandt.md"))


def changed_turn(**fields: object) -> Scope:
    one = session()
    return scope(tree(replace(one, turns=(replace(one.turns[0], **fields), *one.turns[1:]))))  # type: ignore[arg-type]


def test_what_repeats_the_memory_is_no_evidence_for_it() -> None:
    assert "repeats what the memory" in why(attached(), opened(), base=changed_turn(derived=True))


def test_words_in_quarantine_are_no_evidence() -> None:
    assert "quarantine" in why(attached(), opened(), base=changed_turn(trust=Trust.HIDDEN))


def test_a_turn_without_words_is_no_evidence() -> None:
    base = changed_turn(blocks=(ToolCall("Bash", "ls", "a.txt"),))
    assert "holds no words" in why(attached(), opened(), base=base)


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (stated(page="memory/knowledge/people/Nobody.md"), "is not there"),
        (stated(section="History"), "under the heading"),
        (stated(section=" "), "under the heading"),
        (stated("  "), "says nothing"),
        (opened(page="memory/knowledge/places/Ilya Brandt.md", title="Pier"), "stands in people/"),
        (opened(page="memory/knowledge/people/../../x.md", title="Pier"), "may not be written"),
        (opened(page="DREAM.md", title="Pier"), "no page, note or summary"),
        (opened(page="memory/index.md", title="Pier"), "no page, note or summary"),
        (opened(page="memory/knowledge/people/deep/er.md", title="Pier"), "no page, note or summary"),
        (opened(page="memory/knowledge/people/Brandt.md"), "has its page already"),
        (opened(kind=PageKind.PLACE), "is there already, of kind person"),
        (Supersede(ILYA, "zzzz", None, None, (), "w"), "there is no statement"),
        (Supersede(ILYA, "Ilya sings.", Claim("ilya SINGS"), None, (source(1),), "w"), "cannot replace itself"),
        (
            Supersede(ILYA, "Ilya sings.", Observation("x", ObservationType.FACT, 1.0), None, (source(1),), "w"),
            "a claim",
        ),
        (Relate(ILYA, "Nobody", "", "w"), "names no other page"),
        (Relate(ILYA, "Ilya", "", "w"), "names no other page"),
        (Archive("memory/knowledge/people/Nobody.md", "w"), "is not there"),
        (summarised(session="memory/sessions/2026/11/28-ffffffff"), "not among the sessions"),
    ],
)
def test_what_cannot_be_applied_is_dropped_with_a_reason(operation: Operation, reason: str) -> None:
    base = after(opened(), stated("Ilya sings."))
    assert reason in why(operation, base=base)


def test_a_dropped_operation_breaks_no_other() -> None:
    applied = apply((stated("Lost.", "nowhere"), *everything()), BASE)
    assert len(applied.dropped) == 1
    assert applied.changes == apply(everything(), BASE).changes


def test_a_page_that_cannot_be_read_is_not_rewritten() -> None:
    base = replace(BASE, tree=overlay(BASE.tree, {ILYA: b"---\ntitle: [\n---\n\n# Ilya\n"}))
    assert apply([stated()], base).changes == {}
    base = replace(BASE, tree=overlay(BASE.tree, {ILYA: b"---\ntitle: Ilya Brandt\nkind: person\n---\n\xff\xfe\n"}))
    assert "not UTF-8" in why(stated(), base=base)


def test_forgotten_words_do_not_come_back() -> None:
    said = "Nadia: “Ilya now works at Kestrel Audio.”"
    base = replace(BASE, forgotten=frozenset({fingerprint("ilya now works at kestrel audio")}))
    applied = apply((opened(), stated(said), stated("Ilya sings."), summarised()), base)
    assert len(applied.dropped) == 2
    assert facts(replace(base, tree=over(applied))) == ["Ilya sings."]
    (summary,) = over(applied).summaries().values()
    assert summary.sentences == ()


def test_a_forgotten_name_opens_no_page() -> None:
    base = replace(BASE, forgotten=frozenset({fingerprint("Ilya Brandt")}))
    assert apply((opened(),), base).changes == {}


def test_an_observation_goes_to_the_note_that_has_its_title() -> None:
    base = after(attached())
    found = after(attached("More.", note="memory/notes/life/Tide clock.md", domain="life"), base=base)
    assert len(note_at(found).observations) == 2


# --- properties -------------------------------------------------------------------

TURNS = st.integers(1, 5).map(source)
SOURCES = st.lists(st.one_of(TURNS, st.just(source(9))), min_size=0, max_size=3).map(tuple)
SAID = st.one_of(
    st.sampled_from(
        ["Ilya sings.", "Ilya sings!", "Ilya ran 5 km.", "Ilya ran 6 km.", "Зимой Илья поёт.", "[[Ilya]] x"]
    ),
    st.text(max_size=40),
)
PAGES = {
    "Ilya Brandt": (ILYA, PageKind.PERSON),
    "Pier": ("memory/knowledge/places/Pier.md", PageKind.PLACE),
    "C#": ("memory/knowledge/tools/C#.md", PageKind.TOOL),
}
TITLES = st.sampled_from(list(PAGES))
DATES = st.sampled_from([None, "2026-11-27", "2026-11-28"])
SENTENCES = st.lists(st.builds(Sentence, SAID, SOURCES), max_size=3).map(tuple)


def _open(title: str, lead: tuple[Sentence, ...], aliases: tuple[str, ...]) -> Operation:
    path, kind = PAGES[title]
    return opened(page=path, title=title, kind=kind, lead=lead, aliases=aliases)


def operations() -> st.SearchStrategy[Operation]:
    aliases = st.lists(st.sampled_from(["Ilya", "The pier", ""]), max_size=2).map(tuple)
    path = TITLES.map(lambda title: PAGES[title][0])
    claims = st.builds(Claim, SAID, date=DATES)
    seen = st.builds(Observation, SAID, st.sampled_from(ObservationType), st.just(0.8), DATES)
    notes = st.sampled_from([("Tide clock", CLOCK, "work"), ("Chat", CHAT, "habits")])
    return st.one_of(
        st.builds(_open, TITLES, SENTENCES, aliases),
        st.builds(lambda p, c, e: stated(page=p, claim=c, evidence=e), path, claims, SOURCES),
        st.builds(
            lambda n, o, e: attached(note=n[1], title=n[0], domain=n[2], observation=o, evidence=e),
            notes,
            seen,
            SOURCES,
        ),
        st.builds(lambda p, s: Describe(p, "A summary.", s, "w"), path, SENTENCES),
        st.builds(lambda p, t, c, e: Supersede(p, t, c, None, e, "w"), path, SAID, st.none() | claims, SOURCES),
        st.builds(lambda n, t, o, e: Supersede(n[1], t, o, None, e, "w"), notes, SAID, st.none() | seen, SOURCES),
        st.builds(lambda p, t, w: Relate(p, t, w, "w"), path, TITLES, SAID),
        st.builds(lambda p: Archive(p, "w"), path),
        st.builds(lambda s: summarised(sentences=s), SENTENCES),
    )


PLANS = st.lists(operations(), max_size=12)


def written(applied: Applied) -> dict[str, bytes]:
    return dict(applied.changes)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(PLANS)
def test_same_plan_same_tree_same_bytes(plan: list[Operation]) -> None:
    assert written(apply(plan, BASE)) == written(apply(plan, scope()))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(PLANS)
def test_applying_again_changes_nothing(plan: list[Operation]) -> None:
    lasting = without_replacements(plan)
    first = apply(lasting, BASE)
    again = apply(lasting, replace(BASE, tree=over(first)))
    assert written(again) == {}


def told(tree: Tree) -> set[tuple[str, str]]:
    """(file, fingerprint) of everything that pages and notes say, in History too."""
    pages = {(p, fingerprint(c.text)) for p, one in tree.pages().items() for c in page.claims(one)}
    return pages | {(p, fingerprint(c.text)) for p, one in tree.notes().items() for c in note.claims(one)}


@settings(derandomize=True, deadline=None, max_examples=60)
@given(PLANS, st.randoms(use_true_random=False))
def test_the_order_of_operations_loses_no_statement(plan: list[Operation], dice: random.Random) -> None:
    plain = without_replacements(plan)
    shuffled = dice.sample(plain, len(plain))
    assert told(over(apply(plain, BASE))) == told(over(apply(shuffled, BASE)))


def without_replacements(plan: Iterable[Operation]) -> list[Operation]:
    return [one for one in plan if not isinstance(one, Supersede | Describe)]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(PLANS, PLANS)
def test_no_plan_loses_what_stood_in_the_tree(first: list[Operation], second: list[Operation]) -> None:
    base = replace(BASE, tree=over(apply(first, BASE)))
    assert told(base.tree) <= told(over(apply(second, base), base))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(PLANS)
def test_every_operation_is_applied_or_dropped(plan: list[Operation]) -> None:
    applied = apply(plan, BASE)
    assert len(applied.done) + len(applied.dropped) == len(plan)
