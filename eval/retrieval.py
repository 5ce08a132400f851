"""python -m brain.eval.retrieval FILE: how much of the evidence of LoCoMo's questions the search finds.

FILE is LoCoMo's JSON (snap-research/locomo, CC BY-NC 4.0: it is measured with, and nothing of it is kept here). Each
conversation becomes a memory of sessions alone; each question of categories 1 to 4 is asked as it stands; recall@10 is
the mean share of its evidence turns among the first ten hits.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from brain import layout, transcript
from brain.cli import output
from brain.model import Origin, Role, Session, Source, Text, Trust, Turn
from brain.search import Question, find
from brain.search.corpus import TreeCorpus
from brain.tree import tree_of

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
K = 10

_SESSION = re.compile(r"session_(\d+)")
# The evidence was typed by hand: several in one string, colons doubled or displaced, numbers padded with zeros.
_EVIDENCE = re.compile(r"D:?(\d+)\s*:+\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    category: int
    evidence: frozenset[str]
    """Sources of turns."""


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    files: Mapping[str, str]
    questions: tuple[Asked, ...]


def load(path: Path) -> Iterator[Conversation]:
    """The conversations of a LoCoMo file; a question without evidence that exists is left out."""
    for item in json.loads(path.read_text("utf-8")):
        files: dict[str, str] = {}
        sources: dict[str, str] = {}
        for number, turns in _sessions(item["conversation"]):
            folder = f"{layout.SESSIONS}/undated/{number:08x}"
            files[layout.transcript_path(folder)] = transcript.render(_session(number, turns))
            sources |= {f"{number}:{n}": layout.source_of(folder, n) for n in range(1, len(turns) + 1)}
        yield Conversation(str(item["sample_id"]), files, tuple(_questions(item["qa"], sources)))


def _sessions(conversation: Mapping[str, Any]) -> list[tuple[int, list[dict[str, Any]]]]:
    found = [(int(match[1]), conversation[key]) for key in conversation if (match := _SESSION.fullmatch(key))]
    return sorted(found, key=lambda session: session[0])


def _session(number: int, turns: Sequence[Mapping[str, Any]]) -> Session:
    return Session(
        id=f"{number:08x}-0000-0000-0000-000000000000",
        agent="locomo",
        source=Source("locomo", "locomo.json", "0" * 64),
        turns=tuple(_turn(n, turn, first=str(turns[0]["speaker"])) for n, turn in enumerate(turns, 1)),
    )


def _turn(n: int, turn: Mapping[str, Any], first: str) -> Turn:
    caption = turn.get("blip_caption")
    text = turn["text"] + (f" [shares image: {caption}]" if caption else "")
    blocks = (Text(transcript.clean_text(text)),)
    if turn["speaker"] == first:
        return Turn(n, Role.USER, None, blocks, speaker=turn["speaker"])
    return Turn(n, Role.ASSISTANT, None, blocks, Origin.ASSISTANT, Trust.AGENT, turn["speaker"])


def _questions(items: Iterable[Mapping[str, Any]], sources: Mapping[str, str]) -> Iterator[Asked]:
    for item in items:
        named = [
            f"{int(match[1])}:{int(match[2])}" for e in item.get("evidence", ()) for match in _EVIDENCE.finditer(e)
        ]
        evidence = frozenset(sources[name] for name in named if name in sources)
        if evidence and item["category"] in CATEGORIES:
            yield Asked(item["question"], item["category"], evidence)


def recalls(conversation: Conversation, embedder: str) -> list[float]:
    """The share of the evidence that each question finds."""
    corpus = TreeCorpus(tree_of(conversation.files))
    with tempfile.TemporaryDirectory() as home:
        return [
            _recall(find(Path(home), corpus, Question(q.text, K), embedder).hits, q) for q in conversation.questions
        ]


def _recall(hits: Sequence[Any], question: Asked) -> float:
    found = {source for hit in hits for source in hit.evidence}
    return len(found & question.evidence) / len(question.evidence)


def figures(conversations: Sequence[Conversation], embedder: str) -> dict[str, float]:
    """recall@10 in percent: of all questions, of each category, of each conversation."""
    shares = [recalls(conversation, embedder) for conversation in conversations]
    asked = [question for conversation in conversations for question in conversation.questions]
    flat = [share for group in shares for share in group]
    given = {"all": 100 * fmean(flat)}
    for number, name in CATEGORIES.items():
        of_kind = [share for share, question in zip(flat, asked, strict=True) if question.category == number]
        given[name] = 100 * fmean(of_kind or [0.0])
    return given | {c.name: 100 * fmean(group) for c, group in zip(conversations, shares, strict=True)}


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--embedder", "embedders", multiple=True, default=("none", "use"), help="As in brain.toml; may repeat.")
def main(file: Path, embedders: tuple[str, ...]) -> None:
    """Print recall@10 of the search on LoCoMo, one column for each embedder, and the same as JSON."""
    conversations = tuple(load(file))
    given = {embedder: figures(conversations, embedder) for embedder in embedders}
    rows = [(key, *(f"{given[name][key]:.1f}" for name in embedders)) for key in given[embedders[0]]]
    output.say(output.table(rows, ("recall@10", *embedders)))
    output.emit({"questions": sum(len(c.questions) for c in conversations), "recall_at_10": given})


if __name__ == "__main__":
    sys.exit(main())
