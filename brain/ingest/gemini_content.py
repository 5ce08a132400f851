"""One message of Gemini CLI -> pieces: text, a part, or a list of parts; calls beside or among them."""

from __future__ import annotations

from collections.abc import Iterator

from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, dumped, list_of, result_text, text_of

_NOT_TYPED = ("/", "?", "<session_context>", "<hook_context>")
_SNAPSHOT = "<state_snapshot>"
_ANSWER_TO_SNAPSHOT = "Got it. Thanks for the additional context!"
_FILES, _FILES_END = "--- Content from referenced files ---", "--- End of content ---"


def parts_of(content: object) -> list[dict[str, object]]:
    """The parts of a message's content."""
    parts = content if isinstance(content, list) else [content]
    return [{"text": part} if isinstance(part, str) else dict_of(part) for part in parts]


def _text(message: dict[str, object]) -> str:
    return "".join(text_of(part.get("text")) for part in parts_of(message.get("content")))


def is_snapshot(message: dict[str, object]) -> bool:
    """Whether the host wrote this to make room: a summary of what was said before, or the answer to one."""
    text = _text(message).strip()
    return text.startswith(_SNAPSHOT) if message.get("type") == "user" else text == _ANSWER_TO_SNAPSHOT


def speaks(message: dict[str, object]) -> bool:
    """Whether anybody says anything in it."""
    given = asked(message) if message.get("type") == "user" else pieces_of(message)
    return message.get("type") in ("user", "gemini") and any(isinstance(piece, Words) for piece in given)


def asked(message: dict[str, object]) -> list[Piece]:
    """What a person wrote in a message of the user; nothing where it is a command or what the host put in."""
    text = _text(message).strip()
    parts = list(_typed(parts_of(message.get("content"))))
    pieces = [piece for part in parts for piece in _part(part)]
    if not text.startswith((*_NOT_TYPED, _SNAPSHOT)):
        return pieces
    return [piece for piece in pieces if isinstance(piece, Result)]


def _typed(parts: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """The parts without the files that the host read in because they were named."""
    is_file = False
    for part in parts:
        text = text_of(part.get("text")).strip()
        if text == _FILES:
            is_file = True
        elif text == _FILES_END:
            is_file = False
        elif not (is_file and "text" in part):
            yield part


def pieces_of(message: dict[str, object]) -> list[Piece]:
    """What the agent said, called and got back."""
    pieces = [piece for part in parts_of(message.get("content")) for piece in _part(part)]
    for n, given in enumerate(list_of(message.get("toolCalls"))):
        pieces += _called(dict_of(given), f"{text_of(message.get('id'))} {n}")
    return pieces


def _called(call: dict[str, object], place: str) -> Iterator[Piece]:
    call_id, status = text_of(call.get("id")) or place, call.get("status")
    yield Call(call_id, text_of(call.get("name")), call.get("args", {}))
    result = call.get("result")
    if result not in (None, []) or status in ("success", "error"):
        text = "\n".join(filter(None, map(_given_back, parts_of(result))))
        yield Result(call_id, text or result_text(call.get("resultDisplay")), status == "error")


def _part(part: dict[str, object]) -> Iterator[Piece]:
    asked_for, answered = dict_of(part.get("functionCall")), dict_of(part.get("functionResponse"))
    if asked_for:
        yield Call(text_of(asked_for.get("id")), text_of(asked_for.get("name")), asked_for.get("args", {}))
    elif answered:
        failed = "error" in dict_of(answered.get("response"))
        yield Result(text_of(answered.get("id")), _given_back(part), failed)
    elif media := dict_of(part.get("inlineData")) or dict_of(part.get("fileData")):
        kind = text_of(media.get("mimeType")).partition("/")[0]
        yield Media(kind if kind in ("image", "audio") else "file")
    elif part.get("thought") is not True and text_of(part.get("text")).strip():
        yield Words(text_of(part["text"]))


def _given_back(part: dict[str, object]) -> str:
    """What a tool gave back, as text; a picture is a mark."""
    if "inlineData" in part or "fileData" in part:
        return "[media]"
    response = dict_of(part.get("functionResponse")).get("response")
    if isinstance(response, dict):
        return result_text(next((response[key] for key in ("output", "error", "content") if key in response), response))
    return dumped(response) if response is not None else text_of(part.get("text"))
