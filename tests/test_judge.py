"""The offline judge: cases of many kinds in two languages, and what holds for any words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.search.embed import HashingEmbedder
from brain.validators.judge import lexicon
from brain.validators.judge.offline import OfflineJudge
from brain.validators.judge.remembering import Remembering
from brain.validators.judge.verdict import Asked, Ruling, Spoken, Verdict

AT = datetime(2026, 9, 16, 12, tzinfo=UTC)
CASES = tomllib.loads((Path(__file__).parent / "cases" / "judge.toml").read_text("utf-8"))["case"]
JUDGE = OfflineJudge()
PROPERTIES = settings(derandomize=True, deadline=None, max_examples=60)


def spoken(row: str) -> Spoken:
    speaker, words = row.split(": ", 1) if not row.startswith(":") else ("", row.removeprefix(": "))
    return Spoken(words, speaker or None, AT)


def asked(claim: str, *said: str) -> Asked:
    """The last of the rows is cited."""
    *before, cited = map(spoken, said)
    return Asked(claim, (cited,), tuple(before))


def holding() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    return ((case["kind"], claim, tuple(case["said"])) for case in CASES for claim in case["holds"])


def failing() -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    return ((case["kind"], claim, why, tuple(case["said"])) for case in CASES for claim, why in case["fails"])


@pytest.mark.parametrize(
    ("kind", "claim", "said"), list(holding()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_was_said_is_supported(kind: str, claim: str, said: tuple[str, ...]) -> None:
    verdict = JUDGE.judge(asked(claim, *said))
    assert verdict.is_supported, f"{kind}: {verdict.reason}"
    assert verdict.span is not None
    assert verdict.span in said[-1]


@pytest.mark.parametrize(
    ("kind", "claim", "why", "said"), list(failing()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_was_not_said_is_refused_with_its_reason(kind: str, claim: str, why: str, said: tuple[str, ...]) -> None:
    verdict = JUDGE.judge(asked(claim, *said))
    assert not verdict.is_supported, f"{kind}: {verdict.reason}"
    assert why.casefold() in verdict.reason.casefold()


# --- what holds for any words ---------------------------------------------------------

WORD = st.sampled_from(["boat", "pump", "gear", "tide", "clock", "harbour", "kelp", "лодка", "насос", "часы"])
SENTENCE = st.lists(WORD, min_size=2, max_size=8).map(lambda row: " ".join(row).capitalize() + ".")


@PROPERTIES
@given(st.lists(SENTENCE, min_size=1, max_size=4), st.data())
def test_a_sentence_of_the_turn_always_passes(sentences: list[str], data: st.DataObject) -> None:
    said = data.draw(st.sampled_from(sentences))
    question = Asked(said, (Spoken(" ".join(sentences), "Birgit", AT),))
    assert JUDGE.judge(question).is_supported
    marked = Asked(f"Birgit: “{said}”", question.cited)
    assert JUDGE.judge(marked).is_supported


@PROPERTIES
@given(st.integers(3, 1800), st.integers(3, 1800), WORD, WORD)
def test_another_number_never_passes(said: int, claimed: int, thing: str, place: str) -> None:
    cited = (Spoken(f"The {place} holds {said} {thing}s.", "Birgit", AT),)
    verdict = JUDGE.judge(Asked(f"The {place} holds {claimed} {thing}s.", cited))
    assert verdict.is_supported == (said == claimed), verdict.reason


@PROPERTIES
@given(st.text(max_size=120), st.text(max_size=200), st.text(max_size=60))
def test_any_text_gets_the_same_answer_twice(claim: str, said: str, before: str) -> None:
    question = Asked(claim, (Spoken(said, "Birgit", AT),), (Spoken(before),))
    assert JUDGE.judge(question) == JUDGE.judge(question)


@PROPERTIES
@given(SENTENCE, SENTENCE)
def test_a_denial_of_what_was_said_never_passes(one: str, other: str) -> None:
    cited = (Spoken(f"{one} I repaired the winch. {other}", "Birgit", AT),)
    assert JUDGE.judge(Asked("Birgit repaired the winch.", cited)).is_supported
    assert not JUDGE.judge(Asked("Birgit never repaired the winch.", cited)).is_supported


def test_nothing_to_judge_is_unclear() -> None:
    assert JUDGE.judge(Asked("", (Spoken("The tide is low."),))).ruling is Ruling.UNCLEAR
    assert JUDGE.judge(Asked("The tide is low.", ())).ruling is Ruling.UNCLEAR


def test_little_in_common_is_unclear_and_a_contradiction_is_not() -> None:
    cited = (Spoken("The bakery opens at seven.", "Otto", AT),)
    assert JUDGE.judge(Asked("Otto mends sails.", cited)).ruling is Ruling.UNCLEAR
    assert JUDGE.judge(Asked("The bakery opens at nine.", cited)).ruling is Ruling.NOT_SUPPORTED


def test_an_embedder_only_adds_to_the_words() -> None:
    judge = OfflineJudge(HashingEmbedder())
    cited = (Spoken("The gear of the tide clock has 48 teeth.", "Nadia", AT),)
    assert judge.judge(Asked("The tide clock's gear has 48 teeth.", cited)).is_supported
    assert not judge.judge(Asked("The tide clock's gear has 84 teeth.", cited)).is_supported


def test_words_of_a_document_have_no_speaker() -> None:
    """ "I" on a web page is nobody, so a name that stands there is enough."""
    cited = (Spoken("I, Lene Kruse, founded the clinic in 2011.", None, AT, is_told=True),)
    assert JUDGE.judge(Asked("Lene Kruse founded the clinic in 2011.", cited)).is_supported


def test_the_memory_knows_other_names_of_somebody() -> None:
    cited = (Spoken("Ilya works at the pier.", "Nadia", AT),)
    claim = "Ilya Brandt works at the pier."
    assert not JUDGE.judge(Asked(claim, cited)).is_supported
    assert JUDGE.judge(Asked(claim, cited, names=frozenset({"Ilya Brandt", "Ilya"}))).is_supported


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("The gear has 48 teeth.", "The gear has 84 teeth.", "48"),
        ("Otto drinks coffee.", "Otto does not drink coffee.", "denies"),
        ("Lene's older brother won the race.", "Lene's younger brother won the race.", "older"),
        ("The gear has 48 teeth.", "The clock has 2 hands.", None),
        ("Otto drinks coffee.", "Otto drinks coffee every morning.", None),
        ("Otto drinks coffee.", "Birgit paints lighthouses.", None),
    ],
)
def test_two_statements_that_cannot_both_hold(one: str, other: str, why: str | None) -> None:
    reason = JUDGE.contradicts(Asked(one, ()), other)
    assert (reason is None) == (why is None), reason
    assert why is None or why in str(reason)


class Counting:
    """A judge that says no to everything, and counts how often it was asked."""

    asked = 0

    def judge(self, asked: Asked) -> Verdict:
        self.asked += 1
        return Verdict(Ruling.UNCLEAR, "no")

    def contradicts(self, asked: Asked, other: str) -> str | None:
        return None


def test_a_question_is_put_once() -> None:
    counting = Counting()
    judge = Remembering(counting)
    question = Asked("It rains.", (Spoken("It rains."),))
    assert judge.judge(question) == judge.judge(question) == Verdict(Ruling.UNCLEAR, "no")
    assert counting.asked == 1


def test_every_language_has_its_lexicon() -> None:
    assert lexicon.known() == ("en", "ru")
    assert all(lexicon.load(code).numbers and lexicon.load(code).negative for code in lexicon.known())
