"""`grep -r` over 2,000 files: a plain copy, a naive file system across a network, and `brain mount` across the same."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from brain import config, layout
from brain.store import Store

FILES = 2000
FOLDER = 50
"""Files in each folder."""
BYTES = 4096
ROUND_TRIP = 0.002
"""Seconds."""
ROUNDS = 7
_AT = datetime(2026, 1, 1, tzinfo=UTC)
_GREP = ("grep", "-r", "no such words", ".")
_WORDS = "gauge harbour table column berth tide deploy branch cache token станция прилив лодка copper lantern"


def measure(scale: float) -> dict[str, float]:
    """2,000 pages of 4 KB times `scale`; every pass over a mount beside passes over the plain copy."""
    files = max(FOLDER, round(FILES * scale))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        root = folder / "brain"
        _build(root, files)
        plain, mounted = folder / "plain", folder / "mounted"
        fetched = root / layout.LOCAL / "mount"
        shutil.copytree(root / layout.MEMORY, plain / layout.MEMORY)
        rounds = [_round(plain, _Server("brain", root, mounted), fetched) for _ in range(ROUNDS)]
        again = [_round(plain, _Server("brain", root, mounted), None) for _ in range(ROUNDS)]
        naive = _round(plain, _Server("naive", plain, mounted), None, plain_passes=20)
    return {
        "files": files,
        "round_trip_s": ROUND_TRIP,
        "plain_s": statistics.median(one.plain for one in rounds),
        **_figures("mount", rounds, files),
        **_figures("mount_fetched_before", again, files),
        **_figures("naive", [naive], files),
    }


@dataclass(frozen=True, slots=True)
class _Round:
    """Seconds of one mount's first and next passes, and of the plain copy beside them."""

    passes: tuple[float, ...]
    """Over the plain copy."""
    first: float
    after: float
    requests: tuple[Mapping[str, int], Mapping[str, int]]
    """Of the first pass and of the next."""

    @property
    def plain(self) -> float:
        return statistics.median(self.passes)


@dataclass(frozen=True, slots=True)
class _Server:
    kind: str
    place: Path
    folder: Path

    @contextlib.contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        """Mounted, and unmounted at the end."""
        self.folder.mkdir(exist_ok=True)
        line = [sys.executable, "-m", "brain.eval.bench.mounted", self.kind, str(self.place), str(self.folder)]
        with subprocess.Popen(
            [*line, str(ROUND_TRIP)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            server.stdout.readline()
            yield server
            server.terminate()


def _round(plain: Path, server: _Server, forget: Path | None, plain_passes: int = 5) -> _Round:
    """`forget`: what was fetched before, to be fetched again."""
    if forget is not None:
        shutil.rmtree(forget, ignore_errors=True)
    with server.running() as process:
        _requests(process)
        before = [_grepped(plain) for _ in range(plain_passes)]
        first = _grepped(server.folder)
        asked = _requests(process)
        after = _grepped(server.folder)
        asked_after = _requests(process)
        beside = [_grepped(plain) for _ in range(plain_passes)]
    return _Round((*before, *beside), first, after, (asked, asked_after))


def _figures(name: str, rounds: list[_Round], files: int) -> dict[str, float]:
    median = statistics.median
    best = min(min(one.passes) for one in rounds)
    return {
        f"{name}_first_s": median(one.first for one in rounds),
        f"{name}_after_s": median(one.after for one in rounds),
        f"{name}_first_ratio": median(one.first / one.plain for one in rounds),
        f"{name}_after_ratio": median(one.after / one.plain for one in rounds),
        f"{name}_first_ratio_best": min(one.first for one in rounds) / best,
        f"{name}_after_ratio_best": min(one.after for one in rounds) / best,
        f"{name}_first_requests_a_file": rounds[0].requests[0]["source"] / files,
        f"{name}_after_requests_a_file": rounds[0].requests[1]["source"] / files,
        f"{name}_first_kernel_requests_a_file": rounds[0].requests[0]["kernel"] / files,
        f"{name}_after_kernel_requests_a_file": rounds[0].requests[1]["kernel"] / files,
    }


def _requests(server: subprocess.Popen[str]) -> dict[str, int]:
    """Since the last time: what the kernel asked of the server, and the server across the network."""
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write("\n")
    server.stdin.flush()
    return dict(json.loads(server.stdout.readline()))


def _grepped(folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(_GREP, cwd=folder, check=False)
    return time.perf_counter() - start


def _build(root: Path, files: int) -> None:
    rng = random.Random(7)
    pages = {
        f"{layout.KNOWLEDGE}/topic-{n // FOLDER:03d}/page-{n:05d}.md": _page(rng, n).encode()[:BYTES]
        for n in range(files)
    }
    store = Store.init(root, toml=config.default_toml("UTC", "Nadia"), at=_AT)
    head = store.head()
    commit = store.write(pages, base=head, message="Pages", command="bench", run_id="bench", at=_AT)
    store.advance(commit, head)
    store.close()


def _page(rng: random.Random, n: int) -> str:
    lines = (" ".join(rng.choices(_WORDS.split(), k=11)) for _ in range(BYTES // 50))
    return "\n".join((f"# Page {n}", "", *lines))
