"""Git inside a working set: log, diff, show, grep and status, over the commit that it shows.

Where the brain is a repository of its own, the objects are the brain's (nothing is copied) and the history is whole. A
brain that is a folder of a larger repository is shown by one commit over the same objects. For others than the user
there are no objects but those of the public part, in a repository of its own with one commit.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from brain import files
from brain.git import Git, apart, sparse
from brain.git.folders import Folders
from brain.git.line import GitError
from brain.model import Audience
from brain.sandbox import manifest
from brain.sandbox.working_set import MANUAL, WorkingSet
from brain.store import Store

SNAPSHOT_NOTE = "The brain is a folder of a larger repository: git has this one commit."
PUBLIC_NOTE = "Git has one commit here, with the public part alone."
_EXCLUDED = (manifest.FOLDER, MANUAL)


class CommitGone(GitError):
    """The commit that was asked for, or that a working set shows, is not in the brain."""

    code = "commit-gone"


@dataclass(frozen=True, slots=True)
class Laid:
    """Git as it stands in a folder."""

    head: str
    listing: Folders
    note: str
    """What a reader of it must know; "": the history is whole."""


def commit_of(store: Store, revision: str | None) -> str:
    """The commit that a revision names in the brain. Raises: CommitGone."""
    found = store.git.resolve(revision) if revision else store.head()
    if found is None:
        what = f"no commit {revision}" if revision else "no commit yet"
        raise CommitGone(f"Nothing was done: the brain at {store.root} has {what}.", "brain log; or leave --commit out")
    return found


def lay(folder: Path, store: Store, commit: str, audience: Audience) -> Laid:
    """Put git into the folder, standing on this commit of the brain, as the audience may see it. Raises: CommitGone."""
    try:
        listing = Folders(store.git, commit)
    except GitError as error:
        raise CommitGone(
            f"The commit {commit[:12]} that {folder} shows is not in the brain at {store.root}: {error.message}",
            f"brain sandbox refresh {folder}",
        ) from None
    if audience is Audience.PUBLIC:
        return _public(folder, store, commit)
    objects = _borrowed(folder, store)
    if store.git.place.prefix:
        return _snapshot(folder, store, listing.tree, commit, objects)
    apart.lay(folder / ".git", _EXCLUDED, objects, commit)
    return Laid(commit, listing, "")


def follow(working: WorkingSet, listing: Folders) -> None:
    """Tell git which files lie in the folder now."""
    statuses = working.statuses()
    git_dir = working.folder / ".git"
    apart.put(git_dir / "info" / "sparse-checkout", sparse.patterns(sparse.open_folders(statuses)))
    apart.put(git_dir / "index", sparse.index(listing, statuses))


def _borrowed(folder: Path, store: Store) -> str:
    """Where the brain's objects are. A folder inside the brain moves with it, so it names them from its own place."""
    objects = store.git.place.common_dir / "objects"
    if folder.resolve().is_relative_to(store.root.resolve()):
        return os.path.relpath(objects.resolve(), folder.resolve() / ".git" / "objects")
    return str(objects)


def _snapshot(folder: Path, store: Store, tree: str, commit: str, objects: str) -> Laid:
    apart.lay(folder / ".git", _EXCLUDED, objects)
    inside = Git(folder)
    head = inside.commit_tree(tree, [], f"The brain at {commit[:12]}", _date(store, commit))
    apart.lay(folder / ".git", _EXCLUDED, objects, head)
    return Laid(head, Folders(inside, head), SNAPSHOT_NOTE)


def _public(folder: Path, store: Store, commit: str) -> Laid:
    """Made beside and put in its place, so that nothing of an earlier one is left in it."""
    # Parses every page and renders the maps: what the user alone reads has them made already.
    from brain.sandbox import public

    beside = folder / manifest.FOLDER / "git"
    shutil.rmtree(beside, ignore_errors=True)
    apart.lay(beside / ".git", _EXCLUDED)
    head = _committed(Git(beside), public.part(store.tree(commit), store.settings.index.budget), _date(store, commit))
    apart.lay(beside / ".git", _EXCLUDED, None, head)
    shutil.rmtree(folder / ".git", ignore_errors=True)
    (beside / ".git").rename(folder / ".git")
    shutil.rmtree(beside)
    return Laid(head, Folders(Git(folder), head), PUBLIC_NOTE)


def _committed(git: Git, contents: Mapping[str, bytes], at: datetime) -> str:
    scratch = git.root / "scratch"
    for part in ("blobs", "index"):
        files.make_folder(scratch / part)
    blobs = dict(zip(contents, git.store_many(contents.values(), scratch / "blobs"), strict=True))
    tree = git.write_tree(None, blobs, scratch / "index" / "index")
    shutil.rmtree(scratch)
    commit = git.commit_tree(tree, [], "The public part of a brain", at)
    git.close()
    return commit


def _date(store: Store, commit: str) -> datetime:
    return store.git.log(commit, limit=1)[0].date
