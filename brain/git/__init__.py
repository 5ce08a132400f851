"""The dozen git commands used, one typed function each: plumbing alone, never user text as an option.

Paths in and out are those of the brain (relative to its root, with "/"), also where the brain is a
folder of a larger repository. Nothing here decides anything; store.py does.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from brain import layout
from brain.errors import BrainError
from brain.git import config, log, pack
from brain.git.line import GitLine, Identity, NotARepository, failure
from brain.git.log import Entry
from brain.git.read import CatFile

NOTHING = "0" * 40
_LIMIT = 120.0

_STATES = (
    ("MERGE_HEAD", "a merge is not finished", "finish it with git commit, or drop it with git merge --abort"),
    ("rebase-merge", "a rebase is not finished", "git rebase --continue, or git rebase --abort"),
    ("rebase-apply", "a rebase is not finished", "git rebase --continue, or git rebase --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick is not finished", "git cherry-pick --continue, or git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert is not finished", "git revert --continue, or git revert --abort"),
    ("BISECT_LOG", "a bisection is going on", "git bisect reset"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a brain's git keeps what."""

    git_dir: Path
    common_dir: Path
    work_tree: Path
    prefix: str
    """Of the brain in its repository: "" or "folder/"."""

    @property
    def index(self) -> Path:
        return self.git_dir / "index"

    @property
    def index_lock(self) -> Path:
        return self.git_dir / "index.lock"


