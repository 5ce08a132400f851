"""How a sentence becomes a statement that reads alone, and how a statement is read back.

Invariants: every word of a statement stands in a turn; what is added (a day, what a pronoun stands for) stands in
brackets beside the words and never instead of them; marks of the wiki (links, citations, remarks) lose their power.
"""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from brain.config import Person
from brain.dream.hearing import Heard
from brain.dream.subjects import NOBODY
from brain.language import dates
from brain.model import ToolCall, Turn

AGENT = "The agent"

_STATEMENT = re.compile(r"^(?P<who>[^“”]{1,120}?): “(?P<words>.*)”$", re.DOTALL)
_DAY = r"(?:\d{4}(?:-\d\d){0,2}(?: (?:–|or) \d{4}(?:-\d\d){0,2})*|date unknown)"
_ADDED_DAY = re.compile(rf" \({_DAY}\)")
_LINK = re.compile(r"!?\[\[([^\[\]|]*\|)?([^\[\]]*)\]\]")
_CITE = re.compile(r"\[(cite):(\d+)\]", re.IGNORECASE)
_BLOCK_ID = re.compile(r"\s\^([a-z0-9]{4,8})\s*$")
_ADDRESS = re.compile(r"https?://([\w.-]+)")
_REMARK = re.compile(r"<!--|-->")


def statement(speaker: str, words: str) -> str:
    """`Nadia: “I prefer short answers.”`"""
    return f"{speaker}: “{words}”"


def read(text: str) -> tuple[str, str]:
    """(speaker, words) of a statement; ("", the text) of one of another form."""
    match = _STATEMENT.match(text)
    return (match["who"], match["words"]) if match else ("", text)


def bare(words: str) -> str:
    """The words as they were said: without the days that were added."""
    return _ADDED_DAY.sub("", words)


def words_of(heard: Heard, at: datetime | None, zone: ZoneInfo) -> str:
    """The words of a sentence so that they read alone: pronoun explained, days worked out; else with those before."""
    taken = harmless(_explained(heard))
    if heard.is_dangling and heard.before is not None:
        taken = f"{harmless(_explained(heard.before))} {taken}"
    return dates.annotate(taken, at, zone)


def harmless(text: str) -> str:
    """The text without power in a wiki file: its links, citations, block ids and remarks are plain words."""
    text = _LINK.sub(lambda m: m[2], text).replace("[[", "[").replace("]]", "]")
    text = _CITE.sub(r"(\1 \2)", text)
    text = _REMARK.sub("", _BLOCK_ID.sub(r" \1", text))
    return " ".join(text.split())


def speaker_of(turn: Turn, person: Person) -> str:
    """Who said a user's turn: as the source names them, else the person of the brain, else "The user"."""
    named = harmless(turn.speaker or "").strip(":")
    is_theirs = not named or named in person.aliases
    return (person.name if is_theirs else "") or named or NOBODY


def address_of(call: ToolCall) -> str:
    """The host that a tool asked; "" where it asked none."""
    match = _ADDRESS.search(call.input)
    return harmless(match[1]) if match else ""


def _explained(heard: Heard) -> str:
    if heard.subject is None:
        return heard.text
    if heard.object:
        return _inserted(heard.text, heard.row[heard.subject.end + 1].end, heard.object)
    return _inserted(heard.text, heard.row[heard.subject.start].end, heard.antecedent)


def _inserted(text: str, at: int, words: str) -> str:
    return f"{text[:at]} ({words}){text[at:]}" if words else text


def cut(text: str, length: int) -> str:
    """At most so many characters, cut between words."""
    if len(text) <= length:
        return text
    return text[: length - 1].rsplit(" ", 1)[0].rstrip(" ,;:—–-") + "…"
