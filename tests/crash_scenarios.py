"""What is cut off by powercut.py, and what must hold afterwards."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from powercut import Scenario

from brain import config, layout
from brain.errors import BrainError
from brain.memory import settle
from brain.store import Store

AT = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
_NOTE = "memory/notes/home/Tide clock.md"
_OLD = b"---\ntitle: Tide clock\ndomain: home\n---\n\nThe clock is late.\n"
_NEW = b"---\ntitle: Tide clock\ndomain: home\n---\n\nThe clock is on time.\n"
_GONE = "memory/notes/home/Old.md"
_RUNS = ("first", "second")

_STORE_RUN = """
import sys
from pathlib import Path
import crash_scenarios as c
from brain.store import Store
from brain.errors import BrainError
store = Store.open(Path.cwd())
try:
    for run_id in c._RUNS:
        with store.lock("test"):
            store.recover()
            c.write(store, run_id)
        print("ACK", run_id, flush=True)
except BrainError as error:
    sys.exit(f"{error.code}: {error.message}")
finally:
    store.close()
"""


def write(store: Store, run_id: str) -> None:
    """What the run does: a hand edit becomes a commit, then a commit of its own."""
    settle(store, AT)
    if store.find_run(run_id) is None:
        head = store.head()
        commit = store.write(changes(run_id), base=head, message="Test", command="ingest", run_id=run_id, at=AT)
        store.advance(commit, head)


def changes(run_id: str) -> dict[str, bytes | None]:
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
    # A person has written something that no command has seen yet.
    (root / "memory/notes/home/By hand.md").write_bytes(b"Written by hand.\n")


def _check_store(root: Path, acknowledged: tuple[str, ...]) -> str:
    store = Store.open(root)
    try:
        for run_id in _RUNS:
            if f"ACK {run_id}" in acknowledged and store.find_run(run_id) is None:
                return f"{run_id} was acknowledged and is lost"
        store.recover()
        for run_id in _RUNS:
            write(store, run_id)
        count = len(store.git.log(store.head() or ""))
        if count != 6:
            return f"{count} commits instead of 6"
        tree = store.tree()
        wanted = {**changes("first"), **changes("second"), "memory/notes/home/By hand.md": b"Written by hand.\n"}
        for path, data in wanted.items():
            if (tree.bytes(path) if path in tree else None) != data:
                return f"{path} is not what it should be"
        if len(tree.sessions()) != 1:
            return f"{len(tree.sessions())} sessions of one hand edit"
    except BrainError as error:
        return f"{error.code}: {error.message}"
    finally:
        store.close()
    return sound(root)


def sound(root: Path) -> str:
    """What is wrong with a brain that the next command has been through; "" where nothing is."""
    env = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "PATH": "/usr/bin:/bin", "LC_ALL": "C"}

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=root, env=env, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    if said := git("fsck", "--full", "--strict", "--no-dangling").strip():
        return f"fsck: {said}"
    if said := git("status", "--porcelain", "--untracked-files=all").strip():
        return f"status: {said}"
    left = [str(path.relative_to(root)) for path in _debris(root)]
    return f"left behind: {', '.join(left)}" if left else ""


def _debris(root: Path) -> list[Path]:
    local = root / layout.LOCAL
    found = [local / "journal", *(local / "tmp").glob("*"), *(local / "staged").glob("*"), root / layout.CONFLICTS]
    for pattern in ("**/*.lock", "**/tmp_*", "**/.brain-tmp-*", "brain-*"):
        found += (root / ".git").glob(pattern)
    found += (path for path in root.rglob(".brain-tmp-*") if layout.LOCAL not in path.parts)
    # One that its git had linked to its name already and then could not remove is whole, and git's to collect.
    return [p for p in found if p.exists() and not (p.name.startswith("tmp_obj_") and p.stat().st_nlink > 1)]


def store() -> Scenario:
    return Scenario(_make_store, [sys.executable, "-P", "-c", _STORE_RUN], _check_store, {"PYTHONPATH": _paths()})


def _paths() -> str:
    here = Path(__file__).parent
    return f"{here.parent}:{here}"


SCENARIOS: dict[str, Callable[[], Scenario]] = {"store": store}
