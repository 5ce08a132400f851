from __future__ import annotations

import json
import random
import unicodedata
from functools import partial

import bugs
import pytest

from brain.links import Names, link_target, rename, render_link, wikilinks
from brain.model import Wikilink
from brain.names import file_name
from brain.page import parse


def targets(text: str) -> list[str]:
    return [link.target for link in wikilinks(text)]


# --- the cases --------------------------------------------------------------------


def test_case_01_the_parts_of_a_link() -> None:
    links, check = wikilinks(bugs.read(bugs.case("01") / "page.md")), bugs.to_check("01")
    assert [[link.target, link.heading, link.alias] for link in links] == check["links"]
    assert [number for number, link in enumerate(links) if link.embed] == check["embeds"]


def test_case_01_a_rename_changes_the_target_alone() -> None:
    folder = bugs.case("01")
    before, after = bugs.read(folder / "page.md"), bugs.read(folder / "page.after-rename.md")
    assert rename(before, "East pier", "East jetty") == after
    assert rename(after, "east JETTY", "East pier") == before


def test_case_01_generated_links_escape_the_bar_in_tables_alone() -> None:
    link = Wikilink("East pier", "Steps", "the pier")
    assert render_link(link) == "[[East pier#Steps|the pier]]"
    assert render_link(link, in_table=True) == "[[East pier#Steps\\|the pier]]"
    for text in (render_link(link), f"a | b\n--|--\n{render_link(link, in_table=True)} | x\n"):
        (read,) = wikilinks(text)
        assert (read.target, read.heading, read.alias) == ("East pier", "Steps", "the pier")


def test_case_02_code_comments_and_formulas_hold_no_links() -> None:
    text = bugs.read(bugs.case("02") / "page.md")
    found = [{"target": link.target, "line": link.line, "column": link.column} for link in wikilinks(text)]
    assert found == bugs.to_check("02")["links"]
    for old in ("Not B", "-f x", "Not I"):
        assert rename(text, old, "Something else") == text
    assert rename(text, "Real two", "Real 2") == text.replace("Real two", "Real 2")
    for link in wikilinks(text.replace("\n", "\r\n")):
        assert {"target": link.target, "line": link.line, "column": link.column} in found


def test_case_03_aliases() -> None:
    pages = sorted((bugs.case("03") / "pages").iterdir())
    records = {path.name: parse(bugs.read(path)) for path in pages}
    names = Names.build((name, page.title, page.aliases) for name, page in records.items())
    check = bugs.to_check("03")
    lines = bugs.read(bugs.case("03") / "links.txt").splitlines()
    assert [f"[[{target}]]" for target in check["resolves"]] == lines
    for target, title in check["resolves"].items():
        assert names.resolve(target) == (f"{title}.md" if title else None)
    assert sorted(problem.reason for problem in names.problems) == sorted(check["reported"])


def test_case_04_both_unicode_forms_find_the_page() -> None:
    source, check = json.loads(bugs.read(bugs.case("04") / "input.json")), bugs.to_check("04")
    names = Names.build((path, "", ()) for path in source["files"])
    nfc = partial(unicodedata.normalize, "NFC")
    files = {nfc(path): path for path in source["files"]}
    composed, decomposed, plain, wide, wide_too = (names.resolve(link) for link in source["links"])
    resolves = check["resolves_to_file"]
    assert composed == files[nfc(resolves["Café"])]
    assert decomposed == files[nfc(resolves["Cafe (decomposed accent)"])]
    assert plain == files[resolves["Cafe"]]
    assert wide == wide_too == files[nfc(resolves["Grüne Wiese (either form)"])]
    assert names.problems == ()


def test_case_04_both_forms_side_by_side_are_kept_and_named() -> None:
    paths = ("k/Caf\u00e9.md", "k/Cafe\u0301.md")
    names = Names.build((path, "", ()) for path in paths)
    (problem,) = names.problems
    assert problem.code == "unicode-twins"
    assert set(problem.paths) == set(paths)
    assert {names.resolve("Caf\u00e9"), names.resolve("Cafe\u0301")} == set(paths)


