"""One dream from beginning to end, on a real brain."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from nights import (
    CLOCK,
    ILYA,
    NOW,
    START,
    ScriptedDreamer,
    add,
    attached,
    everything,
    folder,
    opened,
    says,
    session,
    source,
    stated,
    store_of,
    summarised,
)
from test_apply import PLANS
from test_prune import SECRET

from brain import layout
from brain.config import default_toml
from brain.dream.dreamers import UnknownDreamer, dreamer
from brain.dream.nights import nights
from brain.dream.plan import Archive, Operation, Plan, Scope, Sentence, Skipped
from brain.dream.result import DreamResult, DreamStatus
from brain.dream.run import DreamsOff, Options, dream
from brain.files import locks
from brain.files.locks import Busy, Lock
from brain.store import StateError, Store
from brain.validators import gate
from brain.validators.findings import is_ok
from brain.validators.pair import Pair


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One brain with one session, copied for each test."""
    root = tmp_path_factory.mktemp("made") / "brain"
    store_of(root).close()
    return root


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Path(shutil.copytree(made, tmp_path / "brain", symlinks=True)))
    yield store
    store.close()


def night(store: Store, *operations: Operation, now: timedelta = timedelta(), dry_run: bool = False) -> DreamResult:
    return dream(store, Options(NOW + now, says(*operations), dry_run))


def with_settings(store: Store, more: str) -> Store:
    """The brain with other settings, as a person would write and commit them."""
    path = store.root / layout.SETTINGS
    path.write_text(default_toml("UTC", "Nadia").replace("[dream]\n", f"[dream]\n{more}\n"), encoding="utf-8")
    return Store.open(store.root)


