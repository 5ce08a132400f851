"""The rule secrets: found at its line, named by its kind, never printed."""

from __future__ import annotations

import pytest
from trees import (
    AUGUST,
    CLOCK,
    ILYA,
    KESTREL,
    MARINA,
    SEPTEMBER,
    SHORT,
    WORKSHOP,
    Files,
    check,
    edited,
    line_with,
    pair,
    tree,
    world,
)

from brain.validators.gate import Pair
from brain.validators.rules import secrets

# Put together here, so that no scanner of this repository takes them for real ones.
TOKEN = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "QW3ERTY4UIOP5ASD"
OPENAI = "sk" + "-proj-" + "Zx9Cv8Bn7Mm6Aa5Ss4Dd3Ff2Gg1Hh0Jj9Kk8Ll7Qq6Ww5Ee"
ADDRESS = "postgres://ilya:" + "Kp7vR2mQ9x" + "@pump.example/log"
BEARER = "Authorization: Bearer " + "Zx9Cv8Bn7Mm6Aa5Ss4Dd3Ff2Gg1Hh0"
CARD = "4111 1111 " + "1111 1111"
JWT = "eyJhbGciOiJIUzI1NiJ9xx" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0abcd." + "dBjftJeZ4CVPmB92K27uhbUJU1p1rwW1gFWFOEjXk00"
SLACK = "xoxb" + "-123456789012-123456789012-" + "a1B2c3D4e5F6g7H8i9J0k1L2"
PASSWORD = "My password for the pump is " + "Kestrel!42x" + ", says Ilya."
RUSSIAN = "пароль: " + "Ветер!42x"
KEY = (
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\n-----END OPENSSH PRIVATE KEY-----"
)

PLACES = [
    (ILYA, "at Kestrel Audio since September 2026. [cite:2]"),
    (ILYA, "“Ilya works at the pier on Fridays.”"),
    (ILYA, "where he works\n"),
    (MARINA, "Марина чинит часы на пристани. [cite:1]"),
    (KESTREL, "“Founded in 2011 by two sailors.”"),
    (WORKSHOP, "key: under the third flower pot"),
    (CLOCK, "shoe size: 44"),
    (SHORT, "long text goes to files.”"),
    (f"{AUGUST}/transcript.md", "Booked for Friday at ten."),
    (f"{SEPTEMBER}/attachments/t4-r1.txt", "line 30 of the log"),
    (f"{AUGUST}/summary.md", "Ilya works at Lumen Lab."),
    ("DREAM.md", "the language of the source."),
    ("dreams/2026-09-15T030000Z.md", "Two sessions, seven pages."),
]
SECRETS = [TOKEN, AWS, OPENAI, ADDRESS, BEARER, CARD, JWT, SLACK, PASSWORD, RUSSIAN]


@pytest.mark.parametrize(("path", "after"), PLACES)
def test_found_wherever_it_stands(path: str, after: str) -> None:
    staged = edited(world(), path, after, f"{after} {TOKEN}")
    finds = [(path, line_with(staged, path, TOKEN), "secret")]
    check(secrets, staged, finds)
    check(secrets, staged, finds, base=world())


@pytest.mark.parametrize("secret", SECRETS)
def test_every_kind_is_found_and_none_is_printed(secret: str) -> None:
    staged = edited(world(), ILYA, "where he works\n", f"where he works\n\n{secret}\n")
    found = check(secrets, staged, [(ILYA, line_with(staged, ILYA, secret), "secret")])
    told = " ".join(map(str, found))
    assert not any(word in told for word in secret.split() if any(map(str.isdigit, word)))


def test_a_key_of_several_lines_is_found_at_its_first() -> None:
    staged = edited(world(), CLOCK, "· ended\n", f"· ended\n\n{KEY}\n")
    check(secrets, staged, [(CLOCK, line_with(staged, CLOCK, "BEGIN OPENSSH"), "secret")])


def test_two_lines_are_two_findings() -> None:
    staged = edited(world(), CLOCK, "· ended\n", f"· ended\n\n{TOKEN}\n{AWS}\n")
    line = line_with(staged, CLOCK, TOKEN)
    check(secrets, staged, [(CLOCK, line, "secret"), (CLOCK, line + 1, "secret")])


def test_the_kind_is_named() -> None:
    staged = edited(world(), CLOCK, "· ended\n", f"· ended\n\n{TOKEN}\n")
    found = list(secrets.check(pair(staged)))
    assert "github-token" in found[0].message
    assert "[secret:github-token]" in found[0].fix


def test_a_name_of_a_file_may_hold_one() -> None:
    path = f"memory/knowledge/tools/{TOKEN}.md"
    found = list(secrets.check(pair(world() | {path: "words\n"}, world())))
    assert [(f.path, f.code) for f in found] == [(path, "secret-in-name")]


def test_a_clean_tree_gives_nothing() -> None:
    check(secrets, world())


@pytest.mark.parametrize(
    "words",
    [
        "[secret:github-token]",
        "the password is wrong!",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "AKIAIOSFODNN7EXAMPLE",
        "quote: 9f3a1c22b4d0/412",
        "пароль от сервера забыт",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)
def test_harmless_words_pass(words: str) -> None:
    check(secrets, edited(world(), ILYA, "where he works\n", f"where he works\n\n{words}\n"))


def test_what_did_not_change_is_not_looked_at() -> None:
    old: Files = edited(world(), ILYA, "where he works\n", f"where he works\n\n{TOKEN}\n")
    check(secrets, old, base=old)


def test_bytes_that_are_no_text_are_looked_at_too() -> None:
    files: dict[str, str | bytes] = dict(world())
    files[f"{SEPTEMBER}/attachments/t4-r1.txt"] = b"\xff\xfe\n" + TOKEN.encode() + b"\n"
    found = list(secrets.check(Pair(None, tree(files))))
    assert [(f.line, f.code) for f in found] == [(2, "secret")]
