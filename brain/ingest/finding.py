"""Where the agents of this machine keep their transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_MEMORY = ("workspace/memory", "workspace/bank", "workspace/MEMORY.md")


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or file that is there."""

    agent: str
    path: Path


def places(environment: Mapping[str, str], home: Path) -> tuple[Place, ...]:
    """What is there of every host's usual places; the overrides of `environment` are honoured."""
    found = {place.path.resolve(): place for place in _usual(environment, home) if place.path.exists()}
    return tuple(found.values())


def _usual(environment: Mapping[str, str], home: Path) -> Iterator[Place]:
    def base(variable: str, usual: str) -> Path:
        given = environment.get(variable, "")
        return Path(given).expanduser() if given else home / usual

    yield Place("claude-code", base("CLAUDE_CONFIG_DIR", ".claude") / "projects")
    codex = base("CODEX_HOME", ".codex")
    yield from (Place("codex", codex / name) for name in ("sessions", "archived_sessions"))
    yield Place("gemini-cli", base("GEMINI_CLI_HOME", "") / ".gemini" / "tmp")
    opencode = base("XDG_DATA_HOME", ".local/share") / "opencode"
    yield from (Place("opencode", opencode / name) for name in ("opencode.db", "storage"))
    yield Place("cursor", home / ".cursor" / "projects")
    for settings in (
        base("XDG_CONFIG_HOME", ".config"),
        home / "Library" / "Application Support",
        base("APPDATA", "AppData/Roaming"),
    ):
        yield Place("cursor", settings / "Cursor" / "User" / "globalStorage" / "state.vscdb")
    openclaw = base("OPENCLAW_STATE_DIR", ".openclaw")
    yield from (Place("openclaw", openclaw / name) for name in ("agents", *_MEMORY))
    yield from (Place("mayros", home / ".mayros" / "workspace" / name) for name in ("memory", "bank", "memory.md"))
