"""Main moves while a dream thinks: what others did stays, and the night's work is judged again beside it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nights import (
    CLOCK,
    ILYA,
    NOW,
    START,
    ScriptedDreamer,
    add,
    everything,
    folder,
    says,
    scope,
    session,
    source,
    stated,
    store_of,
    summarised,
)

from brain import index, layout
from brain.dream import sync as syncing
from brain.dream.apply import apply
from brain.dream.plan import Operation, Plan, Scope
from brain.dream.result import DreamResult, DreamStatus
from brain.dream.run import Options, dream
from brain.dream.sync import Proposal, Unmerged
from brain.evidence import fingerprint
from brain.model import SessionKind
from brain.store import Store
from brain.tree import overlay
from brain.validators import gate
from brain.validators.findings import is_ok
from brain.validators.pair import Pair


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One brain with one session, dreamt of once."""
    root = tmp_path_factory.mktemp("made") / "brain"
    store = store_of(root)
    dream(store, Options(NOW, says(*everything())))
    add(store, session(2, words=("Ilya sings.",)))
    store.close()
    return root


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    store = Store.open(Path(shutil.copytree(made, tmp_path / "brain", symlinks=True)))
    yield store
    store.close()


SINGS = stated("Nadia: “Ilya sings.”", source(1, 2))


def meanwhile(store: Store, act: Callable[[], object], *operations: Operation) -> DreamResult:
    """A dream during whose thinking somebody else acts."""

    def script(_: Scope) -> Plan:
        act()
        return Plan(operations or (SINGS,))

    return dream(store, Options(NOW, ScriptedDreamer(script)))


