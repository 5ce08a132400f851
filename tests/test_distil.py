"""Statements in notes: the bugs that others had, and what must hold for repetitions, changes and look-alikes."""

from __future__ import annotations

import pytest
from bugs import case, to_check
from talks import AGENT, Known, Line, base, dreamt, known, lines_of, night, saying, session, take

from brain.model import ToolCall, Trust
from brain.tree import Tree


def _talk(name: str, zone: str = "UTC") -> Tree:
    return dreamt(*lines_of(case(name) / "talk.jsonl"), zone=zone)


def _holding(tree: Tree) -> list[Known]:
    return [line for line in known(tree) if line.holds]


# --- the cases --------------------------------------------------------------------


def test_16_the_day_is_that_of_the_memory() -> None:
    tree = _talk("16", "America/Vancouver")
    facts = to_check("16")["facts"]
    assert saying(tree, "stove was swept").day == facts["stove swept"]
    assert saying(tree, "nail 3").day == facts["key on nail 3"]
    assert "today (2026-12-31)" in saying(tree, "stove was swept").text


def test_17_memory_does_not_feed_on_itself() -> None:
    tree = base()
    for number in (1, 2, 3):
        lines = list(lines_of(case("17") / f"day{number}.jsonl"))
        tree = night(take(tree, session(lines, number)))
    ferry = saying(tree, "ticket costs 4 crowns")
    assert [source[:18] for source in ferry.sources] == ["sessions/2026/03/0"]
    assert ferry.day == "2026-03-01"
    mill = saying(tree, "says 10")
    assert mill.day == "2026-03-03"
    assert saying(tree, "winter timetable").day == "2026-03-03"
    assert not [line for line in known(tree) if "Save anything" in line.text or line.text.startswith("The agent")]


def test_19_each_fact_has_its_speaker() -> None:
    tree = _talk("19")
    assert saying(tree, "cannot eat nuts").text.startswith("Bram: ")
    assert saying(tree, "walnut cake").type == "fact"
    assert saying(tree, "coriander").text.startswith("Ilse: ")
    assert saying(tree, "Mill Lane 4").text.startswith("Bram: “Here is the letter of the baker:")
    assert saying(tree, "allergic to bees").text == "Ilse: “My brother is allergic to bees, I am not.”"
    assert not [line for line in known(tree) if "seeds" in line.text]


def test_20_days_are_reckoned_from_the_message() -> None:
    tree = _talk("20", "Europe/Vienna")
    days = to_check("20")["dates"]
    pear = saying(tree, "pear tree").text
    assert f"yesterday ({days['pear tree planted']})" in pear
    assert f"tomorrow ({days['mason comes']})" in pear
    assert f"on Friday in a week ({days['fair']})" in saying(tree, "fair").text
    assert "Last week (date unknown) the well ran dry." in saying(tree, "well").text
    assert saying(tree, "well").day is None
    assert f"In two days ({days['tariff changes']})" in saying(tree, "tariff").text


def test_21_the_latest_plain_word_counts_and_the_former_stays() -> None:
    tree = _talk("21")
    old, new = saying(tree, "lies at berth 7"), saying(tree, "berth 12 now")
    assert (old.day, old.until, old.holds) == ("2026-01-10", "2026-04-03", False)
    assert (new.day, new.holds) == ("2026-04-03", True)
    assert len(old.sources) == 2
    assert saying(tree, "is red").text == "Odo: “It (the boat) is red.”"
    assert saying(tree, "is red").holds
    assert saying(tree, "rope I left at berth 7").holds
    assert saying(tree, "move the boat to berth 12").type == "commitment"
    doubt = saying(tree, "I think Odo is still")
    assert (doubt.day, doubt.type) == ("2026-05-02", "opinion")
    assert doubt.confidence < 0.6
    assert not [line for line in known(tree) if "berth 3" in line.text or "longer boat" in line.text]


def test_23_orders_in_what_was_read_are_nobodys() -> None:
    tree = _talk("23")
    assert saying(tree, "hemp rope only").type == "preference"
    files = "\n".join(tree.text(path) for path in tree.paths if not path.endswith("transcript.md"))
    for words in to_check("23")["no_file_contains"]:
        assert words not in files


# --- repetition and change --------------------------------------------------------


def _nights(*texts: str, project: str | None = None) -> Tree:
    """One session of one sentence each night, a week apart."""
    tree = base()
    for week, text in enumerate(texts):
        line = Line("Nadia", text, f"2026-03-{1 + 7 * week:02d}T10:00:00+00:00")
        tree = night(take(tree, session([line], week + 1, project)))
    return tree


def test_what_is_said_again_gets_a_citation_and_no_second_line() -> None:
    tree = _nights("Ilya Maslov works at Kestrel Audio.", "As I said, Ilya works at Kestrel Audio.")
    said = saying(tree, "Kestrel")
    assert len(said.sources) == 2
    assert 0.95 < said.confidence < 1


