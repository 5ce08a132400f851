"""The rule evidence: transcripts and attachments stay, and nothing the memory wrote is cited."""

from __future__ import annotations

import pytest
from trees import (
    AUGUST,
    CLOCK,
    ILYA,
    KESTREL,
    LETTER,
    SEPTEMBER,
    Fault,
    check,
    edited,
    fault,
    line_with,
    pair,
    plant,
    world,
)

from brain.evidence import quote
from brain.validators.gate import Command
from brain.validators.rules import evidence

OLD = f"{AUGUST}/transcript.md"
NEW = f"{SEPTEMBER}/transcript.md"
LOG = f"{SEPTEMBER}/attachments/t4-r1.txt"
TURN = "\n## t6 · user · 2026-08-13T09:00:00+01:00\n\nBack again.\n"

CHANGED = [
    fault("a word", OLD, "Booked for Friday", "Booked for Monday", ("## t2 ·", "transcript-changed")),
    fault(
        "a word of the user", OLD, "Ilya works at Lumen Lab.", "Ilya owns Lumen Lab.", ("## t1 ·", "transcript-changed")
    ),
    fault("a word in Russian", f"{LETTER}/transcript.md", "не берёт", "берёт", ("## t1 ·", "transcript-changed")),
    fault(
        "words in front of a turn", OLD, "I prefer short", "Really: I prefer short", ("## t5 ·", "transcript-changed")
    ),
    fault(
        "words behind an inner turn", OLD, "Friday at ten.", "Friday at ten. Or not.", ("## t2 ·", "transcript-changed")
    ),
    fault("a speaker", NEW, "speaker=Nadia", "speaker=Olga", ("## t3 ·", "transcript-changed")),
    fault("a role", OLD, "## t2 · assistant", "## t2 · user", ("## t2 ·", "transcript-changed")),
    fault("a trust", NEW, "9:30:40+01:00 · trust=third", "9:30:40+01:00", ("## t2 ·", "transcript-changed")),
    fault("an origin", f"{LETTER}/transcript.md", "origin=import", "origin=user", ("## t1 ·", "transcript-changed")),
    fault("a mark that it repeats the memory", NEW, " · derived=yes", "", ("## t6 ·", "transcript-changed")),
    fault("a time", OLD, "10:02:31", "10:02:32", ("## t2 ·", "transcript-changed")),
    fault("what a tool said", NEW, "two sailors", "three sailors", ("## t2 ·", "transcript-changed")),
    fault("what a tool was asked", NEW, 'kestrel.example/"', 'crow.example/"', ("## t2 ·", "transcript-changed")),
    fault(
        "a turn that is gone at the end",
        OLD,
        "\n## t5 · user · 2026-08-12T10:06:00+01:00\n\nI prefer short answers in chat; long text goes to files.\n",
        "",
        ("## t4 ·", "transcript-changed"),
    ),
    fault(
        "a turn that is gone inside",
        OLD,
        "\n## t2 · assistant · 2026-08-12T10:02:31+01:00\n\nBooked for Friday at ten.\n",
        "",
        ("## t3 ·", "transcript-changed"),
    ),
    fault("another session", OLD, "id: 5b0c1d2e", "id: 5b0c1d2f", ("id: ", "session-changed")),
    fault("an attachment", LOG, "line 30 of", "line 31 of", (1, "attachment-changed")),
]

CITED = [
    fault(f"a citation of {source}", ILYA, "sessions/2026/08/12-5b0c1d2e#t1", source, ("afadc77be30a", "not-evidence"))
    for source in [
        "notes/work/Tide clock.md",
        "memory/notes/work/Tide clock.md#^g1h2",
        "knowledge/people/Ilya Brandt.md",
        "./knowledge/people/Ilya Brandt.md",
        "sessions/2026/08/12-5b0c1d2e/summary.md",
        "sessions/index.md",
        "memory/index.md",
        "index.md",
        "dreams/2026-09-15T030000Z.md",
        "[[Ilya]]",
    ]
]


@pytest.mark.parametrize("command", [Command.INGEST, Command.DREAM, Command.OTHER])
@pytest.mark.parametrize("planted", CHANGED, ids=str)
def test_nobody_rewrites_evidence(planted: Fault, command: Command) -> None:
    staged, finds = plant(planted, world())
    check(evidence, staged, finds, base=world(), command=command)


