"""An agent that is a program of the person's: what it is given, what is read of it, and what it cannot break."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("statsmodels", reason="the extra `eval` is not installed")

from test_eval_ablation import plan
from worlds import Planted, built, world

from brain.errors import UsageError
from brain.eval import ablation
from brain.eval.agents.asking import prompt_hash
from brain.eval.agents.command import AgentFailed, CommandAgent, from_environment
from brain.eval.log import Run
from brain.eval.summary import summarise

WORLD = world(0)
READS = """
import json, pathlib, re, sys
asked = sys.stdin.read()
place = re.search(r"Question.*: which port does the (\\w+)", asked)
text = "\\n".join(path.read_text() for path in pathlib.Path("memory/knowledge").rglob("*.md"))
found = re.search(rf"The {place[1]} gateway uses port (\\d+)", text) if place else None
said = found[1] if found else "Not in memory"
usage = {"input_tokens": 90, "cache_read_input_tokens": 10, "output_tokens": 5}
print(json.dumps({"type": "result", "result": said, "num_turns": 3, "total_cost_usd": 0.25, "usage": usage}))
"""


def program(tmp_path: Path, code: str, **more: Any) -> CommandAgent:
    script = tmp_path / "agent.py"
    script.write_text(code)
    return CommandAgent((sys.executable, str(script)), dict(os.environ), **more)


def asked(folder: Path, agent: CommandAgent) -> Run:
    run = Run.start(folder, plan(agent="command", metric="exact"))
    planted = Planted(lambda place, port: f"The {place} gateway uses port {port}.")
    built(WORLD, run.brain(WORLD.id), planted, 2).store.close()
    ablation.ask(run, WORLD, agent)
    return run


def test_it_reads_the_files_of_its_arm_and_what_it_cost_is_kept(tmp_path: Path) -> None:
    run = asked(tmp_path / "run", program(tmp_path, READS))
    found = summarise(run).compared["on"][0]
    assert (found.metric, found.all.off, found.all.on) == ("exact", 0.0, 1.0)
    entry = next(run.all_entries())
    assert entry["extra"]["prompt"] == prompt_hash("command")
    assert entry["extra"]["ended"] == "itself"
    cost = entry["cost"]
    assert (cost["tool_calls"], cost["tokens_in"], cost["tokens_out"], cost["money"]) == (2, 100, 5, 0.25)
    assert {one["abstained"] for one in run.all_entries() if one["category"] == "abstention"} == {True}


def test_files_that_it_changed_are_as_they_were_for_the_next_question(tmp_path: Path) -> None:
    code = (
        "import pathlib\npages = sorted(pathlib.Path('memory/sessions').rglob('transcript.md'))\n"
        "print(len(pages))\npages[0].unlink()\npathlib.Path('memory/x.md').write_text('x')\n"
    )
    entries = list(asked(tmp_path / "run", program(tmp_path, code)).all_entries())
    assert {entry["answer"] for entry in entries} == {str(len(WORLD.sessions))}
    assert {entry["extra"]["changed"] for entry in entries} == {"it changed files of its folder"}


def test_plain_words_are_an_answer_too(tmp_path: Path) -> None:
    for printed in ("5004", '{"a": 1}', '{"response": "5004"}', '{"result": null}', "{"):
        run = asked(tmp_path / f"run{len(printed)}", program(tmp_path, f"print({printed!r})"))
        assert next(run.all_entries())["answer"] == ("5004" if "5004" in printed else printed)


def test_what_takes_too_long_is_stopped_with_its_helpers_and_is_no_answer(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, subprocess, sys, time\n"
        "helper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'helpers')!r}, 'a').write(f'{{helper.pid}}\\n')\n"
        "time.sleep(600)\n"
    )
    agent = program(tmp_path, code, seconds=1.0)
    one = world(0)
    run = Run.start(tmp_path / "run", plan(agent="command", metric="exact", arms=("off",)))
    built(one, run.brain(one.id), Planted(None), 1).store.close()
    few = type(one)(one.id, one.sessions, one.samples[:1], one.person)
    ablation.ask(run, few, agent)
    (entry,) = run.all_entries()
    assert (entry["answer"], entry["abstained"], entry["extra"]["ended"]) == ("", True, "time")
    for pid in (tmp_path / "helpers").read_text().split():
        state = Path(f"/proc/{pid}/stat")
        assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_one_that_fails_stops_the_run_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(AgentFailed, match=r"exit status 3\): no credit left"):
        asked(tmp_path / "run", program(tmp_path, "import sys\nsys.stderr.write('no credit left\\n')\nsys.exit(3)\n"))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("", "No command was named"),
        ("'a", "is no command line"),
        ("no-such-agent -p", "was not found"),
    ],
)
def test_a_command_must_be_named_and_be_there(given: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        from_environment({"BRAIN_EVAL_COMMAND": given, "PATH": "/usr/bin"})


def test_a_preset_and_a_line_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    made = from_environment({"BRAIN_EVAL_COMMAND": "claude", "PATH": str(tmp_path)})
    assert list(made.argv)[:2] == ["claude", "-p"]
    own = from_environment({"BRAIN_EVAL_COMMAND": "claude 'a b'", "PATH": str(tmp_path)})
    assert list(own.argv) == shlex.split("claude 'a b'")


def test_its_own_transcript_is_no_evidence(tmp_path: Path) -> None:
    code = "import json, os\nprint(json.dumps({'result': os.getcwd()}))"
    folder = next(asked(tmp_path / "run", program(tmp_path, code)).all_entries())["answer"]
    from brain.ingest.injected import is_staged

    assert is_staged(folder)
    assert json.loads(json.dumps(folder)).endswith("/files")
