"""Each score by hand-made answers."""

from __future__ import annotations

import pytest

from brain.eval.agents import Answer, Shown
from brain.eval.scorers import SCORERS, normalised, scores
from brain.eval.task import ABSTAIN, Sample

PORT = Sample("q", "which port", "fact", ("8443",), stale=("8080",))
GOLD = frozenset({"sessions/a#t1", "sessions/b#t4"})


def answer(*passages: str | Shown, text: str | None = None, abstained: bool = False) -> Answer:
    shown = [Shown(f"p{n}", one) if isinstance(one, str) else one for n, one in enumerate(passages)]
    return Answer(text, tuple(shown), abstained=abstained)


def score(name: str, sample: Sample, given: Answer, gold: frozenset[str] = frozenset()) -> float | None:
    return SCORERS[name](sample, given, gold)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It listens on 8443.", 1.0),
        ("It listens on 18443 and 84430.", 0.0),
        ("port=8443;", 1.0),
        ("", 0.0),
    ],
)
def test_an_answer_is_contained_as_words_and_not_as_letters(text: str, found: float) -> None:
    assert score("containment", PORT, answer(text)) == found


def test_words_are_compared_in_any_script() -> None:
    assert normalised("The  Чай, «Молочный Улун»!") == " чай молочный улун "
    sample = Sample("q", "?", "fact", ("Молочный улун",))
    assert score("containment", sample, answer("пьёт молочный улун, по утрам")) == 1.0


def test_nothing_right_to_find_is_unscored() -> None:
    nothing = Sample("q", "?", ABSTAIN)
    assert score("containment", nothing, answer("anything")) is None
    assert score("evidence", nothing, answer("anything")) is None


def test_an_answer_of_marks_alone_is_never_found() -> None:
    assert score("containment", Sample("q", "?", "fact", ("…",)), answer("a … b")) == 0.0


def test_a_claim_counts_for_the_turns_it_cites() -> None:
    claim = Shown("page#^a", "8443", ("sessions/a#t1", "sessions/c#t2"))
    result = Shown("t#t4.r2", "log", ("sessions/b#t4.r2",))
    assert score("evidence", PORT, answer(claim), GOLD) == 0.5
    assert score("evidence", PORT, answer(claim, result), GOLD) == 1.0
    assert score("relevance", PORT, answer(claim, "noise", "noise", "noise"), GOLD) == 0.25


def test_evidence_named_by_session_is_met_by_any_turn_of_it() -> None:
    assert score("evidence", PORT, answer(Shown("x", "", ("sessions/a#t9",))), frozenset({"sessions/a"})) == 1.0


def test_rank_counts_what_was_found_and_not_the_first_message() -> None:
    first = Shown("", "8443 is in the index")
    assert score("rank", PORT, answer(first, "no", "8443")) == 0.5
    assert score("rank", PORT, answer(first, "no")) == 0.0


@pytest.mark.parametrize(
    ("passages", "found"),
    [
        (("8443", "8080"), 1.0),
        (("8080", "8443"), 0.0),
        (("8080 until May, now 8443",), 1.0),
        (("neither",), None),
        ((Shown("x", "8080", past=True), "8443"), 1.0),
    ],
)
def test_currency_is_what_is_met_first(passages: tuple[str | Shown, ...], found: float | None) -> None:
    assert score("currency", PORT, answer(*passages)) == found


def test_words_of_an_agent_count_before_what_it_was_shown() -> None:
    assert score("currency", PORT, answer("8443", text="I think 8080")) == 0.0
    assert score("exact", PORT, answer(text="The 8443!")) == 1.0
    assert score("f1", PORT, answer(text="it is 8443")) == pytest.approx(0.5)
    assert score("f1", PORT, answer(text="")) == 0.0
    assert score("exact", PORT, answer("8443")) is None


def test_leaving_a_question_open_is_right_only_where_nothing_is_known() -> None:
    nothing = Sample("q", "?", ABSTAIN)
    assert score("abstention", nothing, answer(abstained=True)) == 1.0
    assert score("abstention", nothing, answer("x")) == 0.0
    assert score("abstention", PORT, answer("x")) is None
    assert score("answered", PORT, answer(abstained=True)) == 0.0


def test_every_score_is_none_or_a_share() -> None:
    for given in (answer(), answer("8443", text="8443"), answer(Shown("", ""))):
        found = scores(PORT, given, GOLD)
        assert set(found) == set(SCORERS)
        assert all(value is None or 0 <= value <= 1 for value in found.values())
