"""The rule links: where wikilinks lead, and who claims a name."""

from __future__ import annotations

import pytest
from trees import (
    ANSWERS,
    CLOCK,
    ILYA,
    KESTREL,
    MARINA,
    SHORT,
    WORKSHOP,
    Fault,
    check,
    edited,
    fault,
    line_with,
    plant,
    world,
)

from brain.validators.rules import links

FACT = "“Ilya now works at Kestrel Audio.” [cite:2] ^k3f9"


def linked(words: str) -> tuple[str, str]:
    return FACT, f"{words} {FACT}"


def page(title: str, aliases: str = "[]", kind: str = "person") -> str:
    return f"---\ntitle: {title}\nkind: {kind}\naliases: {aliases}\n---\n\n# {title}\n\n[[Ilya]] [[{title}]]\n"


NEW = [
    fault("no such page", ILYA, *linked("[[Otto]]"), ("[[Otto]]", "link-dangling")),
    fault("no such page, with other words", ILYA, *linked("[[Otto|he]]"), ("[[Otto", "link-dangling")),
    fault("no such page, at a heading", ILYA, *linked("[[Otto#Facts]]"), ("[[Otto", "link-dangling")),
    fault("no such page in Russian", MARINA, "Марина чинит", "[[Пётр]] и Марина чинят", ("[[Пётр]]", "link-dangling")),
    fault("no such page to show", ILYA, *linked("![[plan.png]]"), ("![[plan", "link-dangling")),
    fault("a path out of the tree", ILYA, *linked("[[../../../etc/passwd]]"), ("passwd", "link-dangling")),
    fault("a path of git", ILYA, *linked("[[.git/config]]"), ("config", "link-dangling")),
    fault("an absolute path", ILYA, *linked("[[/etc/passwd]]"), ("passwd", "link-dangling")),
    fault("a session", ILYA, *linked("[[sessions/2026/08/12-5b0c1d2e]]"), ("[[sessions", "link-dangling")),
    fault(
        "under Related",
        KESTREL,
        "- [[Harbour workshop]]",
        "- [[Otto]] · who\n- [[Harbour workshop]]",
        ("[[Otto]]", "link-dangling"),
    ),
    fault("in a note", CLOCK, "“The gear", "[[Otto]]: “The gear", ("[[Otto]]", "link-dangling")),
    fault("two on one line, one of them good", ILYA, *linked("[[Kestrel]] [[Otto]]"), ("[[Otto]]", "link-dangling")),
    fault("a heading that is not there", ILYA, *linked("[[Kestrel Audio#Prices]]"), ("#Prices", "link-anchor")),
    fault("a claim that is not there", ILYA, *linked("[[Kestrel Audio#^zzzz]]"), ("#^zzzz", "link-anchor")),
    fault("a heading of its own page that is not there", ILYA, *linked("[[#Prices]]"), ("#Prices", "link-anchor")),
    fault(
        "a second page of that title",
        "memory/knowledge/tools/Ilya brandt.md",
        None,
        page("Ilya brandt", kind="tool"),
        (2, "title-twice"),
    ),
    fault("an alias twice", WORKSHOP, "[The shed]", "[The shed, Ilya]", ("aliases:", "alias-twice")),
    fault("an alias twice in other letters", WORKSHOP, "[The shed]", "[The shed, iLYA]", ("aliases:", "alias-twice")),
    fault("an alias twice in Russian", WORKSHOP, "[The shed]", "[The shed, марина]", ("aliases:", "alias-twice")),
    fault(
        "an alias that is a title", ILYA, "aliases: [Ilya]", "aliases: [Ilya, Answers]", ("aliases:", "alias-is-title")
    ),
    fault("a note's alias twice", CLOCK, "aliases: []", "aliases: [Short answers]", ("aliases:", "alias-is-title")),
]


