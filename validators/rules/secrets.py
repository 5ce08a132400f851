"""No key, token or password stands in the memory.

Purpose
    What is once committed stays in git's history and in every clone. Ingest takes secrets out of
    transcripts before they are written; this rule looks again, with the same table of rules
    (brain/redact.toml), at every file that changed, whoever wrote it. A finding names the kind and
    the line and never repeats the secret.

Passes
    The mark that redaction leaves.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - The old password was [secret:password]. [cite:1]

Fails
    A password in an address.

        @ memory/knowledge/people/Ilya Brandt.md
          - 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” …
        + - The pump logs to postgres://ilya:Kp7vR2mQ9x@pump.example/log. [cite:1]
        ! secret

    A key of several lines; the finding is at its first one.

        @ memory/notes/work/Tide clock.md
        + -----BEGIN OPENSSH PRIVATE KEY-----
        ! secret
        + b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz
        + -----END OPENSSH PRIVATE KEY-----
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from brain.redact import redact
from brain.validators.findings import Finding, Reporter, Severity
from brain.validators.pair import Pair

CODES: Mapping[str, tuple[Severity, str]] = {
    "secret": (Severity.ERROR, "A key, token or password that redaction would take out."),
    "secret-in-name": (Severity.ERROR, "A file's path that holds one."),
}

find = Reporter(CODES)


def check(pair: Pair) -> Iterator[Finding]:
    for path in pair.present:
        if redact(path).found:
            # The path would be printed with every finding about it; here it cannot be avoided.
            yield find("secret-in-name", path, 1, "the path holds a secret", "rename the file, and change the secret")
        yield from _check_text(path, pair.staged.text(path))


def _check_text(path: str, text: str) -> Iterator[Finding]:
    whole = redact(text).found
    if not whole:
        return
    lines = text.splitlines(keepends=True)
    left = dict(whole)
    for number, line in enumerate(lines, 1):
        for kind, count in sorted(redact(line).found.items()):
            left[kind] = left.get(kind, 0) - count
            yield _secret(path, number, kind)
    for kind in sorted(kind for kind, count in left.items() if count > 0):
        yield _secret(path, _first_change(lines, redact(text).text), kind)


def _first_change(lines: list[str], redacted: str) -> int:
    """Line on which a secret of several lines begins: up to there both texts are the same."""
    at = 0
    for number, line in enumerate(lines, 1):
        if redacted[at : at + len(line)] != line:
            return number
        at += len(line)
    return len(lines)


def _secret(path: str, line: int, kind: str) -> Finding:
    fix = f"write [secret:{kind}] in its place, and change the secret where it is used"
    return find("secret", path, line, f"this line holds a secret ({kind})", fix)
