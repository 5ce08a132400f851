"""Names in a sentence: of people, places, organisations, tools, and what is written like one.

A name is a run of capitalised words, something in quotation marks, an identifier (SKV-3, tidewater.db), or words that
are known to be a name. A capital at the start of a sentence counts only where something else speaks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from brain.language import chunks
from brain.language.rules import Rules
from brain.language.words import Word

Known = Callable[[Sequence[Word], int], int]
"""How many words from this place on are a known name; 0: none."""

_QUOTED = re.compile(
    r"«([^«»\n]{2,60})»|“([^“”\n]{2,60})”|(?<!\w)[\"'‘]([^\"'‘’\n]{2,60})[\"'’](?!\w)|`([^`\n]{2,60})`"
)
_IDENTIFIER = re.compile(r"[^\W\d_]+-\d+|[^\W\d_]{2,}\d+|\w+(?:_\w+)+|[a-z]+[A-Z]\w*|[\w-]+\.(?:[a-z]{1,4})\b")
_JOINING = frozenset({"of", "de", "van", "von", "der", "den", "la", "le", "du", "bin"})
_MAX_QUOTED = 5
_LONGEST_ADDRESS = 2
_APART = (",", "!", "?", ".", "…", ";", ":", "—", "–", ")")
KINDS = ("person", "organisation", "place", "tool", "project")


@dataclass(frozen=True, slots=True)
class Mention:
    """One name in one sentence."""

    name: str
    """As written, without what is said of it (Aunt, 's)."""
    start: int
    end: int
    """Places of its words in the row; the end is exclusive."""
    hints: tuple[str, ...] = ()
    """Kinds that its neighbours speak for."""
    introduced: bool = False
    """The sentence gives it this name: called, named."""
    addressed: bool = False
    """The sentence is spoken to it and says nothing of it: `Hey Mel, …`."""
    apart: bool = False
    """It stands at the beginning or the end, behind a comma: spoken to, if that is one of those who speak here."""


def mentions(text: str, row: Sequence[Word], rules: Rules, known: Known) -> tuple[Mention, ...]:
    """The names in a sentence, in order, none within another."""
    quoted = {row_start: row_end for row_start, row_end in _quoted(text, row, rules)}
    found: list[Mention] = []
    at = 0
    while at < len(row):
        end = quoted.get(at) or max(at + known(row, at), _run(text, row, at, rules))
        if end > at:
            found += _mention(text, row, (at, end), rules)
        at = max(end, at + 1)
    return tuple(found)


def _mention(text: str, row: Sequence[Word], span: tuple[int, int], rules: Rules) -> Iterator[Mention]:
    start, end = span
    while start < end - 1 and row[start].low.rstrip(".") in rules.lists["titles"]:
        start += 1
    name = text[row[start].start : row[end - 1].end]
    name = re.sub(r"['’]s$", "", name)
    if sum(c.isalpha() for c in name) > 1 and not _is_common(row[start:end], rules):
        introduced = any(row[place].low in rules.lists["naming"] for place in range(max(0, start - 3), start))
        apart = end - start <= _LONGEST_ADDRESS and not row[end - 1].low.endswith("'s")
        greeted = apart and _is_greeted(text, row, (start, end), rules)
        apart = apart and _is_apart(text, row, (start, end))
        addressed = greeted or (apart and _is_to_somebody(text, row, rules))
        yield Mention(name, start, end, tuple(_hints(row, start, end, rules)), introduced, addressed, apart)


def _is_greeted(text: str, row: Sequence[Word], span: tuple[int, int], rules: Rules) -> bool:
    """`Hey Mel`, `Thanks, Mel!`: nothing before it but what one says to people."""
    start, end = span
    if not start or not all(rules.has("addressing", word.low) for word in row[:start]):
        return False
    follows = text[row[end - 1].end :].lstrip()[:1]
    return end == len(row) or follows in _APART or rules.has("greets", row[start - 1].low)


def _is_apart(text: str, row: Sequence[Word], span: tuple[int, int]) -> bool:
    """`Mel, did you …?`, `That's great, Mel!`; no row of names."""
    start, end = span
    follows = text[row[end - 1].end :].lstrip()[:1]
    if not start:
        return follows == "," and end < len(row) and not row[end].is_capitalised
    before = text[row[start - 1].end : row[start].start]
    return (end == len(row) or follows in _APART) and "," in before and not row[start - 1].is_capitalised


def _is_to_somebody(text: str, row: Sequence[Word], rules: Rules) -> bool:
    spoken = any(rules.has("second_person", word.low) for word in row) or text.rstrip()[-1:] in ("?", "!")
    return spoken or rules.has("addressing", row[0].low)


def _is_common(words: Sequence[Word], rules: Rules) -> bool:
    """A capital that makes no name: Day (3), Mom, Option (A)."""
    if len(words) > 1:
        return False
    low = words[0].low.removesuffix("'s")
    if words[0].text.islower() and low in rules.function_words:
        return True
    return any(low in rules.lists[name] for name in ("vague", "kin", "chatter", "organisation", "tool_nouns"))


def _quoted(text: str, row: Sequence[Word], rules: Rules) -> Iterator[tuple[int, int]]:
    """Short things in quotation marks that begin like a name and are no sentence."""
    for match in _QUOTED.finditer(text):
        group = next(n for n in (1, 2, 3, 4) if match[n])
        inside = [place for place, word in enumerate(row) if match.start(group) <= word.start < match.end(group)]
        words = [row[place] for place in inside]
        if not words or len(words) > _MAX_QUOTED or match[group][-1] in ".!?,":
            continue
        if group == 4 or (words[0].is_capitalised and not _is_plain(words[0], rules) and not match[group].isupper()):
            yield inside[0], inside[-1] + 1


def _run(text: str, row: Sequence[Word], at: int, rules: Rules) -> int:
    """Where the capitalised run that begins at `at` ends; `at` where none begins."""
    word = row[at]
    if _IDENTIFIER.fullmatch(word.text.removesuffix("'s")):
        return at + 1
    if not _is_name_word(word, rules) or _is_opening_verb(row, at, rules):
        return at
    end = _run_end(text, row, at, rules)
    if at > 0 and not _begins_clause(text, row, at):
        return end
    return end if _is_sure(text, row, (at, end), rules) else at


def _is_opening_verb(row: Sequence[Word], at: int, rules: Rules) -> bool:
    """ "Helped Kasper": a capital that the sentence gives to its verb."""
    follows = at + 1 < len(row) and row[at + 1].is_capitalised
    is_verb = chunks.is_verb(row, 0, rules) if rules.has_cases else row[0].low in rules.verb_forms
    return at == 0 and follows and is_verb


def _run_end(text: str, row: Sequence[Word], at: int, rules: Rules) -> int:
    end = at + 1
    while end < len(row) and not row[end - 1].low.endswith("'s"):
        gap = text[row[end - 1].end : row[end].start]
        if gap != " " and not (gap == ". " and row[end - 1].low in rules.lists["titles"]):
            break
        if _is_name_word(row[end], rules) or (row[end].text.isupper() and len(row[end].text) == 1):
            end += 1
        elif row[end].low in _JOINING and end + 1 < len(row) and _is_name_word(row[end + 1], rules):
            end += 2
        else:
            break
    return end


def _is_name_word(word: Word, rules: Rules) -> bool:
    text = word.text.removesuffix("'s").removesuffix("’s")
    if not text[0].isupper() or (text.isupper() and len(text) > 1 and text.isalpha()):
        return False
    return not _is_plain(word, rules)


def _is_plain(word: Word, rules: Rules) -> bool:
    return word.low in rules.function_words or word.low.removesuffix("'s") in rules.lists["not_names"]


def _begins_clause(text: str, row: Sequence[Word], at: int) -> bool:
    """True after a colon, a bracket or a quotation mark, where a capital says nothing."""
    return text[row[at - 1].end : row[at].start].rstrip()[-1:] in (":", "(", '"', "“", "«", ".", "!", "?", "—", "*")


def _is_sure(text: str, row: Sequence[Word], span: tuple[int, int], rules: Rules) -> bool:
    """A capital where every sentence has one: sure in a run of two, before a person's verb, after a person's title."""
    start, end = span
    if end - start > 1 or (rules.script != "latin" and row[start].text.isascii()):
        return True
    follows = next((word.low for word in row[end : end + 2] if not rules.has("adverbs", word.low)), "")
    possessive = row[end - 1].low.endswith("'s")
    return follows in rules.lists["person_verbs"] or (possessive and row[start].low[:-2] not in rules.lists["verbs"])


def _hints(row: Sequence[Word], start: int, end: int, rules: Rules) -> Iterator[str]:
    lists = rules.lists
    before = [word.low for word in row[max(0, start - 3) : start]]
    yield from ("person" for told in _person_hints(row, (start, end), before, rules) if told)
    last = before[-1] if before else ""
    if not lists["organisation"].isdisjoint({row[end - 1].low, row[start].low, last}):
        yield "organisation"
    if last in lists["at_work"] and any(word in lists["working"] for word in before):
        yield from ("organisation",) * 3
    elif not row[end - 1].low.endswith("'s") and _is_place(last, before, rules):
        yield "place"
    if last in lists["tool_prepositions"] or not lists["tool_nouns"].isdisjoint(before):
        yield "tool"
    if not lists["animal_nouns"].isdisjoint(before):
        yield "animal"
    if last in lists["project_nouns"]:
        yield "project"


def _is_place(last: str, before: Sequence[str], rules: Rules) -> bool:
    """In Porto, near Porto; to and from somebody or somewhere, so only where one goes or comes."""
    lists = rules.lists
    goes = last in lists["ways"] and not lists["going"].isdisjoint(before)
    return last in lists["place_prepositions"] or goes


def _person_hints(row: Sequence[Word], span: tuple[int, int], before: Sequence[str], rules: Rules) -> Iterator[bool]:
    start, end = span
    lists = rules.lists
    after = row[end].low if end < len(row) else ""
    told = {word.low for word in row[end + 1 : end + 6]}
    yield bool(before) and (before[-1] in lists["titles"] or before[-1] in lists["kin"])
    gives_name = after in lists["naming"] and end + 1 < len(row) and row[end + 1].is_capitalised
    yield after in lists["person_verbs"] and not gives_name
    yield bool(before) and before[-1] in lists["done_to_people"]
    yield after in lists["being"] and not (told.isdisjoint(lists["kin"]) and told.isdisjoint(lists["roles"]))
    yield start <= 2 and any(word.low in lists["he_or_she"] for word in row[end : end + 12])
