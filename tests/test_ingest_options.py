"""Which sessions come in: those that are asked for, of the project they belong to, and none marked #incognito."""

from __future__ import annotations

import json
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest
from conftest import Run
from reading import TRANSCRIPTS

CLAUDE = TRANSCRIPTS / "claude-code"


def talk(path: Path, folder: str, day: str, *said: str) -> str:
    """A Claude Code session on a day; its id."""
    own = str(uuid.uuid5(uuid.NAMESPACE_URL, str(path)))
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "type": "user",
            "uuid": f"{own[:-1]}{n}",
            "parentUuid": f"{own[:-1]}{n - 1}" if n else None,
            "sessionId": own,
            "cwd": folder,
            "timestamp": f"{day}T10:0{n}:00Z",
            "message": {"role": "user", "content": text},
        }
        for n, text in enumerate(said)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return own


def taken(run: Run, brain: Path, *line: str | Path) -> set[str]:
    done = run("ingest", *line, "--brain", brain, "--json")
    assert done.status == 0, done
    return {session["id"] for session in json.loads(done.out)["sessions"]}


def project_of(brain: Path, session: str) -> str:
    found = next(path for path in brain.rglob("transcript.md") if f"id: {session}" in path.read_text("utf-8"))
    return next(line for line in found.read_text("utf-8").splitlines() if line.startswith("project: "))[9:]


def test_without_a_path_what_the_agents_have_written_is_found(run: Run, brain: Path) -> None:
    shutil.copytree(CLAUDE / "01-blocks-and-tools", run.home / ".claude" / "projects" / "tide")
    done = run("ingest", "--brain", brain)
    assert done.status == 0
    assert f"Found claude-code: {run.home}/.claude/projects" in done.err
    assert "claude-code" in done.out
    again = run("ingest", "--brain", brain, "--agent", "codex")
    assert again.status == 2
    assert "no transcripts of codex were found" in again.err


def test_a_day_a_project_and_a_pattern_narrow_it(run: Run, brain: Path, tmp_path: Path) -> None:
    old = talk(tmp_path / "t" / "old.jsonl", "/home/nadia/tide", "2026-03-01", "The gauge is late.")
    new = talk(tmp_path / "t" / "new.jsonl", "/home/nadia/tide", "2026-05-01", "The gauge is on time.")
    other = talk(tmp_path / "t" / "other.jsonl", "/home/nadia/garden", "2026-05-02", "The roses are in.")
    source = tmp_path / "t"
    assert taken(run, brain, source, "--since", "2026-04-01", "--dry-run") == {new, other}
    assert taken(run, brain, source, "--project", "Tide", "--dry-run") == {old, new}
    assert taken(run, brain, source, "--exclude", "*/o*.jsonl", "--dry-run") == {new}
    assert taken(run, brain, source, "--exclude", "garden", "--dry-run") == {old, new}
    assert (
        "1 session that ended before 2026-04-01" in run("ingest", source, "--since", "2026-04-01", "--brain", brain).out
    )
    assert taken(run, brain, source) == {old, new, other}
    # What is known already is narrowed like the rest.
    assert taken(run, brain, source, "--agent", "codex") == set()
    assert taken(run, brain, source, "--since", "2026-04-01") == {new, other}
    assert taken(run, brain, source, "--project", "Tide") == {old, new}
    assert taken(run, brain, source, "--exclude", "garden") == {old, new}


@pytest.mark.parametrize("mark", ["#incognito", "  /incognito ", "[Incognito]", "Between us.\n#INCOGNITO\nMore."])
def test_a_session_that_is_marked_is_not_kept(mark: str, run: Run, brain: Path, tmp_path: Path) -> None:
    marked = talk(tmp_path / "t" / "marked.jsonl", "/home/nadia/tide", "2026-03-01", "A surprise for Ilse.", mark)
    kept = talk(tmp_path / "t" / "kept.jsonl", "/home/nadia/tide", "2026-03-01", "Is #incognito a mark?")
    assert taken(run, brain, tmp_path / "t") == {kept}
    assert f"{marked}: marked as not to be remembered" in run("ingest", tmp_path / "t", "--brain", brain).out
    assert not any("surprise" in path.read_text("utf-8") for path in brain.rglob("*.md"))


def test_two_checkouts_are_one_project_and_two_repositories_are_two(run: Run, brain: Path, tmp_path: Path) -> None:
    folders = []
    for name, url in (
        ("a/tide", "git@forge.example:nadia/tide.git"),
        ("b/second", "https://forge.example/nadia/tide"),
        ("c/tide", "https://forge.example/ilse/tide"),
    ):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        for line in (("init", "-q"), ("remote", "add", "origin", url)):
            subprocess.run(["git", *line], cwd=folder, check=True)
        folders.append(folder)
    sessions = [
        talk(tmp_path / "t" / f"{n}.jsonl", str(folder), "2026-03-01", f"Talk {n}.") for n, folder in enumerate(folders)
    ]
    taken(run, brain, tmp_path / "t" / "0.jsonl")
    assert taken(run, brain, tmp_path / "t", "--project", "tide", "--dry-run") == set(sessions[:2])
    assert taken(run, brain, tmp_path / "t" / "1.jsonl", "--exclude", "tide", "--dry-run") == set()
    taken(run, brain, tmp_path / "t")
    first, second, stranger = (project_of(brain, session) for session in sessions)
    assert first == second == "tide"
    assert stranger.startswith("tide-")


def test_a_day_that_is_none_is_said(run: Run, brain: Path) -> None:
    done = run("ingest", CLAUDE, "--since", "yesterday", "--brain", brain)
    assert done.status == 2
    assert "'yesterday' is no day" in done.err


def test_a_dry_run_leaves_every_byte_as_it_was(run: Run, brain: Path, tmp_path: Path) -> None:
    talk(tmp_path / "t" / "known.jsonl", "/home/nadia/tide", "2026-03-01", "The gauge is late.")
    taken(run, brain, tmp_path / "t")
    new = talk(tmp_path / "t" / "new.jsonl", "/home/nadia/tide", "2026-03-02", "The gauge is on time.")
    before = {path: path.read_bytes() for path in brain.rglob("*") if path.is_file()}
    assert new in taken(run, brain, tmp_path / "t", "--dry-run")
    assert {path: path.read_bytes() for path in brain.rglob("*") if path.is_file()} == before
