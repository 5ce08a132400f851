"""The rule tombstones: what was forgotten stays away, and the log only grows."""

from __future__ import annotations

import pytest
from trees import (
    ANSWERS,
    AUGUST,
    CLOCK,
    ILYA,
    MARINA,
    SHORT,
    WORKSHOP,
    Fault,
    Files,
    check,
    edited,
    fault,
    line_with,
    plant,
    tree,
    world,
)

from brain.evidence import fingerprint
from brain.validators.gate import Command
from brain.validators.rules import tombstones

LOG = "deletions.md"
FACT = "- 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” [cite:2] ^k3f9\n"
GEAR = "- 2026-09-14 · decision · 0.90 · Nadia: “The gear has 48 teeth from now on.” [cite:1] ^g1h2\n"
SUMMARY = f"{AUGUST}/summary.md"


def forgetting(*words: str) -> Files:
    lines = [f"- 2026-11-29T10:00:00Z · {fingerprint(text)} · claim · asked for in t5\n" for text in words]
    return world() | {LOG: world()[LOG] + "".join(lines)}


BASE = forgetting("Ilya keeps bees.", "Марина любит чай", "Bees", "The bees' night")

RETURNS = [
    fault("as a fact", ILYA, FACT, FACT + "- Ilya keeps bees. [cite:1]\n", ("bees", "forgotten-returns")),
    fault("as a quotation", ILYA, FACT, FACT + "- Nadia: “Ilya keeps bees.” [cite:1]\n", ("bees", "forgotten-returns")),
    fault(
        "in guillemets",
        MARINA,
        "## Факты\n",
        "## Факты\n\n- Она: «Марина любит чай». [cite:1]\n",
        ("чай", "forgotten-returns"),
    ),
    fault(
        "in straight quotation marks",
        ILYA,
        FACT,
        FACT + '- "Ilya keeps bees" she said. [cite:1]\n',
        ("bees", "forgotten-returns"),
    ),
    fault(
        "in capitals without a full stop",
        ILYA,
        FACT,
        FACT + "- ILYA KEEPS BEES [cite:1]\n",
        ("BEES", "forgotten-returns"),
    ),
    fault("with dashes", ILYA, FACT, FACT + "- Ilya — keeps — bees! [cite:1]\n", ("bees", "forgotten-returns")),
    fault("in wide letters", ILYA, FACT, FACT + "- Ｉｌｙａ keeps bees. [cite:1]\n", ("bees", "forgotten-returns")),
    fault(
        "with a day",
        ILYA,
        FACT,
        FACT + "- 2026-08-12 · Ilya keeps bees. [cite:1] ^b33s\n",
        ("bees", "forgotten-returns"),
    ),
    fault(
        "as the second sentence of an item",
        ILYA,
        FACT,
        FACT + "- He is kind. Ilya keeps bees. [cite:1]\n",
        ("bees", "forgotten-returns"),
    ),
    fault(
        "in a lead", ILYA, "Ilya Brandt is a", "Ilya keeps bees. Ilya Brandt is a", ("keeps bees", "forgotten-returns")
    ),
    fault(
        "in History",
        ILYA,
        "## History\n\n",
        "## History\n\n- ? – ? · Ilya keeps bees. [cite:1] · ended\n",
        ("bees", "forgotten-returns"),
    ),
    fault(
        "in a note",
        CLOCK,
        GEAR,
        GEAR + "- ? · fact · 0.50 · Ilya keeps bees. [cite:1]\n",
        ("bees", "forgotten-returns"),
    ),
    fault(
        "in a note, of another type",
        CLOCK,
        GEAR,
        GEAR + "- ? · opinion · 0.10 · Ilya keeps bees. [cite:1]\n",
        ("bees", "forgotten-returns"),
    ),
    fault(
        "in a summary",
        SUMMARY,
        "Lab. [cite:1]\n",
        "Lab. [cite:1]\n- Ilya keeps bees. [cite:1]\n",
        ("bees", "forgotten-returns"),
    ),
    fault(
        "in the line of a summary",
        SUMMARY,
        "Ilya, the studio, and short answers.",
        "Ilya keeps bees.",
        ("line:", "forgotten-returns"),
    ),
    fault(
        "as the title of a session",
        SUMMARY,
        "title: The studio on Friday",
        "title: Bees",
        ("title:", "forgotten-returns"),
    ),
    fault("as the title of a page", ILYA, "title: Ilya Brandt", "title: Bees", ("title:", "forgotten-returns")),
    fault(
        "as the summary of a page",
        ILYA,
        "Sound engineer, at Kestrel Audio since September 2026.",
        "Ilya keeps bees!",
        ("summary:", "forgotten-returns"),
    ),
    fault("as an alias", WORKSHOP, "[The shed]", "[The shed, bees]", ("aliases:", "forgotten-returns")),
    fault("as a heading", WORKSHOP, "## Key", "## The bees’ night", ("## The", "forgotten-returns")),
]

