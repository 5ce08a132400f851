"""Loaders, each with a few invented lines in the published shape; and a person's own brain as a data set."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from brain import layout, transcript
from brain.eval.datasets import DATASETS, dataset, own
from brain.eval.datasets.talk import Said, session, session_id
from brain.eval.task import ABSTAIN, LABEL_ERROR, BadDataset, Sample, UnknownName, World
from brain.model import Session
from brain.tree import Tree, tree_of

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Mirre",
            "speaker_b": "Tove",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Mirre", "dia_id": "D1:1", "text": "I have a parrot.", "query": "never said"},
                {"speaker": "Tove", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a boat"},
            ],
            "session_2_date_time": "2:00 pm on 9 May, 2023",
            "session_2": [{"speaker": "Tove", "dia_id": "D2:1", "text": "Its name is Pim."}],
            "session_3_date_time": "2:00 pm on 10 May, 2023",
        },
        "observation": {"x": "derived"},
        "qa": [
            {"question": "What is it called?", "answer": "Pim", "evidence": ["D1:1; D2:01", "D9:9"], "category": 1},
            {"question": "How many?", "answer": 1, "evidence": ["D:1:2"], "category": 4},
            {"question": "Does she own a cat?", "adversarial_answer": "yes", "evidence": ["D1:1"], "category": 5},
        ],
    }
]
REALMEM = {
    "_metadata": {},
    "dialogues": [
        {
            "session_identifier": "Sea:S1_01",
            "session_uuid": "aaaa1111",
            "current_time": "2025-12-27 (Saturday)",
            "extracted_memory": [{"content": "derived"}],
            "dialogue_turns": [
                {"speaker": "User", "content": "I sail on Fridays.", "is_query": False, "query_id": None},
                {"speaker": "Assistant", "content": "Noted.", "is_query": False, "query_id": None},
            ],
        },
        {
            "session_identifier": "Sea:S2_01",
            "session_uuid": "bbbb2222",
            "current_time": "2025-12-28 (Sunday)",
            "extracted_memory": [],
            "dialogue_turns": [
                {
                    "speaker": "User",
                    "content": "When do I sail?",
                    "is_query": True,
                    "query_id": "Q-0001",
                    "category_name": "Static",
                },
                {
                    "speaker": "Assistant",
                    "content": "Fridays.",
                    "is_query": False,
                    "memory_used": [{"content": "derived"}],
                    "memory_session_uuids": ["aaaa1111", "bbbb2222"],
                },
            ],
        },
    ],
}
BEAM_CHAT = [
    {
        "batch_number": 1,
        "turns": [
            [
                {"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "Sprint ends May 3. ->-> 1,1"},
                {"role": "assistant", "id": 1, "content": "Fine."},
            ],
            [{"role": "user", "id": 2, "content": "Port 8443."}],
        ],
    }
]
BEAM_ASKED = {
    "information_extraction": [{"question": "When?", "answer": "May 3", "source_chat_ids": [0, 99]}],
    "multi_session_reasoning": [{"question": "Both?", "source_chat_ids": {"first": [0], "then": [2]}}],
    "event_ordering": [{"question": "Order?", "source_chat_ids": "[0, [2]]", "answer": "x" * 100}],
    "abstention": [{"question": "Why?", "ideal_response": "no information"}],
}
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which port?",
        "answer": "8443",
        "question_date": "2023/05/30 (Tue) 21:48",
        "haystack_session_ids": ["s2", "s1"],
        "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/05/20 (Sat) 10:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hm."}, {"role": "user", "content": "Port 8443.", "has_answer": True}],
            [{"role": "user", "content": "Hello."}],
        ],
        "answer_session_ids": ["s2"],
    },
    {**{"question_id": "q2_abs", "question_type": "x", "question": "Who?", "answer": "not said"}, "haystack_dates": [],
     "haystack_session_ids": [], "haystack_sessions": []},
]  # fmt: skip
FLAT = {
    "data": [
        {
            "id": "f1",
            "question_type": "temporal-reasoning",
            "conversation": [
                {"role": "user", "content": "Up at seven.", "date": "2023/05/30 (Tue) 21:48"},
                {"role": "assistant", "content": "Good.", "date": "2023/05/30 (Tue) 21:48"},
                {"role": "user", "content": "Up at six.", "date": "2023/06/30 (Fri) 21:48"},
            ],
            "questions": [{"id": "q1", "question": "When up?", "answer": "six"}],
        }
    ]
}


def load(name: str, path: Path | None) -> list[World]:
    return list(dataset(name).load(path))


def written(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def texts(one: Session) -> list[str]:
    return [turn.text for turn in one.turns]


def held(one: World, sample: Sample) -> set[str]:
    """The words of the turns (or the first of the sessions) that a sample names."""
    words = {f"{s.id}#t{t.n}": t.text for s in one.sessions for t in s.turns} | {s.id: s.id for s in one.sessions}
    return {words[source] for source in sample.evidence}


def test_locomo(tmp_path: Path) -> None:
    file = written(tmp_path / "locomo10.json", LOCOMO)
    written(tmp_path / "audit_errors.json", [{"question_id": "locomo_0_qa1"}])
    (one,) = load("locomo", file)
    assert (one.id, one.person) == ("conv-1", "Mirre")
    assert [texts(s) for s in one.sessions] == [
        ["I have a parrot.", "Look! [shares image: a boat]"],
        ["Its name is Pim."],
    ]
    assert one.sessions[0].started == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    first, second, third = one.samples
    assert held(one, first) == {"I have a parrot.", "Its name is Pim."}
    assert (first.category, first.answers, first.distance) == ("multi-hop", ("Pim",), 0)
    assert (second.answers, second.distance, second.tags) == (("1",), 1, {LABEL_ERROR})
    assert (third.category, third.answers, third.evidence) == (ABSTAIN, (), frozenset())


def test_realmem(tmp_path: Path) -> None:
    written(tmp_path / "Mirre_Oost_dialogues_256k.json", REALMEM)
    (one,) = load("realmem", tmp_path)
    assert (one.id, one.person, len(one.sessions)) == ("Mirre_Oost", "Mirre Oost", 2)
    (asked,) = one.samples
    assert (asked.question, asked.category, asked.after, asked.distance) == ("When do I sail?", "Static", 1, 0)
    assert asked.evidence == {one.sessions[0].id}, "not its own session, which is still going on"


def test_beam(tmp_path: Path) -> None:
    written(tmp_path / "2" / "chat.json", BEAM_CHAT)
    written(tmp_path / "2" / "probing_questions.json", BEAM_ASKED)
    written(tmp_path / "10" / "chat.json", [])
    written(tmp_path / "10" / "chat_trunecated.json", BEAM_CHAT)
    written(tmp_path / "10" / "probing_questions.json", {})
    two, ten = load("beam", tmp_path)
    assert (two.id, ten.id) == ("beam-2", "beam-10")
    assert (
        [texts(s) for s in two.sessions] == [["Sprint ends May 3.", "Fine.", "Port 8443."]] == [texts(ten.sessions[0])]
    )
    assert two.sessions[0].started == datetime(2024, 3, 15, tzinfo=UTC)
    one, both, order, none = two.samples
    assert held(two, one) == {"Sprint ends May 3."} and one.answers == ("May 3",)
    assert held(two, both) == held(two, order) == {"Sprint ends May 3.", "Port 8443."}
    assert order.answers == () and (none.category, none.evidence) == (ABSTAIN, frozenset())


def test_longmemeval_as_published(tmp_path: Path) -> None:
    one, none = load("longmemeval", written(tmp_path / "longmemeval_s.json", LONGMEMEVAL))
    assert [texts(s) for s in one.sessions] == [["Hello."], ["Hm.", "Port 8443."]], "in the order of time"
    (asked,) = one.samples
    assert held(one, asked) == {"Port 8443."}
    assert asked.at == datetime(2023, 5, 30, 21, 48, tzinfo=UTC)
    assert (none.samples[0].category, none.samples[0].answers) == (ABSTAIN, ())


def test_longmemeval_flattened(tmp_path: Path) -> None:
    (one,) = load("longmemeval", written(tmp_path / "sample.json", FLAT))
    assert [texts(s) for s in one.sessions] == [["Up at seven.", "Good."], ["Up at six."]]
    assert (one.samples[0].answers, one.samples[0].evidence) == (("six",), frozenset())


@pytest.mark.parametrize("name", ["locomo", "realmem", "beam", "longmemeval"])
def test_what_is_not_there_is_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadDataset, match="not shipped"):
        load(name, None)
    with pytest.raises(BadDataset, match="nothing was run"):
        load(name, tmp_path)
    broken = tmp_path / "x_dialogues_y.json"
    broken.write_text("{", encoding="utf-8")
    if name != "beam":
        with pytest.raises(BadDataset, match="is no JSON"):
            load(name, broken)


def test_a_data_set_that_is_unknown_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UnknownName) as caught:
        dataset("locomotive")
    assert all(name in caught.value.hint for name in DATASETS)


def test_what_is_loaded_can_be_laid_into_a_brain(tmp_path: Path) -> None:
    for one in load("locomo", written(tmp_path / "l.json", LOCOMO)):
        for made in one.sessions:
            assert transcript.parse(transcript.render(made)).session == made


# --- a person's own brain -----------------------------------------------------------------

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def own_tree(*talks: list[tuple[bool, str]]) -> Tree:
    files: dict[str, str | bytes] = {}
    for n, said in enumerate(talks):
        start = START + timedelta(days=n)
        made = session(session_id("own", n), "test", "x", [Said(text, user) for user, text in said], start)
        made = replace(made, project="tide")
        files[layout.transcript_path(layout.session_folder(made.id, start.date()))] = transcript.render(made)
    return tree_of(files)


OLDER = [
    [(True, "The gateway listens on 8443 now."), (False, "Noted.")],
    [(True, "We keep the charts in src/charts.py."), (False, "Good.")],
    [(True, "Weather is fine."), (False, "Yes.")],
    [(True, "More weather."), (False, "Yes.")],
]


def test_what_the_newest_sessions_needed_of_the_older_ones_is_asked() -> None:
    newest = [(True, "Which port does the gateway use?"), (False, "It uses 8443."), (True, "Thanks.")]
    made = own.world(own_tree(*OLDER, newest), "Mirre", "UTC")
    (asked,) = made.samples
    assert (asked.question, asked.answers, asked.after) == ("Which port does the gateway use?", ("8443",), 4)
    assert asked.evidence == {f"{made.sessions[0].id}#t1"}


@pytest.mark.parametrize(
    "newest",
    [
        [(True, "Does it use 8443?"), (False, "Yes, 8443.")],
        [(True, "Which port does it use?"), (False, "8443."), (True, "No, that is wrong.")],
        [(True, "Which port does it use?"), (False, "7000.")],
        [(True, "I am off."), (False, "8443 is the port.")],
    ],
    ids=["it stood in the question", "it was taken back", "it is new", "nothing was asked"],
)
def test_what_says_nothing_of_the_memory_is_not_asked(newest: list[tuple[bool, str]]) -> None:
    with pytest.raises(BadDataset, match="nothing was run"):
        own.world(own_tree(*OLDER, newest), "Mirre", "UTC")


def test_too_few_sessions_are_one_line() -> None:
    with pytest.raises(BadDataset, match="too few"):
        own.world(own_tree(*OLDER[:2]), "Mirre", "UTC")