class Git:
    """The repository that a brain lies in; found and checked when it is first needed."""

    def __init__(self, root: Path, person: Sequence[Path] = (), limit: float = _LIMIT) -> None:
        """`person`: the git config files that say who the person is; nothing else in them counts."""
        self.root = root
        self._person = tuple(person)
        self._limit = limit
        self._reader: CatFile | None = None
        self._reading = threading.Lock()

    # --- finding the repository ---------------------------------------------------

    @cached_property
    def place(self) -> Place:
        """Raises: NotARepository."""
        line = GitLine(self.root, Identity(), self._limit)
        found = line.run(
            "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir", "--show-toplevel", "--show-prefix"
        ).text.split("\n")
        # An empty prefix is an empty last line.
        if len(found) == 3:
            found.append("")
        if len(found) != 4:
            raise NotARepository(f"Nothing was done: {self.root} has a line break in its path.", "rename that folder")
        return Place(Path(found[0]), Path(found[1]), Path(found[2]), found[3])

    @cached_property
    def line(self) -> GitLine:
        """The hardened line in this repository. Raises: NotARepository, UnsafeConfig."""
        place = self.place
        for file, entries in self._config.items():
            config.check(entries, str(file))
        line = GitLine(place.work_tree, Identity(), self._limit)
        line.location = {"GIT_DIR": str(place.git_dir), "GIT_WORK_TREE": str(place.work_tree)}
        return line

    @cached_property
    def _config(self) -> Mapping[Path, list[tuple[str, str]]]:
        place = self.place
        return {
            file: self._read_config(file) for file in (place.common_dir / "config", place.git_dir / "config.worktree")
        }

    def _read_config(self, file: Path) -> list[tuple[str, str]]:
        if not file.is_file():
            return []
        probe = GitLine(self.root, Identity(), self._limit)
        return config.parse(probe.run("config", "--file", str(file), "--no-includes", "--list", "-z").out)

    @cached_property
    def identity(self) -> Identity:
        """Who commits: the repository's own user, else the person's, else Brain."""
        given: dict[str, str] = {}
        for file in reversed(self._person):
            # A file of theirs that cannot be read keeps nobody from committing.
            with contextlib.suppress(BrainError):
                given |= dict(self._read_config(file))
        given |= dict(entry for entries in self._config.values() for entry in entries)
        return Identity.of(given.get("user.name", ""), given.get("user.email", ""))

    def is_inside(self) -> bool:
        """Whether the folder lies in a repository that does not ignore it."""
        line = GitLine(self.root, Identity(), self._limit)
        if line.run("rev-parse", "--is-inside-work-tree", ok=(0, 128)).text != "true":
            return False
        # This command knows no literal paths, and this path holds no pattern.
        ignored = line.run("check-ignore", "-q", "--", ".", env={"GIT_LITERAL_PATHSPECS": "0"}, ok=(0, 1, 128))
        return ignored.status != 0

    def init(self) -> None:
        """Make a repository here, on the branch main."""
        GitLine(self.root, Identity(), self._limit).run("init", "--quiet", "--template=", "--initial-branch=main", ".")
        self.__dict__.pop("place", None)
        self.__dict__.pop("line", None)

    # --- reading ------------------------------------------------------------------

    def head(self) -> str | None:
        """The commit that HEAD stands on; None on a branch without one."""
        done = self.line.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", ok=(0, 1))
        return done.text or None

    def branch(self) -> str | None:
        """The ref that HEAD names, `refs/heads/main`; None where it is detached."""
        return self.line.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)).text or None

    def resolve(self, revision: str) -> str | None:
        """The commit a revision names; None where it names none."""
        done = self.line.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}", ok=(0, 1, 128)
        )
        return done.text if done.status == 0 else None

    def unfinished(self) -> tuple[str, str] | None:
        """What a person is in the middle of (a merge, a rebase, a detached HEAD), and what to do about it."""
        for name, state, advice in _STATES:
            if (self.place.git_dir / name).exists():
                return state, advice
        if self.branch() is None:
            return "HEAD is on no branch", "git switch BRANCH (or git switch -c NEW-BRANCH to keep what is there)"
        return None

    def run_of(self, commit: str) -> str:
        """The Brain-Id of a commit; the start of its own id where it has none."""
        return self.log(commit, limit=1)[0].run_id or commit[:12]

    def entries(self, commit: str, whole: bool = False) -> dict[str, tuple[str, str]]:
        """path -> (mode, id) of everything in the brain's folder at a commit; `whole`: in the repository."""
        listed = self._listed(commit, "" if whole else self.place.prefix)
        return {path: (mode, blob) for path, (mode, _, blob) in listed}

    def sized(self, commit: str) -> dict[str, tuple[str, str, int]]:
        """path -> (mode, id, bytes) of the files and symlinks in the brain's folder at a commit."""
        listed = self._listed(commit, self.place.prefix, "-l")
        return {path: (mode, blob, int(size)) for path, (mode, kind, blob, size) in listed if kind == "blob"}

    def _listed(self, commit: str, prefix: str, *options: str) -> Iterator[tuple[str, list[str]]]:
        """Path and the words before it of each line of ls-tree."""
        tree = f"{commit}:{prefix.rstrip('/')}" if prefix else commit
        done = self.line.run("ls-tree", "-r", *options, "-z", "--full-tree", "--end-of-options", tree, ok=(0, 128))
        if done.status != 0:
            # The brain's folder is not in this commit yet, or the commit cannot be read.
            self.line.run("cat-file", "-e", f"{commit}^{{tree}}")
            return
        for record in _records(done.out):
            head, _, path = record.partition("\t")
            yield path, head.split()

    def read(self, blob: str) -> bytes:
        """The bytes of an object. Raises: Corrupt where it is not there."""
        return self.read_many([blob])[0]

    def read_many(self, blobs: Sequence[str]) -> list[bytes]:
        """The same of many, asked for together."""
        with self._reading:
            reader, self._reader = self._reader or CatFile(self.line), None
            data = reader.read_many(blobs)
            # Kept only where it answered: one that failed has ended.
            self._reader = reader
            return data

    def changed(self, old: str, new: str) -> dict[str, tuple[str | None, str | None]]:
        """path -> (blob before, blob after) of the brain's files that differ between two commits."""
        done = self.line.run("diff-tree", "-r", "-z", "--raw", "--no-renames", "--end-of-options", old, new)
        found: dict[str, tuple[str | None, str | None]] = {}
        fields = iter(_records(done.out))
        for head in fields:
            path = next(fields)
            _, _, before, after, _ = head.split(" ")
            inside = path.removeprefix(self.place.prefix)
            if path.startswith(self.place.prefix) and layout.is_tracked(inside):
                found[inside] = (_id(before), _id(after))
        return found

    def is_ancestor(self, old: str, new: str) -> bool:
        return self.line.run("merge-base", "--is-ancestor", old, new, ok=(0, 1)).status == 0

    def log(self, start: str, *, path: str | None = None, limit: int = 0, grep: str = "") -> list[Entry]:
        """Commits from `start` back, newest first; those that changed `path`, those whose message holds `grep`."""
        line = ["log", "-z", "--no-mailmap", f"--format={log.FORMAT}"]
        line += [f"--max-count={limit}"] if limit else []
        line += ["--fixed-strings", f"--grep={grep}"] if grep else []
        line += ["--end-of-options", start, "--"] + ([self.place.prefix + path] if path else [])
        return log.parse(self.line.run(*line).out)

    def patches(self, start: str, path: str) -> str:
        """`git log -p` of one file from `start` back, newest first."""
        line = ("log", "-p", "--no-ext-diff", "--no-textconv", "--no-mailmap", "--format=commit %h%n%aI  %s%n")
        done = self.line.run(*line, "--end-of-options", start, "--", self.place.prefix + path)
        return done.out.decode("utf-8", "replace")

    def tree_of(self, commit: str) -> str:
        return self.line.run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}").text

    # --- writing objects ----------------------------------------------------------

    def store_files(self, paths: Sequence[Path]) -> list[str]:
        """Put the bytes of files into git as they are; their blob ids, in order."""
        data = "".join(f"{path}\n" for path in paths).encode("utf-8", "surrogateescape")
        return self.line.run("hash-object", "-w", "--no-filters", "--stdin-paths", data=data).text.split()

    def store_many(self, contents: Iterable[bytes], scratch: Path) -> list[str]:
        """The same for bytes in memory, as one pack; `scratch` is a folder with nothing else in it."""
        return pack.store(self.line, contents, scratch)

    def write_tree(self, base: str | None, changes: Mapping[str, str | None], index: Path) -> str:
        """The tree of `base` with blobs put in or taken out, made in an index of its own."""
        env = {"GIT_INDEX_FILE": str(index)}
        self.line.run("read-tree", *((base,) if base else ("--empty",)), env=env)
        self.update_index(changes, index)
        return self.line.run("write-tree", env=env).text

    def update_index(self, changes: Mapping[str, str | None], index: Path) -> None:
        """Set or drop entries of an index file by path; all others stay as they are.

        `index` lies in a folder with nothing else in it: git takes it for the work tree. In the real one it would
        compare files that changed a moment ago, through filters, which are programs.
        """
        lines = (
            f"100644 {blob}\t{self.place.prefix}{path}\0" if blob else f"0 {NOTHING}\t{self.place.prefix}{path}\0"
            for path, blob in changes.items()
        )
        data = "".join(lines).encode("utf-8", "surrogateescape")
        env = {"GIT_INDEX_FILE": str(index), "GIT_WORK_TREE": str(index.parent)}
        self.line.run("update-index", "--replace", "-z", "--index-info", data=data, env=env, folder=index.parent)

    def commit_tree(
        self, tree: str, parents: Iterable[str], message: str, at: datetime, author: Identity | None = None
    ) -> str:
        env = self.identity.variables(at)
        if author is not None:
            env |= {key: value for key, value in author.variables(at).items() if key.startswith("GIT_AUTHOR_")}
        flags = [part for parent in parents for part in ("-p", parent)]
        data = message.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace")
        return self.line.run("commit-tree", "--no-gpg-sign", *flags, "-F", "-", tree, data=data, env=env).text

    # --- moving refs --------------------------------------------------------------

    def swap(self, ref: str, new: str, old: str | None, why: str, keep: Sequence[int] = ()) -> bool:
        """Move a ref from `old` to `new`; False where it does not stand on `old` any more."""
        env = self.identity.variables()
        done = self.line.run("update-ref", "-m", why, ref, new, old or NOTHING, env=env, ok=(0, 128), keep=keep)
        if done.status != 0 and not re.search(r"but expected|reference already exists", done.err):
            raise failure("update-ref", done)
        return done.status == 0

    def drop_ref(self, ref: str, old: str) -> None:
        self.line.run("update-ref", "-d", ref, old)

    # --- merging ------------------------------------------------------------------

    def merge_file(self, ours: Path, base: Path, theirs: Path) -> bytes | None:
        """The three-way merge of three files; None where the same lines changed."""
        done = self.line.run("merge-file", "-p", "-q", "--", str(ours), str(base), str(theirs), ok=range(256))
        return done.out if done.status == 0 else None

    def close(self) -> None:
        """End the process that reads objects."""
        with self._reading:
            if self._reader is not None:
                self._reader.close()
                self._reader = None


def _records(out: bytes) -> list[str]:
    return out.decode("utf-8", "surrogateescape").split("\0")[:-1]


def _id(blob: str) -> str | None:
    return None if blob == NOTHING else blob
