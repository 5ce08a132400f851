"""The rule conservation: what base says is in staged, in History, elsewhere or in the deletion log."""

from __future__ import annotations

import pytest
from trees import (
    ANSWERS,
    AUGUST,
    CLOCK,
    ILYA,
    KESTREL,
    MARINA,
    SHORT,
    WORKSHOP,
    Fault,
    Files,
    check,
    edited,
    fault,
    line_with,
    pair,
    plant,
    world,
)

from brain.evidence import fingerprint
from brain.validators.gate import Command
from brain.validators.rules import conservation

SUMMARY = f"{AUGUST}/summary.md"
REPORT = "dreams/2026-09-15T030000Z.md"
PIER = "- 2026-08-12 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6\n"
FACT = "- 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” [cite:2] ^k3f9\n"
PAST = "- 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at Lumen Lab.” [cite:1] ^a81c · superseded by ^k3f9\n"
LEAD = "Ilya Brandt is a sound engineer, at Kestrel Audio since September 2026. [cite:2]\n"
GEAR = "- 2026-09-14 · decision · 0.90 · Nadia: “The gear has 48 teeth from now on.” [cite:1] ^g1h2\n"
HAND = (
    "Opening hours: from nine to five.\n\n| day | open |\n| --- | --- |\n| Monday | no |\n\n"
    "$$\nx = 1\n$$\n\n## Мои заметки\n\nСпросить о крыше.\n\n- a boat, maybe\n"
)


def by_hand() -> Files:
    """The harbour, with words that a person wrote into the page of the workshop."""
    return edited(world(), WORKSHOP, "## Key", f"{HAND}\n## Key")


LOST = [
    fault("a claim", ILYA, PIER, "", ("the pier", "claim-lost")),
    fault(
        "a claim and its entry",
        KESTREL,
        "- 2026-09-14 · A web page says: “Founded in 2011 by two sailors.” [cite:1] ^f2a1\n",
        "",
        ("Founded", "claim-lost"),
    ),
    fault("a line of History", ILYA, PAST, "", ("Lumen", "claim-lost")),
    fault("a sentence of a lead", ILYA, LEAD, "", (LEAD.strip(), "claim-lost")),
    fault(
        "a sentence in Russian",
        MARINA,
        "Марина чинит часы на пристани. [cite:1]\n",
        "",
        ("пристани. [cite:1]", "claim-lost"),
    ),
    fault("an observation", CLOCK, GEAR, "", ("^g1h2", "claim-lost")),
    fault(
        "a past observation",
        CLOCK,
        "- 2026-08-12 – ? · event · 0.80 · Agent: “Booked for Friday at ten.” [cite:2] ^b0b0 · ended\n",
        "",
        ("^b0b0", "claim-lost"),
    ),
    fault(
        "words and name",
        ILYA,
        PIER,
        PIER.replace("the pier on Fridays", "the quay").replace("^p5q6", "^p5q7"),
        ("the pier", "claim-lost"),
    ),
    fault(
        "a negation",
        ILYA,
        "“Ilya works at the pier on Fridays.” [cite:3] ^p5q6",
        "“Ilya never works at the pier on Fridays.” [cite:3]",
        ("the pier on Fridays.” [cite:3] ^p5q6", "claim-lost"),
    ),
    fault("its evidence", ILYA, " [cite:3] ^p5q6", " [cite:2] ^p5q6", ("the pier", "evidence-lost")),
    fault("all its evidence", ILYA, " [cite:3] ^p5q6", " ^p5q6", ("the pier", "evidence-lost")),
    fault("its evidence, in a note", CLOCK, "[cite:1] ^g1h2", "[cite:2] ^g1h2", ("^g1h2", "evidence-lost")),
    fault("its number", CLOCK, "48 teeth from", "84 teeth from", ("84 teeth from", "claim-altered")),
    fault("one of its numbers", CLOCK, "48 teeth from", "48 or 50 teeth from", ("or 50", "claim-altered")),
    fault(
        "its day",
        ILYA,
        "- 2026-08-12 · Nadia: “Ilya works at the pier",
        "- 2026-08-13 · Nadia: “Ilya works at the pier",
        ("the pier", "claim-altered"),
    ),
    fault(
        "its day altogether",
        ILYA,
        "- 2026-08-12 · Nadia: “Ilya works at the pier",
        "- Nadia: “Ilya works at the pier",
        ("the pier", "claim-altered"),
    ),
    fault(
        "its negation", ILYA, "“Ilya works at the pier", "“Ilya never works at the pier", ("the pier", "claim-altered")
    ),
    fault("a word of it", ILYA, "“Ilya works at the pier", "“Otto works at the pier", ("the pier", "claim-altered")),
    fault("its name", ILYA, " ^p5q6", " ^zz99", ("the pier", "claim-altered")),
    fault(
        "two names for each other",
        SHORT,
        "^c5d6\n",
        "^c5d7\n- ? · fact · 0.50 · Cats. [cite:1] ^c5d6\n",
        ("^c5d7", "claim-altered"),
    ),
    fault("a key of a person", CLOCK, "shoe size: 44\n", "", ("shoe size", "words-lost")),
    fault("the value of a person's key", CLOCK, "shoe size: 44", "shoe size: 45", ("shoe size", "words-lost")),
    fault("a remark in the front matter", CLOCK, "# mine: do not touch\n", "", ("# mine", "words-lost")),
    fault("an alias", WORKSHOP, "aliases: [The shed]", "aliases: []", ("aliases:", "words-lost")),
    fault("the title", ILYA, "title: Ilya Brandt", "title: I. Brandt", ("title:", "words-lost")),
    fault("a line of code", WORKSHOP, "third flower pot", "second flower pot", ("flower pot", "words-lost")),
    fault(
        "a block of code",
        WORKSHOP,
        "```\nkey: under the third flower pot\n```\n",
        "",
        ("key: under", "words-lost"),
    ),
    fault("a remark", WORKSHOP, "<!-- Nadia: ask about the roof -->", "", ("the roof", "words-lost")),
    fault("a heading", WORKSHOP, "## Key\n", "", ("## Key", "words-lost")),
    fault("a heading over what stays", ILYA, "## Facts", "## Work", ("## Facts", "words-lost")),
    fault("a link", ILYA, "- [[Answers]] · what Nadia wrote to him about\n", "", ("[[Answers]]", "words-lost")),
    fault("a link in Russian", MARINA, "- [[The shed]] · рядом с мастерской\n", "", ("[[The shed]]", "words-lost")),
]


