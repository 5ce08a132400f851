"""An agent with a model: scripted, it answers from what it reads; the same files, the same worth of a wiki."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("statsmodels", reason="the extra `eval` is not installed")

from test_eval_ablation import plan
from worlds import WRONG, Planted, built, world

from brain.errors import UsageError
from brain.eval import ablation
from brain.eval.agents.asking import NOT_KNOWN, prompt_hash
from brain.eval.agents.openai import ModelAgent, Prices, from_environment
from brain.eval.log import Run
from brain.eval.summary import summarise
from brain.llm import Call, Message, Reply, Tool
from brain.sandbox import isolation

WORLDS = [world(n) for n in range(3)]


@dataclass
class Recalls:
    """Asks recall, and says the first number that one of the first passages holds."""

    passages: int
    name: str = "recalls"

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None) -> Reply:
        last = messages[-1]
        if last.role == "user":
            words = last.text.rpartition("Question")[2].partition(": ")[2]
            return Reply("", (Call("c1", "recall", {"words": words}),), 100, 10)
        shown = last.text.split("\n\n")[: self.passages]
        said = " ".join(line for passage in shown for line in passage.splitlines() if not line.startswith("memory/"))
        found = [word.strip(".,") for word in said.split() if word.strip(".,").isdigit()]
        return Reply(found[0] if found else NOT_KNOWN, (), 200, 5)


@dataclass
class Reads:
    """Goes through the files with a shell."""

    name: str = "reads"

    def reply(self, messages: Sequence[Message], tools: Sequence[Tool], schema: Mapping[str, Any] | None) -> Reply:
        if messages[-1].role == "user":
            return Reply(
                "", (Call("c1", "shell", {"command": "grep -rhoE 'uses port [0-9]+' memory | sort -u; ls /"}),)
            )
        return Reply(messages[-1].text.split()[3] if "uses port" in messages[-1].text else NOT_KNOWN)


def measured(folder: Path, dreamer: Planted, model: object) -> Run:
    run = Run.start(folder, plan(agent="openai", metric="exact"))
    for one in WORLDS:
        built(one, run.brain(one.id), dreamer, 2).store.close()
        ablation.ask(run, one, ModelAgent(model, Prices(1.0, 2.0)))  # type: ignore[arg-type]
    return run


@pytest.mark.parametrize(
    ("claim", "passages", "off", "on"),
    [
        # The passage found first echoes the question and holds no port; the second does.
        (lambda place, port: f"The {place} gateway uses port {port}.", 1, 0.0, 1.0),
        (lambda place, port: f"The {place} gateway uses port {WRONG}.", 9, 1.0, 0.0),
        (None, 9, 1.0, 1.0),
        (None, 1, 0.0, 0.0),
    ],
    ids=["perfect wins", "wrong loses", "empty ties", "empty ties for a poor reader"],
)
def test_a_scripted_model_shows_what_a_wiki_is_worth(
    claim: Any, passages: int, off: float, on: float, tmp_path: Path
) -> None:
    summary = summarise(measured(tmp_path, Planted(claim), Recalls(passages)))
    found = summary.compared["on"][0]
    assert (found.metric, found.all.off, found.all.on) == ("exact", off, on)


def test_a_shell_reads_the_files_of_the_arm_and_no_others(tmp_path: Path) -> None:
    if isolation.available() is None:
        pytest.skip("neither bubblewrap nor Landlock works on this machine")
    run = measured(tmp_path, Planted(lambda place, port: f"The {place} gateway uses port {port}."), Reads())
    entries = [entry for entry in run.all_entries() if entry["category"] != "abstention"]
    assert {entry["abstained"] for entry in entries if entry["arm"] == "off"} == {True}
    assert {entry["abstained"] for entry in entries if entry["arm"] == "on"} == {False}
    assert any(shown["place"].startswith("$ grep") for entry in entries for shown in entry["shown"])


def test_the_log_keeps_what_it_cost_and_who_answered(tmp_path: Path) -> None:
    run = measured(tmp_path, Planted(None), Recalls(1))
    entry = next(run.all_entries())
    assert entry["extra"] == {"model": "recalls", "prompt": prompt_hash("answer"), "ended": "answered"}
    assert (entry["cost"]["tokens_in"], entry["cost"]["tokens_out"], entry["cost"]["tool_calls"]) == (300, 15, 1)
    assert entry["cost"]["money"] == pytest.approx((300 + 2 * 15) / 1e6)


def test_a_model_must_be_named() -> None:
    with pytest.raises(UsageError, match="No model was named"):
        from_environment({})
    made = from_environment({"BRAIN_EVAL_MODEL": "tiny", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert made.model.name == "tiny"
