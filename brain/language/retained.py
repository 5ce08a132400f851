"""Bullets of a `## Retain` section: `W @Peter: …`, `B …`, `O(c=0.95) @Peter: …`, `S …`.

W is of the world, B what the agent did, O an opinion with how sure it is, S a summary that was generated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BULLET = re.compile(
    r"(?P<kind>[WBOS])(?:\(\s*c\s*=\s*(?P<sure>[01]?(?:\.\d{1,4})?)\s*\))?"
    r"(?P<about>(?:[ \t]+@[\w.-]{1,80}(?:,(?=[ \t]+@))?)*)[ \t]*:[ \t]*(?P<text>\S.*)",
    re.DOTALL,
)
_ENTITY = re.compile(r"@([\w-]+(?:\.[\w-]+)*)")


@dataclass(frozen=True, slots=True)
class Retained:
    kind: str
    """`W`, `B`, `O` or `S`."""
    text: str
    """The statement alone."""
    confidence: float | None = None
    """0..1, of an opinion that says so."""
    entities: tuple[str, ...] = ()
    """Names without the @, as they are written; they are those of pages in bank/entities/."""

    @property
    def is_generated(self) -> bool:
        return self.kind == "S"

    @property
    def plain(self) -> str:
        """The statement as it would be said: whom it is about, and what."""
        return f"{', '.join(self.entities)}: {self.text}" if self.entities else self.text


def read(text: str) -> Retained | None:
    """The bullet without its dash; None: it is none of this form."""
    bullet = _BULLET.fullmatch(text.strip())
    if bullet is None:
        return None
    given = bullet["sure"]
    sure = float(given) if given not in (None, "", ".") else None
    return Retained(
        kind=bullet["kind"],
        text=bullet["text"],
        confidence=sure if sure is not None and sure <= 1 else None,
        entities=tuple(_ENTITY.findall(bullet["about"])),
    )


def spoken(text: str) -> str:
    """A text as it would be said: of such a bullet the statement, any other as it is."""
    bullet = read(text)
    return bullet.plain if bullet else text