def git(store: Store, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=store.root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


# --- what one night does ----------------------------------------------------------


def test_a_night_is_one_commit_that_says_what_it_did(store: Store) -> None:
    before = store.head()
    result = night(store, *everything())
    assert (result.status, result.commit) == (DreamStatus.SYNCED, store.head())
    assert git(store, "rev-parse", "HEAD^") == before
    assert git(store, "log", "-1", "--format=%s") == (
        "Dream 2026-11-29: 1 session, 1 page opened, 2 claims, 1 note opened, 1 observation"
    )
    trailers = git(store, "log", "-1", "--format=%(trailers:only)").splitlines()
    assert trailers == [
        "Brain-Command: dream",
        "Brain-Id: 2026-11-29T030000Z",
        "Brain-Dreamer: scripted",
        "Brain-Sessions: 1",
        "Brain-Model-Calls: 0",
    ]
    assert store.find_run("2026-11-29T030000Z") == result.commit


def test_the_folder_follows_main(store: Store) -> None:
    night(store, *everything())
    assert store.working().blobs == store.tree().blobs
    assert git(store, "status", "--porcelain") == ""
    assert (store.root / ILYA).is_file()


def test_the_tree_is_valid_and_holds_maps_and_a_report(store: Store) -> None:
    result = night(store, *everything())
    tree = store.tree()
    assert is_ok(gate.validate(Pair(None, tree)))
    assert set(layout.INDEXES) <= set(tree.paths)
    assert tree.text(layout.report_path(result.run)) == result.report
    assert "Ilya Brandt" in tree.text(layout.INDEX)


def test_no_dream_touches_a_transcript(store: Store) -> None:
    path = layout.transcript_path(folder())
    before = store.tree().blob(path)
    night(store, *everything())
    assert store.tree().blob(path) == before


def test_a_second_dream_asks_nobody_and_commits_nothing(store: Store) -> None:
    night(store, *everything())
    head = store.head()
    second = says(*everything())
    result = dream(store, Options(NOW, second))
    assert (result.status, result.commit, result.sessions, second.asked) == (DreamStatus.NO_CHANGE, None, (), 0)
    assert store.head() == head


def test_what_is_known_of_earlier_nights_can_be_thrown_away(store: Store) -> None:
    night(store, *everything())
    assert night(store).status is DreamStatus.NO_CHANGE
    cache = store.local("cache", "dreamt")
    assert len(cache.read_text(encoding="ascii").splitlines()) == 1
    for content in (b"", b"\xff\x00 not a key\n"):
        cache.write_bytes(content)
        assert night(store).status is DreamStatus.NO_CHANGE


def test_a_dream_on_an_empty_brain_makes_its_maps_and_then_rests(tmp_path: Path) -> None:
    store = Store.init(tmp_path / "brain", toml=default_toml("UTC", "Nadia"), at=START)
    assert night(store).subject == "Dream 2026-11-29: maps brought up to date"
    assert night(store).status is DreamStatus.NO_CHANGE


def test_the_same_tree_at_the_same_time_gives_the_same_bytes(tmp_path: Path) -> None:
    trees = set()
    for name in ("one", "two"):
        store = store_of(tmp_path / name)
        night(store, *everything())
        trees.add(git(store, "rev-parse", "HEAD^{tree}"))
    assert len(trees) == 1


def test_a_session_that_grew_is_dreamt_of_again_with_its_new_turns(store: Store) -> None:
    night(store, *everything())
    longer = session(words=(*(turn.text for turn in session().turns), "Sure.", "Ilya moved to Lisbon."))
    add(store, longer)
    seen: list[list[int]] = []

    def script(scope: Scope) -> Plan:
        seen.extend([turn.n for turn in new.turns] for new in scope.sessions)
        return Plan((summarised(Sentence("Ilya moved.", (source(7),))), stated("Ilya moved to Lisbon.", source(7))))

    result = dream(store, Options(NOW + timedelta(days=1), ScriptedDreamer(script)))
    assert (result.status, seen) == (DreamStatus.SYNCED, [[6, 7]])
    (summary,) = store.tree().summaries().values()
    assert (summary.dreamt_turn, len(summary.sentences)) == (7, 2)


def test_a_later_session_waits_for_its_time(store: Store) -> None:
    add(store, session(2, start=START + timedelta(days=5)))
    result = night(store, *everything())
    assert result.sessions == (folder(),)
    assert [one.why for one in result.skipped] == ["1 session had not ended by the time of this dream"]
    assert "had not ended" in result.report


def test_a_run_of_the_same_time_gets_a_number(store: Store) -> None:
    night(store, *everything())
    add(store, session(2, words=("The pier is long.",)))
    more = attached("The pier is long.", source(1, 2), note="memory/notes/work/Pier.md", title="Pier")
    assert night(store, more, summarised(number=2)).run == "2026-11-29T030000Z-2"


def test_what_a_person_edited_is_taken_in_first(store: Store) -> None:
    night(store, *everything())
    page = store.root / ILYA
    page.write_text(page.read_text(encoding="utf-8") + "- Ilya plays the cello.\n", encoding="utf-8")
    kinds: list[str] = []

    def script(scope: Scope) -> Plan:
        kinds.extend(new.session.kind for new in scope.sessions)
        return Plan()

    result = dream(store, Options(NOW + timedelta(days=1), ScriptedDreamer(script)))
    assert kinds == ["hand-edit"]
    assert result.notes == (f"Took in {ILYA}, edited by hand.",)
    assert "cello" in store.tree().text(ILYA)


def test_what_a_dreamer_skipped_is_told(store: Store) -> None:
    plan = Plan(everything(), (Skipped("memory/sessions/x", "in no language it knows"),))
    result = dream(store, Options(NOW, ScriptedDreamer(lambda _: plan)))
    assert "in no language it knows" in result.report
    assert result.skipped == plan.skipped


def test_a_plan_of_nothing_leaves_the_sessions_for_the_next_night(store: Store) -> None:
    night(store)
    assert night(store, *everything(), now=timedelta(days=1)).sessions == (folder(),)


# --- what the gate and the limits cost --------------------------------------------


def test_what_the_gate_refuses_is_left_out_and_told(store: Store) -> None:
    result = night(store, *everything(), stated("Ilya works at [[Kestrel Audio]]."))
    assert result.status is DreamStatus.SYNCED
    assert [one.why for one in result.dropped] == ["the gate: link-dangling"]
    assert f"- State in `{ILYA}` · the gate: link-dangling" in result.report


def test_a_dream_that_cannot_be_made_valid_is_rejected_and_kept_to_look_at(tmp_path: Path) -> None:
    """A secret in the title of a session gets into a map, whatever is left out of the plan."""
    store = store_of(tmp_path / "brain", replace(session(), title=SECRET))
    head = store.head()
    result = night(store, opened(), stated(), attached())
    assert (result.status, result.commit, store.head()) == (DreamStatus.REJECTED, None, head)
    assert not is_ok(result.findings)
    kept = store.local("rejected", result.run)
    assert (kept / layout.SESSIONS_INDEX).is_file()
    assert str(kept) in result.notes[-1]
    assert list(store.local("staged").iterdir()) == []


def test_operations_over_the_limit_wait_with_their_session(store: Store) -> None:
    add(store, session(2, words=("The pier is long.",)))
    pier = attached("The pier is long.", source(1, 2), note="memory/notes/work/Pier.md", title="Pier")
    limited = with_settings(store, "max_ops = 5")
    result = night(limited, *everything(), summarised(number=2, sentences=()), pier)
    assert [one.why for one in result.dropped] == ["over dream.max_ops: left for the next dream"] * 2
    assert "over dream.max_ops" in result.report
    again = night(limited, pier, summarised(number=2, sentences=()), now=timedelta(days=1))
    assert (again.sessions, again.dropped) == ((folder(2),), ())


def test_a_dream_may_forget_only_so_much(store: Store) -> None:
    night(store, *everything())
    add(store, session(2, words=("All over.",)))
    limited = with_settings(store, "max_forget = 1")
    result = night(limited, Archive(ILYA, "w"), Archive(CLOCK, "w"), now=timedelta(days=1))
    assert [one.why for one in result.dropped] == ["over dream.max_forget: left for a person to do"]


# --- modes ------------------------------------------------------------------------


def test_off_means_off(store: Store) -> None:
    asked = says(*everything())
    with pytest.raises(DreamsOff, match="No dream was started"):
        dream(with_settings(store, 'mode = "off"'), Options(NOW, asked))
    assert asked.asked == 0


def test_a_proposal_lies_beside_main(store: Store) -> None:
    proposing = with_settings(store, 'mode = "propose"')
    result = night(proposing, *everything())
    assert result.status is DreamStatus.PROPOSED
    assert ILYA not in proposing.tree()
    assert result.commit is not None
    assert ILYA in proposing.tree(result.commit)
    assert git(store, "rev-parse", f"refs/brain/proposed/{result.run}") == result.commit
    assert git(store, "rev-parse", f"{result.commit}^") == proposing.head()


def test_a_dry_run_goes_to_the_gate_and_lays_nothing_down(store: Store) -> None:
    head = store.head()
    result = night(store, *everything(), dry_run=True)
    assert (result.status, result.commit) == (DreamStatus.PROPOSED, None)
    assert "page opened" in result.report
    assert (store.head(), list(store.local("staged").iterdir())) == (head, [])
    assert store.working().blobs == store.tree().blobs


def test_a_dreamer_is_found_by_name() -> None:
    with pytest.raises(UnknownDreamer, match="there is no dreamer 'nobody'"):
        dreamer("nobody")


# --- others at work ---------------------------------------------------------------


def test_a_second_dream_at_once_says_who_is_at_work_and_ends(store: Store) -> None:
    lock = Lock(store.local("dream.lock"), "the dream of last night", wait=0)
    with lock, pytest.raises(Busy, match="No dream was started: the dream of last night"):
        night(store, *everything())
    assert night(store, *everything()).status is DreamStatus.SYNCED


def test_the_lease_is_free_again_after_an_error(store: Store) -> None:
    def fails(_: Scope) -> Plan:
        raise ZeroDivisionError

    head = store.head()
    with pytest.raises(ZeroDivisionError):
        dream(store, Options(NOW, ScriptedDreamer(fails)))
    assert locks.is_free(store.local("dream.lock"))
    assert store.head() == head
    assert night(store, *everything()).status is DreamStatus.SYNCED


def test_a_dream_holds_nobody_back(store: Store) -> None:
    """While a dreamer thinks, sessions come in."""

    def script(_: Scope) -> Plan:
        add(Store.open(store.root), session(2))
        return Plan(everything())

    assert dream(store, Options(NOW, ScriptedDreamer(script))).status is DreamStatus.SYNCED
    assert folder(2) in store.tree().sessions()


def test_an_unfinished_merge_stops_a_dream_before_it_asks(store: Store) -> None:
    (store.root / ".git" / "MERGE_HEAD").write_text(f"{store.head()}\n", encoding="utf-8")
    asked = says(*everything())
    with pytest.raises(StateError, match="No dream was started"):
        dream(store, Options(NOW, asked))
    assert asked.asked == 0


# --- what a machine is told -------------------------------------------------------


def test_the_result_as_json(store: Store) -> None:
    plan = Plan((*everything(), stated("Lost.", "nowhere")), model_calls=2)
    told = dream(store, Options(NOW, ScriptedDreamer(lambda _: plan))).as_json(1.23456)
    assert told == {
        "run": "2026-11-29T030000Z",
        "status": "synced",
        "commit": store.head(),
        "sessions": 1,
        "operations": 4,
        "dropped": [{"operation": f"State {ILYA}", "why": "its evidence nowhere is not in the tree"}],
        "findings": [],
        "model_calls": 2,
        "seconds": 1.235,
    }


def test_the_nights_are_listed_newest_first(store: Store) -> None:
    assert nights(store, 10) == ()
    first = night(store, *everything())
    add(store, session(2, words=("The pier is long.",)))
    second = night(store, summarised(number=2, sentences=()), now=timedelta(days=1))
    found = nights(store, 10)
    assert [(one.run, one.commit, one.dreamer) for one in found] == [
        (second.run, second.commit, "scripted"),
        (first.run, first.commit, "scripted"),
    ]
    assert found[0].subject == second.subject
    assert nights(store, 1) == found[:1]


@settings(derandomize=True, deadline=None, max_examples=5)
@given(PLANS, PLANS)
def test_no_random_night_leaves_an_error_in_main(
    made: Path, tmp_path_factory: pytest.TempPathFactory, first: list[Operation], second: list[Operation]
) -> None:
    root = shutil.copytree(made, tmp_path_factory.mktemp("night") / "brain", symlinks=True)
    store = Store.open(Path(root))
    for number, plan in enumerate((first, second)):
        night(store, *plan, now=timedelta(days=number))
        assert is_ok(gate.validate(Pair(None, store.tree())))
        assert store.working().blobs == store.tree().blobs
    store.close()
