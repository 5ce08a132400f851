"""Who is asked what: every category as often as it must be, every story about as often as the others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from brain.eval.personas.dice import Dice
from brain.eval.personas.people import Cast, Person
from brain.eval.personas.stories import CATEGORIES, Ask, Story, stories


@dataclass(frozen=True, slots=True)
class Choice:
    """One story that a person lives through, and the one question about it."""

    story: Story
    ask: Ask


def categories(people: int, dice: Dice) -> list[list[str]]:
    """For each person the categories of its questions: each once, some twice, so that the totals fit."""
    extra = [name for name, count in CATEGORIES.items() for _ in range(count - people)]
    given = [[*CATEGORIES] for _ in range(people)]
    most = -(-len(extra) // people)
    for name in dice.order(extra):
        free = [held for held in given if held.count(name) == 1 and len(held) < len(CATEGORIES) + most]
        fewest = min(map(len, free))
        dice.pick([held for held in free if len(held) == fewest]).append(name)
    return given


def choices(person: Person, wanted: list[str], used: Counter[str], dice: Dice) -> list[Choice]:
    """A story for each category; `used` counts them over all people, and is counted on."""
    filled = {lang: frozenset(Cast(person, dice).slots(lang)) | {"project", "project2"} for lang in person.langs}
    found: list[Choice] = []
    own: set[str] = set()
    for category in dice.order(wanted):
        fits = [
            story
            for story in stories()
            if story.name not in own and story.asked(category) and _fits(story, person, filled)
        ]
        fewest = min(used[story.name] for story in fits)
        story = dice.pick([one for one in fits if used[one.name] == fewest])
        own.add(story.name)
        used[story.name] += 1
        found.append(Choice(story, dice.pick(story.asked(category))))
    return found


def _fits(story: Story, person: Person, filled: dict[str, frozenset[str]]) -> bool:
    slots = filled.get(story.lang)
    if slots is None or not story.groups & person.groups:
        return False
    projects = len(person.projects)
    needed = 2 if "project2" in story.needs else int("project" in story.needs)
    return story.needs <= slots and needed <= projects
