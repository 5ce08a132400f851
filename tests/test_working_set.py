"""Working sets: a part of a brain in a folder, with git at hand; nothing in it changes, is lost or leaks."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Result, Run
from store_kit import move, new_brain, sh
from trees import ILYA, KESTREL, MARINA, WORKSHOP, world

from brain import index
from brain.files.locks import Busy, Lock
from brain.layout import INDEXES
from brain.model import Audience
from brain.sandbox import manifest, opening
from brain.sandbox.history import CommitGone
from brain.sandbox.manifest import NotASandbox
from brain.sandbox.opening import Another, Edited, Wanted
from brain.sandbox.working_set import MANUAL, WorkingSet
from brain.store import Store
from brain.tree import tree_of

_FILES = {path: text.encode() for path, text in world().items() if path != "brain.toml"}
HARBOUR = _FILES | index.files(tree_of(_FILES), 8000)
PUBLIC = Wanted(Audience.PUBLIC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = new_brain(tmp_path / "brain", HARBOUR)
    yield made
    made.close()


@pytest.fixture
def working(store: Store, tmp_path: Path) -> WorkingSet:
    return opening.open_in(store, tmp_path / "set", Wanted())


def held(working: WorkingSet) -> dict[str, bytes]:
    """What lies there, by path; git's files, the manifest's and the manual apart."""
    root = working.folder
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {p: (root / p).read_bytes() for p in paths if p.split("/")[0] not in (".git", manifest.FOLDER, MANUAL)}


def is_clean(working: WorkingSet) -> bool:
    return sh(working.folder, "git status --porcelain") == ""


# --- what lies there ----------------------------------------------------------------


def test_a_new_one_holds_the_maps_and_says_what_there_is(working: WorkingSet) -> None:
    assert set(held(working)) == set(INDEXES)
    manual = (working.folder / MANUAL).read_text()
    assert "| `memory/knowledge/people/` | 0 | 2 |" in manual
    assert f"Commit {working.commit}" in manual


def test_files_are_laid_under_their_own_paths_read_only_with_their_own_bytes(store: Store, working: WorkingSet) -> None:
    done = opening.hold(store, working, {ILYA: "named", MARINA: "named"})
    assert done.new == (ILYA, MARINA)
    assert held(working)[MARINA] == HARBOUR[MARINA]
    assert (working.folder / ILYA).stat().st_mode & 0o777 == 0o444
    assert f"- `{ILYA}` · named" in (working.folder / MANUAL).read_text()


def test_what_is_held_already_and_what_does_not_exist_is_said(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: ""})
    done = opening.hold(store, working, {ILYA: "", KESTREL: "", "memory/knowledge/people/Nobody.md": ""})
    assert (done.new, done.already, done.missing) == ((KESTREL,), (ILYA,), ("memory/knowledge/people/Nobody.md",))


@pytest.mark.parametrize("path", ["brain.toml", "../brain/brain.toml", "/etc/passwd", ".git/config", "memory", ""])
def test_nothing_but_files_of_the_memory_is_laid_down(path: str, store: Store, working: WorkingSet) -> None:
    before = held(working)
    assert opening.hold(store, working, {path: ""}).missing == (path,)
    assert held(working) == before


def test_paths_do_not_change_while_main_moves_on(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: ""})
    before = held(working)
    move(store, {ILYA: HARBOUR[ILYA] + b"\nMore.\n", KESTREL: None}, "later")
    done = opening.hold(store, working, {KESTREL: ""})
    assert done.new == (KESTREL,)
    assert held(working) == before | {KESTREL: HARBOUR[KESTREL]}
    assert is_clean(working)


def test_a_folder_with_other_things_in_it_is_left_alone(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "letter.txt").write_text("Dear Nadia")
    with pytest.raises(NotASandbox):
        opening.open_in(store, folder, Wanted())
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]


def test_opening_again_goes_on_at_its_commit(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: ""})
    move(store, {KESTREL: None}, "later")
    again = opening.open_in(store, working.folder, Wanted())
    assert (again.commit, ILYA in again.held) == (working.commit, True)


def test_opening_it_for_others_or_at_another_commit_is_refused(store: Store, working: WorkingSet) -> None:
    with pytest.raises(Another, match="audience"):
        opening.open_in(store, working.folder, PUBLIC)
    move(store, {KESTREL: None}, "later")
    with pytest.raises(Another, match="stands on"):
        opening.open_in(store, working.folder, Wanted(revision="HEAD"))


# --- git inside ----------------------------------------------------------------------


def test_git_works_inside_over_the_whole_history(store: Store, working: WorkingSet) -> None:
    first = store.head()
    move(store, {ILYA: HARBOUR[ILYA] + b"\nMore about Ilya.\n"}, "later")
    opening.refresh(store, working, None)
    opening.hold(store, working, {ILYA: "", MARINA: ""})
    inside = working.folder
    assert is_clean(working)
    assert sh(inside, f"git log --format=%H -- '{ILYA}'") == f"{store.head()}\n{first}"
    assert "More about Ilya." in sh(inside, "git diff HEAD~1 --stat=200 -p")
    assert sh(inside, f"git show 'HEAD:{KESTREL}'").encode() + b"\n" == HARBOUR[KESTREL]
    assert sh(inside, "git grep -l Ilya").splitlines() == sorted(p for p, d in held(working).items() if b"Ilya" in d)
    assert MARINA in sh(inside, "git ls-files")


def test_git_inside_takes_a_few_kilobytes_and_copies_no_objects(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: "", MARINA: ""})
    sizes = [path.stat().st_size for path in (working.folder / ".git").rglob("*") if path.is_file()]
    assert sum(sizes) < 8000
    assert sh(working.folder, "git count-objects") == "0 objects, 0 kilobytes"


def test_what_git_commits_inside_does_not_reach_the_brain(store: Store, working: WorkingSet) -> None:
    head, objects = store.head(), sh(store.root, "git count-objects -v")
    sh(working.folder, "echo mine > mine.md; git add --sparse mine.md; git commit -qm mine")
    assert (store.head(), sh(store.root, "git count-objects -v")) == (head, objects)
    assert sh(store.root, "git status --porcelain") == ""


def test_no_program_of_the_tree_or_its_attributes_is_run(store: Store, tmp_path: Path) -> None:
    attributes = "*.md filter=evil diff=evil\n"
    sh(store.root, f"printf '{attributes}' > .gitattributes; git add .gitattributes; git commit -qm attributes")
    working = opening.open_in(store, tmp_path / "set", Wanted())
    opening.hold(store, working, {ILYA: ""})
    evil = f"touch {tmp_path}/ran; cat"
    flags = f'-c filter.evil.clean="{evil}" -c filter.evil.smudge="{evil}" -c diff.evil.textconv="{evil}"'
    sh(working.folder, f"chmod u+w '{ILYA}'; echo more >> '{ILYA}'; git {flags} diff; git {flags} status")
    assert not (tmp_path / "ran").exists()


def test_a_brain_in_a_larger_repository_is_shown_by_one_commit(tmp_path: Path) -> None:
    sh(tmp_path, "git init -qb main big; cd big; echo secret > other.txt; git add .; git commit -qm one")
    store = new_brain(tmp_path / "big" / "brain", HARBOUR)
    working = opening.open_in(store, tmp_path / "set", Wanted())
    opening.hold(store, working, {ILYA: ""})
    assert is_clean(working)
    assert sh(working.folder, "git log --format=%s") == f"The brain at {working.commit[:12]}"
    assert "other.txt" not in sh(working.folder, "git ls-tree -r --name-only HEAD")
    assert held(working)[ILYA] == HARBOUR[ILYA]
    before = sh(tmp_path / "big", "git rev-list --max-parents=0 HEAD")
    assert held(opening.open_in(store, tmp_path / "before", Wanted(revision=before))) == {}
    store.close()


# --- edits and refresh -----------------------------------------------------------------


def test_refresh_changes_what_is_held_and_tells_what_is_gone(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: "", KESTREL: "", MARINA: ""})
    move(store, {ILYA: HARBOUR[ILYA] + b"\nMore.\n", KESTREL: None}, "later")
    done = opening.refresh(store, working, None)
    assert (done.changed, done.gone, done.edited) == ((ILYA,), (KESTREL,), ())
    assert held(working)[ILYA].endswith(b"More.\n")
    assert KESTREL not in held(working)
    assert KESTREL not in working.held
    assert is_clean(working)


def test_refresh_goes_back_too(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: ""})
    before, first = held(working), store.head()
    move(store, {ILYA: b"other\n"}, "later")
    opening.refresh(store, working, None)
    opening.refresh(store, working, first)
    assert held(working) == before


def test_what_somebody_changed_here_is_told_and_kept(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: "", KESTREL: ""})
    for path in (ILYA, KESTREL):
        (working.folder / path).chmod(0o644)
        (working.folder / path).write_text("my own words\n")
    assert working.edits() == (ILYA, KESTREL)
    move(store, {ILYA: HARBOUR[ILYA] + b"\nMore.\n", KESTREL: None}, "later")
    done = opening.refresh(store, working, None)
    assert (done.changed, done.gone, set(done.edited)) == ((), (), {ILYA, KESTREL})
    assert held(working)[ILYA] == held(working)[KESTREL] == b"my own words\n"
    assert f" M {ILYA}" in sh(working.folder, "git -c core.quotePath=false status --porcelain").replace('"', "")


def test_a_file_that_was_removed_here_comes_back_with_refresh(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: ""})
    (working.folder / ILYA).unlink()
    assert working.edits() == (ILYA,)
    opening.refresh(store, working, None)
    assert held(working)[ILYA] == HARBOUR[ILYA]


@pytest.mark.parametrize("thing", ["a file", "a folder", "a link", "a linked folder"])
def test_what_stands_in_the_way_is_left_and_told(thing: str, store: Store, working: WorkingSet, tmp_path: Path) -> None:
    place, outside = working.folder / ILYA, tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    if thing == "a linked folder":
        place.parent.symlink_to(outside)
    else:
        place.parent.mkdir()
        {
            "a file": lambda: place.write_text("mine"),
            "a folder": place.mkdir,
            "a link": lambda: place.symlink_to(outside / "kept"),
        }[thing]()
    done = opening.hold(store, working, {ILYA: "", KESTREL: ""})
    assert (done.new, done.blocked) == ((KESTREL,), (ILYA,))
    assert [path.name for path in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_text() == "kept"
    opening.refresh(store, working, None)
    assert [path.name for path in outside.iterdir()] == ["kept"]


def test_closing_takes_it_away_but_not_what_somebody_wrote(store: Store, working: WorkingSet) -> None:
    (working.folder / "plan.txt").write_text("mine")
    with pytest.raises(Edited, match=r"plan\.txt"):
        opening.close(working)
    assert (working.folder / "plan.txt").exists()
    opening.close(working, anyway=True)
    assert not working.folder.exists()
    assert store.tree().paths


# --- kills, moves, two at once -------------------------------------------------------------


_KILLED = """
import os, sys
from pathlib import Path
from brain.sandbox import opening
from brain.sandbox.working_set import WorkingSet
from brain.store import Store

