"""The store: the only room that moves `main`.

Invariants: main goes from one commit to the next by compare-and-swap; what a move needs room for is
on the disk before it; a kill at any point is finished or dropped by `recover`; the files of the
folder follow main one whole file at a time, and words a person wrote in them meanwhile win.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from brain import config, files, layout
from brain.config import Settings
from brain.errors import BrainError
from brain.files import disk
from brain.files.folder import Folder
from brain.files.locks import Busy, Lock
from brain.git import Git
from brain.git.line import Identity
from brain.names import is_safe_path
from brain.store import journal, leftovers, worktrees
from brain.store.checkout import Unsafe
from brain.store.moving import Moved, Mover, StateError, Unfinished
from brain.store.revision import Revision
from brain.store.working import Working
from brain.tree import Cache, InMemory, Tree

__all__ = ["Identity", "Moved", "StateError", "Store", "Unfinished", "Unsafe"]


_NONE: Mapping[str, bytes] = MappingProxyType({})


class Store:
    """One brain: its folder, its settings, its git."""

    def __init__(self, root: Path, settings: Settings, git: Git) -> None:
        self.root = root
        self.settings = settings
        self.git = git
        self.folder = Folder(root)
        self.notes: list[str] = []
        """What `advance` had to say besides success: edits that were kept, versions that were put aside."""
        self._cache: Cache = {}
        self._lock: Lock | None = None

    @classmethod
    def open(cls, root: Path, person: Sequence[Path] = ()) -> Store:
        """The brain at `root`; git is not started yet.

        `person`: the person's git config files, for their name and address alone. Raises: NoBrain, SettingsError.
        """
        return cls(root, config.load(root), Git(root, person))

    @classmethod
    def init(
        cls, root: Path, *, toml: str, at: datetime, person: Sequence[Path] = (), maps: Mapping[str, bytes] = _NONE
    ) -> Store:
        """Make a brain at `root`, or complete what is missing of one; a brain that is whole is left as it is.

        `toml` is its brain.toml where it has none, `maps` are the index files of an empty one. A folder in a git
        repository becomes a folder of that.
        """
        files.make_folder(root)
        git = Git(root, person)
        if not git.is_inside():
            git.init()
        for name, text in _FIRST.items():
            _lay_first(root / name, text)
        _lay_first(root / layout.SETTINGS, toml)
        store = cls.open(root, person)
        with store.lock("init"):
            store.recover()
            store._first_commit(at, maps if store.head() is None else {})
        return store

    def close(self) -> None:
        """End the processes that serve this store."""
        self.git.close()

    # --- reading ------------------------------------------------------------------

    def head(self) -> str | None:
        """The commit main stands on; main is the branch that HEAD names."""
        return self.git.head()

    def tree(self, commit: str | None = None) -> Tree:
        """The files at a commit; None: at main."""
        commit = commit or self.head()
        return Tree(Revision(self.git, commit) if commit else InMemory({}), self._cache)

    def working(self) -> Tree:
        """The files as they lie in the folder now; git is not asked."""
        return Tree(self._working.scan(), self._cache)

    def edits(self) -> dict[str, bytes | None]:
        """What a person changed in the folder since main: path -> bytes, None where the file is gone."""
        return self._working.changed(self.tree().blobs, self.git.read)

    def find_run(self, run_id: str) -> str | None:
        """The commit in main that carries this Brain-Id."""
        head = self.head()
        found = self.git.log(head, grep=f"Brain-Id: {run_id}") if head else []
        return next((entry.commit for entry in found if entry.run_id == run_id), None)

    @cached_property
    def _working(self) -> Working:
        return Working(self.folder, self.local("cache", "files.json"), self.git.read)

    # --- .brain/ ------------------------------------------------------------------

    def local(self, *parts: str) -> Path:
        """A path below .brain/, which is made where it is missing. Raises: Unsafe where it is a symlink."""
        folder = self.root / layout.LOCAL
        if folder.is_symlink():
            raise Unsafe(f"Nothing was done: {folder} is a symlink.", "remove it; Brain makes a folder there")
        if not (folder / ".gitignore").exists():
            # On a disk that takes no writes, reading goes on without.
            with contextlib.suppress(BrainError):
                files.make_folder(folder)
                files.replace(folder / ".gitignore", b"*\n")
        return folder.joinpath(*parts)

    def lock(self, purpose: str, wait: float = 10.0) -> Lock:
        """The lock of the one who writes main; this store may take it again while it holds it."""
        if self._lock is None or self._lock.fd is None:
            self._lock = Lock(self.local("lock"), purpose, wait)
        return self._lock

    @property
    def _scratch(self) -> Path:
        """For the one who holds the lock."""
        return self.local(leftovers.SCRATCH)

    # --- writing ------------------------------------------------------------------

    def write(  # noqa: PLR0913 - what a commit says belongs together, and each is named at the call
        self,
        changes: Mapping[str, bytes | None],
        *,
        base: str | None,
        message: str,
        command: str,
        run_id: str,
        at: datetime,
        author: Identity | None = None,
        trailers: Mapping[str, str] | None = None,
    ) -> str:
        """Objects and a commit over `base`; main is not moved. Where nothing differs, `base` itself.

        Raises: Unsafe for a path that is no file of a brain; DiskFull, ReadOnly, Busy, GitError.
        """
        for path in changes:
            why = is_safe_path(path) or ("" if layout.is_tracked(path) else "no file of a brain stands there")
            if why:
                raise Unsafe(f"Nothing was written to {path!r}: {why}.")
        with self.lock(command), self._spill() as folder:
            self._mover().check_state()
            blobs = self._store(changes, folder)
            apart = folder / "index"
            files.make_folder(apart)
            tree = self.git.write_tree(base, blobs, apart / "index")
            if base and tree == self.git.tree_of(base):
                return base
            text = _message(message, {"Brain-Command": command, "Brain-Id": run_id, **(trailers or {})})
            return self.git.commit_tree(tree, [base] if base else [], text, at, author)

    @contextlib.contextmanager
    def _spill(self) -> Iterator[Path]:
        """A folder for one write; where it is found later, the run that made it died."""
        folder = self._scratch / secrets.token_hex(6)
        files.make_folder(folder)
        try:
            yield folder
        except BaseException:
            with contextlib.suppress(BrainError, OSError):
                leftovers.sweep_git(self.git, None)
            raise
        finally:
            leftovers.remove(folder)

    def _store(self, changes: Mapping[str, bytes | None], folder: Path) -> dict[str, str | None]:
        kept = {path: data for path, data in changes.items() if data is not None}
        if len(kept) >= disk.MANY:
            ids = self.git.store_many(kept.values(), folder)
            return {path: None for path in changes} | dict(zip(kept, ids, strict=True))
        with disk.telling("was not written", folder), disk.opened(folder, disk.FOLDER) as at:
            names = [files.write_new(at, data, sync=False) for data in kept.values()]
        ids = self.git.store_files([folder / name for name in names]) if names else []
        return {path: None for path in changes} | dict(zip(kept, ids, strict=True))

    def advance(self, new: str, old: str | None) -> None:
        """Move main from `old` to `new`, then the folder and git's index after it; see `notes`.

        Raises: Moved where main stands elsewhere; StateError in the middle of a merge or on no branch;
        Locked where another git holds the index; Unsafe; DiskFull and the like: nothing has moved then.
        Unfinished: main has moved, the next command lays down the rest.
        """
        with self.lock("advance") as lock:
            # git inherits the lock: if this process dies, the next one waits until git has ended too.
            keep = [lock.fd] if lock.fd is not None else []
            self.notes += self._mover().advance(new, old, self.git.run_of(new), keep)

    def recover(self) -> tuple[str, ...]:
        """Finish or drop what a run that died has left; what was done, in words.

        Costs next to nothing where there is nothing to do, and does nothing while another run is at work.
        """
        home = self.local()
        if not self._may_need_repair(home):
            return ()
        lock = self.lock("repair", wait=0)
        try:
            lock.acquire()
        except Busy:
            return ()
        try:
            return tuple(self._repair(home))
        finally:
            lock.release()

    def _may_need_repair(self, home: Path) -> bool:
        return (
            journal.exists(home)
            or leftovers.has_scratch(home)
            or bool(leftovers.dead_files(home))
            or bool(leftovers.dead_staged(home))
            or worktrees.maybe_any(self.root)
        )

    def _repair(self, home: Path) -> list[str]:
        notes: list[str] = []
        move = journal.pending(home)
        if move is not None:
            notes += self._mover().finish(move)
        elif journal.exists(home):
            journal.end(home)
            notes.append("Removed a journal that cannot be read; main is as it was.")
        elif leftovers.has_scratch(home):
            leftovers.sweep_git(self.git, None)
        notes += leftovers.sweep(home)
        return notes + worktrees.sweep(self.git)

    def _mover(self) -> Mover:
        files.make_folder(self._scratch)
        return Mover(self.git, self.folder, self.local())

    def _first_commit(self, at: datetime, maps: Mapping[str, bytes]) -> None:
        head = self.head()
        for path, content in maps.items():
            files.make_folder((self.root / path).parent)
            _lay_first(self.root / path, content.decode())
        names = (layout.SETTINGS, *_FIRST, *maps)
        missing = [name for name in names if name not in self.tree(head).blobs] if head else list(names)
        changes = {name: data for name in missing if (data := self.folder.read(name)) is not None}
        if changes:
            run_id = f"init-{at:%Y%m%dT%H%M%S}"
            commit = self.write(changes, base=head, message="Make a brain", command="init", run_id=run_id, at=at)
            self.advance(commit, head)


def _message(text: str, trailers: Mapping[str, str]) -> str:
    lines = [f"{key}: {' '.join(value.split())}" for key, value in trailers.items()]
    return text.strip() + "\n\n" + "\n".join(lines) + "\n"


_FIRST = {
    layout.INSTRUCTIONS: (
        "# Standing instructions to dreams\n\n"
        "Write here what every dream should heed: what matters, what does not, how pages should read.\n"
    ),
    layout.DELETIONS: "# Deletion log\n",
}


def _lay_first(path: Path, text: str) -> None:
    if not os.path.lexists(path):
        files.replace(path, text.encode("utf-8"))
