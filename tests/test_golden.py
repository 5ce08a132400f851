"""tests/golden/*.txt: `$ brain …` and what it printed; `pytest --update` rewrites them, read the diff then."""

from __future__ import annotations

import shutil
from pathlib import Path

import console
import pytest
from conftest import SAMPLE

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_golden(path: Path, tmp_path: Path, update: bool) -> None:
    """Every command of a file in turn, in one empty home that holds the sample as sample/."""
    shutil.copytree(SAMPLE, tmp_path / "sample")
    text = path.read_text(encoding="utf-8")
    steps = console.parse(text)
    printed = tuple(console.run(step, tmp_path)[1] for step in steps)
    again = text[: text.index("$ ")] + console.render(printed)
    if update:
        path.write_text(again, encoding="utf-8")
    assert again == (again if update else text)


def test_there_are_golden_files() -> None:
    assert {"first-night", "mistakes"} <= {path.stem for path in GOLDEN.glob("*.txt")}


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("a", "a", True),
        ("a", "b", False),
        ("a … c", "a b c", True),
        ("a … c", "a b\nc", False),
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a\n…\nd", "a\nd", True),
        ("a\n…", "a\nb", True),
        ("a.b", "axb", False),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_what_an_ellipsis_stands_for(expected: str, printed: str, same: bool) -> None:
    assert console.matches(expected, printed) is same


def test_parse_and_render() -> None:
    text = "$ brain a \\\n  --b\none\ntwo\n\n$ brain c\n"
    steps = console.parse("# said first\n" + text)
    assert steps == (console.Step("brain a \\\n  --b", "one\ntwo"), console.Step("brain c", ""))
    assert console.render(steps) == text
