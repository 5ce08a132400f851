"""The demo stands where somebody tries it, and touches nothing of theirs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from brain.eval import demo


def git(folder: Path, *line: str) -> str:
    return subprocess.run(["git", *line], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_a_demo_in_a_checkout_commits_to_its_own_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(
        tmp_path, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "theirs"
    )
    before = git(tmp_path, "rev-parse", "HEAD")
    store = demo.build(tmp_path / "brain-demo", 1)
    store.close()
    assert git(tmp_path, "rev-parse", "HEAD") == before
    assert git(tmp_path, "ls-files") == ""
    assert Path(git(tmp_path / "brain-demo", "rev-parse", "--show-toplevel")) == (tmp_path / "brain-demo").resolve()
    assert git(tmp_path / "brain-demo", "log", "-1", "--format=%s").startswith("Dream ")
