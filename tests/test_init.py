"""brain init: twice is once, nothing of a person's is touched, and what it should warn about it does."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import Run

from brain import config
from brain.cli.init import SYNCED, git_name, system_zone, warnings


def made(run: Run, *arguments: str | Path, env: dict[str, str] | None = None) -> dict[str, Any]:
    done = run("init", *arguments, "--json", env=env)
    assert (done.status, done.err) == (0, "")
    return dict(json.loads(done.out))


def commits(root: Path) -> int:
    done = subprocess.run(
        ["git", "-C", root, "rev-list", "--count", "HEAD"], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_twice_is_once(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "new" / "brain"
    first = made(run, root)
    assert first["made"] == ["brain.toml", "DREAM.md", "deletions.md", ".git", ".brain"]
    before = {path: path.read_bytes() for path in root.glob("*") if path.is_file()}
    second = made(run, root, "--name", "Somebody Else", "--timezone", "Asia/Tokyo")
    assert second == {**first, "made": []}
    assert {path: path.read_bytes() for path in root.glob("*") if path.is_file()} == before
    assert commits(root) == 1


def test_what_is_missing_is_added_and_what_is_there_stays(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "brain"
    root.mkdir()
    (root / "brain.toml").write_text('timezone = "Asia/Tokyo"\n', encoding="utf-8")
    (root / "letter.txt").write_text("A person's own.\n", encoding="utf-8")
    given = made(run, root)
    assert given["timezone"] == "Asia/Tokyo"
    assert "brain.toml" not in given["made"]
    tracked = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    maps = [f"memory/{name}index.md" for name in ("", "knowledge/", "notes/", "sessions/")]
    assert tracked == ["DREAM.md", "brain.toml", "deletions.md", *maps]
    assert (root / "letter.txt").read_text(encoding="utf-8") == "A person's own.\n"


def test_without_a_path_it_is_the_default_place(run: Run) -> None:
    assert made(run)["brain"] == str(run.home / ".local" / "share" / "brain")
    done = run("init")
    assert "--brain" not in done.out
    assert f"--brain {run.home}/other" in run("init", "other").out


def test_what_to_type_next_works(run: Run, tmp_path: Path) -> None:
    done = run("init", tmp_path / "a brain")
    (command,) = [line for line in done.out.splitlines() if line.startswith("  brain dream")]
    assert command == f"  brain dream --brain '{tmp_path}/a brain'"


def test_a_zone_that_is_none_makes_nothing(run: Run, tmp_path: Path) -> None:
    done = run("init", tmp_path / "brain", "--timezone", "Nowhere")
    assert done.status == 2
    assert "'Nowhere'" in done.err
    assert not (tmp_path / "brain").exists()


@pytest.mark.parametrize("content", [None, "a file"])
def test_a_path_that_is_a_file(content: str | None, run: Run, tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_text(content or "", encoding="utf-8")
    done = run("init", target)
    assert done.status in (2, 3)
    assert done.err.count("\n") == 1
    assert target.read_text(encoding="utf-8") == (content or "")


def test_the_persons_own_git_settings_are_read_and_not_touched(run: Run, tmp_path: Path) -> None:
    own = run.home / ".gitconfig"
    text = '[user]\n\tname = "Надя  Sorokina"\n[init]\n\tdefaultBranch = trunk\n[commit]\n\tgpgSign = true\n'
    own.write_text(text, encoding="utf-8")
    assert made(run, tmp_path / "brain")["person"] == "Надя Sorokina"
    assert own.read_text(encoding="utf-8") == text
    assert (tmp_path / "brain" / ".git" / "HEAD").read_text(encoding="utf-8") == "ref: refs/heads/main\n"


def test_a_name_from_git(tmp_path: Path) -> None:
    assert git_name({"HOME": str(tmp_path)}) == ""
    xdg = tmp_path / ".config" / "git" / "config"
    xdg.parent.mkdir(parents=True)
    xdg.write_text("[user]\n\tname = Nadia\n", encoding="utf-8")
    assert git_name({"HOME": str(tmp_path)}) == "Nadia"
    (tmp_path / ".gitconfig").write_text("[user\nbroken", encoding="utf-8")
    assert git_name({"HOME": str(tmp_path)}) == "Nadia"
    (tmp_path / "third").write_text("[user]\n\tname = Third\n", encoding="utf-8")
    assert git_name({"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": str(tmp_path / "third")}) == "Third"


@pytest.mark.parametrize(
    ("given", "linked", "zone"),
    [
        ("", "/usr/share/zoneinfo/Europe/Copenhagen", "Europe/Copenhagen"),
        ("Asia/Tokyo", "/usr/share/zoneinfo/Europe/Copenhagen", "Asia/Tokyo"),
        (":Asia/Tokyo", "/usr/share/zoneinfo/Europe/Copenhagen", "Asia/Tokyo"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "/usr/share/zoneinfo/Europe/Copenhagen", "Europe/Copenhagen"),
        ("", "/etc/nothing", "UTC"),
        ("../../etc/passwd", "/etc/nothing", "UTC"),
    ],
)
def test_the_systems_time_zone(given: str, linked: str, zone: str, tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    link.symlink_to(linked)
    assert system_zone({"TZ": given}, link) == zone


@pytest.mark.parametrize("name", SYNCED)
def test_a_synced_folder_is_warned_of(name: str, tmp_path: Path) -> None:
    (said,) = warnings(tmp_path / name / "brain", {"HOME": str(tmp_path)})
    assert "git push" in said


def test_a_folder_of_another_repository_is_warned_of(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path / "notes"], check=True)
    given = made(run, tmp_path / "notes" / "brain")
    assert str(tmp_path / "notes") in " ".join(given["warnings"])
    assert not (tmp_path / "notes" / "brain" / ".git").exists()


def test_claude_codes_deletion_and_own_memory_are_said(run: Run, tmp_path: Path) -> None:
    assert made(run, tmp_path / "brain")["warnings"] == []
    (run.home / ".claude" / "projects").mkdir(parents=True)
    (said,) = made(run, tmp_path / "brain")["warnings"]
    assert "30 days" in said and "MEMORY.md" in said
    assert f"  brain ingest --brain {tmp_path}/brain\n" in run("init", tmp_path / "brain").out


def test_the_settings_it_writes_are_read_by_every_command(run: Run, tmp_path: Path) -> None:
    made(run, tmp_path / "brain", "--name", 'Quote " and \\', "--timezone", "Europe/Copenhagen")
    read = config.load(tmp_path / "brain")
    assert (read.person.name, read.timezone) == ('Quote " and \\', "Europe/Copenhagen")


def test_a_file_is_no_place_for_a_brain(run: Run, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("A person's own.\n", encoding="utf-8")
    done = run("init", tmp_path / "letter.txt")
    assert (done.status, done.out) == (2, "")
    assert "is no folder" in done.err
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "A person's own.\n"
