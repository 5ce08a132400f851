"""The ablation as a whole: what is planted is found, nothing is asked twice, two runs agree."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("statsmodels", reason="the extra `eval` is not installed")

from worlds import WRONG, Planted, built, world

from brain.eval import ablation, arms, report
from brain.eval.log import BadRun, Plan, Run
from brain.eval.summary import Summary, summarise

WORLDS = [world(n) for n in range(4)]


def plan(**other: object) -> Plan:
    given = {
        "data": "test",
        "path": "",
        "agent": "reader",
        "arms": ("off", "on"),
        "metric": "rank",
        "seed": 0,
        "index_budget": 2000,
        "found_budget": 400,
        "embedder": "none",
        "dreamer": "extractive",
        "nights": 2,
        "limit": 0,
        "versions": {},
        "command": "brain eval run",
    }
    return Plan(**{**given, **other})  # type: ignore[arg-type]


def measured(folder: Path, dreamer: Planted) -> Summary:
    run = Run.start(folder, plan())
    for one in WORLDS:
        built(one, run.brain(one.id), dreamer, 2).store.close()
    ablation.run(run, WORLDS, 1, lambda names, total: names)
    return summarise(run)


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("right")
    measured(folder, Planted(lambda place, port: f"The {place} gateway uses port {port}."))
    return folder


def test_a_perfect_wiki_wins(right: Path) -> None:
    summary = summarise(Run.load(right))
    found = summary.compared["on"][0]
    assert (found.metric, found.all.pairs, found.unscored) == ("rank", 24, 4)
    assert found.all.on == 1.0
    assert found.all.low is not None and found.all.low > 0
    assert "on is better" in report.verdict(summary)


def test_a_wrong_wiki_loses(tmp_path: Path) -> None:
    summary = measured(tmp_path, Planted(lambda place, port: f"The {place} gateway uses port {WRONG}."))
    found = summary.compared["on"][0].all
    assert found.high is not None and found.high < 0
    assert "on is worse" in report.verdict(summary)


def test_an_empty_wiki_ties(tmp_path: Path) -> None:
    summary = measured(tmp_path, Planted(None))
    found = summary.compared["on"][0].all
    assert (found.difference, found.low, found.high, found.only_off, found.only_on) == (0, 0, 0, 0, 0)
    assert 0 < found.off < 1
    assert "no sample scored differently" in report.verdict(summary)


def test_two_runs_give_the_same_scores_and_the_same_page(right: Path, tmp_path: Path) -> None:
    again = measured(tmp_path, Planted(lambda place, port: f"The {place} gateway uses port {port}."))
    first = summarise(Run.load(right))
    kept = ("world", "sample", "arm", "scores", "shown", "gold")
    entries = [[{key: entry[key] for key in kept} for entry in Run.load(f).all_entries()] for f in (right, tmp_path)]
    assert entries[0] == entries[1]
    assert again.compared == first.compared


def test_what_was_answered_is_not_asked_again(right: Path) -> None:
    run = Run.load(right)
    before = {path: path.read_bytes() for path in sorted((right / "answers").iterdir())}
    ablation.run(run, WORLDS, 1, lambda names, total: names)
    assert {path: path.read_bytes() for path in sorted((right / "answers").iterdir())} == before


def test_a_line_cut_by_a_kill_is_asked_again(tmp_path: Path) -> None:
    run = Run.start(tmp_path, plan())
    built(WORLDS[0], run.brain("w0"), Planted(None), 2).store.close()
    ablation.run(run, WORLDS[:1], 1, lambda names, total: names)
    path = tmp_path / "answers" / "w0.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    ablation.run(Run.load(tmp_path), WORLDS[:1], 1, lambda names, total: names)
    lines, again = whole.splitlines(), path.read_bytes().splitlines()
    assert again[:-1] == lines[:-1] and len(again) == len(lines)


def test_a_folder_keeps_its_plan(right: Path) -> None:
    with pytest.raises(BadRun, match="another found_budget"):
        Run.start(right, plan(found_budget=500))
    assert Run.start(right, plan(command="called another way")).plan == plan()


def test_several_processes_answer_as_one(right: Path, tmp_path: Path) -> None:
    run = Run.start(tmp_path, plan())
    for one in WORLDS[:2]:
        dreamer = Planted(lambda place, port: f"The {place} gateway uses port {port}.")
        built(one, run.brain(one.id), dreamer, 2).store.close()
    ablation.run(run, WORLDS[:2], 2, lambda names, total: names)
    scores = {(e["world"], e["sample"], e["arm"]): e["scores"] for e in Run.load(right).all_entries()}
    for entry in run.all_entries():
        assert entry["scores"] == scores[entry["world"], entry["sample"], entry["arm"]]


@pytest.mark.parametrize("name", [name for name in arms.ARMS if name not in ("on", "no-index")])
def test_what_an_arm_hides_is_nowhere_in_its_view(name: str, right: Path) -> None:
    """Neither as a file, nor in the maps, nor in the first message."""
    made = built(WORLDS[0], Run.load(right).brain("w0"), Planted(None), 2)
    tree = made.store.tree(made.commits[12])
    assert any(arms.ARMS["off"].hides(path) for path in tree.paths)
    arm = arms.ARMS[name]
    seen = arms.view(tree, arm, 4000)
    text = "\n".join(seen.text(path) for path in seen.paths) + arms.first_message(seen, arm, 4000)
    made.store.close()
    if name == "no-links":
        assert seen.pages() and "[[" not in "\n".join(map(seen.text, seen.pages()))
    elif name == "no-citations":
        assert seen.pages() and "[cite:" not in "\n".join(map(seen.text, seen.pages()))
        assert not any(page.citations for page in seen.pages().values())
    else:
        assert not any(arm.hides(path) for path in seen.paths)
        assert "gateway uses port" not in text


def test_the_page_stands_alone(right: Path) -> None:
    page = report.as_html(summarise(Run.load(right)))
    assert page.count("<svg") == 3
    assert "http" not in page.replace("http://www.w3.org", "").replace("https://www.w3.org", "")
    assert "<script" not in page and "src=" not in page
    assert 'href="worlds/w0/memory/' in page
    assert page == report.as_html(summarise(Run.load(right)))