def git(store: Store, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=Nadia", "-c", "user.email=n@example.org", *arguments],
        cwd=store.root,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def edit(store: Store, path: str, text: str) -> None:
    file = store.root / path
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


def commit(store: Store, path: str, text: str) -> None:
    """What a person does with an editor and git."""
    edit(store, path, text)
    git(store, "add", path)
    git(store, "commit", "-q", "-m", "Mine")


def is_whole(store: Store) -> bool:
    return is_ok(gate.validate(Pair(None, store.tree()))) and store.working().blobs == store.tree().blobs


def test_a_session_that_came_in_meanwhile_stays(store: Store) -> None:
    result = meanwhile(store, lambda: add(Store.open(store.root), session(3)))
    assert result.status is DreamStatus.SYNCED
    assert folder(3) in store.tree().sessions()
    assert "sings" in store.tree().text(ILYA)
    assert is_whole(store)


def test_the_maps_are_those_of_the_tree_they_lie_in(store: Store) -> None:
    meanwhile(store, lambda: add(Store.open(store.root), session(3)))
    assert "Session 3" in store.tree().text(layout.SESSIONS_INDEX)


def test_a_commit_of_a_person_on_the_same_page_stays(store: Store) -> None:
    result = meanwhile(store, lambda: commit(store, ILYA, "- Ilya plays the cello.\n"))
    assert result.status is DreamStatus.SYNCED
    text = store.tree().text(ILYA)
    assert "cello" in text
    assert "sings" in text
    assert is_whole(store)


def test_words_committed_by_hand_meanwhile_become_evidence(store: Store) -> None:
    meanwhile(store, lambda: commit(store, ILYA, "- Ilya plays the cello.\n"))
    kinds = [one.kind for one in store.tree().sessions().values()]
    assert kinds.count(SessionKind.HAND_EDIT) == 1


def test_an_edit_that_nobody_committed_stays_in_the_folder(store: Store) -> None:
    result = meanwhile(store, lambda: edit(store, CLOCK, "- ? · fact · 0.50 · It is made of brass.\n"))
    assert result.status is DreamStatus.SYNCED
    assert "brass" in (store.root / CLOCK).read_text(encoding="utf-8")
    assert "sings" in store.tree().text(ILYA)


def test_an_edit_of_the_very_page_is_not_overwritten(store: Store) -> None:
    meanwhile(store, lambda: edit(store, ILYA, "\n## Music\n\n- Ilya plays the cello.\n"))
    assert "cello" in (store.root / ILYA).read_text(encoding="utf-8")
    assert "sings" in store.tree().text(ILYA)


def test_what_is_forgotten_meanwhile_does_not_get_in(store: Store) -> None:
    entry = f"- 2026-11-29T02:00:00Z · {fingerprint('Ilya sings')} · claim · asked\n"
    result = meanwhile(store, lambda: commit(store, layout.DELETIONS, entry))
    assert "sings" not in store.tree().text(ILYA)
    assert [one.why for one in result.dropped] == ["its words were forgotten at a person's wish"]


def test_a_session_that_grew_meanwhile_is_read_only_as_far_as_it_was_seen(store: Store) -> None:
    longer = session(2, words=("Ilya sings.", "He does?", "He sings in a choir."))

    def script(found: Scope) -> Plan:
        add(Store.open(store.root), longer)
        return Plan((SINGS, summarised(number=2, sentences=())))

    dream(store, Options(NOW, ScriptedDreamer(script)))
    assert store.tree().summaries()[layout.summary_path(folder(2))].dreamt_turn == 1
    (new,) = scope(store.tree()).sessions
    assert [turn.n for turn in new.turns] == [2, 3]


def test_the_same_night_dreamt_by_another_first_changes_nothing_more(store: Store) -> None:
    def somebody_else() -> None:
        other = Store.open(store.root)
        head = other.head()
        proposal = apply_by_hand(other, head)
        other.advance(proposal, head)

    result = meanwhile(store, somebody_else)
    assert (result.status, result.commit) == (DreamStatus.NO_CHANGE, None)
    assert store.tree().text(ILYA).count("sings") == 1


def apply_by_hand(store: Store, head: str | None) -> str:
    """The commit that another machine would have made of the same plan."""
    base = scope(store.tree(head))
    changes = dict(apply([SINGS], base).changes)
    changes |= index.files(overlay(base.tree, changes), store.settings.index.budget)
    return store.write(changes, base=head, message="Dream", command="dream", run_id="elsewhere", at=NOW)


# --- main that keeps moving -------------------------------------------------------


def proposal(store: Store, text: str = "one") -> Proposal:
    return Proposal(store.head(), {"dreams/run.md": text.encode()}, "Dream", {"Brain-Dreamer": "scripted"})


def move(store: Store, number: int) -> None:
    head = store.head()
    change = {layout.INSTRUCTIONS: f"{number}\n".encode()}
    store.advance(store.write(change, base=head, message="x", command="ingest", run_id=f"m{number}", at=START), head)


def test_a_dream_gives_way_again_and_again(store: Store) -> None:
    """A proposal that is stale three times is made anew three times."""
    stale = [proposal(store)]
    heads: list[str | None] = []
    for number in range(3):
        move(store, number)
        stale.append(proposal(store))
    move(store, 9)

    def again(_: Scope, head: str | None) -> Proposal:
        heads.append(head)
        return stale[len(heads)] if len(heads) < 3 else replace(stale[0], head=head)

    commit_id, synced = syncing.sync(store, "run", scope(store.tree()), stale[0], again)
    assert commit_id == store.head()
    assert synced is not None
    assert len(heads) == 3


def test_a_main_that_never_rests_is_not_fought_with(store: Store) -> None:
    stale = proposal(store)
    move(store, 1)
    moved = store.head()
    with pytest.raises(Unmerged, match="Nothing was synced: main moved 20 times") as caught:
        syncing.sync(store, "run", scope(store.tree()), stale, lambda found, head: stale)
    assert store.head() == moved
    assert "refs/brain/unmerged/run" in caught.value.message
    assert git(store, "show", "refs/brain/unmerged/run:dreams/run.md") == "one"
    assert git(store, "log", "-1", "--format=%s", "refs/brain/unmerged/run") == "Dream"


def test_what_is_not_valid_on_the_new_main_is_not_synced(store: Store) -> None:
    stale = proposal(store)
    move(store, 1)
    moved = store.head()
    assert syncing.sync(store, "run", scope(store.tree()), stale, lambda found, head: None) == (None, None)
    assert store.head() == moved


def test_the_commit_has_the_old_main_as_its_parent(store: Store) -> None:
    before = store.head()
    result = meanwhile(store, lambda: None)
    assert git(store, "rev-parse", f"{result.commit}^") == before
