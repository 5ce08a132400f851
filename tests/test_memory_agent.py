"""The Memory Agent: a need in words brings the files that answer it, each with why; the same need the same files."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from conftest import NOW, Run
from hypothesis import given, settings
from hypothesis import strategies as st
from store_kit import move, new_brain
from worlds import world

from brain import transcript
from brain.eval import bringing
from brain.eval.bench import large
from brain.model import Audience, Origin, Role, Session, Source, Text, ToolCall, Turn
from brain.sandbox import growing, opening
from brain.sandbox.memory_agent import Brought, bring
from brain.sandbox.opening import Wanted
from brain.sandbox.planning import Need, Query, plan
from brain.search import Searcher
from brain.search.corpus import TreeCorpus
from brain.store import Store

ILYA = "memory/knowledge/people/Ilya Maslov.md"
WORDS_ALONE = ('embedder = "use"', 'embedder = "none"')


@pytest.fixture
def store(dreamt: Path) -> Iterator[Store]:
    """The sample's brain, searched by words alone: no model is loaded for what is tested here."""
    toml = dreamt / "brain.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace(*WORDS_ALONE), encoding="utf-8")
    opened = Store.open(dreamt)
    yield opened
    opened.close()


def ask(store: Store, text: str, **asked: object) -> Brought:
    tree = store.working()
    searcher = Searcher(store.local("search"), TreeCorpus(tree))
    return bring(tree, searcher, Need(text, **asked))  # type: ignore[arg-type]


def paths(brought: Brought) -> list[str]:
    return [place.path for place in brought.places]


# --- the plan --------------------------------------------------------------------------------


def asked(text: str, **more: object) -> list[str]:
    return [query.text for query in plan(Need(text, **more))]  # type: ignore[arg-type]


def test_a_need_is_asked_whole_first_then_its_parts_literals_and_names() -> None:
    text = "Why does `bin/poll` fail on SKV-4, and who is Ilya Maslov?"
    assert asked(text) == [
        text,
        "Why does `bin/poll` fail on SKV-4",
        "who is Ilya Maslov?",
        "bin/poll",
        "SKV-4",
        "Ilya Maslov",
    ]


def test_a_need_in_russian_is_cut_and_its_names_are_asked() -> None:
    text = "Где работает физиотерапевт и кто такой Илья Маслов?"
    assert asked(text) == [text, "Где работает физиотерапевт", "кто такой Илья Маслов?", "Илья Маслов"]


@pytest.mark.parametrize(("text", "literal"), [("what does --no-verify do", "--no-verify"), ("«утюг» где", "утюг")])
def test_what_is_written_literally_is_asked_literally(text: str, literal: str) -> None:
    assert literal in asked(text)


def test_dates_are_asked_as_days_reckoned_from_now() -> None:
    found = plan(Need("what broke yesterday and on 2026-09-22?", now=datetime(2026, 10, 2, tzinfo=UTC)))
    assert [query.since for query in found if query.since] == [date(2026, 10, 1), date(2026, 9, 22)]


def test_without_a_time_to_reckon_from_no_day_is_made_up() -> None:
    assert [query for query in plan(Need("what broke yesterday?")) if query.since] == []


@given(st.text(max_size=300))
@settings(derandomize=True, deadline=None)
def test_any_text_has_a_plan_with_no_query_twice(text: str) -> None:
    found = plan(Need(text, now=datetime(2026, 10, 2, tzinfo=UTC)))
    assert found[0] == Query(text)
    assert len({(query.text.casefold(), query.since) for query in found}) == len(found) <= 16


# --- what is brought ---------------------------------------------------------------------------


def test_a_named_person_brings_the_page_the_sessions_it_stands_on_and_why(store: Store) -> None:
    brought = ask(store, "Who is Ilya Maslov?")
    places = {place.path: place for place in brought.places}
    assert paths(brought)[0] == ILYA
    assert "names Ilya Maslov" in places[ILYA].why
    session = "memory/sessions/2026/09/11-174f659c/transcript.md"
    assert "cited by [[Ilya Maslov]]" in places[session].why
    assert places[ILYA].size == len(store.working().text(ILYA))


