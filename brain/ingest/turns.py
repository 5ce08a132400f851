"""Pieces -> turns: who speaks, what may be trusted, what is cut; secrets go before anything leaves this module."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from brain.ingest import injected
from brain.ingest.binary import without_binary
from brain.ingest.pieces import Call, Handed, Media, Piece, Result, Words, dumped
from brain.language import quotation
from brain.model import Origin, Role, Text, ToolCall, Trust, Turn
from brain.redact import redact
from brain.transcript import clean_raw, clean_text, cut_result

MAX_RESULT = 1_000_000
"""Characters of one tool result that are kept, head and tail; the rest is cut, and that is counted."""
MAX_INPUT = 8_000
"""Characters of what was given to a tool; a file that an agent wrote lies in the project, not in its memory."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The turns of one session, and what was learnt on the way."""

    turns: tuple[Turn, ...]
    started: datetime | None
    """Of the first message."""
    ended: datetime | None
    """Of the last message."""
    attachments: Mapping[str, bytes]
    """File name -> the whole of a tool result that the turn shows cut."""
    notes: Mapping[str, int]
    """What was cut or left out, in words, and how often."""


@dataclass(slots=True)
class _Open:
    """A turn that may still grow."""

    role: Role
    time: datetime | None
    origin: Origin
    trust: Trust
    speaker: str | None
    blocks: list[str | _Asked] = field(default_factory=list)
    media: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Asked:
    call: Call
    result: Result | None = None
    is_file: bool = False


