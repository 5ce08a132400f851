"""dreams/<run>.md: what one night changed, why, and what it left out; computed from base and staged.

A report names statements by their block ids, never by their words: what is forgotten later need not
be looked for in reports. Calls, tokens and seconds are not in it, so that the same night gives the
same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from brain.dream.apply import Applied, Dropped
from brain.dream.changes import FileChange, headline
from brain.dream.plan import Operation, Scope, Skipped, Supersede, statements, target
from brain.evidence import fingerprint
from brain.text.claims import one_line
from brain.text.markdown import Bare, FrontMatter
from brain.validators.documents import Kind, Said

_WHY = 200


@dataclass(frozen=True, slots=True)
class Night:
    """What a dream is called, and what it had before it."""

    run_id: str
    dreamer: str
    scope: Scope
    skipped: tuple[Skipped, ...] = ()

    @property
    def day(self) -> str:
        """The local day of the dream."""
        return self.scope.now.astimezone(self.scope.settings.zone).date().isoformat()


def subject(night: Night, changes: tuple[FileChange, ...]) -> str:
    """First line of the commit."""
    return f"Dream {night.day}: {headline(changes)}"


def render(night: Night, applied: Applied, changes: tuple[FileChange, ...]) -> str:
    front = FrontMatter.parse("")
    for key, value in (("run", Bare(night.run_id)), ("dreamer", Bare(night.dreamer))):
        front = front.set(key, value)
    lines = [f"# Dream {night.day}", "", f"{headline(changes).capitalize()}."]
    lines += _part("Sessions", _sessions(night, changes))
    why = _reasons(applied.done)
    for change in changes:
        if change.kind is not Kind.SUMMARY:
            lines += _part(f"`{change.path}`", _changed(change, why))
    lines += _part("Left out", _dropped(applied.dropped))
    lines += _part("Skipped", (f"- `{one.path}` · {_short(one.why)}" for one in night.skipped))
    return front.text + "\n" + "\n".join(lines) + "\n"


def _part(heading: str, lines: Iterator[str]) -> list[str]:
    found = list(lines)
    return ["", f"## {heading}", "", *found] if found else []


def _sessions(night: Night, changes: tuple[FileChange, ...]) -> Iterator[str]:
    done = {change.path.rpartition("/")[0] for change in changes if change.kind is Kind.SUMMARY}
    for new in night.scope.sessions:
        first, last = new.turns[0].n, new.turns[-1].n
        turns = f"t{first}" if first == last else f"t{first}–t{last}"
        yield f"- `{new.folder}` · {turns}" + ("" if new.folder in done else " · not marked as read")


Reasons = Mapping[tuple[str, str], str]
"""(path, fingerprint of a statement or name of what it replaced) -> why."""


def _reasons(done: Sequence[Operation]) -> Reasons:
    found: dict[tuple[str, str], str] = {}
    for operation in done:
        for text in statements(operation):
            found.setdefault((target(operation), fingerprint(text)), operation.why)
        if isinstance(operation, Supersede):
            found.setdefault((target(operation), operation.claim_id), operation.why)
            found.setdefault((target(operation), fingerprint(operation.claim_id)), operation.why)
        else:
            found.setdefault((target(operation), type(operation).__name__), operation.why)
    return found


def _changed(change: FileChange, why: Reasons) -> Iterator[str]:
    if change.is_new:
        yield f"- opened{_because(why.get((change.path, 'Open')) or why.get((change.path, 'Attach')))}"
    for field in change.fields:
        action = "Archive" if field == "status" else "Describe"
        yield f"- {field} changed{_because(why.get((change.path, action)))}"
    for said, sources in change.added:
        yield f"- added {_name(said)} · {', '.join(sources)}{_why(change, said, why)}"
    for said in change.past:
        fate = f"superseded by ^{said.superseded_by}" if said.superseded_by else "ended"
        yield f"- {_name(said)} {fate}{_why(change, said, why)}"
    for said, sources in change.cited:
        yield f"- {_name(said)} also rests on {', '.join(sources)}{_why(change, said, why)}"
    for link in change.links:
        yield f"- links to “{one_line(link)}”{_because(why.get((change.path, 'Relate')))}"


def _name(said: Said) -> str:
    if said.claim.id:
        return f"^{said.claim.id}"
    return "a sentence of the lead" if not said.claim.section else "a statement"


def _why(change: FileChange, said: Said, why: Reasons) -> str:
    by_id = why.get((change.path, said.claim.id or ""))
    return _because(by_id or why.get((change.path, fingerprint(said.claim.text))))


def _because(why: str | None) -> str:
    return f" · {_short(why)}" if why else ""


def _dropped(dropped: Sequence[Dropped]) -> Iterator[str]:
    for one in dropped:
        yield f"- {type(one.operation).__name__} in `{target(one.operation)}` · {_short(one.why)}"


def _short(why: str) -> str:
    flat = one_line(why)
    return flat if len(flat) <= _WHY else flat[: _WHY - 1].rstrip() + "…"
