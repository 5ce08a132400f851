from __future__ import annotations

import json
import re
import unicodedata

import bugs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import names
from brain.links import Names

PROFILE = settings(derandomize=True, max_examples=120, deadline=None)
TITLES = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(' .-_/\\:*?"<>|~#[]CONaux\t\n\u0301\u00e9\u200dяжИй東京مرحبا\U0001f9a6'),
    ),
    max_size=40,
)


def accepted(title: str) -> bool:
    try:
        names.clean_title(title)
    except names.BadTitle:
        return False
    return True


# --- the cases --------------------------------------------------------------------


def test_case_04_the_composed_form_is_written_and_twins_are_updates() -> None:
    source = json.loads(bugs.read(bugs.case("04") / "input.json"))
    taken = dict.fromkeys(source["files"], "")
    path = names.choose_path("knowledge", source["create"], taken)
    assert path == "knowledge/Caf\u00e9.md"
    assert len(taken | {path: ""}) == bugs.to_check("04")["files_after_create"]
    assert names.file_name("Gru\u0308ne Wiese") == "Gr\u00fcne Wiese.md"
    assert not names.same_subject("Cafe", "Caf\u00e9")


def test_case_05_twins_are_one_page_and_nothing_else_is() -> None:
    source, check = json.loads(bugs.read(bugs.case("05") / "input.json")), bugs.to_check("05")
    taken = {path: "Tide clock" for path in source["existing"]}
    written: dict[str, str] = {}
    for title in source["write"]:
        path = names.choose_path("knowledge", title, taken)
        assert path not in taken or names.same_subject(taken[path], title)
        taken.setdefault(path, title)
        written[title] = path
    assert len(taken) == check["pages_after"]
    for group in check["same_page"]:
        assert len({names.choose_path("knowledge", title, taken) for title in group}) == 1
    assert len({written[title] for title in check["distinct"]}) == len(check["distinct"])
    assert len({path.casefold() for path in taken}) == len(taken)


AWKWARD = json.loads(bugs.read(bugs.case("06") / "titles.json"))
REFUSED = bugs.to_check("06")["refused"]


@pytest.mark.parametrize("title", [title for title in AWKWARD if title not in REFUSED])
def test_case_06_an_awkward_title_gets_a_good_name_and_is_found(title: str) -> None:
    name = names.file_name(title)
    assert_good_name(name)
    kept = names.clean_title(title)
    assert kept == unicodedata.normalize("NFC", re.sub(r"[\t\n]", " ", title).strip())
    if not set("[]|") & set(title):
        assert Names({f"knowledge/{name}": (kept, ())}).resolve(kept) == f"knowledge/{name}"


def test_case_06_counts_and_refusals() -> None:
    taken: dict[str, str] = {}
    for title in AWKWARD:
        if title in REFUSED:
            with pytest.raises(names.BadTitle, match=r"No page was made: "):
                names.file_name(title)
        else:
            taken[names.choose_path("knowledge", title, taken)] = title
    assert len(taken) == bugs.to_check("06")["files"]


def test_case_06_a_letter_far_back_makes_another_file() -> None:
    (long,) = (title for title in AWKWARD if len(title) == 300)
    other = long[:289] + "y" + long[290:]
    assert names.file_name(long) != names.file_name(other)


def assert_good_name(name: str) -> None:
    assert len(name.encode()) <= 200
    assert name.endswith(".md")
    stem = name.removesuffix(".md")
    assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', name)
    assert stem[0] not in ".-"
    assert stem[-1] not in ". "
    device = r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?"
    assert not re.fullmatch(device, name, re.IGNORECASE)
    assert not re.fullmatch(device, stem, re.IGNORECASE)
    assert names.is_safe_path(f"memory/knowledge/people/{name}") is None


# --- in general ---------------------------------------------------------------------


@PROFILE
@given(TITLES.filter(accepted))
def test_every_title_has_a_name_that_every_system_takes(title: str) -> None:
    assert_good_name(names.file_name(title))


@PROFILE
@given(TITLES.filter(accepted))
def test_cleaning_and_keys_are_stable(title: str) -> None:
    clean = names.clean_title(title)
    assert names.clean_title(clean) == clean
    assert names.file_name(clean) == names.file_name(title)
    key = names.title_key(title)
    assert names.title_key(key) == key.strip()
    assert names.title_key(clean) == names.title_key(unicodedata.normalize("NFD", clean))


@PROFILE
@given(st.lists(TITLES.filter(accepted), min_size=1, max_size=12))
def test_no_page_replaces_another(titles: list[str]) -> None:
    taken: dict[str, str] = {}
    for title in titles:
        path = names.choose_path("knowledge", title, taken)
        if path in taken:
            assert names.same_subject(taken[path], title)
        taken.setdefault(path, names.clean_title(title))
    folded = {unicodedata.normalize("NFC", path.casefold()) for path in taken}
    assert len(folded) == len(taken)


def test_a_title_in_the_form_of_a_mended_name_is_mended_itself() -> None:
    mended = names.file_name("and/or").removesuffix(".md")
    assert re.fullmatch(r"and-or~[0-9a-f]{6}", mended)
    assert names.file_name(mended) != f"{mended}.md"
    assert names.choose_path("k", mended, {f"k/{mended}.md": "and/or"}) != f"k/{mended}.md"


def test_a_taken_name_gets_more_digits() -> None:
    first = names.file_name("and/or")
    path = names.choose_path("k", "and/or", {f"k/{first}": "Something else"})
    assert re.fullmatch(r"k/and-or~[0-9a-f]{12}\.md", path)
    assert names.choose_path("k", "and/or", {f"k/{first}": "Something else", path: "and/or"}) == path


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("", "empty"),
        ("/etc/passwd", "empty name"),
        ("memory/../x.md", "leaves its folder"),
        ("memory//x.md", "empty name"),
        ("memory/x.md/", "empty name"),
        ("memory\\x.md", "backslash"),
        ("C:/x.md", "colon"),
        ("memory/a\0b.md", "control"),
        ("memory/a\nb.md", "control"),
        ("memory/.git/hooks/x", "git's own"),
        ("memory/.GIT/x", "git's own"),
        ("memory/.g\u200cit/x", "git's own"),
        ("memory/git~1/x", "git's own"),
        ("memory/-rf.md", "option"),
        ("memory/CON", "every system"),
        ("memory/aux.md", "every system"),
        ("memory/dot.", "every system"),
        ("memory/" + "a" * 256, "255 bytes"),
        ("memory/" + "я" * 600, "1024 bytes"),
        ("memory/\ud800.md", "control"),
    ],
)
def test_unsafe_paths_are_told_with_a_reason(path: str, reason: str) -> None:
    assert reason in (names.is_safe_path(path) or "")


@pytest.mark.parametrize("path", ["brain.toml", "memory/knowledge/people/Илья Брандт.md", "a/東京.md"])
def test_ordinary_paths_are_safe(path: str) -> None:
    assert names.is_safe_path(path) is None
