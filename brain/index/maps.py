"""The whole lists: every session, note and page in one line each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from brain import layout
from brain.audience import is_private, of_session
from brain.model import PAGE_FOLDERS, Audience, Origin, PageKind, Status
from brain.note import Note
from brain.page import Page
from brain.text.markdown import FrontMatter
from brain.tree import Tree

GENERATED = "<!-- generated from the files below this folder; edits are overwritten -->"
FOLDED = 60
"""Characters that a title may show which the user did not give."""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session as a map shows it."""

    folder: str
    date: str
    started: str
    agent: str
    project: str
    title: str
    line: str
    audience: Audience

    @property
    def text(self) -> str:
        about = " · ".join(
            part for part in (self.agent, self.project, self.title or "(not dreamt yet)", self.line) if part
        )
        return f"- {self.date} · {about} · `{self.folder.removeprefix(layout.SESSIONS + '/')}`"


def session_lines(tree: Tree) -> list[SessionLine]:
    """Every session, newest first; of a transcript its front matter alone is read."""
    summaries = tree.summaries()
    found = []
    for path in filter(layout.is_transcript, tree.paths):
        folder = path.removesuffix(f"/{layout.TRANSCRIPT_NAME}")
        values = FrontMatter.parse(tree.text(path)).values
        summary = summaries.get(layout.summary_path(folder))
        found.append(
            SessionLine(
                folder=folder,
                date=_day(folder),
                started=_word(values.get("started")),
                agent=_word(values.get("agent")),
                project=_word(values.get("project")),
                title=one_line(summary.title if summary else _word(values.get("title"))),
                line=one_line(summary.line if summary else ""),
                audience=of_session(values),
            )
        )
    return sorted(found, key=lambda s: (s.date, s.started, s.folder), reverse=True)


def _day(folder: str) -> str:
    parts = folder.removeprefix(f"{layout.SESSIONS}/").split("/")
    return f"{parts[0]}-{parts[1]}-{parts[2][:2]}" if len(parts) == 3 else "?"


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def one_line(text: str) -> str:
    return " ".join(text.split())


def is_users(record: Page | Note, cites: Iterable[int]) -> bool:
    """Whether every one of these citations leads to words of the user."""
    origins = [record.citations[n].origin for n in cites if n in record.citations]
    return bool(origins) and all(origin is Origin.USER for origin in origins)


def described(page: Page) -> str:
    """A page in one line. What the user did not say is shown by its title alone, folded and marked."""
    cites = [n for claim in page.lead for n in claim.cites]
    if is_users(page, cites):
        return f"[[{page.title}]] · {one_line(page.summary)}" if page.summary else f"[[{page.title}]]"
    origins = {page.citations[n].origin for n in cites if n in page.citations}
    if origins <= {Origin.USER, Origin.ASSISTANT}:
        return f"[[{page.title}]] · (from the agent's work)"
    title = one_line(page.title)
    return f"“{title if len(title) <= FOLDED else title[: FOLDED - 1] + '…'}” · (read somewhere, not confirmed)"


def is_shown(record: Page | Note, audience: Audience) -> bool:
    return record.status is Status.ACTIVE and (audience is Audience.TRUSTED or not is_private(record))


def page_rank(item: tuple[str, Page]) -> tuple[object, ...]:
    """Pinned first, then by importance, then newest content, then by name."""
    path, page = item
    pinned = str(page.front.values.get("pinned", "")).casefold() in ("true", "yes")
    return (not pinned, -page.importance, _inverse(page.updated), path)


def note_rank(item: tuple[str, Note]) -> tuple[object, ...]:
    path, note = item
    return (-note.importance, _inverse(note.updated), path)


def _inverse(day: str | None) -> tuple[int, ...]:
    """Sorts later days first; an unknown day last."""
    return tuple(-ord(c) for c in day) if day else (0,)


def ranked_pages(tree: Tree, audience: Audience) -> list[tuple[str, Page]]:
    return sorted(((p, page) for p, page in tree.pages().items() if is_shown(page, audience)), key=page_rank)


def ranked_notes(tree: Tree, audience: Audience) -> list[tuple[str, Note]]:
    return sorted(((p, note) for p, note in tree.notes().items() if is_shown(note, audience)), key=note_rank)


def note_line(path: str, note: Note) -> str:
    count = len(note.observations)
    newest = f" · {note.updated}" if note.updated else ""
    return (
        f"{path.removeprefix(layout.NOTES + '/').removesuffix('.md')} · {count} observation{'s' * (count != 1)}{newest}"
    )


def sessions(tree: Tree) -> str:
    return _page(
        "Sessions",
        "Newest first: date, agent, project, title, one line, folder.",
        (s.text for s in session_lines(tree)),
    )


def notes(tree: Tree) -> str:
    lines = (f"- {note_line(path, note)}" for path, note in ranked_notes(tree, Audience.TRUSTED))
    return _page("Notes", "Observations by topic, ranked: domain/topic, how many, newest.", lines)


def knowledge(tree: Tree) -> str:
    return _page("Knowledge", "One page, one subject; by kind, ranked.", _by_kind(tree))


def _by_kind(tree: Tree) -> Iterator[str]:
    pages = tree.pages()
    for kind in PageKind:
        group = sorted(((p, page) for p, page in pages.items() if page.kind is kind), key=page_rank)
        if group:
            yield f"\n## {PAGE_FOLDERS[kind].capitalize()}\n"
        for path, page in group:
            archived = " · archived" if page.status is Status.ARCHIVED else ""
            yield f"- {described(page)}{archived} · `{path.removeprefix(layout.KNOWLEDGE + '/')}`"


def _page(title: str, about: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines).strip("\n") or "Nothing yet."
    return f"{GENERATED}\n\n# {title}\n\n{about}\n\n{body}\n"
