"""Each host's usual places, and those that its variables name."""

from __future__ import annotations

from pathlib import Path

import pytest

from brain.ingest.finding import places

USUAL = {
    ".claude/projects/": "claude-code",
    ".codex/sessions/": "codex",
    ".codex/archived_sessions/": "codex",
    ".gemini/tmp/": "gemini-cli",
    ".local/share/opencode/opencode.db": "opencode",
    ".local/share/opencode/storage/": "opencode",
    ".cursor/projects/": "cursor",
    ".config/Cursor/User/globalStorage/state.vscdb": "cursor",
    "Library/Application Support/Cursor/User/globalStorage/state.vscdb": "cursor",
    ".openclaw/agents/": "openclaw",
    ".openclaw/workspace/memory/": "openclaw",
    ".openclaw/workspace/bank/": "openclaw",
    ".openclaw/workspace/MEMORY.md": "openclaw",
    ".mayros/workspace/memory/": "mayros",
    ".mayros/workspace/bank/": "mayros",
    ".mayros/workspace/memory.md": "mayros",
}
NAMED = {
    "CLAUDE_CONFIG_DIR": ("claude-code", "projects"),
    "CODEX_HOME": ("codex", "sessions"),
    "GEMINI_CLI_HOME": ("gemini-cli", ".gemini/tmp"),
    "XDG_DATA_HOME": ("opencode", "opencode/storage"),
    "XDG_CONFIG_HOME": ("cursor", "Cursor/User/globalStorage/state.vscdb"),
    "APPDATA": ("cursor", "Cursor/User/globalStorage/state.vscdb"),
    "OPENCLAW_STATE_DIR": ("openclaw", "agents"),
}


def make(root: Path, below: str) -> Path:
    path = root / below
    (path if below.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
    if not below.endswith("/"):
        path.touch()
    return path


@pytest.mark.parametrize("below", USUAL)
def test_the_usual_place_of_a_host_is_found(below: str, tmp_path: Path) -> None:
    path = make(tmp_path, below)
    assert [(place.agent, place.path) for place in places({}, tmp_path)] == [(USUAL[below], path)]


@pytest.mark.parametrize("variable", NAMED)
def test_a_variable_of_the_host_names_another_place(variable: str, tmp_path: Path) -> None:
    agent, below = NAMED[variable]
    for usual in USUAL:
        make(tmp_path / "home", usual)
    path = make(tmp_path / "elsewhere", f"{below}/")
    found = places({variable: str(tmp_path / "elsewhere")}, tmp_path / "home")
    assert path in [place.path for place in found if place.agent == agent]
    assert len({place.path for place in found}) == len(found)


def test_a_machine_without_agents_has_none(tmp_path: Path) -> None:
    assert places({"CODEX_HOME": str(tmp_path / "missing")}, tmp_path) == ()


def test_one_place_under_two_names_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, ".config/Cursor/User/globalStorage/state.vscdb")
    assert len(places({"APPDATA": str(tmp_path / ".config")}, tmp_path)) == 1
