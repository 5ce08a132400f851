"""Sources for the tests of ingest: files read by the format that takes them, talks in a neutral shape."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from brain.ingest import Input, Skipped
from brain.ingest.formats import choose
from brain.ingest.reading import Draft, Format

CASES = Path(__file__).parent / "cases"
TRANSCRIPTS = CASES / "transcripts"
BUGS = CASES / "bugs"


def read(source: Input) -> tuple[list[Draft], list[Skipped]]:
    """What the format that takes the source finds in it; nothing where none does."""
    format_ = choose(source)
    found = list(format_.read(source)) if isinstance(format_, Format) else []
    return [x for x in found if isinstance(x, Draft)], [x for x in found if isinstance(x, Skipped)]


def read_file(path: Path) -> tuple[list[Draft], list[Skipped]]:
    return read(Input(str(path), path))


def read_text(text: str | bytes) -> tuple[list[Draft], list[Skipped]]:
    return read(Input("-", None, text.encode() if isinstance(text, str) else text))


def lines(values: Iterable[object]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def talk(path: Path) -> str:
    """A talk of the bug cases ({"time", "speaker", "text", "kind"}) as OpenAI messages, one a line."""
    return lines(message for line in path.read_text("utf-8").splitlines() for message in _messages(json.loads(line)))


def _messages(said: dict[str, str | None]) -> list[dict[str, object]]:
    about: dict[str, object] = {"timestamp": said["time"]} if said["time"] else {}
    text = said["text"] or ""
    match said.get("kind"), said["speaker"]:
        case "injected", _:
            return [{"role": "system", "content": text, **about}]
        case "tool", _:
            name, _, result = text.partition(" -> ") if " -> " in text else ("shell", "", text)
            call = {"id": f"call {hash(text)}", "type": "function", "function": {"name": name, "arguments": "{}"}}
            return [
                {"role": "assistant", "content": None, "tool_calls": [call], **about},
                {"role": "tool", "tool_call_id": call["id"], "content": result},
            ]
        case _, "assistant":
            return [{"role": "assistant", "content": text, **about}]
        case _, speaker:
            return [{"role": "user", "name": speaker, "content": text, **about}]


def write_talk(folder: Path, case: str, name: str = "talk") -> Path:
    """The talk of a bug case as a file that ingest reads."""
    path = folder / f"{case}-{name}.jsonl"
    path.write_text(talk(BUGS / case / f"{name}.jsonl"), "utf-8")
    return path
