"""The house itself: five folders, one installed name, imports that go downwards, and a quick start."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, Run

from brain.cli import COMMANDS
from brain.layout import INDEX

PARTS = ("dream", "sandbox", "validators", "eval")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HEAVY = ("git", "gitdb", "lancedb", "pyarrow", "numpy", "jsonschema", "mistune", "dateparser", "yaml", "openai")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_stands_at_the_top_and_is_linked_into_the_package(part: str) -> None:
    link = ROOT / "brain" / part
    assert link.is_symlink()
    assert link.readlink() == Path("..") / part
    assert (ROOT / part).is_dir() and not (ROOT / part).is_symlink()
    assert (ROOT / part / "__init__.py").is_file()


def test_git_stores_the_links_as_links() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-s", *(f"brain/{part}" for part in PARTS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["120000"] * len(PARTS)


def test_the_wheel_is_told_to_hold_brain_alone() -> None:
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["brain"]}
    assert PROJECT["project"]["scripts"] == {"brain": "brain.cli:main"}


def test_the_wheel_holds_brain_alone_with_its_parts_and_data(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"brain"}
    held = {name.split("/")[1] for name in names if name.startswith("brain/")}
    assert held.issuperset(PARTS)
    tracked = subprocess.run(["git", "ls-files", "brain", *PARTS], cwd=ROOT, capture_output=True, text=True, check=True)
    wanted = {name if name.startswith("brain/") else f"brain/{name}" for name in tracked.stdout.splitlines()}
    assert wanted - {f"brain/{part}" for part in PARTS} <= set(names)


@pytest.mark.parametrize("name", PARTS)
def test_no_module_uses_a_top_level_name_of_a_part(name: str) -> None:
    """From the checkout's root `import dream` would work, and give a second copy of each module."""
    told = PROJECT["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert told[name] == {"msg": f"import brain.{name}"}
    assert "TID" in PROJECT["tool"]["ruff"]["lint"]["select"]


def test_imports_go_downwards() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("module", ["brain", "brain.cli", "brain.cli.index", "brain.config"])
def test_start_up_imports_nothing_heavy(module: str, run: Run) -> None:
    code = f"import sys, json, {module}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=run.cwd, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("arguments", [("index",), ("index", "--hook", "claude-code"), ("--version",), ("--help",)])
def test_a_command_of_the_first_message_imports_nothing_heavy(arguments: tuple[str, ...], brain: Path) -> None:
    """As `python -X importtime` sees it: whatever the command does, not only its imports at the top."""
    (brain / INDEX).parent.mkdir(exist_ok=True)
    (brain / INDEX).write_text("# Memory\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "brain", *arguments],
        cwd=brain,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "brain" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_loads(name: str, call: Callable[..., Result]) -> None:
    done = call(name, "--help")
    assert done.status == 0, done.err
    assert "Example:" in done.out


def test_the_code_asks_the_time_and_the_environment_only_at_its_doors() -> None:
    """Below `cli` they are arguments; the age of a lock and the place of git are the exceptions."""
    asked = ("datetime.now(", "time.time(", "os.environ", "os.getenv", "Path.home(", "date.today(", "getpass.")
    doors = ("brain/cli/", "brain/doors/")
    found = {
        (path.relative_to(ROOT).as_posix(), word)
        for folder in ("brain", *PARTS)
        for path in (ROOT / folder).rglob("*.py")
        for word in asked
        if word in path.read_text(encoding="utf-8")
    }
    assert {(path, word) for path, word in found if not path.startswith(doors)} == {
        ("brain/git/line.py", "os.environ"),
        ("brain/git/line.py", "time.time("),
        ("brain/store/indexlock.py", "time.time("),
        ("brain/store/leftovers.py", "time.time("),
        ("brain/search/lance.py", "os.environ"),
    }
