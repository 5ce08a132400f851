"""Encoded data never reaches the memory; words that only look like it stay."""

from __future__ import annotations

import base64
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import lines, read_text

from brain import transcript
from brain.ingest.binary import without_binary

DATA = base64.b64encode(random.Random(1).randbytes(3000)).decode()
WRAPPED = base64.encodebytes(random.Random(2).randbytes(3000)).decode().strip()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"see data:image/png;base64,{DATA} there", "see [image] there"),
        ("see data:image/svg+xml;charset=utf-8;base64,AAAA there", "see [image] there"),
        (f'{{"a": "data:audio/mpeg;base64,{DATA}"}}', '{"a": "[audio]"}'),
        (f"before {DATA} after", "before [4000 characters of data] after"),
        (f'"{DATA}"', '"[4000 characters of data]"'),
        (f"key:\n{WRAPPED}\nend", f"key:\n[{len(WRAPPED)} characters of data]\nend"),
        (DATA[:900], DATA[:900]),
        ("=" * 5000, "=" * 5000),
        ("x" * 5000, "x" * 5000),
        ("abcdef0123456789" * 100, "abcdef0123456789" * 100),
        ("\n".join(["9fceb02d0ae598e95dc970b74767f19372d61af8"] * 40),) * 2,
        ("Мельница у реки. " * 500,) * 2,
        ("data:text/plain,hello",) * 2,
        ("", ""),
    ],
)
def test_what_is_marked(text: str, kept: str) -> None:
    assert without_binary(text) == kept


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.integers(0, 3000), st.integers(1000, 4000), st.sampled_from([" ", "\n", '"', ", "]))
def test_a_long_run_is_found_wherever_it_stands(before: int, length: int, edge: str) -> None:
    text = "ab " * (before // 3) + edge + DATA[:length] + edge + "cd " * 200
    assert DATA[:200] not in without_binary(text)


@pytest.mark.parametrize(
    "part", ["a", "Ab1/", "A" * 119 + "\n", "Ab1" * 20 + "\n", "data:image/png;base64,", ";base64,", "- "]
)
def test_a_long_text_takes_time_in_proportion(part: str) -> None:
    start = time.process_time()
    without_binary(part * (2_000_000 // len(part)))
    assert time.process_time() - start < 5


def test_nothing_of_it_is_stored() -> None:
    url = f"data:image/png;base64,{DATA}"
    screen = {
        "type": "computer_call_output",
        "call_id": "k",
        "output": {"type": "computer_screenshot", "image_url": url},
    }
    messages = [
        {"role": "user", "content": f"Look: {url}"},
        {"type": "computer_call", "call_id": "k", "action": {"type": "click", "picture": DATA}},
        screen,
        {"type": "image_generation_call", "id": "i", "result": DATA},
        {"type": "code_interpreter_call", "id": "c", "code": "plot()", "outputs": [{"type": "logs", "logs": "done"}]},
        {"role": "assistant", "content": None, "audio": {"data": DATA, "transcript": "A boat."}},
    ]
    session = read_text(lines(messages))[0][0].session
    assert DATA[:60] not in transcript.render(session)
    assert session.turns[0].text == "Look: [image]"
    assert session.turns[1].text == "A boat."
    assert [call.result for call in session.turns[1].tool_calls] == [
        '{"type": "computer_screenshot", "image_url": "[image]"}',
        None,
        '{"type": "logs", "logs": "done"}',
    ]
