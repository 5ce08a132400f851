"""One message of a ChatGPT export -> words, pictures, calls of tools and what came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from brain.ingest.pieces import Call, Media, Piece, Result, Words, dict_of, dumped, list_of, text_of, time_of
from brain.ingest.turns import Conversation, Talk

ANSWERS = frozenset(("text", "multimodal_text"))
"""Content types that hold what was said."""
_UNSAID = frozenset(("thoughts", "reasoning_recap", "system_error", "code", "app_pairing_content"))
"""Content types that hold nothing said to a person."""
_APART = {
    "user_editable_context": "custom instructions, which are no turns",
    "model_editable_context": "saved memories, which a model wrote",
}
_MEDIA = {
    "image_asset_pointer": "image",
    "audio_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
}
_MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
_LEFT_OVER = re.compile("[\ue200-\ue20f]")
_SOURCE = re.compile(r"【[^【】\n]{0,80}†[^【】\n]{0,200}】")
_FAILED = ("failed", "error")


def role_of(message: dict[str, object]) -> str:
    return text_of(dict_of(message.get("author")).get("role"))


def kind_of(message: dict[str, object]) -> str:
    content = dict_of(message.get("content"))
    return text_of(content.get("content_type")) or ("text" if "parts" in content else "")


def is_hidden(message: dict[str, object]) -> bool:
    about = dict_of(message.get("metadata"))
    return about.get("is_visually_hidden_from_conversation") is True or message.get("channel") == "analysis"


class Talking:
    """Takes the messages of the live branch in their order."""

    def __init__(self) -> None:
        self.talk = Conversation()
        self._last_call: dict[str, str] = {}
        """Name of a tool -> the call of it that waits."""
        self._given: dict[str, list[str]] = {}
        """What came back for a call; a tool may answer in several messages."""
        self._failed: set[str] = set()

    def take(self, one: str, message: dict[str, object]) -> None:
        kind = kind_of(message)
        match role_of(message):
            case "tool":
                self._take_result(one, message)
            case "assistant" if message.get("recipient") not in (None, "", "all"):
                self._take_call(one, message)
            case _ if kind in _APART:
                self.talk.notes[_APART[kind]] += 1
            case "user" | "assistant" if kind in ANSWERS and not is_hidden(message):
                self._take_words(message)
            case "user" | "assistant" if kind not in ANSWERS | _UNSAID:
                self.talk.notes[f"messages of a type that Brain does not know: {kind[:40] or 'none'}"] += 1

    def _take_words(self, message: dict[str, object]) -> None:
        time = time_of(message.get("create_time"))
        if role_of(message) == "assistant":
            self.talk.assistant(map(_without_marks, _parts(message)), time)
            return
        speaker = text_of(dict_of(message.get("author")).get("name"))
        self.talk.user([*_parts(message), *_files(message)], time, speaker or None)

    def _take_call(self, one: str, message: dict[str, object]) -> None:
        tool = text_of(message.get("recipient"))
        self._last_call[_tool(tool)] = one
        self.talk.assistant([Call(one, tool, _shown(message))], time_of(message.get("create_time")))

    def _take_result(self, one: str, message: dict[str, object]) -> None:
        name = text_of(dict_of(message.get("author")).get("name"))
        call = self._last_call.get(_tool(name))
        if call is None:
            # What the service put in by itself, such as the text of an uploaded file.
            call = self._last_call[_tool(name)] = one
            self.talk.assistant([Call(one, name, "")], time_of(message.get("create_time")))
        self._given.setdefault(call, []).append(_shown(message))
        status = dict_of(dict_of(message.get("metadata")).get("aggregate_result")).get("status")
        if kind_of(message) == "system_error" or text_of(status).startswith(_FAILED):
            self._failed.add(call)

    def finish(self) -> Talk:
        self.talk.results(
            Result(call, "\n\n".join(part for part in parts if part), call in self._failed)
            for call, parts in self._given.items()
        )
        return self.talk.finish()


def _tool(name: str) -> str:
    """`web` of `web.run`: the answer of a tool may be signed by its function."""
    return name.partition(".")[0]


def _parts(message: dict[str, object]) -> Iterator[Piece]:
    content = dict_of(message.get("content"))
    for part in list_of(content.get("parts")):
        if isinstance(part, str):
            yield Words(part)
            continue
        about = dict_of(part)
        kind = text_of(about.get("content_type"))
        if kind in _MEDIA:
            yield Media(_MEDIA[kind])
        elif isinstance(about.get("text"), str):
            yield Words(text_of(about["text"]))
    if "parts" not in content and isinstance(content.get("text"), str):
        yield Words(text_of(content["text"]))


def _files(message: dict[str, object]) -> Iterator[Piece]:
    """Files that were handed over; of their contents an export holds nothing. Pictures stand among the parts."""
    for given in list_of(dict_of(message.get("metadata")).get("attachments")):
        kind = text_of(dict_of(given).get("mime_type")) or text_of(dict_of(given).get("mimeType"))
        if not kind.startswith(("image/", "audio/", "video/")):
            yield Media("file")


def _shown(message: dict[str, object]) -> str:
    """The content of a message to or from a tool, as text."""
    content = dict_of(message.get("content"))
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n\n".join(text for part in parts if (text := _shown_part(part)))
    texts = [text_of(content.get(key)) for key in ("title", "url", "domain", "text", "result", "summary")]
    found = "\n".join(text for text in texts if text)
    return found or ("" if "text" in content else dumped({k: v for k, v in content.items() if k != "content_type"}))


def _shown_part(part: object) -> str:
    about = dict_of(part)
    kind = text_of(about.get("content_type"))
    if kind in _MEDIA:
        return f"[{_MEDIA[kind]}]"
    return text_of(about.get("text")) or dumped(part)


def _without_marks(piece: Piece) -> Piece:
    """Words without the marks of citations; of a mark that stands for a name the name."""
    if not isinstance(piece, Words):
        return piece
    text = _MARK.sub(_named, piece.text) if "\ue200" in piece.text else piece.text
    return Words(_LEFT_OVER.sub("", _SOURCE.sub("", text)))


def _named(mark: re.Match[str]) -> str:
    kind, _, rest = mark[1].partition("\ue202")
    if kind != "entity":
        return ""
    try:
        given = json.loads(rest)
    except (ValueError, RecursionError):
        return ""
    return text_of(given[1]) if isinstance(given, list) and len(given) > 1 else ""