@pytest.mark.parametrize("planted", LOST, ids=str)
def test_finds_what_is_lost(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(conservation, staged, finds, base=world(), command=Command.DREAM)
    check(conservation, staged, finds, base=world())


BY_HAND = [
    fault("a sentence", WORKSHOP, "Opening hours: from nine to five.\n", "", ("Opening hours", "words-lost")),
    fault("a changed sentence", WORKSHOP, "from nine to five", "from nine to six", ("Opening hours", "words-lost")),
    fault("the head of a table", WORKSHOP, "| day | open |", "| day | closed |", ("| day |", "words-lost")),
    fault("a row", WORKSHOP, "| Monday | no |\n", "", ("| Monday", "words-lost")),
    fault("a formula", WORKSHOP, "x = 1", "x = 2", ("x = 1", "words-lost")),
    fault("a heading", WORKSHOP, "## Мои заметки", "## Notes", ("## Мои", "words-lost")),
    fault("a sentence in Russian", WORKSHOP, "Спросить о крыше.\n", "", ("Спросить", "words-lost")),
    fault("an item", WORKSHOP, "- a boat, maybe\n", "", ("a boat", "words-lost")),
    fault("a word", WORKSHOP, "a boat, maybe", "a boat", ("a boat, maybe", "words-lost")),
    fault("a no", WORKSHOP, "Monday | no", "Monday | yes", ("| Monday", "words-lost")),
]


@pytest.mark.parametrize("planted", BY_HAND, ids=str)
def test_finds_what_a_person_wrote(planted: Fault) -> None:
    base = by_hand()
    staged, finds = plant(planted, base)
    lines = [(path, line_with(base, path, text), code) for path, text, code in planted.finds if isinstance(text, str)]
    check(conservation, staged, lines, base=base, command=Command.DREAM)
    assert len(finds) == len(lines)


def test_a_clean_tree_gives_nothing() -> None:
    check(conservation, world())
    check(conservation, world(), base=world())
    check(conservation, by_hand(), base=world())


# --- where a claim may go ---------------------------------------------------------


def test_to_history_with_a_reason() -> None:
    for fate in ("superseded by ^k3f9", "ended"):
        moved = f"- 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6 · {fate}\n"
        staged = edited(edited(world(), ILYA, PIER, ""), ILYA, PAST, PAST + moved)
        check(conservation, staged, base=world())


def test_to_history_without_a_reason() -> None:
    moved = "- 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at the pier on Fridays.” [cite:3] ^p5q6\n"
    staged = edited(edited(world(), ILYA, PIER, ""), ILYA, PAST, PAST + moved)
    check(conservation, staged, [(ILYA, line_with(staged, ILYA, "the pier"), "history-unexplained")], base=world())


def test_out_of_history_only_with_new_evidence() -> None:
    back = "- 2026-08-12 · Nadia: “Ilya works at Lumen Lab.” [cite:1] ^a81c\n"
    staged = edited(edited(world(), ILYA, PAST, ""), ILYA, PIER, PIER + back)
    check(conservation, staged, [(ILYA, line_with(staged, ILYA, "Lumen"), "history-undone")], base=world())
    check(conservation, edited(staged, ILYA, "[cite:1] ^a81c", "[cite:1] [cite:2] ^a81c"), base=world())


def test_said_again_beside_its_history() -> None:
    again = "- 2026-10-01 · Nadia: “Ilya works at Lumen Lab.” [cite:2] ^n3w1\n"
    check(conservation, edited(world(), ILYA, PIER, PIER + again), base=world())


def test_to_another_page_with_its_words_and_evidence() -> None:
    entry = next(line for line in world()[ILYA].split("\n") if line.startswith("  3: {"))
    staged = edited(world(), ILYA, PIER, "")
    staged = edited(staged, KESTREL, "---\n\n# Kestrel", f"{entry}\n---\n\n# Kestrel")
    moved = edited(staged, KESTREL, "## Facts\n\n", f"## Facts\n\n{PIER}")
    check(conservation, moved, base=world())
    other = edited(moved, KESTREL, "[cite:3] ^p5q6", "[cite:2] ^p5q6")
    check(conservation, other, [(KESTREL, line_with(other, KESTREL, "the pier"), "evidence-lost")], base=world())


def test_to_the_deletion_log() -> None:
    staged = edited(world(), ILYA, PIER, "")
    printed = fingerprint("Ilya works at the pier on Fridays.")
    staged["deletions.md"] += f"- 2026-11-29T10:00:00Z · {printed} · claim · asked for\n"
    check(conservation, staged, base=world())


def test_an_archived_page_keeps_all_it_says() -> None:
    archived = edited(world(), ILYA, "status: active", "status: archived")
    check(conservation, archived, base=world())
    emptied = edited(archived, ILYA, PIER, "")
    check(conservation, emptied, [(ILYA, line_with(world(), ILYA, "the pier"), "claim-lost")], base=world())


def test_with_its_file() -> None:
    staged = {path: text for path, text in world().items() if path != KESTREL}
    finds = [(KESTREL, line_with(world(), KESTREL, text), "claim-lost") for text in ("Ilya]] works", "Founded")]
    check(conservation, staged, finds, base=world())


def test_a_page_may_be_renamed() -> None:
    new = "memory/knowledge/organisations/Kestrel Audio Ltd.md"
    staged = {path: text for path, text in world().items() if path != KESTREL}
    staged[new] = world()[KESTREL].replace("title: Kestrel Audio", "title: Kestrel Audio Ltd")
    check(conservation, staged, base=world())


# --- what may change --------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (ILYA, "“Ilya now works at Kestrel Audio.”", "“Ilya now works at [[Kestrel Audio]].”"),
        (ILYA, "Nadia: “Ilya now works at Kestrel Audio.”", "Nadia: Ilya now works at Kestrel Audio!"),
        (ILYA, "[cite:2] ^k3f9", "[cite:2] [cite:1] ^k3f9"),
        (ILYA, "“Ilya now works at Kestrel Audio.”", "“Ilya now works at [[Kestrel|Kestrel Audio]].”"),
        (ILYA, LEAD, LEAD + "A new sentence. [cite:1]\n"),
        (ILYA, PIER, PIER + "- 2026-08-12 · A new fact. [cite:1] ^n3w1\n"),
        (ILYA, "importance: 3", "importance: 5"),
        (ILYA, "aliases: [Ilya]", "aliases: [Ilya, Il]"),
        (ILYA, "title: Ilya Brandt\n", "title: Brandt, Ilya\nalias: Ilya Brandt\n"),
        (ILYA, "- [[Kestrel Audio]] · where he works", "- [[Kestrel Audio]] · where he works and sings"),
        (MARINA, "- Марина Ветрова: “Она", "- 2026-09-14 · Марина Ветрова: “Она"),
        (SHORT, "0.95", "0.99"),
    ],
)
def test_what_may_change(path: str, old: str, new: str) -> None:
    check(conservation, edited(world(), path, old, new), base=world(), command=Command.DREAM)