@pytest.mark.parametrize("planted", NEW, ids=str)
def test_finds_what_is_new_at_its_line(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(links, staged, finds, base=world())


@pytest.mark.parametrize("planted", [f for f in NEW if f.finds[0][2] == "link-dangling"], ids=str)
def test_what_stood_there_is_a_warning(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    path, line, _ = finds[0]
    check(links, staged, [(path, line, "link-lost")])
    touched = staged | {path: staged[path] + "\nMore words.\n"}
    check(links, touched, [(path, line, "link-lost")], base=staged)


def test_a_clean_tree_gives_nothing() -> None:
    check(links, world())


@pytest.mark.parametrize(
    "words",
    [
        "[[Kestrel Audio]]",
        "[[kestrel_audio|the studio]]",
        "[[Kestrel]]",
        "[[Kestrel Audio#Facts]]",
        "[[Kestrel Audio#^f2a1]]",
        "[[Kestrel Audio#Kestrel Audio]]",
        "[[#^k3f9]]",
        "[[#History]]",
        "[[organisations/Kestrel Audio]]",
        "[[Марина]]",
        "[[Tide clock#^g1h2]]",
        "`[[Otto]]`",
        "\\[[Otto]]",
        "<!-- [[Otto]] -->",
    ],
)
def test_links_that_lead_somewhere_or_are_none_pass(words: str) -> None:
    check(links, edited(world(), ILYA, *linked(words)), base=world())


def test_a_page_that_is_gone_is_missed_in_files_that_did_not_change() -> None:
    staged = {path: text for path, text in world().items() if path != KESTREL}
    check(links, staged, [(ILYA, line_with(world(), ILYA, "[[Kestrel Audio]]"), "link-lost")], base=world())


def test_an_alias_that_is_gone_is_missed_too() -> None:
    staged = edited(world(), WORKSHOP, "aliases: [The shed]", "aliases: []")
    check(links, staged, [(MARINA, line_with(world(), MARINA, "[[The shed]]"), "link-lost")], base=world())


def test_a_page_and_a_note_of_one_subject_do_not_clash() -> None:
    note = world()[CLOCK].replace("title: Tide clock", "title: Answers").replace("aliases: []", "aliases: [Ilya]")
    check(links, world() | {"memory/notes/work/Answers.md": note}, base=world())


def test_notes_of_two_domains_may_have_one_title() -> None:
    check(links, world() | {"memory/notes/life/Tide clock.md": world()[CLOCK]}, base=world())


def test_old_clashes_are_not_found_again() -> None:
    clash = edited(world(), WORKSHOP, "[The shed]", "[The shed, Ilya]")
    check(links, clash | {ANSWERS: clash[ANSWERS] + "\nWords.\n"}, base=clash)
    check(links, clash, [(WORKSHOP, line_with(clash, WORKSHOP, "aliases:"), "alias-twice")])


def test_the_page_that_takes_a_name_is_the_one_that_is_found() -> None:
    staged = edited(world(), ILYA, "[Ilya]", "[Ilya, The shed]")
    check(links, staged, [(ILYA, line_with(staged, ILYA, "aliases:"), "alias-twice")], base=world())


def test_an_orphan_is_worth_knowing_only_of_a_whole_tree() -> None:
    lonely = world() | {"memory/knowledge/tools/Lathe.md": page("Lathe", kind="tool")}
    check(links, lonely, [("memory/knowledge/tools/Lathe.md", 1, "page-orphan")])
    check(links, lonely, base=world())
    mapped = lonely | {"memory/knowledge/index.md": "# Knowledge\n\n- [[Lathe]]\n"}
    check(links, mapped)


def test_a_title_with_a_number_sign_is_no_heading() -> None:
    sharp = world() | {
        "memory/knowledge/tools/C#.md": page("C#", kind="tool"),
        "memory/knowledge/tools/C.md": page("C"),
    }
    check(links, edited(sharp, SHORT, "“I prefer", "[[C#]] “I prefer"), base=world())
