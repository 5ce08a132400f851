"""Values of a JSON file one at a time: the same as read whole, in little room, and with what is broken left out."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brain.ingest import Input, Skipped, jsonvalues, source
from brain.ingest.jsonvalues import beginning, values

PROFILE = settings(derandomize=True, max_examples=150, deadline=None)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def read(text: str | bytes, *keys: str) -> tuple[list[object], list[str]]:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    found = list(values(Input("-", None, data), keys))
    return [f[1] for f in found if not isinstance(f, Skipped)], [f.why for f in found if isinstance(f, Skipped)]


@PROFILE
@example([0.0, 1e-7], 1, None)
@example([0.0, 1e-7], 2, 1)
@given(st.lists(JSON, max_size=6), st.sampled_from([1, 2, 7, 64, 1 << 20]), st.sampled_from([None, 1, "\t"]))
def test_a_list_reads_as_it_would_as_a_whole(items: list[object], chunk: int, indent: int | str | None) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_CHUNK", chunk)
        assert read(text) == (items, [])
        assert read(json.dumps({"a": 1, "list": items, "z": {}}), "list") == (items, [])


@PROFILE
@given(
    st.lists(JSON, max_size=5),
    st.text(alphabet='[]{}",:\\ \n0a', max_size=6),
    st.floats(0, 1),
    st.sampled_from([1, 64]),
)
def test_whatever_stands_in_it_ends_and_is_told(items: list[object], dirt: str, where: float, chunk: int) -> None:
    text = json.dumps(items)
    at = int(len(text) * where)
    broken = text[:at] + dirt + text[at + len(dirt) // 2 :]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_CHUNK", chunk)
        found, skipped = read(broken, "a", "")
        try:
            assert isinstance(whole := json.loads(broken), dict) or found == whole or not isinstance(whole, list)
        except json.JSONDecodeError:
            assert skipped or found != items or dirt.strip(" \n,]}") != dirt


@PROFILE
@given(JSON, st.floats(0, 1))
def test_the_beginning_of_a_file_is_what_stands_there(value: object, cut: float) -> None:
    text = json.dumps([value], ensure_ascii=False)
    head = text.encode()[: int(len(text.encode()) * cut)]
    begun = beginning(head)
    assert begun is None or isinstance(begun, list)
    assert beginning(text.encode()) == [value]


@pytest.mark.parametrize(
    ("text", "found", "why"),
    [
        ('[1, {"a": \\, "b": "}"}, 3]', [1, 3], ["value 2: not JSON: Expecting value"]),
        ('[1, abc, {"a": 1}]', [1, {"a": 1}], ["value 2: not JSON: Expecting value"]),
        ('[{"a": 1}, {"a": "b', [{"a": 1}], ["value 2: the file ends in the middle of it"]),
        ("[1," + "[" * 5000 + "]" * 5000 + ", 2]", [1, 2], ["value 2: nested too deep"]),
        ('["line\nend"]', ["line\nend"], []),
        ("[" + "9" * 5000 + ", 2]", [2], None),
        ('{"a": 1}\n{"b": 2}', [{"a": 1}, {"b": 2}], []),
        ('{"a": 1}\n\x00\n{"b": 2}', [{"a": 1}, {"b": 2}], ["value 2: not JSON: Expecting value"]),
        ('{"title": "x", "list": [1, 2], "z": 0}', [1, 2], []),
        ("[1 2]", [1, 2], []),
        ("", [], []),
        ("[]", [], []),
        ("\ufeff[1]", [1], []),
        (b'["\xff\xc3"]', ["\ufffd\ufffd"], []),
    ],
)
def test_what_cannot_be_read_is_left_out(text: str | bytes, found: list[object], why: list[str] | None) -> None:
    got = read(text, "list")
    assert got[0] == found
    assert why is None or got[1] == why


def test_a_file_of_faults_is_given_up() -> None:
    found, skipped = read("[" + "x," * 5000 + "1]")
    assert (found, len(skipped)) == ([], 101)
    assert skipped[-1] == "100 values cannot be read; what follows was not read"


def test_a_value_that_is_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonvalues, "LARGEST", 1 << 20)
    found, skipped = read('["' + "x" * (5 << 20) + '", 2]')
    assert found == [2]
    assert skipped == ["value 1: more than 1 million characters"]


def test_room_is_taken_by_one_value_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    one = json.dumps({"id": 1, "text": ["words"] * 2000})
    with path.open("w") as file:
        file.write("[" + ",\n".join([one] * 2500) + "]")
    tracemalloc.start()
    count = sum(1 for _ in values(Input("-", path)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 2500
    assert path.stat().st_size > 40_000_000
    assert peak < 12_000_000


@pytest.mark.parametrize("head", [b"", b"words", b"{", b'[{"a', b"[" * 200_000, b'{"a":' * 50_000, b"]", b'["\\'])
def test_a_beginning_of_anything(head: bytes) -> None:
    assert beginning(head) in (None, {}, [], [{}])


def test_the_beginning_of_a_long_list() -> None:
    assert beginning(b'[{"a": {"b": [1, 2, {"c": "cut o') == [{"a": {"b": [1, 2, {}]}}]
    assert beginning(b'[{"a": 1, "b') == [{"a": 1}]
