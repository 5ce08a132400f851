"""The rule claims: citations of statements, their names, days and ends."""

from __future__ import annotations

import pytest
from trees import AUGUST, CLOCK, ILYA, MARINA, SHORT, WORKSHOP, Fault, check, edited, fault, line_with, plant, world

from brain.validators.gate import Command
from brain.validators.rules import claims

LEAD = "at Kestrel Audio since September 2026. [cite:2]\n"
FACT = "- 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” [cite:2] ^k3f9"
PAST = "- 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at Lumen Lab.” [cite:1] ^a81c · superseded by ^k3f9"
GEAR = "- 2026-09-14 · decision · 0.90 · Nadia: “The gear has 48 teeth from now on.” [cite:1] ^g1h2"

BY_A_DREAM = [
    fault("a sentence nobody said", ILYA, LEAD, LEAD + "He is tired of it.\n", ("He is tired", "claim-uncited")),
    fault(
        "a sentence before a cited one",
        ILYA,
        "Ilya Brandt is a",
        "He is tired. Ilya Brandt is a",
        ("He is tired", "claim-uncited"),
    ),
    fault(
        "a sentence in Russian",
        MARINA,
        "[cite:1]\n\n## Факты",
        "[cite:1]\nОна добрая.\n\n## Факты",
        ("добрая", "claim-uncited"),
    ),
    fault("a fact without evidence", ILYA, FACT, FACT + "\n- He owns a boat. ^b0at", ("boat", "claim-uncited")),
    fault("a fact that lost its mark", ILYA, " [cite:3] ^p5q6", " too ^p5q6", ("^p5q6", "claim-uncited")),
    fault(
        "history without evidence",
        ILYA,
        PAST,
        PAST + "\n- ? – 2026-01-01 · He had a boat. · ended",
        ("boat", "claim-uncited"),
    ),
    fault(
        "a section of its own", ILYA, "## Related", "## Boats\n\nHe has two.\n\n## Related", ("two", "claim-uncited")
    ),
    fault("a quotation", ILYA, LEAD, LEAD + "\n> He has two boats.\n", ("boats", "claim-uncited")),
    fault(
        "a row of a table",
        ILYA,
        LEAD,
        LEAD + "\n| a | b |\n| --- | --- |\n| boats | two |\n",
        ("| boats", "claim-uncited"),
    ),
    fault(
        "an observation without evidence",
        CLOCK,
        GEAR,
        GEAR + "\n- ? · fact · 0.50 · It ticks.",
        ("ticks", "claim-uncited"),
    ),
    fault(
        "an observation without type", CLOCK, GEAR, GEAR + "\n- ? · It ticks. [cite:1]", ("ticks", "observation-form")
    ),
    fault(
        "an observation of an unknown type",
        CLOCK,
        GEAR,
        GEAR + "\n- ? · rumour · 0.50 · It ticks. [cite:1]",
        ("ticks", "observation-form"),
    ),
    fault(
        "a confidence above one",
        CLOCK,
        GEAR,
        GEAR + "\n- ? · fact · 1.50 · It ticks. [cite:1]",
        ("ticks", "observation-form"),
    ),
    fault(
        "a summary without evidence",
        f"{AUGUST}/summary.md",
        "Lab. [cite:1]",
        "Lab. [cite:1]\n- Nobody knows.",
        ("Nobody", "claim-uncited"),
    ),
]

