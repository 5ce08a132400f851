"""`brain ingest` over a large Claude Code history, against a bare `json.loads` over the same lines."""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain.eval.bench.measuring import BARE, brain, run

MEGABYTES = 200
SESSIONS = 1000
_YARDSTICK = """
import json, sys, time
from pathlib import Path
start = time.perf_counter()
for path in sorted(Path(sys.argv[1]).rglob("*.jsonl")):
    with path.open("rb") as file:
        for line in file:
            json.loads(line)
print(time.perf_counter() - start)
"""


def measure(scale: float) -> dict[str, float]:
    """A history of 200 MB in 1,000 sessions, times `scale`; seconds of whole processes, memory in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        history, root, one = Path(folder) / "history", Path(folder) / "brain", Path(folder) / "one.jsonl"
        size = write(history, round(SESSIONS * scale), round(MEGABYTES * 1e6 / SESSIONS))
        write_session(one, 0, round(MEGABYTES * 1e6 * scale))
        bare = run(BARE)
        run(brain("init", str(root)))
        parsed = [_parse(history)]
        first = run(brain("ingest", str(history), "--brain", str(root)))
        parsed.append(_parse(history))
        second = run(brain("ingest", str(history), "--brain", str(root)))
        run(brain("init", str(root) + "2"))
        single = run(brain("ingest", str(one), "--brain", str(root) + "2"))
    return {
        "megabytes": size / 1e6,
        "json_loads_s": min(parsed),
        "first_s": first.seconds,
        "ratio": (first.seconds - bare.seconds) / min(parsed),
        "again_s": second.seconds,
        "again_share": second.seconds / first.seconds,
        "peak_above_bare_mb": first.peak - bare.peak,
        "one_file_s": single.seconds,
        "one_file_peak_above_bare_mb": single.peak - bare.peak,
    }


def _parse(history: Path) -> float:
    return float(run([sys.executable, "-I", "-c", _YARDSTICK, str(history)]).output)


# --- a history, invented and seeded -----------------------------------------------


def write(folder: Path, sessions: int, size: int) -> int:
    """So many sessions of so many bytes each; how many bytes that came to."""
    folder.mkdir(parents=True)
    return sum(write_session(folder / f"{_id(n, 'session')}.jsonl", n, size) for n in range(sessions))


def write_session(path: Path, seed: int, size: int) -> int:
    """One Claude Code file of at least `size` bytes; how many it has."""
    written = 0
    with path.open("wb") as file:
        for line in _lines(seed):
            written += file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            if written >= size:
                return written
    return written


def _id(seed: int, what: object) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"bench:{seed}:{what}"))


def _lines(seed: int) -> Iterator[dict[str, object]]:
    """Prompts, answers, commands with their output (twice, as this host writes it), now and then a picture."""
    rng, at = random.Random(seed), datetime(2026, 1, 5, 9, tzinfo=UTC) + timedelta(hours=7 * seed)
    before: str | None = None
    n = 0
    while True:
        n += 1
        for kind, content, extra in _exchange(rng, n, picture=n % 40 == 0):
            own = _id(seed, (n, kind, len(extra)))
            at += timedelta(seconds=rng.randrange(4, 90))
            yield {
                "parentUuid": before,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/home/nadia/code/tide",
                "sessionId": _id(seed, "session"),
                "version": "2.1.4",
                "gitBranch": "main",
                "type": kind,
                "message": {"role": kind, "content": content, "id": f"msg_{own[:12]}"},
                "uuid": own,
                "timestamp": at.isoformat().replace("+00:00", "Z"),
                **extra,
            }
            before = own


_Message = tuple[str, object, dict[str, object]]


def _exchange(rng: random.Random, n: int, *, picture: bool) -> Iterator[_Message]:
    call = f"toolu_{n}"
    yield "user", _prose(rng, 3), {}
    yield "assistant", [{"type": "text", "text": _prose(rng, 6)}], {"requestId": f"req_{n}"}
    command = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": f"make {rng.choice(_WORDS)}"}}
    yield "assistant", [command], {"requestId": f"req_{n}", "isAnswer": True}
    output = _log(rng, 60)
    result: dict[str, object] = {"type": "tool_result", "tool_use_id": call, "content": output}
    if picture:
        data = rng.randbytes(30_000).hex()
        result["content"] = [{"type": "image", "source": {"type": "base64", "data": data}}]
    yield "user", [result], {"toolUseResult": {"stdout": output, "stderr": ""}}
    yield "assistant", [{"type": "text", "text": _prose(rng, 8)}], {"requestId": f"req_{n}", "isEnd": 1, "n": n}


def _prose(rng: random.Random, sentences: int) -> str:
    return " ".join(" ".join(rng.choices(_WORDS, k=12)).capitalize() + "." for _ in range(sentences))


def _log(rng: random.Random, lines: int) -> str:
    return "\n".join(_LOGGED[rng.randrange(len(_LOGGED))].format(*rng.choices(_WORDS, k=3)) for _ in range(lines))


_WORDS = re.findall(
    r"\w+",
    """gauge harbour reading service table column berth tide forecast deploy branch build cache parser token queue
    window buffer schema retry timeout worker thread signal journal commit index page note session станция прилив""",
)
_LOGGED = (
    "2026-01-05T09:14:22Z INFO {0}.{1}: {2} done in 12.4 ms",
    '  File "src/{0}/{1}.py", line 118, in {2}',
    '-    return self.{0}.get("{1}", {2}=None)',
    '+    return self.{0}["{1}"] if {2} else default',
    "tests/test_{0}.py::test_{1}_{2} PASSED",
    "drwxr-xr-x 2 nadia staff 4096 Jan  5 09:14 {0}_{1}_{2}",
    '    "{0}": {{"{1}": 17, "{2}": [1, 2, 3]}},',
    "error: {0} expected {1}, found {2}",
)
