"""What a session has taken on since it was stored. Pure; what is stored never loses or changes a word.

Where the source went back and on another way, the old way stays and the new one follows it: nothing
that was cited may go.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from brain.ingest import retold
from brain.model import Session, Text, ToolCall, Turn
from brain.redact import redact


@dataclass(frozen=True, slots=True)
class Merged:
    session: Session
    added: tuple[int, ...]
    """Numbers of the turns that are new."""
    has_grown: bool
    """A stored turn got more blocks, or a call its result."""
    left_behind: int
    """Stored turns that are not on the source's way any more."""
    differing: int
    """Stored turns that the source tells in other words now; they stay as they were stored."""


def merge(old: Session, new: Session) -> Merged:
    """`old` with what `new`, the same session read later, has more."""
    turns = list(old.turns)
    added: list[Turn] = []
    grown = differing = 0
    is_retold = old.source.format != new.source.format
    places = retold.align(old.turns, new.turns) if is_retold else _align(old.turns, new.turns)
    for turn, place in zip(new.turns, places, strict=True):
        if place is None:
            added.append(replace(turn, n=len(turns) + len(added) + 1))
            continue
        both = retold.grown(turns[place], turn) if is_retold else _grown(turns[place], turn)
        grown += both != turns[place]
        differing += not is_retold and not _begins(turns[place], turn)
        turns[place] = both
    behind = places.count(None) and len(old.turns) - (len(places) - places.count(None))
    session = replace(
        old,
        turns=(*turns, *added),
        title=new.title or old.title,
        project=old.project or new.project,
        repository=old.repository or new.repository,
        place=old.place or new.place,
        parent=old.parent or new.parent,
        started=old.started or new.started,
        ended=max(filter(None, (old.ended, new.ended)), default=None) if added or grown else old.ended,
    )
    if session != old:
        session = replace(session, source=retold.source_of(old.source, new.source) if is_retold else new.source)
    return Merged(session, tuple(turn.n for turn in added), grown > 0, behind, differing)


# --- which turn is which ------------------------------------------------------------


def _align(old: tuple[Turn, ...], new: tuple[Turn, ...]) -> list[int | None]:
    """For each new turn the place of the stored one that it is; None: it is not stored.

    Each stored turn is taken once, the next in order first and else any that is left: then everything that was
    added is found again, whatever way the source went, and a second merge adds nothing.
    """
    same = 0
    while same < min(len(old), len(new)) and _begins(old[same], new[same]):
        same += 1
    places: list[int | None] = list(range(same))
    if same == len(new) or same == len(old):
        return places + [None] * (len(new) - same)
    stored: dict[object, list[int]] = defaultdict(list)
    for place in range(same, len(old)):
        stored[_key(old[place])].append(place)
    at = same
    for turn in new[same:]:
        left = stored.get(_key(turn))
        if not left:
            places.append(None)
            continue
        place = left.pop(bisect_left(left, at) % len(left))
        places.append(place)
        at = place + 1
    return places


def _key(turn: Turn) -> object:
    """What makes a turn this one: a time to the fraction of a second alone, else also who and the words.

    The words are read as they would be stored today: a rule for secrets may be younger than the transcript.
    """
    if turn.time is not None and turn.time.microsecond:
        return turn.role, turn.time
    return turn.role, turn.time, turn.speaker, redact(turn.text).text, turn.media


def _begins(old: Turn, new: Turn) -> bool:
    """Whether the new turn is the old one, maybe with more at its end."""
    if (old.role, old.time, old.speaker) != (new.role, new.time, new.speaker) or len(old.blocks) > len(new.blocks):
        return False
    last = len(old.blocks) - 1
    pairs = enumerate(zip(old.blocks, new.blocks, strict=False))
    return all(_goes_on(a, b, is_last=n == last) for n, (a, b) in pairs)


def _goes_on(old: Text | ToolCall, new: Text | ToolCall, *, is_last: bool) -> bool:
    match old, new:
        case Text(before), Text(after):
            return before == after or (is_last and after.startswith(before + "\n"))
        case ToolCall(), ToolCall():
            return (old.name, old.input) == (new.name, new.input) and old.result in (None, new.result)
        case _:
            return False


def _grown(old: Turn, new: Turn) -> Turn:
    """The stored turn with what the new one has more. Where their beginnings differ, only whole blocks come on."""
    if _begins(old, new):
        grown = replace(old, blocks=new.blocks, trust=min(old.trust, new.trust), media=old.media or new.media)
        return replace(grown, quoted=new.quoted) if grown.blocks != old.blocks else grown
    more = new.blocks[len(old.blocks) :]
    if not more or (old.blocks and isinstance(old.blocks[-1], Text) and isinstance(more[0], Text)):
        return old
    return replace(old, blocks=(*old.blocks, *more), trust=min(old.trust, new.trust))


# --- which session is which ----------------------------------------------------------


def is_kin(old: Session, new: Session) -> bool:
    """Whether two sessions of one name are one: half of the words of the shorter stand in the other, line by line."""
    before, after = _lines(old), _lines(new)
    shared = sum(len(line) * count for line, count in (before & after).items())
    return 2 * shared >= min(_size(before), _size(after))


def _lines(session: Session) -> Counter[str]:
    said = (turn.text or "\n".join(call.input for call in turn.tool_calls) for turn in session.turns)
    return Counter(line for text in said for raw in redact(text).text.split("\n") if (line := raw.strip()))


def _size(lines: Counter[str]) -> int:
    return sum(len(line) * count for line, count in lines.items())


def marked_copies(session: Session, added: Iterable[int], others: Iterable[Session]) -> Session:
    """The session with those new turns marked that another one holds already: a resumed session is copied whole."""
    held = {(turn.role, turn.time, turn.text) for other in others for turn in other.turns if turn.time is not None}
    new = set(added)
    turns = tuple(
        replace(turn, derived=True) if turn.n in new and (turn.role, turn.time, turn.text) in held else turn
        for turn in session.turns
    )
    return replace(session, turns=turns)
