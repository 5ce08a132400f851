"""What a text is cut into, in any script."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.search.tokens import query_tokens, tokens


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("fahrfahrplane", "Die Fährfahrpläne hängen dort."),
        ("STRASSENSCHILD", "am Straßenschild"),
        ("İSKELE", "İskele kapısı ışıklı."),
        ("IŞIKLI", "kapısı ışıklı"),
        ("ferry", "the ferry’s timetable"),
        ("ferries", "Ｆｅｒｒｙ ３"),
        ("паромы", "Паром уходит в шесть."),
        ("ежик", "Ёжик в тумане"),
        ("燈台", "港の燈台は消える"),
        ("港", "港の燈台は消える"),
        ("등대", "등대는 항구 동쪽에 있다."),
        ("ข้าม", "เรือข้ามฟาก"),
        ("हिन्दी", "वह हिन्दी में है"),
        ("🦦", "Meeting point: 🦦 statue"),
        ("👍", "great 👍🏽"),
        ("e-mail", "not in e‑mail."),
        ("mail", "not in e-mail."),
        ("name", "call parseFileName()"),
        ("parse_file_name", "def parse_file_name(x):"),
        ("2026-11", "on 2026-11-29 it rained"),
    ],
)
def test_a_query_finds_the_text(asked: str, written: str) -> None:
    assert set(query_tokens(asked)) & set(tokens(written))


@pytest.mark.parametrize(
    "whole",
    [
        "c++",
        "c#",
        "v1.2",
        "--no-verify",
        "-x",
        "18:40",
        "docs/a_b.md",
        "e_fail:42",
        "$home",
        "#123",
        "isn't",
        "x@y.org",
    ],
)
def test_identifiers_are_found_whole(whole: str) -> None:
    assert whole in tokens(f"see ({whole}), or not")
    assert whole in query_tokens(whole)


@pytest.mark.parametrize(
    ("asked", "written"),
    [("18:40", "18 people, 40 chairs"), ("война", "воина"), ("燈台", "燈と台"), ("C++", "written in Go")],
)
def test_a_query_does_not_find_what_only_looks_alike(asked: str, written: str) -> None:
    assert not set(query_tokens(asked)) & set(tokens(written))


def test_question_words_are_left_out_where_anything_else_is_left() -> None:
    assert query_tokens("What does the heron eat?") == ["heron", "eat"]
    assert query_tokens("the who") == ["the", "who"]


@pytest.mark.parametrize("text", ["", '"', "*", "(", "\0", "---", "'", "\ud800", "\u0301"])
def test_text_without_words_has_no_tokens(text: str) -> None:
    assert query_tokens(text) == []


@given(st.text())
def test_any_text_is_cut_the_same_twice_and_finds_itself(text: str) -> None:
    cut = tokens(text)
    assert cut == tokens(text)
    assert all(token and not token.isspace() for token in cut)
    assert set(query_tokens(text)) <= set(cut)


@pytest.mark.parametrize("unit", ["a", "a-", "'a", "1.", "aB", "燈", "a\u0301\u0327", "\u0301\u0327", "--", "👍\u200d"])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        tokens(unit * count)
        return time.process_time() - started

    seconds(1000)
    assert seconds(80_000) < 20 * max(seconds(10_000), 0.01)
