"""The cases under tests/cases/bugs: bugs that others had, each with what is right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

BUGS = Path(__file__).parent / "cases" / "bugs"


def case(name: str) -> Path:
    """The folder of a case, by the start of its name."""
    (found,) = BUGS.glob(f"{name}*")
    return found


def read(path: Path) -> str:
    """The exact characters of a file; no line end is changed."""
    return path.read_bytes().decode()


def to_check(name: str) -> dict[str, Any]:
    """The JSON block of the case's expected.md."""
    block = re.search(r"```json\n(.*?)```", read(case(name) / "expected.md"), re.DOTALL)
    assert block is not None
    found = json.loads(block[1])
    assert isinstance(found, dict)
    return found