# --- what is a link -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[C#]] [[C++]] [[# hash]]", [("C#", None), ("C++", None), ("# hash", None)]),
        ("[[C# notes]] [[a#b#c]]", [("C# notes", None), ("a", "b#c")]),
        ("[[]] [[ ]] [[|x]] [[a]", []),
        ("\\[[a]] \\\\[[b]] \\\\\\[[c]] !\\[[d]]", [("b", None)]),
        ("\\![[a]]", [("a", None)]),
        ("[[[a]]] [[b]]]", [("a", None), ("b", None)]),
        ("[[东京]] [[Илья Брандт.md]]", [("东京", None), ("Илья Брандт", None)]),
        ("costs $5 and [[a]] costs $6", [("a", None)]),
        ("$x [[a]]$ and $$\n[[b]]\n$$ [[c]]", [("c", None)]),
        ("$$\n[[a]]\n", [("a", None)]),
        ("`[[a]] and [[b]]", [("a", None), ("b", None)]),
        ("`` ` [[a]] `` [[b]]", [("b", None)]),
        ("\\`[[a]]\\`", [("a", None)]),
        ("<b>[[a]]</b> <code>[[b]]</code> [[c]]", [("a", None), ("c", None)]),
        ("a <!-- [[a]] --> [[b]] <!-- [[c]]", [("b", None), ("c", None)]),
        ("<!-- [[a]]\n\n[[b]] -->\n[[c]]", [("c", None)]),
        ("<div>\n[[a]] <!-- [[b]] -->\n</div>", [("a", None)]),
        ("<pre>\n[[a]]\n\n</pre>\n\n[[b]]", [("b", None)]),
        ('<img alt="[[a]]"> [[b]]', [("b", None)]),
        ("> [[a]]\n> ```\n> [[b]]\n> ```\n>\n>     [[c]]\n\n[[d]]", [("a", None), ("d", None)]),
        ("> > `[[a]]` [[b]]", [("b", None)]),
        ("- [[a]]\n\n  ```\n  [[b]]\n  ```\n\n      [[c]]\n\n  [[d]]", [("a", None), ("d", None)]),
        ("- a\n  - b\n    ~~~\n    [[a]]\n    ~~~\n  - [[b]]", [("b", None)]),
        ("1. ```\n   [[a]]\n   ```\n2. [[b]]", [("b", None)]),
        ("a\n    [[a]]", [("a", None)]),
        ("    [[a]]\n\n\t[[b]]\n\n[[c]]", [("c", None)]),
        ("| a | b |\n|---|---|\n| `x | [[a]] ` |\n", [("a", None)]),
        ("```\n[[a]]\n``\n[[b]]\n````\n[[c]]", [("c", None)]),
        ("``` a`b\n[[a]]\n", [("a", None)]),
        ("# [[a]] `[[b]]`\n\n[[c]]\n===", [("a", None), ("c", None)]),
        ("[a](b) [x]: y [[c]]", [("c", None)]),
        ("---\ntitle: '[[a]]'\n---\n[[b]]", [("b", None)]),
        ("---\ntitle: [[a]]\n", [("a", None)]),
        ("\ue000 `[[a]]` [[b]]", [("b", None)]),
    ],
)
def test_what_is_a_link(text: str, found: list[tuple[str, str | None]]) -> None:
    assert [(link.target, link.heading) for link in wikilinks(text)] == found


PIECES = [
    *(
        "[[Page {}]]",
        "`[[Page {}]]`",
        "words",
        " ",
        "\n",
        "\n\n",
        "- ",
        "> ",
        "    ",
        "```\n",
        "~~~\n",
        "$",
        "<!--",
        "-->",
    ),
    *(
        "| ",
        "|--|\n",
        "# ",
        "\\",
        "[[Page {}|x]]",
        "![[Page {}#y]]",
        "`",
        "\t",
        "  - ",
        "1. ",
        "<code>",
        "</code>",
        "\r\n",
    ),
]


def test_lines_and_columns_are_those_of_the_file() -> None:
    choose = random.Random(12)
    for _ in range(1500):
        text = "".join(choose.choice(PIECES).format(n) for n in range(choose.randint(1, 14)))
        lines = text.split("\n")
        for link in wikilinks(text):
            rest = lines[link.line - 1][link.column - 1 :]
            assert rest.startswith(("!" if link.embed else "") + "[[" + link.target), text


def test_a_rename_touches_links_alone_and_can_be_taken_back() -> None:
    choose = random.Random(13)
    for _ in range(1000):
        text = "".join(choose.choice(PIECES).format(n % 3) for n in range(choose.randint(1, 14)))
        renamed = rename(text, "page 1", "Новая")
        before, after = targets(text), targets(renamed)
        assert after == ["Новая" if target == "Page 1" else target for target in before], text
        assert rename(renamed, "Новая", "Page 1") == text


def test_a_title_with_the_marks_of_a_link_is_linked_by_its_file() -> None:
    for title in ("a|b", "[[x]]", "C#m", "notes.md", "#x", "x]"):
        path = f"k/{file_name(title)}"
        names = Names.build([(path, title, ()), ("k/x.md", "x", ())])
        (link,) = wikilinks(f"[[{link_target(title)}]]")
        assert names.resolve_link(link) == names.resolve(link.target) == path
    assert f"{link_target('a|b')}.md" == file_name("a|b")
    assert link_target("and/or") == "and/or"
    assert rename("[[x]]", "x", "a|b") == f"[[{link_target('a|b')}]]"


# --- names ----------------------------------------------------------------------------

