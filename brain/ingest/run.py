"""One run of ingest: files in, sessions out, a commit for every batch.

What `ingest` has given back is on the disk. A kill between two batches loses the work on the second
and no word of the first; the same command goes on from there.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from brain.ingest import ahead
from brain.ingest.archive import is_archive, members
from brain.ingest.catalogue import Catalogue
from brain.ingest.formats import choose, is_part, unlike
from brain.ingest.options import EXCLUDED, Options, Wanted
from brain.ingest.placing import Placed, Placing, message
from brain.ingest.projects import Folders
from brain.ingest.reading import Draft, Format
from brain.ingest.remembered import Remembered
from brain.ingest.source import Found, Input, NoSource, Skipped, lies_in_a_brain, opened, shown, walk
from brain.ingest.taken import IngestResult, Seen, Taken
from brain.store import Moved, Store
from brain.text.counted import counted
from brain.tree import Tree, overlay

BATCH_SESSIONS = 200
BATCH_CHARS = 24_000_000
_TRIES = 8
_WAIT = 300.0
"""Seconds for which another ingest or a dream may hold the lock."""

Maps = Callable[[Tree], Mapping[str, bytes]]
"""tree -> the generated index files of it, by path."""
Watch = Callable[[Sequence["Input"]], Iterable["Input"]]
"""Passes the sources through, to show how far it is."""


def ingest(
    store: Store,
    sources: Sequence[str | Path | Input],
    *,
    now: datetime,
    options: Options | None = None,
    maps: Maps | None = None,
    watch: Watch | None = None,
) -> IngestResult:
    """Take transcripts in: files, folders, open inputs. `maps` makes the index files that each commit carries.

    The same source again, or grown, is the same session. Raises: NoSource; what the store raises:
    what had been committed before that stays.
    """
    run = _Run(store, now, options or Options(), maps)
    inputs = list(run.inputs(sources))
    jobs = run.options.jobs if sum(source.size for source in inputs) >= ahead.WORTH else 1
    for source, items in ahead.read(watch(inputs) if watch else inputs, run.to_read, jobs):
        run.take(source, items)
    run.commit()
    return run.result(len(sources))


class _Run:
    """What one run has gathered so far."""

    def __init__(self, store: Store, now: datetime, options: Options, maps: Maps | None) -> None:
        self._store = store
        self._now = now
        self.options = options
        self._maps = maps
        self._folders_seen = Folders()
        self._remembered = Remembered(store)
        self._catalogue = Catalogue.read(store, store.tree(), keep=not options.dry_run)
        self._wanted = Wanted(options, store.settings.ingest.exclude, self._folders_seen, self._catalogue.projects)
        self._folders: dict[Input, str] = {}
        self._seen: dict[Input, Seen] = {}
        """Sources that were looked at and are not taken yet."""
        self._batch: list[Draft] = []
        self._size = 0
        self._read: dict[str, dict[str, int]] = defaultdict(dict)
        """Source -> its sessions and their turns, as far as they are in main."""
        self._ended: set[str] = set()
        """Sources that were read to their end and as a whole."""
        self._taken: dict[str, Taken] = {}
        self._skipped: list[Skipped] = []
        self._refused: list[Skipped] = []
        self._strange: dict[str, list[str]] = defaultdict(list)
        """Folder -> names of the files in it that no format takes."""
        self._planned: dict[str, bytes | None] = {}
        """What a dry run would have written."""
        self._secrets: Counter[str] = Counter()
        self._commits: list[str] = []

    # --- sources ------------------------------------------------------------------

    def inputs(self, sources: Sequence[str | Path | Input]) -> Iterator[Input]:
        for source in self._files(sources):
            yield from self._members(source) if is_archive(source) else (source,)

    def _members(self, source: Input) -> Iterator[Input]:
        for member in members(source):
            if isinstance(member, Skipped):
                self._skipped.append(member)
            elif self._wanted.is_excluded(member.name):
                self._skipped.append(Skipped(member.name, None, EXCLUDED))
            else:
                self._folders[member] = source.name
                yield member

    def _files(self, sources: Sequence[str | Path | Input]) -> Iterator[Input]:
        yield from (source for source in sources if isinstance(source, Input))
        for found in walk([source for source in sources if not isinstance(source, Input)]):
            if isinstance(found, Found) and found.folder is not None and is_part(found.path):
                continue
            source = found if isinstance(found, Skipped) else self._opened(found)
            if isinstance(source, Skipped):
                self._skipped.append(source)
            else:
                yield source

    def _opened(self, found: Found) -> Input | Skipped:
        name = shown(found.path)
        if lies_in_a_brain(found.path):
            return Skipped(name, None, "it is a file of a brain, and memory is no evidence for itself")
        if self._wanted.is_excluded(name):
            return Skipped(name, None, EXCLUDED)
        try:
            source = opened(found.path, name)
        except OSError as error:
            return Skipped(name, None, f"not read: {error.strerror or error}")
        if found.folder is not None:
            self._folders[source] = found.folder
            source.below = Path(name).parts[len(Path(found.folder).parts) :]
        return source

    def to_read(self, source: Input) -> Format | None:
        """The format that a source is to be read by; None where it need not be, and `take` says why."""
        try:
            self._seen[source] = seen = self._look(source)
        except OSError as error:
            self._seen[source] = Seen(error=error)
            return None
        return seen.format_ if seen.stored is None else None

    def _look(self, source: Input) -> Seen:
        """Raises: OSError."""
        if not source.head.strip() and source.size <= len(source.head):
            return Seen(is_empty=True)
        format_ = choose(source)
        if not isinstance(format_, Format):
            return Seen()
        key = format_.key(source)
        return Seen(format_, key, self._remembered.sessions(key, self._catalogue))

    def take(self, source: Input, items: Iterable[Draft | Skipped]) -> None:
        """What a source holds goes into the batch."""
        seen = self._seen.pop(source)
        if seen.error:
            self._unread(source, seen.error)
        elif seen.format_ is None:
            if not seen.is_empty:
                self._refuse(source)
        elif seen.stored is not None:
            for known in seen.stored:
                if self._wanted.still_takes(known, source.name):
                    self._note(Taken(known, seen.format_.name, 0, False, False))
        else:
            self._take(source, seen.key, items)

    def _take(self, source: Input, key: str, items: Iterable[Draft | Skipped]) -> None:
        is_whole = True
        try:
            for item in items:
                if isinstance(item, Skipped):
                    self._skipped.append(item)
                elif self._wanted.takes(item, source.name):
                    self._add(key, source, item)
                else:
                    is_whole = False
        except OSError as error:
            self._unread(source, error)
            return
        if is_whole:
            self._ended.add(key)

    def _unread(self, source: Input, error: OSError) -> None:
        self._skipped.append(Skipped(source.name, None, f"not read to its end: {error.strerror or error}"))

    def _refuse(self, source: Input) -> None:
        folder = self._folders.get(source)
        if folder is None:
            self._refused.append(Skipped(source.name, None, f"it is {unlike(source.head)}"))
        else:
            self._strange[folder].append(source.below[-1] if source.below else source.file_name)

    # --- batches --------------------------------------------------------------------

    def _add(self, key: str, source: Input, draft: Draft) -> None:
        self._skipped += [Skipped(source.name, None, f"{count} {what}") for what, count in sorted(draft.notes.items())]
        self._batch.append(replace(draft, key=key))
        self._size += sum(len(turn.text) + sum(len(c.input) for c in turn.tool_calls) for turn in draft.session.turns)
        self._size += sum(map(len, draft.attachments.values()))
        if len(self._batch) >= BATCH_SESSIONS or self._size >= BATCH_CHARS:
            self.commit()

    def commit(self) -> None:
        """Put the batch into main; what is in it then is told, and its sources are remembered."""
        batch, self._batch, self._size = self._batch, [], 0
        if batch:
            for draft, one in zip(batch, self._placed(batch), strict=True):
                self._note(Taken(one.known, draft.session.source.format, one.new_turns, one.is_new, one.has_changed))
                self._skipped += [Skipped(draft.session.source.name, None, remark) for remark in one.remarks]
                self._secrets.update(one.secrets)
                self._read[draft.key][one.known.id] = one.known.turns
        if not self.options.dry_run:
            self._remembered.add({key: self._read.pop(key, {}) for key in self._ended})
        self._ended.clear()

    def _placed(self, batch: Sequence[Draft]) -> list[Placed]:
        if self.options.dry_run:
            placing = self._placing(overlay(self._store.tree(), self._planned))
            placed = placing.place_all(batch)
            self._planned |= placing.changes
            return placed
        with self._store.lock("ingest", wait=_WAIT):
            for attempt in range(_TRIES):
                head = self._store.head()
                tree = self._store.tree(head)
                placing = self._placing(tree)
                placed = placing.place_all(batch)
                try:
                    self._store_all(placing.changes, placed, tree, head)
                    return placed
                except Moved:
                    if attempt == _TRIES - 1:
                        raise
        return []

    def _placing(self, tree: Tree) -> Placing:
        catalogue = Catalogue.read(self._store, tree, keep=not self.options.dry_run)
        return Placing(tree, catalogue, self._store.settings.zone, self._folders_seen)

    def _store_all(
        self, changes: Mapping[str, bytes | None], placed: Sequence[Placed], tree: Tree, head: str | None
    ) -> None:
        if not changes:
            return
        whole = dict(changes) | dict(self._maps(overlay(tree, changes)) if self._maps else {})
        digest = hashlib.sha256("\n".join(sorted(whole)).encode()).hexdigest()
        run_id = f"ingest-{self._now:%Y%m%dT%H%M%S}-{digest[:6]}"
        said = message(placed)
        commit = self._store.write(whole, base=head, message=said, command="ingest", run_id=run_id, at=self._now)
        if commit != head:
            self._store.advance(commit, head)
            self._commits.append(commit)

    # --- what came of it ------------------------------------------------------------

    def _note(self, taken: Taken) -> None:
        before = self._taken.get(taken.known.id)
        if before is not None:
            taken = replace(
                taken,
                new_turns=before.new_turns + taken.new_turns,
                is_new=before.is_new or taken.is_new,
                has_changed=before.has_changed or taken.has_changed,
            )
        self._taken[taken.known.id] = taken

    def result(self, given: int) -> IngestResult:
        """Raises: NoSource where every source was refused."""
        if self._refused and len(self._refused) == given:
            first = self._refused[0]
            more = f" (and {given - 1} more)" if given > 1 else ""
            why = f"{first.source}{more} is no transcript: {first.why}"
            raise NoSource(f"Nothing was taken in: {why}.", "brain ingest --help")
        self._skipped += [Skipped(folder, None, _strange(names)) for folder, names in self._strange.items()]
        return IngestResult(
            tuple(self._taken.values()),
            (*self._skipped, *self._wanted.told(), *self._refused),
            dict(self._secrets),
            tuple(self._commits),
        )


def _strange(names: Sequence[str]) -> str:
    """What to say of the files of one folder that no format takes: how many, of what kind, and some by name."""
    endings = Counter(Path(name).suffix or "no ending" for name in names)
    kinds = ", ".join(f"{count} {ending}" for ending, count in endings.most_common(5))
    some = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return f"{counted(len(names), 'file that no format takes')} ({kinds}): {some}"
