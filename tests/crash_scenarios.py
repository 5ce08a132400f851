"""What is cut off by powercut.py, and what must hold afterwards.

Wherever a run was cut off: what it had acknowledged is in main; the next command needs nobody's help;
then the tree and the number of commits are those of a run that was left in peace, git finds nothing
wrong, and nothing is left behind.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rehearsal import ACK_END, Facts, Scenario

from brain import config, layout
from brain.errors import BrainError
from brain.files import disk
from brain.memory import settle
from brain.store import Store

AT = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
RUNS = ("first", "second")
MANY = ("many",)
HAND = "memory/notes/home/By hand.md"
_NOTE = "memory/notes/home/Tide clock.md"
_OLD = b"---\ntitle: Tide clock\ndomain: home\n---\n\nThe clock is late.\n"
_NEW = b"---\ntitle: Tide clock\ndomain: home\n---\n\nThe clock is on time.\n"
_GONE = "memory/notes/home/Old.md"
_ROOT = Path(__file__).parent.parent
_SAMPLE = _ROOT / "eval" / "sample" / "log"


# --- the store alone ----------------------------------------------------------------

_STORE_RUN = """
import sys
from pathlib import Path
import crash_scenarios as scenarios
from brain.errors import BrainError
from brain.store import Store
store = Store.open(Path.cwd())
try:
    for run_id in sys.argv[1:]:
        with store.lock("test"):
            store.recover()
            scenarios.write(store, run_id)
        print("ACK", run_id, flush=True)
except BrainError as error:
    sys.exit(f"{error.code}: {error.message}")
finally:
    store.close()