@pytest.mark.parametrize(
    ("old", "new", "was", "is_"),
    [
        ("Ilya Maslov works at Lumen Lab.", "Ilya now works at Kestrel Audio.", "Lumen", "Kestrel"),
        ("Production listens on port 8417.", "Production listens on port 9000 now.", "8417", "9000"),
        (
            "The concert is on 28 November in room 2.21.",
            "The concert is on 5 December now.",
            "28 November",
            "5 December",
        ),
        (
            "I prefer short answers in chat.",
            "I have changed my mind about short answers. I now prefer long answers.",
            "in chat",
            "long answers",
        ),
        (
            "We decided to use Postgres for the readings.",
            "We decided to go back to SQLite, because Postgres was killed twice.",
            "to use Postgres",
            "SQLite",
        ),
        ("Ilya Maslov works at Lumen Lab.", "Ilya Maslov left Lumen Lab.", "works at Lumen", "left Lumen"),
        ("Я предпочитаю короткие ответы.", "Я передумала: теперь я предпочитаю длинные ответы.", "короткие", "длинные"),
        ("Илья Маслов работает в клинике «Север».", "Теперь Илья работает в банке «Юг».", "Север", "Юг"),
    ],
)
def test_a_change_makes_the_old_one_history(old: str, new: str, was: str, is_: str) -> None:
    tree = _nights(old, new)
    first = saying(tree, was)
    assert not first.holds
    assert (first.day, first.until) == ("2026-03-01", "2026-03-08")
    assert saying(tree, is_).holds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Production listens on port 8417.", "Staging listens on port 8471."),
        ("Aunt Raya's birthday is on 4 October.", "Aunt Zoya's birthday is on 14 October."),
        ("The concert is on 28 November in room 2.21.", "We rehearse on Tuesdays in room 2.12."),
        ("The causeway floods at 1.85 m above DVR90.", "The dike gate closes at 2.40 m above DVR90."),
        ("Ilya Maslov works at Lumen Lab.", "Marit Aune works at Kestrel Audio."),
        ("The boat lies at berth 7.", "I think the boat is at berth 9 now, maybe."),
        ("The boat lies at berth 7.", "Next month I will move the boat to berth 12."),
    ],
)
def test_look_alikes_plans_and_doubts_change_nothing(one: str, other: str) -> None:
    tree = _nights(one, other)
    assert [line.holds for line in known(tree)] == [True, True]
    assert [len(line.sources) for line in known(tree)] == [1, 1]


def test_what_comes_in_late_goes_where_its_time_is() -> None:
    new = Line("Nadia", "Production listens on port 9000 now.", "2026-04-01T10:00:00+00:00")
    old = Line("Nadia", "Production listens on port 8417.", "2026-03-01T10:00:00+00:00")
    tree = night(take(base(), session([new], 1, "tidewater")))
    tree = night(take(tree, session([old], 2, "tidewater")))
    assert saying(tree, "port 9000").holds
    late = saying(tree, "port 8417")
    assert (late.holds, late.day, late.until) == (False, "2026-03-01", "2026-04-01")


def test_two_sessions_about_one_topic_meet_in_one_note() -> None:
    tree = _nights(
        "Ilya Maslov works at Lumen Lab.", "Илья Маслов живёт в Ольборге.", "Ilya repairs the gauge on 2 May."
    )
    assert {line.note for line in known(tree)} == {"memory/notes/personal/Ilya Maslov.md"}


# --- what an agent adds -----------------------------------------------------------


def _call(name: str, given: str, result: str, trust: Trust = Trust.THIRD) -> ToolCall:
    return ToolCall(name, given, result, trust=trust)


def test_an_outcome_of_work_is_a_fact_of_the_agent() -> None:
    done = Line(
        AGENT, "218,354 readings are in tidewater.db. Shall I remove the old file?", calls=(_call("Bash", "x", "ok"),)
    )
    tree = dreamt(Line("Nadia", "Move the readings."), done)
    found = saying(tree, "218,354")
    assert (found.text, found.type) == ("The agent: “218,354 readings are in tidewater.db.”", "fact")
    assert found.confidence <= 0.7


def test_what_was_read_names_its_source() -> None:
    page = _call("WebFetch", '{"url": "https://gauges.example/docs"}', "Each key may send 60 requests per hour.")
    read = Line(AGENT, "The page says that each key may send 60 requests per hour.", calls=(page,))
    tree = dreamt(Line("Nadia", "What is the limit?"), read)
    assert saying(tree, "60 requests").text.startswith("According to gauges.example (read 2026-05-02): “")


@pytest.mark.parametrize(
    "guess", ["Bram probably avoids seeds, 3 of them.", "You could try port 9000.", "It might be 7."]
)
def test_a_guess_of_the_agent_is_no_fact(guess: str) -> None:
    assert not known(dreamt(Line("Bram", "Hello there."), Line(AGENT, guess, calls=(_call("Bash", "x", "ok"),))))


def test_a_recap_that_the_user_agrees_to_is_a_fact_with_both_turns() -> None:
    recap = Line(AGENT, "Your new schedule is: Tuesdays 6:00 PM, Saturdays 9:00 AM. Does that look right?")
    tree = dreamt(Line("Nadia", "Put the two times together."), recap, Line("Nadia", "Yes, that's perfect."))
    found = saying(tree, "Tuesdays 6:00 PM")
    assert found.text.startswith("The agent, confirmed by Nadia: “")
    assert (found.type, len(found.sources)) == ("fact", 2)
    assert not known(dreamt(Line("Nadia", "Put them together."), recap, Line("Nadia", "No, not quite.")))


def test_a_turn_that_repeats_the_memory_is_no_evidence() -> None:
    assert not known(dreamt(Line("Nadia", "The ferry ticket costs 4 crowns.", derived=True)))


def test_a_second_night_has_nothing_to_do() -> None:
    tree = _nights("Ilya Maslov works at Lumen Lab.", "We decided to use Postgres for the readings.")
    assert night(tree).blobs == tree.blobs
