"""Moving main from one commit to the next, and finishing or dropping a move that a kill cut off.

The order is what makes it safe: journal, git's index lock, everything that needs room on the disk,
the swap of the ref, then renames alone, then the journal goes. Before the swap a move can be dropped,
after it it can be finished; where a run died, the journal says which of the two.
For the one who holds the store's lock.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence
from pathlib import Path

from brain import files
from brain.errors import BrainError
from brain.files.folder import Folder
from brain.git import Git
from brain.store import indexlock, journal, leftovers
from brain.store.checkout import Checkout, Prepared
from brain.store.journal import Move

_PATIENCE = 3.0
"""Seconds to wait for git's index lock: long enough for another git, too short to be a hang."""


class Moved(BrainError):
    """main stands elsewhere than the run that wants to move it knew."""

    code = "moved"


class StateError(BrainError):
    """The repository is in the middle of something."""

    code = "repository-state"


class Unfinished(BrainError):
    """main has moved, but the files of the folder have not all followed."""

    code = "unfinished"


class Mover:
    """Moves main of one brain and lays it down in its folder."""

    def __init__(self, git: Git, folder: Folder, home: Path) -> None:
        self._git = git
        self._folder = folder
        self._home = home
        self._scratch = home / leftovers.SCRATCH

    def check_state(self) -> None:
        """Raises: StateError in the middle of a merge or a rebase, or where HEAD is on no branch."""
        unfinished = self._git.unfinished()
        if unfinished:
            raise StateError(f"Nothing was written: {unfinished[0]} in {self._git.place.work_tree}.", unfinished[1])

    def advance(self, new: str, old: str | None, run_id: str, keep: Sequence[int]) -> tuple[str, ...]:
        """Move main; what had to be said about the files, in words. git holds the descriptors `keep` while it runs.

        Raises: Moved, StateError, Locked, Unsafe, DiskFull and the like: nothing has moved then. Unfinished
        where main has moved and the rest is left to `finish`.
        """
        self.check_state()
        cut_off = journal.pending(self._home)
        # Its run died while this one waited for the lock: what it has not laid down is no edit of a person's.
        before = self.finish(cut_off) if cut_off is not None else ()
        move = Move(self._git.branch() or "HEAD", old, new, run_id)
        journal.begin(self._home, move)
        try:
            with indexlock.held(self._git, _PATIENCE):
                self._check_head(move)
                checkout, prepared, index = self._prepare(move)
                self._swap(move, keep)
                notes = self._lay(move, checkout, prepared, index)
        except BaseException:
            self._drop_unless_moved(move)
            raise
        journal.end(self._home)
        return (*before, *notes)

    def finish(self, move: Move) -> tuple[str, ...]:
        """Finish the move a run died in where main had moved, else drop it; what was done, in words."""
        self.check_state()
        leftovers.sweep_git(self._git, move)
        leftovers.empty(self._scratch)
        if not self._has_moved(move):
            journal.end(self._home)
            return (f"Dropped {move.run_id}, a run that died before it moved main; nothing of it was in main.",)
        with indexlock.held(self._git, _PATIENCE):
            notes = self._lay(move, *self._prepare(move))
        journal.end(self._home)
        return (f"Finished {move.run_id}, a run that died after it had moved main to {move.new[:12]}.", *notes)

    def _check_head(self, move: Move) -> None:
        head = self._git.head()
        if head != move.old:
            raise Moved(
                f"main was not moved to {move.new[:12]}: it stands on {(head or 'no commit')[:12]}, "
                f"not on {(move.old or 'no commit')[:12]} any more.",
                "run the same command again",
            )

    def _prepare(self, move: Move) -> tuple[Checkout, Prepared, Path]:
        checkout = Checkout(self._git, self._folder, self._scratch, move)
        folder = self._scratch / secrets.token_hex(6)
        files.make_folder(folder)
        return checkout, checkout.prepare(), indexlock.prepare(self._git, checkout.blobs, folder)

    def _swap(self, move: Move, keep: Sequence[int]) -> None:
        if not self._git.swap(move.ref, move.new, move.old, f"brain: {move.run_id}", keep):
            raise Moved(
                f"main was not moved to {move.new[:12]}: another commit came first.", "run the same command again"
            )

    def _lay(self, move: Move, checkout: Checkout, prepared: Prepared, index: Path) -> tuple[str, ...]:
        try:
            notes = checkout.lay(prepared)
            indexlock.put(self._git, index)
            leftovers.remove(index.parent)
        except BrainError as error:
            raise Unfinished(
                f"main has moved to {move.new[:12]}, but not all files of the folder have followed: {error.message}",
                "mend that; the next command lays the rest down",
            ) from error
        return notes

    def _has_moved(self, move: Move) -> bool:
        head = self._git.head()
        return head is not None and (head == move.new or self._git.is_ancestor(move.new, head))

    def _drop_unless_moved(self, move: Move) -> None:
        # Where even this fails, the journal stays and the next command looks again.
        with contextlib.suppress(BrainError, OSError):
            leftovers.empty(self._scratch)
            if not self._has_moved(move):
                leftovers.sweep_git(self._git, move)
                journal.end(self._home)
