"""`brain validate --evidence`: what became of the evidence of every statement, faults planted in the harbour."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trees
from click.testing import CliRunner, Result

from brain.cli import cli
from brain.store import Store
from brain.validators.asking import Talk, ask
from brain.validators.documents import document
from brain.validators.judge.offline import OfflineJudge
from brain.validators.proof import Standing, prove, standings

NOW = datetime(2026, 11, 29, 3, tzinfo=UTC)
AUGUST = f"{trees.AUGUST}/transcript.md"
SEPTEMBER = f"{trees.SEPTEMBER}/transcript.md"
GEAR = "Nadia: “The gear has 48 teeth from now on.”"
CLAIM = "Ilya now works at Kestrel Audio."


def standing(files: trees.Files) -> dict[str, Standing]:
    """By words, of the claims of pages and notes."""
    found = standings(trees.tree(files), OfflineJudge())
    return {said.claim.text: how for path, said, how in found if "summary" not in path}


def test_a_clean_brain_is_proved() -> None:
    counts = prove(trees.tree(trees.world()), OfflineJudge())
    assert counts[Standing.SUPPORTED] == sum(counts.values()) > 10


@pytest.mark.parametrize(
    "false",
    [
        "Nadia: “The gear has 84 teeth from now on.”",
        "Henrik: “The gear has 48 teeth from now on.”",
        "The gear has 52 teeth from now on.",
        "The gear does not have 48 teeth.",
        "The gear had 48 teeth in 2019.",
        "Otto cut 48 teeth into the gear.",
        "The wheel of the barometer is blue.",
    ],
)
def test_a_false_claim_is_no_longer_supported(false: str) -> None:
    files = trees.edited(trees.world(), trees.CLOCK, GEAR, false)
    assert standing(files)[false] is Standing.UNPROVED


def test_words_that_were_altered() -> None:
    files = trees.edited(trees.world(), AUGUST, "Ilya works at Lumen Lab. Could", "Ilya owns Lumen Lab. Could")
    assert standing(files)["Nadia: “Ilya works at Lumen Lab.”"] is Standing.ALTERED


def test_words_that_were_moved() -> None:
    """The words of t3 stand in t4 now, and others in their place."""
    files = trees.edited(trees.world(), AUGUST, "Ilya works at the pier on Fridays.", "Something else.")
    files = trees.edited(files, AUGUST, "Then I have moved it to Monday.", "Ilya works at the pier on Fridays.")
    assert standing(files)["Nadia: “Ilya works at the pier on Fridays.”"] is Standing.MOVED


def test_a_session_that_is_gone() -> None:
    files = {path: text for path, text in trees.world().items() if not path.startswith(trees.AUGUST)}
    found = standing(files)
    assert found["Nadia: “Ilya works at Lumen Lab.”"] is Standing.GONE
    assert found[f"Nadia: “{CLAIM}”"] is Standing.SUPPORTED


def test_the_question_knows_who_speaks_and_what_went_before() -> None:
    tree = trees.tree(trees.world())
    page = document(tree, trees.ILYA)
    said = next(one for one in page.said if "pier" in one.claim.text)
    asked = ask(tree, Talk.of(tree), page, said)
    assert asked is not None
    assert [one.speaker for one in asked.cited] == ["Nadia"]
    assert [one.speaker for one in asked.context] == ["Nadia", "The agent"]
    assert "Ilya Brandt" in asked.names


# --- the command --------------------------------------------------------------------------


def call(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["validate", *arguments, "--brain", str(root)], standalone_mode=False)


@pytest.fixture
def harbour(brain: Path) -> Path:
    files = trees.world()
    store = Store.open(brain)
    head = store.head()
    changes: dict[str, bytes | None] = {path: text.encode() for path, text in files.items()}
    store.advance(store.write(changes, base=head, message="Harbour", command="ingest", run_id="h", at=NOW), head)
    store.close()
    return brain


def test_the_command_tells_a_false_claim_with_its_reason(harbour: Path) -> None:
    page = harbour / trees.CLOCK
    page.write_text(page.read_text("utf-8").replace("has 48 teeth", "has 84 teeth"), encoding="utf-8")
    done = call(harbour, "--evidence", "--rule", "support", "--json")
    found = json.loads(done.output)
    assert done.return_value == 0, "a warning alone"
    assert [(one["path"], one["code"]) for one in found["findings"]] == [(trees.CLOCK, "claim-unproved")]
    assert "it says 84, the evidence 48" in found["findings"][0]["message"]
    assert found["evidence"]["no longer supported"] == 1


def test_the_command_without_a_judge_has_no_semantic_rules(harbour: Path) -> None:
    done = CliRunner().invoke(cli, ["validate", "--rule", "support", "--brain", str(harbour)])
    assert "add --evidence" in done.output


def test_what_is_told_in_words(harbour: Path) -> None:
    lines = call(harbour, "--evidence").output.splitlines()
    assert lines[-1].startswith("Evidence: ")
    assert lines[-1].endswith(" 0 no longer supported, 0 moved, 0 altered, 0 source gone.")
