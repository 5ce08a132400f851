"""brain validate: what it prints, its exit status, and what `--staged` may name."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trees
from click.testing import CliRunner, Result
from conftest import Run

from brain.cli import cli
from brain.files.locks import Lock
from brain.store import Store, leftovers
from brain.validators.registry import RULES

COUNTS = {"claims": 14, "pages": 5, "notes": 2, "sessions": 3}
CHECKED = "Checked 14 claims on 5 pages and 2 notes, with 3 sessions as evidence: "
NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def _harbour(_first_brain: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(shutil.copytree(_first_brain, tmp_path_factory.mktemp("harbour") / "brain", symlinks=True))
    files = trees.world()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    store = Store.open(root)
    changes: dict[str, bytes | None] = {path: text.encode() for path, text in files.items()}
    head = store.head()
    store.advance(store.write(changes, base=head, message="Harbour", command="ingest", run_id="h", at=NOW), head)
    store.close()
    return root


@pytest.fixture
def harbour(_harbour: Path, tmp_path: Path) -> Path:
    """A brain that holds the harbour, as files and in main."""
    return Path(shutil.copytree(_harbour, tmp_path / "brain", symlinks=True))


def call(root: Path, *arguments: str) -> Result:
    # Through the group, as a person calls it: click keeps the help option of the first call.
    return CliRunner().invoke(cli, ["validate", *arguments, "--brain", str(root)], standalone_mode=False)


def change(root: Path, path: str, old: str, new: str) -> None:
    file = root / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_clean_brain(harbour: Path) -> None:
    done = call(harbour)
    assert (done.return_value, done.output) == (0, CHECKED + "nothing found.\n")


def test_a_fault_is_one_line_and_status_1(harbour: Path) -> None:
    change(harbour, trees.ILYA, "[cite:2] ^k3f9", "[cite:9] ^k3f9")
    done = call(harbour)
    first, last = done.output.splitlines()
    assert first == (
        "memory/knowledge/people/Ilya Brandt.md:24: error citation-missing [cite:9] names no entry of this file "
        "(fix: add the entry, or take the mark out)"
    )
    assert (done.return_value, last) == (1, CHECKED + "1 error.")


def test_warnings_alone_are_status_0(harbour: Path) -> None:
    change(harbour, trees.ILYA, "## Facts", "He has a boat.\n\n## Facts")
    done = call(harbour)
    assert done.return_value == 0
    assert done.output.endswith(CHECKED + "1 warning.\n")


def test_json_is_one_object_with_stable_keys(harbour: Path) -> None:
    assert json.loads(call(harbour, "--json").output) == COUNTS | {"findings": []}
    change(harbour, trees.CLOCK, "domain: work\n", "")
    for arguments in (("--json",), ("--format", "json")):
        done = call(harbour, *arguments)
        assert done.return_value == 1
        assert json.loads(done.output) == COUNTS | {
            "findings": [
                {
                    "path": trees.CLOCK,
                    "line": 1,
                    "code": "key-missing",
                    "severity": "error",
                    "message": "the key domain is missing",
                    "fix": "add it",
                }
            ]
        }


def test_one_rule_alone(harbour: Path) -> None:
    change(harbour, trees.ILYA, "[cite:2] ^k3f9", "[cite:9] ^k3f9")
    change(harbour, trees.ILYA, "kind: person", "kind: human")
    assert "key-wrong" not in call(harbour, "--rule", "citations").output
    assert "citation-missing" not in call(harbour, "--rule", "front_matter", "--rule", "links").output
    assert call(harbour, "--rule", "links").return_value == 0


def test_the_working_files_are_looked_at_and_git_is_not_asked_what_they_were(harbour: Path) -> None:
    (harbour / trees.KESTREL).unlink()
    done = call(harbour)
    assert "link-lost" in done.output and "claim-lost" not in done.output
    assert "4 pages" in done.output


# --- staged -----------------------------------------------------------------------


def test_a_folder_of_changes_over_main(harbour: Path, tmp_path: Path) -> None:
    staged = tmp_path / "staged"
    (staged / trees.ILYA).parent.mkdir(parents=True)
    text = trees.world()[trees.ILYA].replace(
        "- 2026-08-12 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6\n", ""
    )
    (staged / trees.ILYA).write_text(text, encoding="utf-8")
    done = call(harbour, "--staged", str(staged))
    assert done.return_value == 1
    assert f"{trees.ILYA}:23: error claim-lost" in done.output
    assert "5 pages" in done.output


def test_a_whole_brain_as_staged(harbour: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(harbour, other, ignore=shutil.ignore_patterns(".git", ".brain"))
    assert call(harbour, "--staged", str(other)).return_value == 0
    (other / trees.ANSWERS).unlink()
    assert "claim-lost" in call(harbour, "--staged", str(other)).output


@pytest.mark.parametrize("kind", ["staged", "rejected"])
def test_a_run_by_its_name(harbour: Path, kind: str) -> None:
    folder = harbour / ".brain" / kind / "2026-11-29T030000Z"
    path = folder / trees.AUGUST / "transcript.md"
    path.parent.mkdir(parents=True)
    path.write_text(trees.world()[f"{trees.AUGUST}/transcript.md"].replace("Monday", "Sunday"), encoding="utf-8")
    with Lock(folder / leftovers.ALIVE, "a dream that is at work"):
        done = call(harbour, "--staged", "2026-11-29T030000Z")
    assert (done.return_value, "transcript-changed" in done.output) == (1, True)


def test_a_proposed_commit(harbour: Path) -> None:
    store = Store.open(harbour)
    head = store.head()
    text = trees.world()[trees.ILYA].replace("status: active", "status: asleep").encode()
    new = store.write({trees.ILYA: text}, base=head, message="Sleep", command="dream", run_id="r", at=NOW)
    assert store.git.swap("refs/brain/proposed/r", new, None, "test")
    store.close()
    for name in ("r", new, new[:12]):
        done = call(harbour, "--staged", name)
        assert (done.return_value, "key-wrong" in done.output) == (1, True)


# --- as a process -----------------------------------------------------------------


def test_mistakes_are_one_line_and_status_2(run: Run, harbour: Path) -> None:
    done = run("validate", "--brain", harbour, "--rule", "spelling")
    assert done.status == 2 and done.err.count("\n") == 1 and "front_matter" in done.err
    done = run("validate", "--brain", harbour, "--staged", "nowhere")
    assert done.status == 2 and done.err.count("\n") == 1 and "'nowhere'" in done.err
    assert done.out == ""


def test_findings_are_printed_without_a_character_that_a_screen_obeys(run: Run, harbour: Path) -> None:
    change(harbour, trees.ILYA, "## Facts", "He has a \x1b]52;boat\x07.\n\n## Facts")
    done = run("validate", "--brain", harbour)
    assert done.status == 0 and "boat" in done.out
    assert all(char.isprintable() or char == "\n" for char in done.out)


def test_an_empty_brain_has_nothing_wrong(run: Run, brain: Path) -> None:
    done = run("validate", "--brain", brain)
    assert (done.status, done.err) == (0, "")
    assert done.out == "Checked 0 claims on 0 pages and 0 notes, with 0 sessions as evidence: nothing found.\n"


def test_every_rule_is_known_to_the_command(harbour: Path) -> None:
    for name in RULES:
        assert call(harbour, "--rule", name).return_value == 0
