"""ChatGPT's export: conversations*.json, each conversation a tree of messages.

The way from `current_node` to the root was said; what hangs beside it was edited or made again. Custom instructions
and saved memories are no turns: the first are counted, the second were written by a model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from brain.ingest.branch import leaves, way_to
from brain.ingest.chatgpt_content import ANSWERS, Talking, is_hidden, kind_of, role_of
from brain.ingest.jsonvalues import beginning, values
from brain.ingest.pieces import dict_of, list_of, text_of, time_of
from brain.ingest.reading import Draft, draft
from brain.ingest.source import Input, Skipped
from brain.model import Session, Source

NAME = "chatgpt"
_LISTS = ("conversations",)
_NEVER = datetime.min.replace(tzinfo=UTC)


def detect(head: bytes, name: str) -> str:
    """By its shape: a conversation with a `mapping` of nodes, in a list, under `conversations` or alone."""
    del name
    value = beginning(head)
    if value is None:
        return "it is no JSON"
    about = dict_of(value)
    listed = [*list_of(value), *list_of(about.get("conversations")), about]
    return "" if any(map(_is_conversation, listed)) else "nothing in it has a mapping of messages"


def _is_conversation(value: object) -> bool:
    about = dict_of(value)
    mapping = about.get("mapping")
    if not isinstance(mapping, dict):
        return False
    nodes = [node for node in mapping.values() if isinstance(node, dict)]
    if nodes:
        return any(key in node for node in nodes for key in ("message", "parent", "children"))
    return any(key in about for key in ("current_node", "conversation_id", "create_time"))


def read(source: Input) -> Iterator[Draft | Skipped]:
    """A session for each conversation in which anybody spoke."""
    for item in values(source, _LISTS):
        if isinstance(item, Skipped):
            yield item
            continue
        place, value = item
        if _is_conversation(value):
            yield from _session(source, dict_of(value), place)
        else:
            yield Skipped(source.name, None, f"value {place} holds no conversation")


@dataclass(slots=True)
class _Node:
    parent: str
    message: dict[str, object]

    @property
    def time(self) -> datetime | None:
        return time_of(self.message.get("create_time"))

    @property
    def speaks(self) -> bool:
        """Whether a person or the agent said something in it."""
        if is_hidden(self.message) or kind_of(self.message) not in ANSWERS:
            return False
        return role_of(self.message) in ("user", "assistant") and self.message.get("recipient") in (None, "all")


def _session(source: Input, about: dict[str, object], place: int) -> Iterator[Draft]:
    nodes = _nodes(dict_of(about["mapping"]))
    parents = {one: node.parent for one, node in nodes.items()}
    current = text_of(about.get("current_node"))
    live = way_to(current if current in nodes else _newest(nodes, parents), parents)
    talking = Talking()
    for one in live:
        talking.take(one, nodes[one].message)
    talk = talking.talk
    chosen = set(live)
    if given_up := sum(node.speaks for one, node in nodes.items() if one not in chosen):
        talk.notes["messages on branches that were given up"] = given_up
    done = talking.finish()
    if not done.turns:
        return
    session = Session(
        id=talk.line(_id(about)) or f"{source.stem}#{place}",
        agent=NAME,
        source=Source(NAME, source.file_name, source.sha256),
        turns=(),
        title=talk.line(text_of(about.get("title"))) or None,
    )
    yield draft(session, done, time_of(about.get("create_time")), is_incognito=about.get("is_do_not_remember") is True)


def _id(about: dict[str, object]) -> str:
    return text_of(about.get("conversation_id")) or text_of(about.get("id"))


def _nodes(mapping: dict[str, object]) -> dict[str, _Node]:
    """Every node with its parent; one that does not name it has the node that calls it a child."""
    nodes = {}
    above = {text_of(child): one for one, node in mapping.items() for child in list_of(dict_of(node).get("children"))}
    for one, value in mapping.items():
        node = dict_of(value)
        parent = text_of(node.get("parent"))
        nodes[one] = _Node(parent if parent in mapping else above.get(one, ""), dict_of(node.get("message")))
    return nodes


def _newest(nodes: dict[str, _Node], parents: dict[str, str]) -> str:
    """The leaf whose way ends latest, by the last time that stands on it; of several the last one."""
    last: dict[str, datetime] = {}
    for one in nodes:
        climbed, at = [], one
        while at in nodes and at not in last:
            last[at] = nodes[at].time or _NEVER
            climbed.append(at)
            at = at if last[at] > _NEVER else parents[at]
        for below in climbed:
            last[below] = last[below] if last[below] > _NEVER else last.get(at, _NEVER)
    ends = list(leaves(parents))
    return max(enumerate(ends), key=lambda pair: (last[pair[1]], pair[0]), default=(0, ""))[1]
