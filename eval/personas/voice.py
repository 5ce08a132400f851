"""How a person writes: small letters, typing errors, digressions; and what joins two things said at once."""

from __future__ import annotations

import re
from functools import lru_cache

from brain.eval.personas import script
from brain.eval.personas.dice import Dice
from brain.eval.personas.grammar import Scope
from brain.eval.personas.people import Person

_PASTED = re.compile(r"\n\n(?:```|>|From: |От: )")
_KEPT = re.compile(r"[\d_/`@.:=-]\w|\w[_/`@=]|^\W*[A-Z]{2,}\W*$|^\W*[A-Z][a-z]+[A-Z]")
_ASKS = re.compile(
    r"(?:how|what|which|why|when|where|who|is|are|can|could|should|any|"
    r"как|что|чем|сколько|почему|где|когда|кто|зачем|какой|какие)\b",
    re.IGNORECASE,
)
_START = re.compile(r"(?:^|(?<=[.!?…] )|(?<=\n))([a-zа-яё])")
_LONE_I = re.compile(r"\bi\b(?!\.)")
_ARTICLE = re.compile(r"(\ba|(?:^|(?<=[.!?] ))A) (?=(?:[aeio]|u(?!ni|s))[a-z])(?!one\b|once\b|eu)")


@lru_cache(maxsize=1)
def ways() -> dict[str, tuple[str, ...]]:
    return {block.name: block.lines for block in script.read("ways")}


def way(name: str, lang: str, dice: Dice) -> str:
    """One of the ways in which this is said."""
    return dice.pick(ways()[f"{name}.{lang}"])


@lru_cache(maxsize=2)
def _typos(lang: str) -> dict[str, str]:
    pairs = (entry.strip().split("=") for line in ways()[f"typo.{lang}"] for entry in line.split(" / "))
    return {right: wrong for right, wrong in pairs}


def articles(text: str) -> str:
    """`a aisle` -> `an aisle`."""
    return _ARTICLE.sub(r"\1n ", text)


def sentence(text: str) -> str:
    """With a capital letter at its start."""
    return text[:1].upper() + text[1:]


def stopped(text: str) -> str:
    """With a stop at its end, or a question mark; what ends in something pasted stays."""
    if _PASTED.search(text) or text.rstrip()[-1:] in ".!?…):>`":
        return text
    return f"{text}?" if _ASKS.match(re.split(r"(?<=[.!?…:]) ", text)[-1]) else f"{text}."


def joined(passing: str, words: str, lang: str, a: str, dice: Dice) -> str:
    """Something said in passing, and the words that it is said among; `a`: the ending of a Russian past."""
    line = way("join", lang, dice) if not _PASTED.search(words) else "%\n\n&"
    pattern = Scope({"a": (a,)}, dice, lang).said(line)
    return pattern.replace("%", "\0").replace("&", stopped(words)).replace("\0", stopped(passing))


class Voice:
    """One person's way of writing, in one world: a digression is not told three times."""

    def __init__(self, person: Person, dice: Dice) -> None:
        self.person = person
        self._dice = dice
        self._asides: dict[str, list[str]] = {}

    def dressed(self, text: str, lang: str, is_first: bool) -> str:
        """As this person writes it; what is pasted stays as it was."""
        pasted = _PASTED.search(text)
        own, rest = (text[: pasted.start()], text[pasted.start() :]) if pasted else (text, "")
        if self._dice.chance(42 if is_first else 5):
            own = f"{self._dice.pick(self.person.lines('o', lang))} {own}"
        if not pasted and self._dice.chance(26 if "chatty" in self.person.tone else 12):
            own = self._with_aside(own, lang)
        if not pasted and self._dice.chance(9):
            own = f"{stopped(own)} {self._dice.pick(self.person.lines('e', lang))}"
        return self._typed(own, lang) + rest

    def _with_aside(self, text: str, lang: str) -> str:
        if lang not in self._asides:
            self._asides[lang] = self._dice.order(self.person.lines("s", lang) * 2)
        if not self._asides[lang]:
            return text
        aside = self._asides[lang].pop()
        return f"{stopped(aside)} {text}" if self._dice.chance(40) else f"{stopped(text)} {aside}"

    def _typed(self, text: str, lang: str) -> str:
        tone = self.person.tone
        if "lower" in tone:
            text = " ".join(word if _KEPT.search(word) else word.lower() for word in text.split(" "))
        elif tone & {"polite", "plain"} or self._dice.chance(55):
            text = _START.sub(lambda match: match[1].upper(), text)
            text = _LONE_I.sub("I", text) if lang == "en" else text
        if "typos" in tone:
            text = self._mistyped(text, lang)
        if "nodots" in tone:
            text = text.removesuffix(".")
        if "emoji" in tone and self._dice.chance(22):
            text += f" {self._dice.pick(ways()['emoji'][0].split(' / '))}"
        return text

    def _mistyped(self, text: str, lang: str) -> str:
        wrong = _typos(lang)
        return " ".join(wrong[word] if word in wrong and self._dice.chance(28) else word for word in text.split(" "))