LOGGED = [
    fault(
        "a line that is no entry",
        LOG,
        "# Deletion log\n",
        "# Deletion log\n- bees\n",
        ("- bees", "tombstone-unreadable"),
    ),
    fault(
        "an entry without a time",
        LOG,
        "# Deletion log\n",
        "# Deletion log\n- yesterday · 87e64ddf9e68a4ba · claim · x\n",
        ("yesterday", "tombstone-unreadable"),
    ),
    fault(
        "a short fingerprint",
        LOG,
        "# Deletion log\n",
        "# Deletion log\n- 2026-11-29T10:00:00Z · 87e64ddf · claim · x\n",
        ("87e64ddf", "tombstone-unreadable"),
    ),
    fault(
        "a fingerprint in capitals",
        LOG,
        "# Deletion log\n",
        "# Deletion log\n- 2026-11-29T10:00:00Z · 87E64DDF9E68A4BA · claim · x\n",
        ("87E6", "tombstone-unreadable"),
    ),
]


@pytest.mark.parametrize("planted", RETURNS, ids=str)
def test_what_was_forgotten_is_found_where_it_returns(planted: Fault) -> None:
    staged, finds = plant(planted, BASE)
    check(tombstones, staged, finds, base=BASE, command=Command.DREAM)
    check(tombstones, staged, finds)


@pytest.mark.parametrize("planted", LOGGED, ids=str)
def test_a_log_that_cannot_be_read(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(tombstones, staged, finds)
    check(tombstones, staged, finds, base=world())


def test_a_clean_tree_gives_nothing() -> None:
    check(tombstones, world())
    check(tombstones, BASE)


def test_other_words_are_another_statement() -> None:
    for words in ("Ilya kept bees.", "Ilya keeps bees and goats.", "bees", "Olga keeps bees."):
        check(tombstones, edited(BASE, SHORT, "“I prefer", f"{words} “I prefer"), base=BASE)


def test_a_new_entry_is_held_against_files_that_did_not_change() -> None:
    staged = forgetting(
        "The tools are in the harbour workshop.", "I prefer short answers in chat; long text goes to files."
    )
    finds = [
        (WORKSHOP, line_with(world(), WORKSHOP, "The tools are"), "forgotten-returns"),
        (SHORT, line_with(world(), SHORT, "I prefer"), "forgotten-returns"),
        (ANSWERS, line_with(world(), ANSWERS, "I prefer"), "forgotten-returns"),
    ]
    check(tombstones, staged, finds, base=world(), command=Command.DREAM)


def test_evidence_stays_though_it_says_it() -> None:
    path = f"{AUGUST}/transcript.md"
    check(tombstones, edited(BASE, path, "Booked for Friday", "Ilya keeps bees.\n\nBooked for Friday"), base=BASE)


@pytest.mark.parametrize("command", [Command.DREAM, Command.INGEST])
def test_the_log_only_grows(command: Command) -> None:
    line = line_with(BASE, LOG, fingerprint("Bees"))
    staged = BASE | {LOG: "\n".join(line for line in BASE[LOG].split("\n") if fingerprint("Bees") not in line)}
    check(tombstones, staged, [(LOG, line, "tombstone-lost")], base=BASE, command=command)
    check(tombstones, staged, base=BASE, command=Command.OTHER)


def test_a_log_that_is_gone_is_all_its_entries() -> None:
    staged = {path: text for path, text in BASE.items() if path != LOG}
    lines = [n for n, line in enumerate(BASE[LOG].split("\n"), 1) if line.startswith("- ")]
    check(tombstones, staged, [(LOG, n, "tombstone-lost") for n in lines], base=BASE, command=Command.DREAM)


def test_fingerprints_for_a_dream_to_know() -> None:
    assert tombstones.fingerprints(tree(BASE)) >= {fingerprint("ilya keeps bees"), fingerprint("Bees")}
    assert tombstones.fingerprints(tree({})) == frozenset()