calls, last = 0, int(sys.argv[3])

def counted(real):
    def call(*given, **named):
        global calls
        calls += 1
        if calls > last:
            os._exit(9)
        return real(*given, **named)
    return call

for name in ("rename", "mkdir", "unlink", "write"):
    setattr(os, name, counted(getattr(os, name)))
store, working = Store.open(Path(sys.argv[1])), WorkingSet.load(Path(sys.argv[2]))
if sys.argv[4] == "refresh":
    opening.refresh(store, working, None)
else:
    opening.hold(store, working, dict.fromkeys(sys.argv[5:], "wanted"))
"""


@pytest.mark.parametrize("what", ["hold", "refresh"])
@pytest.mark.timeout(600)
def test_a_kill_anywhere_is_completed_by_the_next_command(what: str, store: Store, tmp_path: Path) -> None:
    wanted = (ILYA, MARINA, WORKSHOP)
    first = opening.open_in(store, tmp_path / "first", Wanted())
    opening.hold(store, first, {ILYA: "", KESTREL: ""})
    move(store, {ILYA: HARBOUR[ILYA] + b"\nMore.\n", KESTREL: None}, "later")
    for last in range(0, 60, 3):
        folder = Path(shutil.copytree(first.folder, tmp_path / f"{what}{last}"))
        line = [sys.executable, "-c", _KILLED, store.root, folder, str(last), what, *wanted]
        killed = subprocess.run([str(part) for part in line], check=False).returncode == 9
        working = WorkingSet.load(folder)
        if what == "refresh":
            opening.refresh(store, working, None)
            assert held(working)[ILYA].endswith(b"More.\n")
            assert KESTREL not in held(working)
        else:
            opening.hold(store, working, dict.fromkeys(wanted, ""))
            assert set(held(working)) > {*wanted, KESTREL}
        assert (working.edits(), working.own_files(), is_clean(working)) == ((), (), True)
        if not killed:
            break
    assert not killed


def test_an_empty_file_of_a_power_cut_is_laid_down_again(store: Store, working: WorkingSet) -> None:
    opening.hold(store, working, {ILYA: ""})
    (working.folder / ILYA).chmod(0o644)
    os.truncate(working.folder / ILYA, 0)
    opening.refresh(store, working, None)
    assert held(working)[ILYA] == HARBOUR[ILYA]


def test_two_grow_it_at_once(dreamt: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    run("sandbox", "open", folder, "--brain", dreamt)
    pages = sorted((dreamt / "memory" / "knowledge").rglob("*.md"))[:12]
    paths = [page.relative_to(dreamt).as_posix() for page in pages]
    code = (
        "import sys; from pathlib import Path; from brain.sandbox import opening; from brain.store import Store\n"
        "from brain.sandbox.working_set import WorkingSet\n"
        "store, folder = Store.open(Path(sys.argv[1])), Path(sys.argv[2])\n"
        "for path in sys.argv[3:]: opening.hold(store, WorkingSet.load(folder), {path: ''})"
    )
    line = [sys.executable, "-c", code, str(dreamt), str(folder)]
    both = [subprocess.Popen([*line, *part]) for part in (paths, paths[::-1])]
    assert [process.wait() for process in both] == [0, 0]
    working = WorkingSet.load(folder)
    assert set(paths) <= working.held
    assert is_clean(working)


def test_a_busy_one_is_said(store: Store, working: WorkingSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brain.sandbox.working_set.WAIT", 0.0)
    with Lock(working.folder / manifest.FOLDER / "lock", "another"), pytest.raises(Busy):
        opening.hold(store, working, {ILYA: ""})


def test_it_can_be_moved_and_so_can_the_brain(store: Store, working: WorkingSet, tmp_path: Path) -> None:
    inside = opening.open_in(store, store.local("sandboxes", "mine"), Wanted())
    there = working.folder.rename(tmp_path / "elsewhere")
    assert sh(there, "git log --format=%H -1") == working.commit
    store.close()
    store.root.rename(tmp_path / "moved")
    moved = Store.open(tmp_path / "moved")
    assert sh(moved.local("sandboxes", "mine"), "git log --format=%H -1") == inside.commit
    again = WorkingSet.load(there)
    assert opening.hold(moved, again, {ILYA: ""}).new == (ILYA,)
    assert is_clean(again)
    assert again.manifest.brain == str(moved.root)
    moved.close()


def test_a_commit_that_is_gone_is_said_and_refresh_goes_on(store: Store, working: WorkingSet) -> None:
    sh(
        store.root,
        "git checkout -q --orphan new; git commit -qm anew; git branch -qM main; "
        "git reflog expire --expire=now --all; git gc -q --prune=now",
    )
    store.close()
    again = Store.open(store.root)
    with pytest.raises(CommitGone, match=working.commit[:12]):
        opening.hold(again, working, {ILYA: ""})
    opening.refresh(again, working, None)
    assert opening.hold(again, working, {ILYA: ""}).new == (ILYA,)
    assert is_clean(working)
    again.close()


# --- for others than the user ----------------------------------------------------------------


SECRET = "memory/knowledge/concepts/Blue heron.md"
LOOSE = "memory/knowledge/concepts/Loose.md"
OPEN_TALK = "memory/sessions/2026/10/02-0a1b2c3d"
CLOSED_TALK = "memory/sessions/2026/10/03-4e5f6a7b"


def page(title: str, body: str, privacy: str = "shared") -> bytes:
    return (
        f"---\ntitle: {title}\nkind: concept\naliases: [{title} alias]\nsummary: about\ncreated: 2026-10-03\n"
        f"updated: 2026-10-03\nimportance: 3\nprivacy: {privacy}\nstatus: active\ncitations:\n"
        f'  1: {{source: "sessions/2026/10/03-4e5f6a7b#t1", quote: 9f3a1c22b4d0/41, date: 2026-10-03, origin: user}}\n'
        f"---\n\n# {title}\n\n{body}\n"
    ).encode()


def talk(folder: str, audience: str, words: str) -> dict[str, bytes]:
    text = (
        f"---\nid: {folder[-8:]}\nagent: test\ntitle: talk {audience}\nstarted: 2026-10-03T10:00:00+00:00\nturns: 1\n"
        f"audience: {audience}\nkind: main\nsource: {{format: test, name: a.txt, sha256: 00}}\n---\n\n"
        f"## t1 · user · 2026-10-03T10:00:00+00:00\n\n{words}\n"
    )
    return {f"{folder}/transcript.md": text.encode(), f"{folder}/attachments/r1.txt": words.encode()}


@pytest.fixture
def mixed(store: Store) -> Store:
    """A brain with a private page that shared ones lead to, a public talk and a private one."""
    shared = (
        "Ilya hums. [cite:1]\n\n## Facts\n\n"
        "- He knows [[Blue heron]] and [[Blue heron alias|that plan]]. [cite:1] ^aa11\n"
        "\nSee memory/knowledge/concepts/Blue heron.md.\n\n## Related\n\n- [[blue_heron]] · the reserved subject\n"
        "- [[Ilya Brandt]] · who hums\n"
    )
    move(
        store,
        {
            SECRET: page("Blue heron", "The vermilion ledger is in the attic. [cite:1]", "private"),
            LOOSE: page("Loose", "Vermilion too. [cite:1]", "privat"),
            "memory/knowledge/concepts/Humming.md": page("Humming", shared),
            **talk(OPEN_TALK, "public", "An open word, and sessions/2026/10/03-4e5f6a7b#t1."),
            **talk(CLOSED_TALK, "trusted", "The vermilion ledger, said in private."),
        },
        "mixed",
    )
    return store


def everything(folder: Path) -> str:
    """All bytes of a folder, with all objects that git in it can reach or holds, as one text."""
    plain = [
        path.relative_to(folder).as_posix().encode() + path.read_bytes() for path in folder.rglob("*") if path.is_file()
    ]
    listed = sh(folder, "git cat-file --batch-all-objects --batch-check='%(objectname)'").split()
    shown = [sh(folder, f"git cat-file -p {name} | base64 -w0") for name in listed]
    plain += map(base64.b64decode, shown)
    return b"\n".join(plain).decode("utf-8", "replace").casefold()


PRIVATE = ("vermilion", "blue heron", "blue_heron", "that plan", "reserved subject", "4e5f6a7b", "9f3a1c22", "loose")


def test_a_public_one_holds_nothing_private_anywhere(mixed: Store, tmp_path: Path) -> None:
    working = opening.open_in(mixed, tmp_path / "set", PUBLIC)
    wanted = {path: "wanted" for path in mixed.tree().paths if "heron" not in path and "Loose" not in path}
    opening.hold(mixed, working, {path: why for path, why in wanted.items() if CLOSED_TALK not in path})
    text = everything(working.folder)
    assert "an open word" in text and "who hums" in text
    assert [words for words in PRIVATE if words in text] == []
    assert is_clean(working)
    assert "withheld" in (working.folder / MANUAL).read_text()
    assert "withheld" in (working.folder / "memory" / "index.md").read_text()


def test_a_private_file_cannot_be_asked_for_in_public(mixed: Store, tmp_path: Path) -> None:
    working = opening.open_in(mixed, tmp_path / "set", PUBLIC)
    private = (SECRET, LOOSE, f"{CLOSED_TALK}/transcript.md", f"{CLOSED_TALK}/attachments/r1.txt", "DREAM.md")
    assert opening.hold(mixed, working, dict.fromkeys(private, "")).missing == private
    for path in private:
        blob = mixed.tree().blob(path)
        failed = subprocess.run(["git", "cat-file", "-e", str(blob)], cwd=working.folder, check=False)
        assert failed.returncode != 0, path


def test_a_public_one_is_clean_of_what_became_private(mixed: Store, tmp_path: Path) -> None:
    working = opening.open_in(mixed, tmp_path / "set", PUBLIC)
    humming = "memory/knowledge/concepts/Humming.md"
    opening.hold(mixed, working, {humming: "", ILYA: ""})
    move(mixed, {humming: page("Humming", "Ilya hums. [cite:1]", "private")}, "closed")
    done = opening.refresh(mixed, working, None)
    assert done.gone == (humming,)
    assert "hums" not in everything(working.folder)
    assert held(working)[ILYA] == HARBOUR[ILYA] or b"withheld" in held(working)[ILYA]


def test_shared_pages_keep_their_words_in_public(mixed: Store, tmp_path: Path) -> None:
    working = opening.open_in(mixed, tmp_path / "set", PUBLIC)
    opening.hold(mixed, working, {"memory/knowledge/concepts/Humming.md": ""})
    text = held(working)["memory/knowledge/concepts/Humming.md"].decode()
    assert "Ilya hums. [cite:1]" in text
    assert "He knows (withheld) and (withheld). [cite:1] ^aa11" in text
    assert '1: {source: "withheld", quote: withheld, date: 2026-10-03, origin: user}' in text
    assert "- [[Ilya Brandt]] · who hums" in text


# --- names and sizes ------------------------------------------------------------------------


def test_names_of_any_script_and_kind(store: Store, working: WorkingSet) -> None:
    names = [
        "memory/knowledge/people/Ёлка «Заря».md",
        "memory/knowledge/people/日本語 - 名前.md",
        "memory/knowledge/people/a [b] {c} !d.md",
        "memory/knowledge/people/e\u0301 acute.md",
        f"memory/knowledge/people/{'y' * 190}.md",
    ]
    move(store, {name: f"# {name}\n".encode() for name in names}, "names")
    opening.refresh(store, working, None)
    assert set(opening.hold(store, working, dict.fromkeys(names, "")).new) == set(names)
    assert is_clean(working)
    assert set(names) <= set(sh(working.folder, "git ls-files").splitlines())


def test_a_large_brain_costs_what_is_held(store: Store, tmp_path: Path) -> None:
    many = {
        f"memory/sessions/20{y}/{m:02d}/{d:02d}-{n:08x}/transcript.md": b"x" * 2000
        for n, (y, m, d) in enumerate((y, m, d) for y in range(10, 22) for m in range(1, 13) for d in range(1, 29))
    }
    move(store, many, "many")
    working = opening.open_in(store, tmp_path / "set", Wanted())
    some = sorted(many)[::1500]
    opening.hold(store, working, dict.fromkeys(some, ""))
    git_bytes = sum(path.stat().st_size for path in (working.folder / ".git").rglob("*") if path.is_file())
    assert git_bytes < 40_000
    assert is_clean(working)
    assert len(sh(working.folder, "git ls-files").splitlines()) == len(mixed_paths(store))
    assert "| `memory/sessions/` |" in (working.folder / MANUAL).read_text()


def mixed_paths(store: Store) -> list[str]:
    return sh(store.root, "git ls-tree -r --name-only HEAD").splitlines()


# --- the command line -------------------------------------------------------------------------


def test_the_commands_find_the_sandbox_and_its_brain_by_themselves(dreamt: Path, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    assert run("sandbox", "open", folder, "--brain", dreamt).status == 0
    inside = folder / "memory"
    assert run("sandbox", "status", cwd=inside).status == 0
    refreshed = run("sandbox", "refresh", cwd=inside)
    assert (refreshed.status, refreshed.err) == (0, "")
    closed = run("sandbox", "close", folder)
    assert (closed.status, folder.exists()) == (0, False)


def test_without_a_name_it_lies_below_the_brain_and_is_listed(dreamt: Path, call: Callable[..., Result]) -> None:
    now = ("--now", "2026-11-29T03:00:00+00:00")
    for _ in range(2):
        assert call("sandbox", "open", "--brain", dreamt, *now).status == 0
    listed = call("sandbox", "list", "--brain", dreamt).out
    assert "20261129T030000 " in listed and "20261129T030000-2 " in listed


def test_a_folder_that_is_none_is_refused(tmp_path: Path, call: Callable[..., Result]) -> None:
    for command in ("refresh", "status", "close"):
        done = call("sandbox", command, tmp_path)
        assert (done.status, done.out) == (2, "")
        assert "is no sandbox" in done.err