def test_links_lead_sideways_and_shared_turns_to_other_pages(store: Store) -> None:
    whys = [place.why for place in ask(store, "Who is Ilya Maslov?").places]
    assert any("linked from [[" in why for why in whys)
    assert any("stands on sessions/2026/" in why for why in whys)
    assert any("sums up a session that is near" in why for why in whys)


def test_a_name_in_another_script_and_case_leads_to_its_page(store: Store) -> None:
    places = {place.path: place for place in ask(store, "Когда день рождения у тёти Раи?").places}
    assert "names Raya" in places["memory/knowledge/people/Raya.md"].why
    assert any("Raya's birthday is on 4 October" in place.words for place in places.values())


def test_the_nearest_passage_is_told_with_its_place(store: Store) -> None:
    places = ask(store, "why did we go back to SQLite").places
    assert any(place.anchor == "t3" and "go back to SQLite, because" in place.words for place in places)
    assert all(place.words == "" for place in places if place.why.startswith("linked from"))


def test_the_same_need_brings_the_same(store: Store) -> None:
    assert ask(store, "Why does the gauge say 429?") == ask(store, "Why does the gauge say 429?")


def test_both_halves_of_a_need_are_answered(store: Store) -> None:
    brought = paths(ask(store, "Where is the iron, and why does the gauge say 429?", budget=20_000))
    assert "memory/sessions/2026/10/14-7f8fb2c6/transcript.md" in brought
    assert "memory/sessions/2026/08/19-df6740e7/transcript.md" in brought


def test_the_budget_is_kept_the_nearest_comes_anyway_and_the_rest_is_told(store: Store) -> None:
    small = ask(store, "Who is Ilya Maslov?", budget=4000)
    assert sum(place.size for place in small.places) <= 4000
    assert any("want of room" in note for note in small.notes)
    assert paths(ask(store, "Who is Ilya Maslov?", budget=1)) == [ILYA]


def test_nothing_is_brought_for_what_the_memory_does_not_know(store: Store) -> None:
    assert ask(store, "xyzzyqux frobnicate").places == ()


def test_another_planner_asks_what_it_wants(store: Store) -> None:
    tree = store.working()
    searcher = Searcher(store.local("search"), TreeCorpus(tree))
    brought = bring(tree, searcher, Need("never mind"), lambda need: (Query("Ilya Maslov", f"for “{need.text}”"),))
    assert ILYA in paths(brought)
    assert "for “never mind”" in brought.places[0].why


def test_the_whole_of_a_result_that_was_cut_comes_with_it(tmp_path: Path) -> None:
    folder = "memory/sessions/2026/10/02-0a1b2c3d"
    call = ToolCall("Bash", "make gauge", "lines of gauge output", attachment="r1.txt")
    turn = Turn(1, Role.ASSISTANT, None, (Text("Done."), call), Origin.ASSISTANT)
    text = transcript.render(Session("a", "test", Source("test", "a.txt", "0" * 64), (turn,)))
    files = {f"{folder}/transcript.md": text.encode(), f"{folder}/attachments/r1.txt": b"all lines of gauge output\n"}
    store = new_brain(tmp_path / "brain", files)
    places = {place.path: place.why for place in ask(store, "gauge output").places}
    assert "the whole of sessions/2026/10/02-0a1b2c3d#t1.r1" in places[f"{folder}/attachments/r1.txt"]
    store.close()


def test_for_others_nothing_private_is_brought_or_named(store: Store) -> None:
    page = store.working().text(ILYA).replace("privacy: shared", "privacy: private")
    move(store, {ILYA: page.encode()}, "private")
    brought = ask(store, "Who is Ilya Maslov, and where is the iron?", audience=Audience.PUBLIC)
    assert brought.places
    assert not any(path.startswith("memory/sessions/") or path == ILYA for path in paths(brought))
    assert not any("[[Ilya Maslov]]" in place.why for place in brought.places)
    assert any("Private" in note for note in brought.notes)