def test_words_of_a_person_may_become_cited() -> None:
    base = edited(world(), ANSWERS, "## Facts", "Never in capitals.\n\n## Facts")
    staged = edited(base, ANSWERS, "Never in capitals.", "Never in capitals. [cite:1]")
    check(conservation, staged, base=base, command=Command.DREAM)


def test_a_heading_goes_with_what_stood_under_it() -> None:
    words = "Nadia: “I prefer short answers in chat; long text goes to files.” [cite:1] ^h7j8"
    moved = f"## History\n\n- 2026-08-12 – ? · {words} · ended\n"
    text = world()[ANSWERS]
    staged = world() | {ANSWERS: text[: text.index("## Facts")] + moved}
    check(conservation, staged, base=world())


def test_a_link_goes_with_its_page() -> None:
    staged = {path: text for path, text in world().items() if path not in (ANSWERS, KESTREL)}
    staged[ILYA] = staged[ILYA].replace("- [[Answers]] · what Nadia wrote to him about\n", "")
    found = {(f.path, f.code) for f in conservation.check(pair(staged, world()))}
    assert (ILYA, "words-lost") not in found
    assert (ANSWERS, "claim-lost") in found


# --- marks and reports ------------------------------------------------------------


@pytest.mark.parametrize("mark", ["t4/56", "t5/55", "t0/0", "soon"])
def test_a_mark_never_goes_back(mark: str) -> None:
    staged = edited(world(), SUMMARY, "dreamt: t5/56", f"dreamt: {mark}")
    check(conservation, staged, [(SUMMARY, line_with(world(), SUMMARY, "dreamt:"), "mark-lost")], base=world())


@pytest.mark.parametrize("mark", ["t5/57", "t6/1"])
def test_a_mark_goes_on(mark: str) -> None:
    check(conservation, edited(world(), SUMMARY, "dreamt: t5/56", f"dreamt: {mark}"), base=world())


def test_a_summary_goes_with_its_session_only() -> None:
    staged = {path: text for path, text in world().items() if path != SUMMARY}
    check(conservation, staged, [(SUMMARY, line_with(world(), SUMMARY, "dreamt:"), "mark-lost")], base=world())
    del staged[f"{AUGUST}/transcript.md"]
    check(conservation, staged, base=world())


@pytest.mark.parametrize("command", [Command.DREAM, Command.INGEST])
def test_earlier_reports_stay(command: Command) -> None:
    staged = edited(world(), REPORT, "Two sessions", "Three sessions")
    check(conservation, staged, [(REPORT, 1, "report-changed")], base=world(), command=command)
    gone = {path: text for path, text in world().items() if path != REPORT}
    check(conservation, gone, [(REPORT, 1, "report-changed")], base=world(), command=command)
    check(conservation, gone, base=world(), command=Command.OTHER)
    check(conservation, world() | {"dreams/2026-09-16T030000Z.md": "# Dream\n"}, base=world(), command=command)
