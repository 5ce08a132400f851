"""Every promise about kills, power cuts and full disks: a sample here, all points with powercut.py."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import crash_scenarios
import powercut
import pytest
from diskmodel import Disk, File
from recording import Call
from rehearsal import Facts, Rehearsal, Scenario, rehearse

pytestmark = [
    pytest.mark.system,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed"),
]


@pytest.fixture(scope="module")
def rehearsals() -> Iterator[Callable[[str], Rehearsal]]:
    """Each scenario rehearsed once for all its modes."""
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(rehearse(crash_scenarios.SCENARIOS[name]())))


def check(test: Rehearsal, mode: str, limit: int) -> None:
    outcome = powercut.run(test, mode, limit=limit)
    assert not outcome.bad, outcome.told()
    assert outcome.tried >= min(limit, outcome.points)


@pytest.mark.parametrize("mode", powercut.MODES)
@pytest.mark.parametrize(("scenario", "limit"), [("many", 8), ("ingest", 8), ("dream", 4)])
def test_a_command_that_is_cut_off(
    scenario: str, limit: int, mode: str, rehearsals: Callable[[str], Rehearsal]
) -> None:
    check(rehearsals(scenario), mode, limit)


@pytest.mark.slow
@pytest.mark.parametrize("mode", powercut.MODES)
@pytest.mark.parametrize("scenario", ["store", "many", "ingest", "dream"])
def test_a_command_that_is_cut_off_anywhere(scenario: str, mode: str, rehearsals: Callable[[str], Rehearsal]) -> None:
    check(rehearsals(scenario), mode, 100)


# --- the test can fail --------------------------------------------------------------

_IN_PLACE = "open('page.md', 'w').write('new' * 100)"
_RENAMED = "open('tmp', 'w').write('new' * 100); import os; os.rename('tmp', 'page.md')"
_SYNCED = """
import os
from pathlib import Path
from brain import files
files.replace(Path('page.md').absolute(), b'new' * 100)
"""


def _page(code: str) -> Scenario:
    def make(root: Path) -> None:
        (root / "page.md").write_text("old" * 100)

    def learn(root: Path) -> Facts:
        return {"page": (root / "page.md").read_text()}

    return Scenario(make, [sys.executable, "-P", "-c", code], learn, _check_page)


def _check_page(facts: Facts, root: Path, acknowledged: tuple[str, ...]) -> str:
    text = (root / "page.md").read_text()
    if acknowledged and text != facts["page"]:
        return "acknowledged and lost"
    return "" if text in ("old" * 100, facts["page"]) else "torn"


@pytest.mark.parametrize(
    ("code", "mode", "said"),
    [
        (_IN_PLACE, "kill", {"torn"}),
        (_IN_PLACE, "power", {"torn", "acknowledged and lost"}),
        (_RENAMED, "kill", set()),
        (_RENAMED, "power", {"acknowledged and lost"}),
        (_SYNCED, "kill", set()),
        (_SYNCED, "power", set()),
    ],
    ids=["in place, kill", "in place, power", "renamed, kill", "renamed, power", "synced, kill", "synced, power"],
)
def test_a_write_that_is_not_safe_is_found_out(
    code: str, mode: str, said: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Closures do not travel to other processes: one job, in this one.
    monkeypatch.setattr(powercut, "ProcessPoolExecutor", _Here)
    with rehearse(_page(code)) as test:
        outcome = powercut.run(test, mode)
    assert {message for _, message in outcome.bad} == said


class _Here:
    """Runs the trials one after the other where the test is."""

    def __init__(self, _jobs: int) -> None:
        self.map = map

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def test_what_git_does_without_fsync_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(powercut, "ProcessPoolExecutor", _Here)
    line = "git add page.md && git -c gc.auto=0 commit -qm new"

    def make(root: Path) -> None:
        done = "git init -q && git config user.name T && git config user.email t@example.org"
        subprocess.run(["sh", "-ec", f"{done} && git commit -q --allow-empty -m old"], cwd=root, check=True)
        (root / "page.md").write_text("new\n")

    def sound(_facts: Facts, root: Path, _acknowledged: tuple[str, ...]) -> str:
        done = subprocess.run(["git", "fsck"], cwd=root, capture_output=True, check=False)
        return "corrupt" if done.returncode else ""

    for options, is_bad in (("", True), ("-c core.fsync=all -c core.fsyncMethod=fsync", False)):
        command = ["sh", "-ec", line.replace("git ", f"git {options} ")]
        with rehearse(Scenario(make, command, lambda root: {}, sound)) as test:
            outcome = powercut.run(test, "power", limit=40)
        assert bool(outcome.bad) is is_bad, outcome.told()


# --- the disk in memory -------------------------------------------------------------


def call(name: str, *args: str, result: int = 0) -> Call:
    return Call(1, name, args, result, 1)


def shown(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def quoted(text: str) -> str:
    return f'"{shown(text)}"'


def test_a_power_cut_forgets_what_no_fsync_followed() -> None:
    disk = Disk("/r", {"a": File(b"old", b"old")})
    here, new = f"AT_FDCWD<{shown('/r')}>", f"3<{shown('/r/b')}>"
    disk.apply(call("openat", here, quoted("b"), "O_WRONLY|O_CREAT", "0666", result=3))
    disk.apply(call("write", new, quoted("synced"), "6", result=6))
    disk.apply(call("fsync", new))
    disk.apply(call("write", new, quoted("lost"), "4", result=4))
    disk.apply(call("renameat", here, quoted("b"), here, quoted("c")))
    disk.apply(call("openat", here, quoted("a"), "O_WRONLY|O_TRUNC", "0666", result=4))
    disk.apply(call("mkdir", quoted("/r/d"), "0777"))
    assert {path: file.data for path, file in disk.files.items()} == {"a": b"", "c": b"syncedlost"}
    assert {path: file.data for path, file in disk.least().files.items()} == {"a": b"", "c": b"synced"}
    assert {path: file.data for path, file in disk.torn().files.items()} == {"a": b"old", "c": b"syncedlo"}
    assert disk.folders == {"d"}