class Conversation:
    """Takes messages in order and makes turns of them."""

    def __init__(self) -> None:
        self._turns: list[_Open] = []
        self._asked: dict[str, _Asked] = {}
        self._early: dict[str, Result] = {}
        self._times: list[datetime | None] = []
        self.notes: Counter[str] = Counter()
        self._attachments: dict[str, bytes] = {}

    def user(
        self,
        pieces: Iterable[Piece],
        time: datetime | None,
        speaker: str | None = None,
        origin: Origin = Origin.USER,
        trust: Trust = Trust.USER,
    ) -> bool:
        """A message of a person, always a turn of its own; False where it holds no words and nothing else."""
        pieces = list(pieces)
        self.results(pieces)
        parts = [piece.text for piece in pieces if isinstance(piece, Words)]
        words = _visible(parts)
        media = [piece.word for piece in pieces if isinstance(piece, Media)]
        blocks: list[str | _Asked] = [words] if words else []
        blocks += [_handed(piece) for piece in pieces if isinstance(piece, Handed)]
        if not blocks and not media:
            return False
        self._times.append(time)
        self._turns.append(_Open(Role.USER, time, origin, trust, speaker, blocks, media))
        return True

    def assistant(self, pieces: Iterable[Piece], time: datetime | None, speaker: str | None = None) -> bool:
        """What an agent said or asked a tool for; goes on with its turn until a person speaks."""
        blocks: list[str | _Asked] = []
        for piece in pieces:
            if isinstance(piece, Words) and (words := _visible([piece.text])):
                blocks.append(words)
            elif isinstance(piece, Call) and (not piece.id or piece.id not in self._asked):
                blocks.append(self._ask(piece))
            elif isinstance(piece, Result):
                self.results([piece])
        if not blocks:
            return False
        self._times.append(time)
        if not self._turns or self._turns[-1].role is Role.USER:
            self._turns.append(_Open(Role.ASSISTANT, time, Origin.ASSISTANT, Trust.AGENT, speaker))
        self._turns[-1].blocks += blocks
        return True

    def _ask(self, call: Call) -> _Asked:
        asked = _Asked(call, self._early.pop(call.id, None) if call.id else None)
        if call.id:
            self._asked[call.id] = asked
        return asked

    def results(self, pieces: Iterable[Piece]) -> None:
        """Pair results with their calls by id; one that comes before its call waits for it."""
        for piece in pieces:
            if not isinstance(piece, Result):
                continue
            asked = self._asked.get(piece.id)
            if asked is None:
                self._early[piece.id] = piece
            elif asked.result is None:
                asked.result = piece

    @property
    def has_turns(self) -> bool:
        return bool(self._turns)

    def finish(self) -> Talk:
        if self._early:
            self.notes["results without their call"] += len(self._early)
        turns = tuple(self._turn(n, opened) for n, opened in enumerate(self._turns, 1))
        return Talk(
            turns=turns,
            started=self._times[0] if self._times else None,
            ended=self._times[-1] if self._times else None,
            attachments=self._attachments,
            notes=dict(self.notes),
        )

    def clean(self, text: str) -> str:
        """Words as they may be written: secrets out, no outer blank lines, no NUL and no half characters."""
        return clean_text(_raw(text)).strip()

    def _turn(self, n: int, opened: _Open) -> Turn:
        blocks = tuple(self._blocks(opened.blocks))
        calls = [block for block in blocks if isinstance(block, ToolCall)]
        is_person = opened.role is Role.USER
        return Turn(
            n=n,
            role=opened.role,
            time=opened.time,
            blocks=blocks,
            origin=opened.origin,
            trust=_trust(blocks, opened.trust),
            speaker=self.line(opened.speaker or "") or None,
            derived=bool(blocks) and all(call.derived for call in calls) and len(calls) == len(blocks),
            media=tuple(opened.media),
            quoted=_quoted(blocks) if opened.origin is Origin.USER or (is_person and opened.speaker) else (),
        )

    def line(self, text: str) -> str:
        """A name or a title: one line, without secrets, of a length that fits a heading."""
        return " ".join(self.clean(text).split())[:200].strip()

    def _blocks(self, opened: list[str | _Asked]) -> Iterator[Text | ToolCall]:
        held: list[str] = []
        for block in opened:
            if isinstance(block, str):
                held.append(block)
                continue
            yield from self._text(held)
            held = []
            yield self._call(block)
        yield from self._text(held)

    def _text(self, held: list[str]) -> Iterator[Text]:
        text = self.clean("\n\n".join(held))
        if text:
            yield Text(text)

    def _call(self, asked: _Asked) -> ToolCall:
        name = self.line(asked.call.name) or "unknown"
        given = self._input(asked.call.input)
        if asked.result is None:
            return ToolCall(name, given)
        text = self._kept(asked.result.text)
        attachment = f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.txt"
        cut = cut_result(text, attachment)
        if cut.whole is not None:
            self._attachments[attachment] = cut.whole.encode()
        return ToolCall(
            name,
            given,
            cut.shown,
            is_error=asked.result.is_error,
            attachment=attachment if cut.whole is not None else None,
            derived=not asked.is_file and (injected.is_memory_call(name, given) or injected.is_memory_text(text)),
            is_file=asked.is_file,
        )

    def _input(self, value: object) -> str:
        """Each text in it is read on its own first: in JSON the end of a line is no end of a secret."""
        try:
            value = self._each_text(value)
        except RecursionError:
            self.notes["tool inputs that are nested too deep"] += 1
        text = _raw(dumped(value))
        if len(text) <= MAX_INPUT:
            return text
        self.notes["tool inputs cut to head and tail"] += 1
        gone = len(text) - MAX_INPUT
        return f"{text[: MAX_INPUT * 3 // 4]}\n… {gone} characters cut …\n{text[-MAX_INPUT // 4 :]}"

    def _each_text(self, value: object) -> object:
        if isinstance(value, str):
            return self._kept(value)
        if isinstance(value, list):
            return [self._each_text(item) for item in value]
        if isinstance(value, dict):
            return {key: self._each_text(item) for key, item in value.items()}
        return value

    def _kept(self, text: str) -> str:
        """Without secrets, and of what is too long head and tail: cut twice, so that no secret lies on the last cut."""
        if len(text) <= MAX_RESULT:
            return _raw(text)
        self.notes["tool texts of more than a million characters cut to head and tail"] += 1
        return _ends(_raw(_ends(text, 4 * MAX_RESULT)), MAX_RESULT)


def _handed(piece: Handed) -> _Asked:
    return _Asked(Call("", piece.name or "file", ""), Result("", piece.text), is_file=True)


def _quoted(blocks: Iterable[Text | ToolCall]) -> tuple[quotation.Passage, ...]:
    return quotation.passages("\n\n".join(block.text for block in blocks if isinstance(block, Text)))


def _ends(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    return f"{text[: length // 2]}\n… {len(text) - length} characters cut …\n{text[-(length // 2) :]}"


def _raw(text: str) -> str:
    return redact(without_binary(clean_raw(text))).text


def _visible(parts: Iterable[str]) -> str:
    kept = (injected.without_memory(clean_raw(part)).strip() for part in parts)
    return "\n\n".join(part for part in kept if part)


def _trust(blocks: Iterable[Text | ToolCall], own: Trust) -> Trust:
    """Words have the label of the worst that had been read in this turn before they were written."""
    lowest = label = own
    for block in blocks:
        if isinstance(block, Text):
            label = min(label, lowest)
        elif block.result is not None:
            lowest = min(lowest, block.trust)
    return label
