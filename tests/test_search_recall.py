"""brain recall, as a person and as a machine ask it."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_search_corpus import FOLDER, NOTE, NOTE_TEXT, PAGE, PAGE_TEXT, session

from brain import config, fence, transcript
from brain.cli import cli
from brain.sandbox.recall import excerpt
from brain.store import Store


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "brain"
    Store.init(root, toml=config.default_toml("UTC", "Nadia"), at=datetime(2026, 11, 29, tzinfo=UTC)).close()
    for path, text in {
        f"{FOLDER}/transcript.md": transcript.render(session()),
        PAGE: PAGE_TEXT,
        NOTE: NOTE_TEXT,
    }.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text, "utf-8")
    return root


def recall(root: Path, *arguments: str) -> str:
    done = CliRunner().invoke(cli, ["recall", "--brain", str(root), *arguments], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_json_has_its_shape(root: Path) -> None:
    hits = json.loads(recall(root, "--json", "What", "does", "Kestrel", "build?"))["hits"]
    keys = ("path", "anchor", "kind", "score", "text", "evidence", "time", "until", "past", "origin", "also")
    keys += ("subjects", "cited_by", "voices", "factors")
    assert {tuple(hit) for hit in hits} == {keys}
    claim = next(hit for hit in hits if hit["kind"] == "claim" and hit["anchor"] == "^k3f9")
    assert claim["path"] == PAGE
    assert claim["evidence"] == ["sessions/2026/11/29-7dbc1bfb#t1", "sessions/2026/11/29-7dbc1bfb#t2.r1"]


def test_the_same_bytes_after_the_local_folder_is_deleted(root: Path) -> None:
    asked = [("--json", "Where does Ilya work?"), ("кто такой Илья Брандт?",), ("--json", "ribbon microphones")]
    before = [recall(root, *arguments) for arguments in asked]
    shutil.rmtree(root / ".brain")
    assert [recall(root, *arguments) for arguments in asked] == before


def test_text_is_fenced_so_that_it_is_never_taken_in_as_evidence(root: Path) -> None:
    lines = recall(root, "Ilya").splitlines()
    assert (lines[0], lines[-1]) == (fence.START, fence.END)
    assert any(line.startswith(f"{PAGE}#^k3f9 · claim · 2026-09-14") for line in lines)


def test_a_hand_edit_is_found_at_once(root: Path) -> None:
    assert "Nothing" in recall(root, "heron")
    page = root / PAGE
    page.write_text(page.read_text("utf-8").replace("sound engineer.", "keeper of a heron."), "utf-8")
    assert "keeper of a heron" in recall(root, "heron")


def test_private_files_are_not_for_others(root: Path) -> None:
    assert "ribbon" in recall(root, "ribbon microphones")
    assert "ribbon" not in recall(root, "ribbon microphones", "--audience", "public")


@pytest.mark.parametrize("text", ['"', "AND", "*", "a:b", "(", "--", "🦦", "'; DROP TABLE"])
def test_a_query_is_text(root: Path, text: str) -> None:
    assert "hits" in json.loads(recall(root, "--json", "--", text))


@pytest.mark.parametrize("unit", ["word ", "漢", "เรื่", "👩🏽‍🚀", "e\u0301"])
def test_an_excerpt_never_cuts_inside_a_character(unit: str) -> None:
    shown = excerpt(unit * 300, 100)
    assert len(shown) <= 103
    assert shown.removesuffix(" …").split()[-1].replace(unit.strip(), "") == ""


def test_what_is_no_option_is_text(root: Path) -> None:
    for arguments in (("--json", "-k", "3", "--no-verify"), ("--json", "-k", "3", "--", "--no-verify")):
        assert json.loads(recall(root, *arguments)) == {"hits": [], "notes": []}
    given = json.loads(recall(root, "--json", "--limit", "3", "ribbon microphones"))
    assert given["notes"] == ["--limit is no option of recall; it was searched for as words."]
    assert given["hits"]
    assert json.loads(recall(root, "--json", "--", "--json"))["hits"] == []


def test_nothing_found_is_said_with_a_way_on(root: Path) -> None:
    assert recall(root, "zzzxqy").startswith("Nothing in this memory answers that. Try:")


def test_what_no_longer_holds_says_so(root: Path) -> None:
    page = root / PAGE
    line = "- 2026-09-14 · Kestrel Audio builds his microphones. [cite:1] [cite:2] ^k3f9\n"
    old = "- 2026-08-12 – 2026-09-14 · Lumen Lab builds his microphones. [cite:1] ^a81c · superseded by ^k3f9\n"
    text = page.read_text("utf-8")
    page.write_text(text.replace("## Related", f"## History\n\n{old}\n## Related"), "utf-8")
    assert line in text
    lines = recall(root, "Lumen Lab microphones").splitlines()
    places = [n for n, line in enumerate(lines) if line.startswith(PAGE)]
    assert lines[places[0]].startswith(f"{PAGE}#^k3f9 · claim · 2026-09-14")
    assert lines[places[1]].startswith(f"{PAGE}#^a81c · claim · no longer true: 2026-08-12 – 2026-09-14")
    past = {hit["anchor"]: hit["past"] for hit in json.loads(recall(root, "--json", "Lumen Lab microphones"))["hits"]}
    assert past["^a81c"] and not past["^k3f9"]


def test_only_what_is_asked_for(root: Path) -> None:
    def hits(*arguments: str) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(recall(root, "--json", *arguments, "Ilya Kestrel"))["hits"]
        return found

    assert {hit["kind"] for hit in hits("--kind", "turn", "--kind", "page")} == {"turn", "page"}
    assert {hit["anchor"] for hit in hits("--until", "2026-09-30")} == {"^k3f9"}
    assert all(str(hit["time"]) >= "2026-11-29" for hit in hits("--since", "2026-11-29"))
    assert hits("--since", "2026-12-01") == []
    assert len(hits()) > len(hits("--budget", "110")) > len(hits("--budget", "1")) == 1
