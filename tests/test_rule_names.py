"""The rule names: safe paths, known places, twins, titles."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from trees import (
    ANSWERS,
    AUGUST,
    CLOCK,
    ILYA,
    LETTER,
    MARINA,
    SEPTEMBER,
    Fault,
    check,
    fault,
    pair,
    plant,
    tree,
    world,
)

from brain.files.folder import Folder
from brain.tree import OnDisk, Tree
from brain.validators.gate import Pair
from brain.validators.rules import names

PEOPLE = "memory/knowledge/people"


def page(title: str) -> str:
    return f"---\ntitle: {title}\nkind: person\n---\n"


FAULTS = [
    fault("attributes of git", "memory/notes/.gitattributes", None, "* filter=x\n", (1, "git-file")),
    fault("git's own folder", "memory/.git/config", None, "[core]\n", (1, "git-file")),
    fault("git's own folder in capitals", "memory/.GIT/config", None, "[core]\n", (1, "git-file")),
    fault("git's short name", "memory/git~1/config", None, "[core]\n", (1, "git-file")),
    fault("git with an unseen character", "memory/.g\u200cit/config", None, "[core]\n", (1, "git-file")),
    fault("a soft hyphen in git's name", "memory/.gi\u00adt/x.md", None, "x\n", (1, "git-file")),
    fault("an option", f"{PEOPLE}/-rf.md", None, page("rf"), (1, "name-unsafe"), (2, "name-differs")),
    fault("out of the folder", "memory/../x.md", None, "x\n", (1, "name-unsafe")),
    fault("an empty part", "memory//x.md", None, "x\n", (1, "name-unsafe")),
    fault("a device", f"{PEOPLE}/CON.md", None, page("Con"), (1, "name-unsafe"), (2, "name-differs")),
    fault("a device with an ending", f"{PEOPLE}/aux.b.md", None, page("Aux"), (1, "name-unsafe"), (2, "name-differs")),
    fault("a colon", f"{PEOPLE}/a:b.md", None, page("a-b"), (1, "name-unsafe"), (2, "name-differs")),
    fault("a backslash", f"{PEOPLE}/a\\b.md", None, page("a-b"), (1, "name-unsafe"), (2, "name-differs")),
    fault("a line break", f"{PEOPLE}/a\nb.md", None, page("a b"), (1, "name-unsafe"), (2, "name-differs")),
    fault("an escape sequence", f"{PEOPLE}/a\x1bb.md", None, page("a b"), (1, "name-unsafe"), (2, "name-differs")),
    fault("a space at the end", "memory/notes/work /x.md", None, page("x"), (1, "name-unsafe")),
    fault("not composed", f"{PEOPLE}/Zoe\u0308.md", None, page("Zo\u00eb"), (1, "name-not-nfc"), (2, "name-differs")),
    fault("a twin by case", f"{PEOPLE}/ilya brandt.md", None, page("ilya brandt"), (1, "name-twin")),
    fault("a twin in Cyrillic", f"{PEOPLE}/МАРИНА ВЕТРОВА.md", None, page("МАРИНА ВЕТРОВА"), (1, "name-twin")),
    fault("a folder that is a twin", "memory/notes/Work/Pump.md", None, page("Pump"), (1, "name-twin")),
    fault("a twin by ß", f"{PEOPLE}/Strasse.md", None, page("Strasse")),
    fault("no place at the top", "memory/notes.md", None, "x\n", (1, "place-unknown")),
    fault("a note without a domain", "memory/notes/x.md", None, page("x"), (1, "place-unknown")),
    fault("a note too deep", "memory/notes/a/b/x.md", None, page("x"), (1, "place-unknown")),
    fault(
        "a folder of knowledge that is none",
        "memory/knowledge/cats/x.md",
        None,
        page("x"),
        (1, "place-unknown"),
        (3, "kind-folder"),
    ),
    fault(
        "a page beside the folders", "memory/knowledge/x.md", None, page("x"), (1, "place-unknown"), (3, "kind-folder")
    ),
    fault("a text that is no Markdown", f"{PEOPLE}/x.txt", None, "x\n", (1, "place-unknown")),
    fault("a file beside a transcript", f"{AUGUST}/notes.md", None, "x\n", (1, "place-unknown")),
    fault(
        "a session in a folder of another form",
        "memory/sessions/2026/8/12-5b0c1d2e/transcript.md",
        None,
        "x\n",
        (1, "place-unknown"),
    ),
    fault(
        "a summary alone",
        "memory/sessions/2026/01/01-00000000/summary.md",
        None,
        "---\nsession: x\n---\n",
        (1, "session-incomplete"),
    ),
    fault(
        "an attachment alone",
        "memory/sessions/undated/00000000/attachments/t1-r1.txt",
        None,
        "x\n",
        (1, "session-incomplete"),
    ),
    fault(
        "the id of another session",
        f"{AUGUST}/transcript.md",
        "id: 5b0c1d2e",
        "id: 6b0c1d2e",
        ("id: 6b", "session-folder"),
    ),
    fault(
        "the name of another document",
        f"{LETTER}/transcript.md",
        "letters/marina.md",
        "letters/olga.md",
        ("id:", "session-folder"),
    ),
    fault("a tool among the people", ILYA, "kind: person", "kind: tool", ("kind: tool", "kind-folder")),
    fault(
        "a policy among the preferences", ANSWERS, "kind: preference", "kind: policy", ("kind: policy", "kind-folder")
    ),
    fault("another title", ILYA, "title: Ilya Brandt", "title: Ilya Brant", ("title:", "name-differs")),
    fault("another title of a note", CLOCK, "title: Tide clock", "title: The tide clock", ("title:", "name-differs")),
    fault("a title with a slash", MARINA, "title: Марина Ветрова", "title: Марина/Ветрова", ("title:", "name-differs")),
]


@pytest.mark.parametrize("planted", FAULTS, ids=str)
def test_finds_at_its_line(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    check(names, staged, finds, base=world())


@pytest.mark.parametrize("planted", FAULTS, ids=str)
def test_finds_as_much_without_a_base(planted: Fault) -> None:
    staged, finds = plant(planted, world())
    assert sorted(f.code for f in names.check(pair(staged))) == sorted(code for _, _, code in finds)


def test_a_clean_tree_gives_nothing() -> None:
    check(names, world())


def test_two_new_twins_are_one_finding_at_the_second() -> None:
    staged = world() | {f"{PEOPLE}/Otto.md": page("Otto"), f"{PEOPLE}/otto.md": page("otto")}
    check(names, staged, [(f"{PEOPLE}/otto.md", 1, "name-twin")])


def test_the_one_that_was_there_keeps_its_name() -> None:
    base = world() | {f"{PEOPLE}/otto.md": page("otto")}
    check(names, base | {f"{PEOPLE}/Otto.md": page("Otto")}, [(f"{PEOPLE}/Otto.md", 1, "name-twin")], base=base)


def test_a_new_file_in_an_old_twin_folder_is_the_fault() -> None:
    staged = world() | {"memory/notes/WORK/Pump.md": page("Pump"), "memory/notes/WORK/Oil.md": page("Oil")}
    finds = [(f"memory/notes/WORK/{name}.md", 1, "name-twin") for name in ("Oil", "Pump")]
    check(names, staged, finds, base=world())


def test_what_did_not_change_is_not_looked_at() -> None:
    odd = world() | {f"{PEOPLE}/otto.md": page("otto"), f"{PEOPLE}/Otto.md": page("Otto"), "memory/x.md": "x\n"}
    check(names, odd, base=odd)


@pytest.mark.parametrize("title", ["C++", "What is this?", "AC/DC", "Zoë", "Кот в сапогах", "日本", "x" * 300, "CON"])
def test_names_of_every_title_pass(title: str) -> None:
    from brain.names import file_name

    path = f"{PEOPLE}/{file_name(title)}"
    check(names, world() | {path: page(f'"{title}"')})


def test_a_longer_mark_of_the_title_passes() -> None:
    from brain.names import file_name

    check(names, world() | {f"{PEOPLE}/{file_name('AC/DC', 12)}": page("AC/DC")})


def test_files_outside_the_memory_are_a_persons_own() -> None:
    check(names, world() | {"notes of mine/plan.txt": "x\n", "README.md": "x\n"})


def test_a_link_on_the_disk_is_no_file(tmp_path: Path) -> None:
    for path, text in world().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    target = tmp_path / "memory/knowledge/people/Leak.md"
    target.symlink_to("/etc/hostname")
    found = list(names.check(Pair(None, Tree(OnDisk.scan(Folder(tmp_path))))))
    assert [(f.path, f.line, f.code) for f in found] == [("memory/knowledge/people/Leak.md", 0, "not-a-file")]
    known = Tree(OnDisk.scan(Folder(tmp_path)))
    assert list(names.check(Pair(known, known))) == []


def test_messages_show_what_a_screen_would_hide() -> None:
    staged = world() | {f"{PEOPLE}/a\x1b[8mb.md": page("ab")}
    found = list(names.check(Pair(None, tree(staged))))
    assert found and all(str(f).isprintable() and "\\u{1b}" in str(f) for f in found)


def test_the_world_has_names_in_two_scripts() -> None:
    scripts = {unicodedata.name(c).split()[0] for path in world() for c in path if c.isalpha()}
    assert {"LATIN", "CYRILLIC"} <= scripts
    assert f"{SEPTEMBER}/attachments/t4-r1.txt" in world()
