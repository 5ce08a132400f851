"""The offline judge over statements that a model wrote, each with its turn, and over corruptions of each.

LoCoMo's `observation` entries are such statements. The share refused of those as they stand is what the judge costs
(some of them are wrong in truth); the share refused of the corrupted ones is what it is worth. The first four
conversations were tuned on, the rest were not looked at.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain.eval.bench import corruptions
from brain.validators.judge.offline import OfflineJudge
from brain.validators.judge.verdict import Asked, Judge, Spoken

TUNED = 4
"""Conversations that the rules of the judge were tuned on; the rest are held out."""
BEFORE = 3
"""Turns before the cited one that the judge is shown, as the rule `support` does."""


@dataclass(frozen=True, slots=True)
class Statement:
    asked: Asked
    elsewhere: Asked
    """The same claim, its citation pointed at another turn of the same speaker in the same talk."""
    names: tuple[str, str]
    talk: str


def measure(scale: float, path: Path, judge: Judge | None = None) -> dict[str, float]:
    """Shares in percent and milliseconds a claim; `scale` below 1 takes so much of each conversation."""
    judge = judge or OfflineJudge()
    figures: dict[str, float] = {}
    items = json.loads(path.read_bytes())
    for part, taken in (("tuned", items[:TUNED]), ("held_out", items[TUNED:])):
        statements = [one for item in taken for one in statements_of(item)]
        kept = statements[: max(1, round(scale * len(statements)))]
        figures |= {f"{part}_{key}": value for key, value in _figures(judge, kept).items()}
    return figures


def _figures(judge: Judge, statements: Sequence[Statement]) -> dict[str, float]:
    start = time.process_time()
    refused = sum(not judge.judge(one.asked).is_supported for one in statements)
    spent = time.process_time() - start
    caught = Counter(
        kind for one in statements for kind, asked in corrupted(one) if not judge.judge(asked).is_supported
    )
    share = {f"caught_{kind}": 100 * caught[kind] / len(statements) for kind in (*corruptions.KINDS, "citation")}
    return {
        "statements": len(statements),
        "refused": 100 * refused / len(statements),
        **share,
        "caught": sum(share.values()) / len(share),
        "ms_a_claim": 1000 * spent / len(statements),
    }


def corrupted(one: Statement) -> Iterator[tuple[str, Asked]]:
    """One false statement of each kind."""
    told = corruptions.Told(one.asked.claim, one.names)
    for kind, make in corruptions.KINDS.items():
        rng = random.Random(f"{kind} {one.talk} {one.asked.claim}")
        yield kind, replace(one.asked, claim=make(told, rng))
    yield "citation", one.elsewhere


def statements_of(item: Mapping[str, Any]) -> Iterator[Statement]:
    """The statements of one conversation whose turns exist."""
    talk, said = item["conversation"], _turns(item["conversation"])
    places = {id_: at for at, (id_, _) in enumerate(said)}
    names = (str(talk["speaker_a"]), str(talk["speaker_b"]))
    for claim, ids in _observations(item["observation"]):
        cited = [places[id_] for id_ in ids if id_ in places]
        if not cited:
            continue
        rng = random.Random(f"citation {item['sample_id']} {claim}")
        speaker = said[cited[0]][1].speaker
        other = rng.choice([at for at, (_, one) in enumerate(said) if at not in cited and one.speaker == speaker])
        people = frozenset(names)
        yield Statement(
            _asked(claim, said, cited, people), _asked(claim, said, [other], people), names, str(item["sample_id"])
        )


def _observations(found: Mapping[str, Mapping[str, Sequence[Any]]]) -> Iterator[tuple[str, Sequence[str]]]:
    for of_session in found.values():
        for entries in of_session.values():
            for claim, ids in entries:
                yield str(claim), [str(id_) for id_ in (ids if isinstance(ids, list) else [ids])]


def _asked(claim: str, said: Sequence[tuple[str, Spoken]], cited: Sequence[int], people: frozenset[str]) -> Asked:
    before = sorted({at for place in cited for at in range(max(0, place - BEFORE), place)} - set(cited))
    return Asked(claim, tuple(said[at][1] for at in cited), tuple(said[at][1] for at in before), people)


def _turns(talk: Mapping[str, Any]) -> list[tuple[str, Spoken]]:
    """Every turn with its id, in order."""
    numbers = sorted(int(key.split("_")[1]) for key, turns in talk.items() if isinstance(turns, list) and turns)
    return [
        (str(turn["dia_id"]), Spoken(_words(turn), str(turn["speaker"]), _time(talk.get(f"session_{n}_date_time"))))
        for n in numbers
        for turn in talk[f"session_{n}"]
    ]


def _words(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return str(turn["text"]) + (f" [shares image: {caption}]" if caption else "")


def _time(text: object) -> datetime | None:
    return datetime.strptime(str(text), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC) if text else None
