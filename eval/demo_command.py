"""brain demo: the sample dreamt night by night, and what the next session gets."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brain import fence, layout
from brain.cli import output
from brain.errors import UsageError

if TYPE_CHECKING:
    from brain.page import Page
    from brain.store import Store

MARK = "demo"
"""File below .brain/ by which a demo knows its own folder again, and no other."""
SHOWN = 40
WIDTH = 160
QUESTION = "on which port does production listen"


@click.command()
@click.option(
    "--into",
    metavar="PATH",
    default="brain-demo",
    show_default=True,
    help="Where to build it; an older demo there is replaced.",
)
@click.option("--quick", is_flag=True, help="Print whole files less: the first lines of each.")
def demo(into: str, quick: bool) -> None:
    """Build a brain from the sample and look around in it.

    Sixteen invented sessions of one person, ten nights; no key and no network.

    \b
    Example:
      brain demo
    """
    root = Path(into).absolute()
    _clear(root)
    _show(root, SHOWN // 2 if quick else SHOWN)


def _clear(root: Path) -> None:
    """Remove an older demo; never anything else."""
    if not root.exists():
        return
    if not (root / layout.LOCAL / MARK).exists():
        raise UsageError(f"{root} exists and is no demo; nothing was done.", "brain demo --into ANOTHER-FOLDER")
    shutil.rmtree(root)


def _show(root: Path, lines: int) -> None:
    from brain.eval import demo as sample
    from brain.files import replace

    store = sample.make(root)
    replace(store.local(MARK), b"")
    _heading(f"Ten weeks of one person's sessions, dreamt night by night, in {root}")
    for step in sample.dream_all(store):
        output.say(f"  {step.result.subject or step.result.status}")
    tree = store.tree()
    _heading("What the next session gets in its first message (brain index)")
    _excerpt(fence.fenced(tree.text(layout.INDEX)), lines)
    found = sample.changed_its_mind(tree)
    if found:
        _page(store, *found, lines)
    _heading(f'Finding more (brain recall "{QUESTION}")')
    _recall(store)
    _heading("Next: your own")
    output.say(_NEXT.format(root=root))
    store.close()


def _page(store: Store, path: str, record: Page, lines: int) -> None:
    from brain.eval import demo as sample

    _heading(f"A page that changed its mind, every claim with its evidence (cat {path})")
    tree = store.tree()
    _excerpt(tree.text(path), 2 * lines)
    source = sample.evidence_of(record)
    if source:
        _heading(f"One citation followed down to the turn (brain show {source})")
        _excerpt(sample.turn_text(tree, source), lines)
    _heading(f'How it came to say so (git log -p -- "{path}")')
    _excerpt(store.git.patches(store.head() or "HEAD", path), 2 * lines)


def _recall(store: Store) -> None:
    from brain.search import Question, search

    for hit in search(store, Question(QUESTION, 3)).hits:
        past = "no longer true: " if hit.past else ""
        output.say(f"  {hit.score:.2f}  {hit.place}\n        {past}{' '.join(hit.text.split())[:WIDTH]}")


def _heading(text: str) -> None:
    output.say(f"\n{text}\n{'=' * min(len(text), 100)}\n")


def _excerpt(text: str, lines: int) -> None:
    all_lines = text.rstrip("\n").split("\n")
    for line in all_lines[:lines]:
        output.say(f"  {line}")
    if len(all_lines) > lines:
        output.say(f"  … {len(all_lines) - lines} more lines")


_NEXT = """\
  cd {root} && ls memory/knowledge        look around: it is plain files and git
  brain init ~/brain                      make your own
  brain ingest ~/.claude/projects --brain ~/brain
  brain dream --brain ~/brain             tonight, and every night (cron, systemd)
  brain index --brain ~/brain             what your agent's next first message carries
"""
