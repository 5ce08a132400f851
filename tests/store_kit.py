"""A brain for tests of the store, and git as the person would use it beside Brain."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from brain import config
from brain.store import Store

AT = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
TOML = config.default_toml("Europe/Lisbon", "Nadia")
CASES = Path(__file__).parent / "cases" / "bugs"


def sh(cwd: Path, line: str) -> str:
    """A shell line of the person's."""
    env = dict(os.environ, GIT_AUTHOR_NAME="P", GIT_AUTHOR_EMAIL="p@example.org")
    env |= {"GIT_COMMITTER_NAME": "P", "GIT_COMMITTER_EMAIL": "p@example.org"}
    done = subprocess.run(["sh", "-ec", line], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip("\n")


def case(name: str, where: Path, *arguments: str) -> None:
    """Run the setup of one of the bug cases."""
    script = next(CASES.glob(f"{name}-*")) / "setup.sh"
    subprocess.run(["sh", str(script), str(where), *arguments], capture_output=True, check=True)


def new_brain(root: Path, contents: Mapping[str, bytes] | None = None) -> Store:
    store = Store.init(root, toml=TOML, at=AT)
    if contents:
        move(store, contents, "base")
    return store


def adopt(root: Path) -> Store:
    """A repository that is there already, opened as a brain."""
    (root / "brain.toml").write_text(TOML)
    return Store.open(root)


def put(store: Store, changes: Mapping[str, bytes | None], run_id: str, base: str | None = None) -> str:
    """A commit of Brain's over main; main is not moved."""
    at = base if base is not None else store.head()
    return store.write(changes, base=at, message="Message", command="ingest", run_id=run_id, at=AT)


def move(store: Store, changes: Mapping[str, bytes | None], run_id: str) -> str:
    """The same, and main is moved to it."""
    head = store.head()
    commit = put(store, changes, run_id, head)
    store.advance(commit, head)
    return commit


def status(root: Path) -> str:
    return sh(root, "git status --porcelain --untracked-files=all")


def fsck(root: Path) -> str:
    return sh(root, "git fsck --full --strict --no-dangling 2>&1")
