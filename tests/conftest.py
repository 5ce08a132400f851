"""What every test may ask for: a clean world, the command line in it, a brain."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from brain.cli import main

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "eval" / "sample"
NOW = "2026-11-29T03:00:00+00:00"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="Rewrite golden files and generated pages.")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """True: what is generated is rewritten instead of compared."""
    return bool(request.config.getoption("--update"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Under BRAIN_REQUIRE_SYSTEM=1 a `system` test that would be skipped fails: CI has installed what it needs.

    A device that the machine's kernel does not offer cannot be installed.
    """
    report = yield
    required = item.get_closest_marker("system") and os.environ.get("BRAIN_REQUIRE_SYSTEM") == "1"
    if report.skipped and required and "/dev/fuse is not there" not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped, but BRAIN_REQUIRE_SYSTEM=1: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _clean_world(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees this machine's settings: not in its own process, not in those that it starts."""
    for name in [n for n in os.environ if n.startswith(("GIT_", "BRAIN_", "XDG_"))]:
        if name != "BRAIN_REQUIRE_SYSTEM":
            monkeypatch.delenv(name)
    for name, value in environment(tmp_path_factory.mktemp("home")).items():
        monkeypatch.setenv(name, value)


def environment(home: Path) -> dict[str, str]:
    """The whole environment of a process that a test starts."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {
        "HOME": str(home),
        "PATH": path,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "error",
    }


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left behind."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Run:
    """`brain` in a process of its own, in a clean home and environment."""

    home: Path
    cwd: Path

    def __call__(
        self, *arguments: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None, stdin: str = ""
    ) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "brain", *map(str, arguments)],
            cwd=cwd or self.cwd,
            env=environment(self.home) | dict(env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    home = tmp_path / "home"
    home.mkdir()
    return Run(home, home)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """`brain` in this very process: much quicker than `run`, for what needs no process of its own."""

    def inside(*arguments: str | Path) -> Result:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Result(int(left.value.code or 0), out, err)

    return inside


@pytest.fixture(scope="session")
def _first_brain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One brain as `brain init` makes it, copied for each test that asks for one."""
    home = tmp_path_factory.mktemp("first")
    made = Run(home, home)("init", home / "brain")
    assert made.status == 0, made.err
    return home / "brain"


@pytest.fixture
def brain(_first_brain: Path, tmp_path: Path) -> Path:
    """The root of an initialised, empty brain."""
    return _copy(_first_brain, tmp_path)


def _copy(root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(root, tmp_path / "brain", symlinks=True))


@pytest.fixture(scope="session")
def _fed_brain(_first_brain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("fed")
    root = _copy(_first_brain, home)
    done = Run(home, home)("ingest", SAMPLE / "log", "--brain", root, "--now", NOW)
    assert done.status == 0, done.err
    return root


@pytest.fixture
def fed(_fed_brain: Path, tmp_path: Path) -> Path:
    """A brain with the sample's logs taken in, its projects not yet, and nothing dreamt."""
    return _copy(_fed_brain, tmp_path)


@pytest.fixture(scope="session")
def _dreamt_brain(_fed_brain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("dreamt")
    root = _copy(_fed_brain, home)
    for arguments in (("ingest", SAMPLE / "projects"), ("dream",)):
        done = Run(home, home)(*arguments, "--brain", root, "--now", NOW)
        assert done.status == 0, done.err
    return root


@pytest.fixture
def dreamt(_dreamt_brain: Path, tmp_path: Path) -> Path:
    """A brain with the whole sample taken in and dreamt once."""
    return _copy(_dreamt_brain, tmp_path)