BY_ANYONE = [
    fault("a name twice", ILYA, "^p5q6", "^k3f9", ("“Ilya now", "claim-id-twice")),
    fault("a name twice in History", ILYA, "^a81c", "^k3f9", ("Lumen", "claim-id-twice")),
    fault("a name twice in a note", CLOCK, "^b0b0", "^g1h2", ("Booked", "claim-id-twice")),
    fault("a month 13", ILYA, "- 2026-09-14 · Nadia", "- 2026-13-14 · Nadia", ("“Ilya now", "claim-date")),
    fault("a day 31 of September", ILYA, "- 2026-09-14 · Nadia", "- 2026-09-31 · Nadia", ("“Ilya now", "claim-date")),
    fault("an end that is no day", ILYA, "2026-08-12 – 2026-09-14", "2026-08-12 – 2026-02-30", ("Lumen", "claim-date")),
    fault(
        "a day 0 in a note", CLOCK, "- 2026-09-14 · decision", "- 2026-09-00 · decision", ("“The gear", "claim-date")
    ),
    fault(
        "an end before the beginning",
        ILYA,
        "2026-08-12 – 2026-09-14",
        "2026-08-12 – 2025-09-14",
        ("Lumen", "history-order"),
    ),
    fault("superseded by nothing", ILYA, "superseded by ^k3f9", "superseded by ^zzzz", ("Lumen", "superseder-missing")),
    fault(
        "superseded by a claim of another file",
        ILYA,
        "superseded by ^k3f9",
        "superseded by ^g1h2",
        ("Lumen", "superseder-missing"),
    ),
    fault("an end outside History", ILYA, FACT, FACT + " · ended", ("“Ilya now", "fate-misplaced")),
    fault(
        "superseded outside History",
        ILYA,
        "^p5q6",
        "^p5q6 · superseded by ^k3f9",
        ("“Ilya works at the pier", "fate-misplaced"),
    ),
    fault(
        "history that does not end",
        ILYA,
        PAST,
        PAST + "\n- 2026-01-01 · He had a boat. [cite:1]",
        ("boat", "history-open"),
    ),
    fault("the same twice", ILYA, FACT, FACT + "\n" + FACT.replace("^k3f9", "^k3f8"), ("^k3f8", "claim-twice")),
    fault(
        "the same twice in a note",
        SHORT,
        "^c5d6\n",
        "^c5d6\n- ? · fact · 0.9 · Nadia: “I prefer short answers in chat; long text goes to files.” [cite:1] ^c5d7\n",
        ("^c5d7", "claim-twice"),
    ),
]


@pytest.mark.parametrize("planted", BY_A_DREAM, ids=str)
def test_a_dream_must_cite(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(claims, staged, finds, base=world(), command=Command.DREAM)


@pytest.mark.parametrize("planted", BY_ANYONE, ids=str)
def test_finds_at_its_line(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(claims, staged, finds)
    check(claims, staged, finds, base=world(), command=Command.DREAM)


def test_a_clean_tree_gives_nothing() -> None:
    check(claims, world())


@pytest.mark.parametrize("planted", [f for f in BY_A_DREAM if f.finds[0][2] == "claim-uncited"][:-1], ids=str)
def test_the_same_by_hand_is_a_warning(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    warned = [(path, line, "words-uncited") for path, line, _ in finds]
    check(claims, staged, warned)
    check(claims, staged, warned, base=world())


def test_what_a_person_wrote_before_the_dream_stays_a_warning() -> None:
    base = edited(world(), ILYA, LEAD, LEAD + "He is tired of it.\n")
    staged = edited(base, ILYA, "importance: 3", "importance: 4")
    check(
        claims,
        staged,
        [(ILYA, line_with(staged, ILYA, "He is tired"), "words-uncited")],
        base=base,
        command=Command.DREAM,
    )


def test_a_new_page_of_a_dream_has_no_words_of_a_person() -> None:
    page = "---\ntitle: Boat\nkind: tool\n---\n\n# Boat\n\nIt floats.\n"
    staged = world() | {"memory/knowledge/tools/Boat.md": page}
    finds = [("memory/knowledge/tools/Boat.md", 8, "claim-uncited")]
    check(claims, staged, finds, base=world(), command=Command.DREAM)


def test_related_code_headings_and_remarks_are_no_statements() -> None:
    extra = "\n## Plan\n\n```\nnobody said this\n```\n\n<!-- nor this -->\n\n## Related\n\n- [[Ilya]] · uncited\n"
    staged = world() | {WORKSHOP: world()[WORKSHOP].replace("\n## Related\n", extra)}
    check(claims, staged, base=world(), command=Command.DREAM)
