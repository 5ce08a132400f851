"""The records everything else passes around.

Pure data: no file is opened, nothing is parsed here. A record holds what the tree
on disk holds and no more, so that parse(render(x)) == x can be promised for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Literal


class Origin(StrEnum):
    """Whose words a text is."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    IMPORT = "import"


class Trust(IntEnum):
    """What a text may do; the order is the lattice, min() is the join."""

    HIDDEN = 0
    THIRD = 1
    ORG = 2
    AGENT = 3
    OWN = 4
    USER = 5

    @property
    def label(self) -> str:
        return self.name.lower()


class Role(StrEnum):
    """Who a turn belongs to."""

    USER = "user"
    ASSISTANT = "assistant"


class Audience(StrEnum):
    """Who else reads: nobody but the user, or others too."""

    TRUSTED = "trusted"
    PUBLIC = "public"


class SessionKind(StrEnum):
    MAIN = "main"
    SUBAGENT = "subagent"
    FORK = "fork"
    DOCUMENT = "document"
    HAND_EDIT = "hand-edit"


class PageKind(StrEnum):
    """What a page is about; `folder` is where its file stands."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PROJECT = "project"
    PLACE = "place"
    CONCEPT = "concept"
    TOOL = "tool"
    PROCEDURE = "procedure"
    DECISION = "decision"
    PREFERENCE = "preference"
    POLICY = "policy"

    @property
    def folder(self) -> str:
        return PAGE_FOLDERS[self]


PAGE_FOLDERS: Mapping[PageKind, str] = MappingProxyType(
    {
        PageKind.PERSON: "people",
        PageKind.ORGANISATION: "organisations",
        PageKind.PROJECT: "projects",
        PageKind.PLACE: "places",
        PageKind.CONCEPT: "concepts",
        PageKind.TOOL: "tools",
        PageKind.PROCEDURE: "procedures",
        PageKind.DECISION: "decisions",
        PageKind.PREFERENCE: "preferences",
        PageKind.POLICY: "policies",
    }
)


class ObservationType(StrEnum):
    FACT = "fact"
    EVENT = "event"
    PREFERENCE = "preference"
    OPINION = "opinion"
    DECISION = "decision"
    PROCEDURE = "procedure"
    CORRECTION = "correction"
    DEAD_END = "dead-end"
    COMMITMENT = "commitment"
    PROFILE = "profile"


class Status(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class Privacy(StrEnum):
    SHARED = "shared"
    PRIVATE = "private"


# --- evidence -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Text:
    """Visible words of a turn; never empty, no outer blank lines, "\\n" line ends."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool and what came back; `r<k>` is its 1-based place among the calls of its turn."""

    name: str
    input: str
    """As text: JSON on one line, or the command itself."""
    result: str | None = None
    """None: no result was recorded. Cut to head and tail when `attachment` is set."""
    is_error: bool = False
    trust: Trust = Trust.THIRD
    attachment: str | None = None
    """File name under the session's attachments/ that holds the whole result."""
    derived: bool = False
    """True of a result that the memory itself gave: kept, but never evidence. Only where there is a result."""
    is_file: bool = False
    """True of no call but a file that came with the words: `name` is the file's, `result` what it holds."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person wrote, or everything the agent did until the next words of a person."""

    n: int
    """From 1; `<session>#t<n>` addresses it."""
    role: Role
    time: datetime | None
    """Aware, with the offset the source gave; None: the source did not say."""
    blocks: tuple[Text | ToolCall, ...] = ()
    """In the order they came; two Text blocks never stand side by side."""
    origin: Origin = Origin.USER
    trust: Trust = Trust.USER
    speaker: str | None = None
    """A name, where the source gives one."""
    derived: bool = False
    """True: repeats what is evidence elsewhere (given by the memory, copied from another session); kept, but
    never evidence."""
    media: tuple[str, ...] = ()
    """A word for each picture, recording or file that came with the words: `image`, `audio`, `file`."""
    quoted: tuple[tuple[int, int], ...] = ()
    """First and last line of each passage of `text` that is plainly quoted or pasted; from 1, in order, disjoint."""

    @property
    def text(self) -> str:
        """The visible words alone; text blocks joined by one empty line."""
        return "\n\n".join(b.text for b in self.blocks if isinstance(b, Text))

    @property
    def own_text(self) -> str:
        """The same with an empty line for each quoted one: what is left was written for this turn."""
        if not self.quoted:
            return self.text
        lines = self.text.split("\n")
        for first, last in self.quoted:
            lines[first - 1 : last] = [""] * len(lines[first - 1 : last])
        return "\n".join(lines)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(b for b in self.blocks if isinstance(b, ToolCall))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a session came from."""

    format: str
    name: str
    """File name as the person would recognise it; never an absolute path."""
    sha256: str
    """Of the bytes that were read, in hex."""


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    agent: str
    source: Source
    turns: tuple[Turn, ...]
    project: str | None = None
    repository: str | None = None
    """What the project is known by: `host/owner/name` of its remote, or `root:<commit>`."""
    place: str | None = None
    """Hash of the working folder's path below home, where the project is known by nothing better too."""
    title: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    audience: Audience = Audience.TRUSTED
    kind: SessionKind = SessionKind.MAIN
    parent: str | None = None
    """Id of the session that started this one."""


@dataclass(frozen=True, slots=True)
class Summary:
    """summary.md of one session; also the mark that the session has been dreamt, and how far."""

    session: str
    """Folder of the session, `sessions/2026/11/29-1f2e3d4c`."""
    title: str
    line: str
    """At most 160 characters; the session's line in every map."""
    dreamt_turn: int
    dreamt_chars: int
    """Characters of the text of turn `dreamt_turn` that had been read: a last turn may still grow."""
    sentences: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """(sentence, citation numbers), in the order of the session."""
    citations: Mapping[int, Citation] = field(default_factory=dict)


# --- claims -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Citation:
    """An edge down, from a claim to one turn (or one tool result in it)."""

    source: str
    """`sessions/2026/11/29-1f2e3d4c#t12` or `…#t12.r3`, below memory/."""
    quote: str
    """`<12 hex>/<chars>`: SHA-256 of the first <chars> characters of the cited text (see evidence.quote)."""
    date: str | None
    """Local date of the turn, ISO; None: unknown."""
    origin: Origin


@dataclass(frozen=True, slots=True)
class Claim:
    """One cited sentence or list item of a page, or a line of its History."""

    text: str
    """Without date prefix, citation marks and block id; wikilinks stay in it."""
    cites: tuple[int, ...] = ()
    id: str | None = None
    """Block id without the caret."""
    date: str | None = None
    """Day it holds from, ISO; None: not stated."""
    until: str | None = None
    """Day it stopped holding; only in History."""
    section: str = ""
    """Heading it stands under; "" is the lead."""
    line: int = 0
    """1-based line in the file; 0 where the claim was not read from one."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One dated line of a note."""

    text: str
    type: ObservationType
    confidence: float
    """0..1, two decimals."""
    date: str | None = None
    until: str | None = None
    cites: tuple[int, ...] = ()
    id: str | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Wikilink:
    """An edge sideways: [[target#heading|alias]]."""

    target: str
    """"" points into the same page."""
    heading: str | None = None
    """A heading, or `^block`."""
    alias: str | None = None
    embed: bool = False
    line: int = 0
    column: int = 0
    """1-based, in characters."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be read as it should; the rest of the file still counts."""

    reason: str
    line: int = 0
    key: str | None = None
    other_line: int = 0
    """The second place, where a problem has two (a key that stands twice)."""


PageFormat = Literal["page", "note", "transcript", "summary", "other"]
