from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.evidence import Match, fingerprint, is_quote, matches, quote

PROFILE = settings(derandomize=True, max_examples=100, deadline=None)
TEXTS = st.text(st.one_of(st.characters(), st.sampled_from("abЖй東é\u0301ßſ🦦 \n")), max_size=40)


def test_the_form_of_a_quote() -> None:
    assert quote("abc") == "ba7816bf8f01/3"
    assert quote("й") == quote("й")
    assert quote("й").endswith("/1")


@PROFILE
@given(TEXTS.filter(bool), TEXTS)
def test_a_text_may_grow(text: str, more: str) -> None:
    assert is_quote(quote(text))
    assert matches(quote(text), text) is Match.MATCH
    assert matches(quote(text), text + more) is Match.MATCH


@PROFILE
@given(TEXTS.filter(bool), st.data())
def test_a_changed_text_does_not_match(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :]
    assert matches(quote(text), changed) is Match.CHANGED
    assert matches(quote(text), text[:-1]) is Match.CHANGED
    assert matches(quote(text), changed, [changed, text]) is Match.MOVED
    assert matches(quote(text), None, ["", text]) is Match.MOVED
    assert matches(quote(text), None, [changed]) is Match.GONE


@pytest.mark.parametrize(
    "bad", ["", "abc", "ba7816bf8f01", "ba7816bf8f01/0", "BA7816BF8F01/3", "ba7816bf8f0/3", "ba7816bf8f01/03"]
)
def test_what_is_no_quote(bad: str) -> None:
    assert not is_quote(bad)
    assert matches(bad, "abc", ["abc"]) is Match.INVALID


def test_nothing_cannot_be_quoted() -> None:
    assert matches(quote(""), "anything") is Match.INVALID


@pytest.mark.parametrize(
    "same",
    [
        ("Call me at 7, please!", "call me at 7 please", " CALL — me… at (7) “please”"),
        ("Straße", "STRASSE"),
        ("Café", "Cafe\u0301"),
        ("ﬁne ½", "fine 1⁄2", "fine 1 2"),
        ("Нет, спасибо.", "нет спасибо"),
        ("snake_case", "snake case"),
    ],
)
def test_one_fingerprint_for_the_same_words(same: tuple[str, ...]) -> None:
    assert len({fingerprint(text) for text in same}) == 1


def test_other_words_have_another_fingerprint() -> None:
    texts = ["at 7", "at 8", "at7", "не надо", "надо", "", "東京", "大阪", "7 at"]
    assert len({fingerprint(text) for text in texts}) == len(texts)
    assert fingerprint("!!") == fingerprint("") == fingerprint(" ")
    assert len(fingerprint("x")) == 16


@PROFILE
@given(TEXTS)
def test_a_fingerprint_does_not_see_the_form_of_a_letter(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC"):
        assert fingerprint(unicodedata.normalize(form, text)) == fingerprint(text)  # type: ignore[arg-type]