# --- into a working set ------------------------------------------------------------------------


def test_what_is_brought_lies_in_the_set_and_a_second_need_adds_to_it(store: Store, tmp_path: Path) -> None:
    working = opening.open_in(store, tmp_path / "set", Wanted())
    first = growing.grow(store, working, Need("Who is Ilya Maslov?"))
    before = working.held
    second = growing.grow(store, working, Need("Who is Ilya Maslov, and where is the iron?"))
    assert set(first.held.new) <= before < working.held
    assert ILYA in second.held.already
    assert all((working.folder / path).is_file() for path in working.held)


def test_what_is_newer_than_the_set_is_not_laid_down(store: Store, tmp_path: Path) -> None:
    working = opening.open_in(store, tmp_path / "set", Wanted())
    new = "memory/notes/personal/Quokka.md"
    move(store, {new: b"# Quokka\n\n- The quokka sleeps in the shed.\n"}, "later")
    assert growing.grow(store, working, Need("where does the quokka sleep")).held.missing == (new,)
    opening.refresh(store, working, None)
    assert growing.grow(store, working, Need("where does the quokka sleep")).held.new == (new,)


def grep(folder: Path, words: str) -> str:
    line = ["grep", "-rlF", "--", words, "memory"]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False).stdout


def test_an_agent_opens_it_with_a_task_and_finds_the_answer_by_grep(dreamt: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    task = ("--task", "why does the gauge answer 429", "--now", NOW)
    opened = run("sandbox", "open", folder, "--brain", dreamt, *task)
    assert opened.status == 0, opened.err
    assert "memory/sessions/2026/08/19-df6740e7/transcript.md" in grep(folder, "429")


def test_recall_into_prints_each_path_with_why_and_what_was_there(dreamt: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    run("sandbox", "open", folder, "--brain", dreamt)
    first = run("recall", "--into", ".", "who", "is", "Ilya", "Maslov", cwd=folder)
    assert first.status == 0, first.err
    line = next(line for line in first.out.splitlines() if line.startswith(ILYA))
    assert "names Ilya Maslov" in line and "here already" not in line
    again = run("recall", "--into", ".", "--json", "who", "is", "Ilya", "Maslov", cwd=folder / "memory" / "..")
    states = {item["path"]: item["state"] for item in json.loads(again.out)["brought"]}
    assert states[ILYA] == "held"
    assert (folder / ILYA).read_text(encoding="utf-8") == (dreamt / ILYA).read_text(encoding="utf-8")


def test_recall_into_a_folder_that_is_no_sandbox_is_refused(dreamt: Path, run: Run, tmp_path: Path) -> None:
    done = run("recall", "Ilya", "--into", tmp_path, "--brain", dreamt)
    assert (done.status, done.out) == (2, "")
    assert "is no sandbox" in done.err and "brain sandbox open" in done.err


# --- how it is measured --------------------------------------------------------------------------


def test_evidence_is_held_by_what_is_brought(tmp_path: Path) -> None:
    joined = bringing.join([world(1), world(2)])
    assert len(joined.asked) == 12
    figures = bringing.measure(joined, Searcher(tmp_path, TreeCorpus(joined.tree)), (1, 10_000), 12)
    assert figures["questions"] == 12
    assert figures["held_10000"] == 1.0
    assert figures["held_1"] <= figures["held_10000"]
    assert figures["brought_share_1"] < figures["brought_share_10000"]


def test_the_large_brain_of_the_bench_tells_each_fact_in_one_session(tmp_path: Path) -> None:
    made, facts = large.build(tmp_path / "brain", 25)
    tree = made.tree()
    assert len({fact.question for fact in facts}) == len(facts) == 25
    for fact in facts:
        told = tree.cited_text(fact.source)
        assert told is not None and fact.words in told
        assert paths(ask(made, fact.question))
    made.close()