"""


def write(store: Store, run_id: str) -> None:
    """A hand edit becomes a commit, then a commit of its own."""
    settle(store, AT)
    if store.find_run(run_id) is None:
        head = store.head()
        commit = store.write(_changes(run_id), base=head, message="Test", command="ingest", run_id=run_id, at=AT)
        store.advance(commit, head)


def _changes(run_id: str) -> dict[str, bytes | None]:
    if run_id == "many":
        return {f"memory/notes/{n % 3}/Note {n}.md": b"%d.\n" % n for n in range(disk.MANY + 6)}
    if run_id == "first":
        return {_NOTE: _NEW, "memory/notes/work/New.md": b"New.\n", _GONE: None}
    return {_NOTE: _NEW + b"\nStill.\n", "memory/notes/work/New.md": b"Newer.\n"}


def _make_store(root: Path) -> None:
    store = Store.init(root, toml=config.default_toml("UTC", "Nadia"), at=AT)
    commit = store.write(
        {_NOTE: _OLD, _GONE: b"Old.\n"}, base=store.head(), message="Base", command="ingest", run_id="base", at=AT
    )
    store.advance(commit, store.head())
    store.close()
    _by_hand(root)


def _by_hand(root: Path) -> None:
    """Something that a person wrote and no command has seen yet."""
    (root / HAND).parent.mkdir(parents=True, exist_ok=True)
    (root / HAND).write_bytes(b"---\ntitle: By hand\ndomain: home\n---\n\nThe key hangs behind the door.\n")


def check_store(facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    return _check_runs(RUNS, facts, root, acknowledged)


def check_many(facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    return _check_runs(MANY, facts, root, acknowledged)


def _check_runs(runs: tuple[str, ...], facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    store = Store.open(root)
    try:
        lost = [run for run in runs if f"ACK {run}" in acknowledged and store.find_run(run) is None]
        if lost:
            return f"{lost} acknowledged and lost"
        store.recover()
        for run_id in runs:
            write(store, run_id)
    except BrainError as error:
        return f"{error.code}: {error.message}"
    finally:
        store.close()
    return _differs(facts, root) or sound(root)


def store() -> Scenario:
    return Scenario(_make_store, [sys.executable, "-P", "-c", _STORE_RUN, *RUNS], learn, check_store, _PATHS)


def many() -> Scenario:
    """So many files that they are stored as one pack and synced at once."""
    return Scenario(_make_store, [sys.executable, "-P", "-c", _STORE_RUN, *MANY], learn, check_many, _PATHS)


# --- the commands -------------------------------------------------------------------


def _brain(root: Path, *arguments: str) -> str:
    """One command in this process; what it said went wrong, "" where nothing did."""
    import click

    from brain.cli import cli

    quiet = io.StringIO()
    try:
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            status = cli.main(
                [*arguments, "--brain", str(root), "--now", AT.isoformat()], "brain", standalone_mode=False
            )
    except BrainError as error:
        return f"{arguments[0]}: {error.code}: {error.message}"
    except click.ClickException as error:
        return f"{arguments[0]}: {error.format_message()}"
    return f"{arguments[0]} gave {status}" if status else ""


_INGEST = ("ingest", str(_SAMPLE))
_DREAM = ("dream",)


def _make_ingest(root: Path) -> None:
    Store.init(root, toml=config.default_toml("UTC", "Nadia"), at=AT).close()


def _make_dream(root: Path) -> None:
    _make_ingest(root)
    if said := _brain(root, *_INGEST):
        raise SystemExit(said)
    _by_hand(root)


def _check_command(command: tuple[str, ...], facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    if ACK_END in acknowledged and (said := _differs(facts, root)):
        return f"acknowledged, and {said}"
    return _brain(root, *command) or _differs(facts, root) or sound(root)


def check_ingest(facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    return _check_command(_INGEST, facts, root, acknowledged)


def check_dream(facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    return _check_command(_DREAM, facts, root, acknowledged)


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "brain", *arguments, "--brain", ".", "--now", AT.isoformat()]


def ingest() -> Scenario:
    return Scenario(_make_ingest, _command(*_INGEST), learn, check_ingest, _PATHS)


def dream() -> Scenario:
    return Scenario(_make_dream, _command(*_DREAM), learn, check_dream, _PATHS)


# --- what must hold -----------------------------------------------------------------


def learn(root: Path) -> Facts:
    """The tree that main has, and how many commits it took."""
    store = Store.open(root)
    try:
        head = store.head() or ""
        return {"tree": dict(store.tree(head).blobs), "commits": len(store.git.log(head))}
    finally:
        store.close()


def _differs(facts: Facts, root: Path) -> str:
    now = learn(root)
    if now["commits"] != facts["commits"]:
        return f"{now['commits']} commits instead of {facts['commits']}"
    there, wanted = now["tree"], facts["tree"]
    assert isinstance(there, Mapping)
    assert isinstance(wanted, Mapping)
    wrong = sorted(path for path in there.keys() | wanted.keys() if there.get(path) != wanted.get(path))
    return f"{wrong[0]} is not what it should be" if wrong else ""


def sound(root: Path) -> str:
    """What is wrong with a brain that the next command has been through; "" where nothing is."""
    env = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "PATH": os.environ["PATH"], "LC_ALL": "C"}

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, env=env, capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip()

    if said := git("fsck", "--full", "--strict", "--no-dangling"):
        return f"fsck: {said}"
    if said := git("status", "--porcelain", "--untracked-files=all"):
        return f"status: {said}"
    left = [str(path.relative_to(root)) for path in _debris(root)]
    return f"left behind: {', '.join(left)}" if left else ""


def _debris(root: Path) -> list[Path]:
    local = root / layout.LOCAL
    found = [local / "journal", *(local / "tmp").glob("*"), *(local / "staged").glob("*"), root / layout.CONFLICTS]
    for pattern in ("**/*.lock", "**/tmp_*"):
        found += (root / ".git").glob(pattern)
    found += root.rglob(".brain-tmp-*")
    # One that its git had linked to its name already and then could not remove is whole, and git's to collect.
    return [p for p in found if p.exists() and not (p.name.startswith("tmp_obj_") and p.stat().st_nlink > 1)]


_PATHS = {"PYTHONPATH": f"{_ROOT}{os.pathsep}{Path(__file__).parent}"}

SCENARIOS: dict[str, Callable[[], Scenario]] = {"store": store, "many": many, "ingest": ingest, "dream": dream}