@pytest.mark.parametrize("planted", CITED, ids=str)
def test_the_memory_is_no_evidence(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(evidence, staged, finds)
    check(evidence, staged, finds, base=world())


def test_a_clean_tree_gives_nothing() -> None:
    check(evidence, world())
    check(evidence, world(), base=world(), command=Command.DREAM)


def test_a_turn_that_repeats_the_memory_is_no_evidence() -> None:
    said = "Ilya works at Kestrel Audio, as the notes say."
    entry = f'"sessions/2026/09/14-1f2e3d4c#t6", quote: {quote(said)}, date: 2026-09-14, origin: assistant'
    old = '"sessions/2026/09/14-1f2e3d4c#t2.r1", quote: 482a768ab7da/108, date: 2026-09-14, origin: tool'
    staged = edited(world(), KESTREL, old, entry)
    check(evidence, staged, [(KESTREL, line_with(staged, KESTREL, "#t6"), "derived-evidence")])


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (OLD, "long text goes to files.\n", f"long text goes to files.\n{TURN}"),
        (OLD, "long text goes to files.\n", "long text goes to files.\nAnd pictures too.\n"),
        (OLD, "turns: 5", "turns: 6"),
        (NEW, "as the notes say.\n", "as the notes say.\n\n```tool r1 · Read\nx.md\n```\n"),
    ],
)
def test_ingest_adds_and_a_dream_does_not(path: str, old: str, new: str) -> None:
    staged = edited(world(), path, old, new)
    check(evidence, staged, base=world(), command=Command.INGEST)
    check(evidence, staged, base=world(), command=Command.OTHER)
    assert [f.code for f in evidence.check(pair(staged, world(), Command.DREAM))] == ["transcript-changed"]


def test_a_call_may_get_its_result_later() -> None:
    base = edited(world(), NEW, "as the notes say.\n", "as the notes say.\n\n```tool r1 · Read\nx.md\n```\n")
    staged = edited(base, NEW, "x.md\n```\n", "x.md\n```\n\n```result r1\nwords\n```\n")
    check(evidence, staged, base=base, command=Command.INGEST)
    check(evidence, base, [(NEW, line_with(staged, NEW, "## t6 ·"), "transcript-changed")], base=staged)


def test_a_grown_session_is_found_at_its_first_new_turn() -> None:
    staged = edited(world(), OLD, "long text goes to files.\n", f"long text goes to files.\n{TURN}")
    check(
        evidence,
        staged,
        [(OLD, line_with(staged, OLD, "## t6"), "transcript-changed")],
        base=world(),
        command=Command.DREAM,
    )


def test_a_dream_brings_no_evidence_in() -> None:
    path = "memory/sessions/2026/01/01-00000000/transcript.md"
    staged = world() | {path: world()[OLD]}
    check(evidence, staged, [(path, 1, "session-made-up")], base=world(), command=Command.DREAM)
    check(evidence, staged, base=world(), command=Command.INGEST)


@pytest.mark.parametrize("command", [Command.INGEST, Command.DREAM])
def test_only_a_person_takes_a_session_away(command: Command) -> None:
    staged = {path: text for path, text in world().items() if not path.startswith(SEPTEMBER)}
    check(evidence, staged, [(NEW, 1, "transcript-gone")], base=world(), command=command)
    check(evidence, staged, base=world(), command=Command.OTHER)


def test_an_attachment_does_not_go_alone() -> None:
    staged = {path: text for path, text in world().items() if path != LOG}
    line = line_with(world(), NEW, "```result r1 · attachment=")
    check(evidence, staged, [(LOG, 1, "attachment-changed")], base=world())
    check(evidence, staged, [(NEW, line, "attachment-missing")])


def test_a_summary_is_a_dreams_to_write() -> None:
    staged = edited(world(), f"{AUGUST}/summary.md", "Lumen Lab. [cite:1]", "Lumen Lab. [cite:1]\n- More. [cite:1]")
    check(evidence, staged, base=world(), command=Command.DREAM)


def test_a_note_may_cite_a_turn_of_the_agent() -> None:
    check(evidence, edited(world(), CLOCK, "[cite:1] ^g1h2", "[cite:1] [cite:2] ^g1h2"), base=world())
