"""Several processes read; what comes of it is what one process makes of it, byte for byte, whatever happens to them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from brain import config
from brain.eval.bench.ingest import write
from brain.git import Git
from brain.ingest import ahead, ingest
from brain.ingest.options import Options
from brain.ingest.source import Input
from brain.ingest.taken import IngestResult
from brain.store import Store

NOW = datetime(2026, 12, 1, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some") / "history"
    write(folder, 8, 60_000)
    (folder / "notes.bin").write_bytes(b"\0\1\2" * 50)
    (folder / "broken.jsonl").write_bytes(b'{"type": "user"\n' + min(folder.glob("*.jsonl")).read_bytes()[:100])
    (folder / "empty.jsonl").write_bytes(b"")
    return folder


@pytest.fixture
def taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[IngestResult, str]]:
    monkeypatch.setattr(ahead, "WORTH", 0)

    def take(name: str, sources: list[Path], jobs: int, watch: object = None) -> tuple[IngestResult, str]:
        root = tmp_path / name
        root.mkdir(exist_ok=True)
        if not (root / ".git").exists():
            git = Git(root)
            git.init()
            git.close()
            Store.init(root, toml=config.default_toml("UTC", "Nadia"), at=NOW).close()
        store = Store.open(root)
        result = ingest(store, sources, now=NOW, options=Options(jobs=jobs), watch=watch)  # type: ignore[arg-type]
        head = store.head() or ""
        store.close()
        return result, head

    return take


def test_two_processes_make_the_same_commit_and_say_the_same(
    taken: Callable[..., tuple[IngestResult, str]], history: Path
) -> None:
    one, alone = taken("one", [history], 1)
    two, together = taken("two", [history], 2)
    assert together == alone
    assert (two.sessions, two.skipped, two.secrets) == (one.sessions, one.skipped, one.secrets)
    assert len(one.sessions) == 8 and len(one.skipped) >= 1


def test_what_was_read_is_not_handed_over_again(
    taken: Callable[..., tuple[IngestResult, str]], history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = taken("again", [history], 2)
    monkeypatch.setattr(ahead, "_handed_over", lambda source, format_, pool: _nothing(source, format_))
    result, second = taken("again", [history], 2)
    assert second == first
    assert not any(session.is_new or session.has_changed for session in result.sessions)


def _nothing(source: Input, format_: object) -> ahead._Waiting:
    assert format_ is None or "broken" in source.name, source.name
    return ahead._Waiting(source, format_, None)  # type: ignore[arg-type]


def test_a_process_that_is_killed_costs_nothing_but_time(
    taken: Callable[..., tuple[IngestResult, str]], history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, alone = taken("calm", [history], 1)
    made: list[ahead.ProcessPoolExecutor] = []
    real = ahead.ProcessPoolExecutor

    def pool(*given: object) -> ahead.ProcessPoolExecutor:
        made.append(real(*given))  # type: ignore[arg-type]
        return made[0]

    def kill_one(sources: Iterable[Input]) -> Iterable[Input]:
        for n, source in enumerate(sources):
            if n == 4:
                for pid in list(made[0]._processes):
                    os.kill(pid, signal.SIGKILL)
            yield source

    monkeypatch.setattr(ahead, "ProcessPoolExecutor", pool)
    result, together = taken("killed", [history], 2, kill_one)
    assert together == alone
    assert len(result.sessions) == 8


def test_a_file_that_vanishes_is_told(
    taken: Callable[..., tuple[IngestResult, str]], history: Path, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    for path in sorted(history.glob("*.jsonl")):
        (copies / path.name).write_bytes(path.read_bytes())
    gone = sorted(path for path in copies.glob("*.jsonl") if path.stat().st_size > 1000)[-1]

    def lose(sources: Iterable[Input]) -> Iterable[Input]:
        for source in sources:
            if source.path == gone:
                assert source.head and source.sha256
                gone.unlink()
            yield source

    result, _ = taken("lost", [copies], 2, lose)
    assert len(result.sessions) == 7
    assert any(str(gone) == skipped.source and "not read to its end" in skipped.why for skipped in result.skipped)
