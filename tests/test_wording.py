"""How a statement is put into words: whose words they are."""

from __future__ import annotations

import pytest

from brain.config import Person
from brain.dream.wording import NOBODY, speaker_of
from brain.model import Role, Turn

NADIA = Person("Nadia Sorokina", ("Nadia", "Надя"))


@pytest.mark.parametrize(
    ("speaker", "person", "said"),
    [
        (None, NADIA, "Nadia Sorokina"),
        ("Nadia", NADIA, "Nadia Sorokina"),
        ("Надя:", NADIA, "Nadia Sorokina"),
        ("Gleb", NADIA, "Gleb"),
        ("Gleb", Person(), "Gleb"),
        ("Nadia", Person("", ("Nadia",)), "Nadia"),
        (None, Person(), NOBODY),
    ],
)
def test_a_person_goes_by_one_name(speaker: str | None, person: Person, said: str) -> None:
    assert speaker_of(Turn(1, Role.USER, None, speaker=speaker), person) == said