PAGES = [
    ("memory/knowledge/people/Anna.md", "Anna", ("Anya", "Аня")),
    ("memory/knowledge/places/Anna.md", "Anna", ()),
    ("memory/knowledge/places/East pier.md", "East pier", ("pier",)),
    ("memory/knowledge/concepts/and-or~0a1b2c.md", "and/or", ()),
    ("memory/knowledge/tools/C.md", "C", ()),
    ("memory/knowledge/tools/C#.md", "C#", ()),
    ("memory/knowledge/tools/C#m.md", "C#m", ()),
    ("memory/notes/travel/Trips.md", "Trips", ("pier", "Anna")),
]


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("people/Anna", "memory/knowledge/people/Anna.md"),
        ("places/anna", "memory/knowledge/places/Anna.md"),
        ("Anna", "memory/knowledge/people/Anna.md"),
        ("knowledge/places/East pier", "memory/knowledge/places/East pier.md"),
        ("ast pier", None),
        ("aces/East pier", None),
        ("people/East pier", None),
        ("and/or", "memory/knowledge/concepts/and-or~0a1b2c.md"),
        ("concepts/and/or", "memory/knowledge/concepts/and-or~0a1b2c.md"),
        ("and-or~0a1b2c", "memory/knowledge/concepts/and-or~0a1b2c.md"),
        (" аня ", "memory/knowledge/people/Anna.md"),
        ("pier", None),
        ("c#", "memory/knowledge/tools/C#.md"),
        ("../../etc/passwd", None),
        ("/etc/passwd", None),
        ("a/" * 400_000, None),
        ("", None),
    ],
)
def test_resolving(target: str, path: str | None) -> None:
    assert Names.build(PAGES).resolve(target) == path


def test_a_title_with_a_sharp_is_tried_whole() -> None:
    names = Names.build(PAGES)
    whole, heading, below = wikilinks("[[C#m]] [[C#Loops]] [[#Loops]]")
    assert names.resolve_link(whole) == "memory/knowledge/tools/C#m.md"
    assert names.resolve_link(heading) == "memory/knowledge/tools/C.md"
    assert names.resolve_link(below) is None


def test_name_problems() -> None:
    problems = {(p.code, p.name): p.paths for p in Names.build(PAGES).problems}
    assert problems == {
        ("title-twins", "Anna"): ("memory/knowledge/people/Anna.md", "memory/knowledge/places/Anna.md"),
        ("alias-twice", "pier"): ("memory/knowledge/places/East pier.md", "memory/notes/travel/Trips.md"),
        ("alias-is-title", "Anna"): (
            "memory/knowledge/people/Anna.md",
            "memory/knowledge/places/Anna.md",
            "memory/notes/travel/Trips.md",
        ),
    }


def test_a_note_may_have_the_name_of_a_page() -> None:
    names = Names({"k/Anna.md": ("Anna", ("Anya",))}, {"n/Anna.md": ("Anna", ("Anya", "A")), "n/B.md": ("B", ())})
    assert names.problems == ()
    assert [names.resolve(name) for name in ("Anna", "anya", "A", "B", "n/Anna")] == [
        *("k/Anna.md", "k/Anna.md", "n/Anna.md", "n/B.md", "n/Anna.md"),
    ]


def test_the_graph_reads_the_same_from_both_ends() -> None:
    choose = random.Random(14)
    titles = [f"P{n}" for n in range(8)]
    names = Names.build((f"k/{title}.md", title, ()) for title in titles)
    for _ in range(100):
        texts = {f"k/{t}.md": " ".join(f"[[{choose.choice([*titles, 'Q'])}]]" for _ in range(3)) for t in titles}
        links = {path: wikilinks(text) for path, text in texts.items()}
        backlinks = names.backlinks(links)
        for a in texts:
            for b in texts:
                linked = a != b and any(names.resolve(link.target) == b for link in links[a])
                assert linked == (a in backlinks.get(b, ()))
        assert set(names.orphans(links)) == set(texts) - set(backlinks)
        assert [link.target for _, link in names.dangling(links)] == ["Q"] * sum(
            t.count("[[Q]]") for t in texts.values()
        )


HOSTILE = [
    "[[",
    "[[a",
    "[[a]] ",
    "`",
    "` `` ",
    "---\n",
    "- ",
    "> ",
    "\\",
    "\\[[",
    "$a ",
    "<!-- ",
    "<a ",
    "```\n",
    "| ",
    "[[a|",
    "- a\n> b\n",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_costs_in_proportion(piece: str) -> None:
    """200 kB: where the cost grew with the square this would take minutes, and the suite has a limit per test."""
    text = piece * (200_000 // len(piece)) + "\n[[end]]"
    assert len(wikilinks(text)) <= len(text)
    assert len(rename(text, "end", "End")) == len(text)
