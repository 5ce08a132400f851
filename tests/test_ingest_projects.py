"""A project is its repository: checkouts of one are one, and what only bears the same name stays apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from brain.ingest.projects import Folders, Projects, Whereabouts, remote


def repository(path: Path, url: str = "", commit: str = "") -> Path:
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main")
    if url:
        git(path, "remote", "add", "origin", url)
    if commit:
        git(path, "-c", "user.name=Nadia", "-c", "user.email=n@example.org", "commit", "-qm", commit, "--allow-empty")
    return path


def git(path: Path, *line: str) -> None:
    subprocess.run(["git", *line], cwd=path, check=True, capture_output=True)


@pytest.mark.parametrize(
    "url",
    [
        "git@forge.example:nadia/Tide.git",
        "https://forge.example/nadia/tide",
        "https://nadia:secret-word@forge.example/nadia/tide.git/",
        "ssh://git@forge.example:2222/nadia/tide.git",
        "git://forge.example/nadia/tide",
    ],
)
def test_every_way_to_write_a_remote_is_one(url: str) -> None:
    assert remote(url) == "forge.example/nadia/tide"


@pytest.mark.parametrize("url", ["/srv/git/tide.git", "../tide", "C:\\git\\tide", "file:///srv/tide", ""])
def test_a_path_on_this_machine_is_no_remote(url: str) -> None:
    assert remote(url) == ""


def test_two_checkouts_of_one_remote_are_one_project(tmp_path: Path) -> None:
    one = repository(tmp_path / "a" / "tide", "git@forge.example:nadia/tide.git")
    two = repository(tmp_path / "b" / "tide-second", "https://forge.example/nadia/tide")
    (two / "src").mkdir()
    folders = Folders()
    first, second = folders.find(str(one)), folders.find(str(two / "src"))
    assert first.repository == second.repository == "forge.example/nadia/tide"
    assert Projects([first]).name(second) == "tide"


def test_a_clone_without_a_remote_is_known_by_its_first_commit(tmp_path: Path) -> None:
    one = repository(tmp_path / "tide", commit="Begin")
    git(tmp_path, "clone", "-q", str(one), "elsewhere")
    git(tmp_path / "elsewhere", "remote", "remove", "origin")
    other = repository(tmp_path / "other" / "tide", commit="Another beginning")
    folders = Folders()
    first, clone, stranger = (folders.find(str(path)) for path in (one, tmp_path / "elsewhere", other))
    assert first.repository.startswith("root:")
    assert first.repository == clone.repository != stranger.repository
    projects = Projects([first])
    assert projects.name(clone) == "tide"
    assert projects.name(stranger).startswith("tide-")


def test_a_linked_worktree_belongs_to_its_repository(tmp_path: Path) -> None:
    one = repository(tmp_path / "tide", commit="Begin")
    git(one, "worktree", "add", "-q", str(tmp_path / "tide-fix"))
    folders = Folders()
    linked = folders.find(str(tmp_path / "tide-fix"))
    assert (linked.name, linked.repository) == ("tide", folders.find(str(one)).repository)


def test_two_projects_of_one_name_never_mix() -> None:
    projects = Projects()
    names = []
    for found in (
        Whereabouts("api", "forge.example/a/api", "1" * 12),
        Whereabouts("api", "forge.example/b/api", "2" * 12),
        Whereabouts("api", "", "3" * 12),
        Whereabouts("api", "", "4" * 12),
    ):
        name = projects.name(found)
        projects.add(Whereabouts(name, found.repository, found.place))
        names.append(name)
    assert names[0] == "api"
    assert len(set(names)) == 4
    assert all(name.startswith("api-") for name in names[1:])


def test_a_folder_is_the_same_on_another_machine_and_once_it_is_a_repository() -> None:
    folders = Folders()
    here, there = folders.find("/home/nadia/code/tide"), folders.find("C:\\Users\\Nadia S\\code\\tide")
    assert here == there == Whereabouts("tide", "", here.place)
    projects = Projects([here])
    assert projects.name(Whereabouts("tide-service", "forge.example/nadia/tide", here.place)) == "tide"


def test_another_repository_in_the_same_place_is_another_project() -> None:
    projects = Projects([Whereabouts("tide", "forge.example/nadia/tide", "1" * 12)])
    assert projects.name(Whereabouts("gauge", "forge.example/nadia/gauge", "1" * 12)) == "gauge"
    assert projects.name(Whereabouts("tide", "", "1" * 12)) == "tide"


def test_no_folder_is_no_project() -> None:
    assert Folders().find("") == Folders().find("/") == Whereabouts()
    assert Projects().name(Whereabouts()) == ""


def test_a_repository_that_git_does_not_open_is_known_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "tide" / ".git").mkdir(parents=True)
    (tmp_path / "tide" / ".git" / "HEAD").write_text("nonsense")
    found = Folders().find(str(tmp_path / "tide"))
    assert (found.name, found.repository, len(found.place)) == ("tide", "", 12)
