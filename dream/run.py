"""One dream from beginning to end.

The long part holds no lock on main: readers, ingests and people go on meanwhile, and only `sync`
moves main. Two dreams never run at once on one brain: the second says who is at work, and ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from brain import index, layout, memory
from brain.dream import finished, report
from brain.dream.apply import Applied
from brain.dream.changes import compare
from brain.dream.limits import within
from brain.dream.orient import orient
from brain.dream.plan import Dreamer, Plan, Scope
from brain.dream.prune import Judged, judge
from brain.dream.report import Night
from brain.dream.result import DreamResult, DreamStatus
from brain.dream.staging import StagedTree
from brain.dream.sync import PROPOSED, UNMERGED, Proposal, keep, sync, write
from brain.errors import UsageError
from brain.files import locks
from brain.files.locks import Busy, Lock
from brain.store import StateError, Store
from brain.tree import Tree, changed, overlay
from brain.validators.registry import Rule

__all__ = ["DreamResult", "DreamStatus", "DreamsOff", "Options", "dream"]

LEASE = "dream.lock"


class DreamsOff(UsageError):
    """The person has switched dreams off."""


@dataclass(frozen=True, slots=True)
class Options:
    now: datetime
    """Sessions that had not ended by then are left alone."""
    dreamer: Dreamer
    dry_run: bool = False
    """Go as far as the gate and lay nothing down."""
    rules: Mapping[str, Rule] | None = None
    """Of the gate; None: all that there are."""


def dream(store: Store, options: Options) -> DreamResult:
    """Turn what is new into better notes and pages, as one commit or not at all.

    Raises: DreamsOff; Busy where another dream is at work; StateError in the middle of a merge; Unmerged;
    what the dreamer, Store.write and Store.advance raise. main is then where it was.
    """
    _check_mode(store)
    with _lease(store, options.now):
        notes = _prepare(store, options)
        head = store.head()
        scope = _scope(store, head, options.now)
        plan = options.dreamer.dream(scope) if scope.sessions else Plan()
        night = Night(_run_id(store, scope), options.dreamer.name, scope, (*scope.skipped, *plan.skipped))
        with StagedTree(store, night.run_id) as staged:
            result = _Dream(store, night, plan, staged, options.rules).end(head, options.dry_run)
        return replace(result, notes=(*notes, *result.notes, *store.notes))


# --- before -----------------------------------------------------------------------


def _check_mode(store: Store) -> None:
    if store.settings.dream.mode == "off":
        raise DreamsOff('No dream was started: dream.mode is "off".', 'set it to "auto" or "propose" in brain.toml')


@contextmanager
def _lease(store: Store, now: datetime) -> Iterator[None]:
    path = store.local(LEASE)
    lock = Lock(path, f"the dream of {now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}", wait=0)
    try:
        lock.acquire()
    except Busy:
        by = locks.holder(path) or "another dream"
        raise Busy(f"No dream was started: {by} is at work.", "run it again when that has ended") from None
    try:
        yield
    finally:
        lock.release()


def _prepare(store: Store, options: Options) -> list[str]:
    """Finish what a kill left, take in what a person edited; what was done, in words."""
    notes = list(store.recover())
    unfinished = store.git.unfinished()
    if unfinished:
        raise StateError(f"No dream was started: {unfinished[0]}.", unfinished[1])
    if options.dry_run:
        return notes
    settled = memory.settle(store, options.now)
    notes += [f"Took in {path}, edited by hand." for path in settled.paths]
    return notes + [f"Left {path} where it is: {why}" for path, why in settled.skipped]


def _scope(store: Store, head: str | None, now: datetime) -> Scope:
    cache = store.local("cache", "dreamt")
    known = finished.load(cache)
    seen = known.copy()
    scope = orient(store.tree(head), now, store.settings, seen)
    if seen != known:
        finished.save(cache, seen)
    return scope


def _run_id(store: Store, scope: Scope) -> str:
    """The time of the dream, with a number behind it where a dream of that time is on record."""
    name = f"{scope.now.astimezone(UTC):%Y-%m-%dT%H%M%SZ}"
    number, run_id = 1, name
    while _is_taken(store, scope.tree, run_id):
        number += 1
        run_id = f"{name}-{number}"
    return run_id


def _is_taken(store: Store, tree: Tree, run_id: str) -> bool:
    return (
        layout.report_path(run_id) in tree
        or store.find_run(run_id) is not None
        or any(store.git.resolve(f"{ref}/{run_id}") for ref in (PROPOSED, UNMERGED))
    )


# --- after ------------------------------------------------------------------------


class _Dream:
    """One night's plan on its way into main."""

    def __init__(
        self, store: Store, night: Night, plan: Plan, staged: StagedTree, rules: Mapping[str, Rule] | None
    ) -> None:
        self.store, self.night, self.plan, self.staged, self.rules = store, night, plan, staged, rules
        self.operations, self.over = within(plan.operations, store.settings.dream)
        self.judged: Judged | None = None

    def end(self, head: str | None, dry_run: bool) -> DreamResult:
        proposal = self.propose(self.night.scope, head)
        if proposal is None:
            return self.rejected()
        if not proposal.changes:
            return self.result(DreamStatus.NO_CHANGE)
        if dry_run:
            return self.result(DreamStatus.PROPOSED, None, proposal)
        if self.store.settings.dream.mode == "propose":
            return self.proposed(proposal)
        commit, synced = sync(self.store, self.night.run_id, self.night.scope, proposal, self.propose)
        if synced is None:
            return self.rejected()
        return self.result(DreamStatus.SYNCED if commit else DreamStatus.NO_CHANGE, commit, synced)

    def propose(self, scope: Scope, head: str | None) -> Proposal | None:
        """The plan over a head, through the gate; None where nothing of it is valid there."""
        night = replace(self.night, scope=scope)
        self.judged = judged = judge(self.operations, scope, lambda applied: self.stage(night, applied), self.rules)
        if not judged.is_valid:
            return None
        changes = {path: judged.staged.bytes(path) for path in sorted(changed(scope.tree, judged.staged))}
        subject = report.subject(night, compare(scope.tree, judged.staged))
        trailers = {
            "Brain-Dreamer": night.dreamer,
            "Brain-Sessions": str(len(scope.sessions)),
            "Brain-Model-Calls": str(self.plan.model_calls),
        }
        return Proposal(head, changes, subject, trailers)

    def stage(self, night: Night, applied: Applied) -> Tree:
        """What was applied, with the maps and the report that follow from it; nothing where nothing changed."""
        base = night.scope.tree
        changes = dict(applied.changes)
        content = overlay(base, changes)
        maps = index.files(content, self.store.settings.index.budget)
        changes |= {path: data for path, data in maps.items() if path not in base or base.bytes(path) != data}
        if changes:
            told = replace(applied, dropped=(*self.over, *applied.dropped))
            text = report.render(night, told, compare(base, content))
            changes[layout.report_path(night.run_id)] = text.encode("utf-8", "replace")
        return self.staged.lay(base, changes)

    def proposed(self, proposal: Proposal) -> DreamResult:
        commit = write(self.store, self.night.run_id, self.night.scope, proposal)
        ref = keep(self.store, f"{PROPOSED}/{self.night.run_id}", commit)
        return self.result(DreamStatus.PROPOSED, commit, proposal, (f"Look at it: git show {ref}",))

    def rejected(self) -> DreamResult:
        where = self.staged.keep()
        return self.result(DreamStatus.REJECTED, notes=(f"Nothing was synced; the staged tree is kept at {where}.",))

    def result(
        self,
        status: DreamStatus,
        commit: str | None = None,
        proposal: Proposal | None = None,
        notes: Sequence[str] = (),
    ) -> DreamResult:
        assert self.judged is not None
        text = proposal.changes.get(layout.report_path(self.night.run_id), b"") if proposal else b""
        return DreamResult(
            run=self.night.run_id,
            status=status,
            commit=commit,
            subject=proposal.subject if proposal else "",
            report=text.decode("utf-8"),
            sessions=tuple(new.folder for new in self.night.scope.sessions),
            operations=len(self.judged.applied.done),
            dropped=(*self.over, *self.judged.dropped),
            findings=self.judged.findings,
            skipped=self.night.skipped,
            model_calls=self.plan.model_calls,
            notes=tuple(notes),
        )
