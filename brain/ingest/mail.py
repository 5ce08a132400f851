"""One mail as a document: its sender is the speaker, its date the time, what hangs on it comes as files."""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime

from brain.ingest.hypertext import readable
from brain.ingest.pieces import Handed, Media, Piece, Words
from brain.ingest.reading import Draft, draft, too_large
from brain.ingest.source import Input, Skipped
from brain.ingest.turns import Conversation
from brain.model import Origin, Session, SessionKind, Source, Trust

NAME = "mail"
LARGEST = 64 << 20
_FIELD = re.compile(rb"([!-9;-~]{1,60}):[ \t]?")
_KNOWN = frozenset(
    (b"from", b"to", b"cc", b"subject", b"date", b"message-id", b"received", b"mime-version", b"content-type",
     b"return-path", b"delivered-to", b"reply-to", b"in-reply-to", b"references", b"dkim-signature")
)  # fmt: skip
_ENOUGH = 3
_DEEPEST = 20


def detect(head: bytes, name: str) -> str:
    """By its head: fields of a mail and nothing else up to the first empty line, the sender among them."""
    del name
    fields = []
    for line in head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n"):
        field = _FIELD.match(line)
        if not line.strip():
            break
        if field is None and not line[:1].isspace():
            return "its first lines are not those of a mail"
        if field:
            fields.append(field[1].lower())
    known = _KNOWN.intersection(fields)
    is_mail = b"from" in known and not known.isdisjoint((b"date", b"message-id", b"received"))
    return "" if is_mail and len(known) >= _ENOUGH else "its first lines are not those of a mail"


def read(source: Input) -> Iterator[Draft | Skipped]:
    """One session with one turn; a mail that says nothing is none."""
    if refused := too_large(source, LARGEST, "a mail"):
        yield refused
        return
    try:
        mail = email.message_from_bytes(source.read().lstrip(b"\xef\xbb\xbf\r\n"))
        pieces = tuple(_pieces(mail, 0))
    except (MessageError, RecursionError) as error:
        yield Skipped(source.name, None, f"not read as a mail: {error}")
        return
    talk = Conversation()
    name, address = parseaddr(_field(mail, "From"))
    talk.user(pieces, _date(mail), name or address or None, Origin.IMPORT, Trust.THIRD)
    done = talk.finish()
    if done.turns:
        session = Session(
            id=talk.line(_field(mail, "Message-ID").strip("<> \t")) or source.stem,
            agent=NAME,
            source=Source(NAME, source.file_name, source.sha256),
            turns=(),
            title=talk.line(_field(mail, "Subject")) or None,
            kind=SessionKind.DOCUMENT,
        )
        yield draft(session, done)


def _field(mail: Message, name: str) -> str:
    value = mail.get(name)
    try:
        return " ".join(str(make_header(decode_header(value))).split()) if value else ""
    except (LookupError, ValueError, HeaderParseError):
        return " ".join(str(value).split())


def _date(mail: Message) -> datetime | None:
    try:
        time = parsedate_to_datetime(str(mail.get("Date", "")))
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _pieces(mail: Message, depth: int) -> Iterator[Piece]:
    """What a mail says, then what hangs on it; of two forms of the same words the plain one."""
    kind = mail.get_content_type()
    if depth > _DEEPEST:
        return
    if kind == "message/rfc822":
        yield from _forwarded(mail, depth)
    elif mail.is_multipart():
        parts = [part for part in _below(mail)]
        yield from _chosen(parts, depth) if kind == "multipart/alternative" else _all(parts, depth)
    elif mail.get_content_disposition() == "attachment" or mail.get_filename():
        yield _attached(mail, kind)
    elif kind == "text/html":
        yield Words(readable(_text(mail)))
    elif kind.startswith("text/"):
        yield Words(_text(mail))
    else:
        yield Media(_media(kind))


def _below(mail: Message) -> list[Message]:
    payload = mail.get_payload()
    return [part for part in payload if isinstance(part, Message)] if isinstance(payload, list) else []


def _all(parts: list[Message], depth: int) -> Iterator[Piece]:
    for part in parts:
        yield from _pieces(part, depth + 1)


def _chosen(parts: list[Message], depth: int) -> Iterator[Piece]:
    plain = [part for part in parts if part.get_content_type() == "text/plain" and _text(part).strip()]
    yield from _all(plain[:1] or parts[-1:], depth)


def _forwarded(mail: Message, depth: int) -> Iterator[Piece]:
    """A mail that hangs on another one is material: its words are not those of the sender."""
    for inner in _below(mail):
        words = "\n\n".join(piece.text for piece in _pieces(inner, depth + 1) if isinstance(piece, Words | Handed))
        head = "\n".join(f"{name}: {value}" for name in ("From", "Date", "Subject") if (value := _field(inner, name)))
        yield Handed(_field(inner, "Subject") or "mail", f"{head}\n\n{words}")


def _attached(mail: Message, kind: str) -> Piece:
    if kind == "text/html":
        return Handed(_name(mail), readable(_text(mail)))
    return Handed(_name(mail), _text(mail)) if kind.startswith("text/") else Media(_media(kind))


def _name(mail: Message) -> str:
    try:
        return str(make_header(decode_header(mail.get_filename() or "file")))
    except (LookupError, ValueError, HeaderParseError):
        return "file"


def _media(kind: str) -> str:
    top = kind.partition("/")[0]
    return top if top in ("image", "audio", "video") else "file"


def _text(mail: Message) -> str:
    payload = mail.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    try:
        return data.decode(mail.get_content_charset("utf-8"), "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")
