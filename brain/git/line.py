"""The one command line that calls git: hardened, with a time limit, and with its failures told apart.

Nothing of the person's settings reaches git here: no global or system config, no GIT_* variable, no
hook, filter, signature, editor, pager or prompt; everything git writes is synced. A text that is not
ours is never an option: callers put it behind `--`, or hand it over on standard input.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from brain.errors import BrainError
from brain.files.disk import DiskFault, DiskFull, ReadOnly, Refused, told

SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.symlinks=false",
    "core.protectHFS=true",
    "core.protectNTFS=true",
    "core.pager=cat",
    "core.editor=true",
    "core.askPass=false",
    "core.sshCommand=false",
    "core.splitIndex=false",
    "core.untrackedCache=false",
    "core.fsync=all",
    # What gits before 2.36 know of it.
    "core.fsyncObjectFiles=true",
    "core.fsyncMethod=fsync",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "gpg.program=false",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)
"""Given to every call with -c, so that they beat what the repository's own config says."""

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ASKPASS": "false",
    "GIT_EDITOR": "true",
    "LC_ALL": "C.UTF-8",
}


class GitError(BrainError):
    """git did not do what it was asked."""

    code = "git"


class GitMissing(GitError):
    """There is no git program."""

    code = "git-missing"


class NotARepository(GitError):
    """The folder lies in no git repository that Brain can work in."""

    code = "not-a-repository"


class Locked(GitError):
    """Another git holds a lock, or left it behind."""

    code = "git-locked"


class TimedOut(GitError):
    """git took longer than it may."""

    code = "git-timeout"


class Corrupt(GitError):
    """git cannot read what it had stored."""

    code = "git-corrupt"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a commit names."""

    name: str = "Brain"
    email: str = "brain@localhost"

    @classmethod
    def of(cls, name: str, email: str) -> Identity:
        """With what git can write of the two into a commit; Brain's own where nothing is left of one."""
        return cls(_clean(name) or cls().name, _clean(email) or cls().email)

    def variables(self, at: datetime | None = None) -> dict[str, str]:
        named = {"NAME": self.name, "EMAIL": self.email}
        if at is not None:
            named["DATE"] = f"@{max(0, int(at.timestamp()))} {f'{at:%z}'[:5]}"
        return {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in named.items()}


def _clean(text: str) -> str:
    return "".join(c for c in text if c.isprintable() and c not in "<>").strip(" .,:;\"'\\")


@dataclass(frozen=True, slots=True)
class Done:
    """What a git command gave."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "surrogateescape").rstrip("\n")


class GitLine:
    """Runs git in one folder."""

    def __init__(self, folder: Path, identity: Identity, limit: float) -> None:
        self.folder = folder
        self.identity = identity
        self.limit = limit
        self.location: dict[str, str] = {}
        """GIT_DIR and GIT_WORK_TREE, once they are known: then git looks for a repository no more."""

    def run(
        self,
        *arguments: str,
        data: bytes = b"",
        env: Mapping[str, str] | None = None,
        ok: Sequence[int] = (0,),
        keep: Sequence[int] = (),
        folder: Path | None = None,
    ) -> Done:
        """Run one command to its end; `keep` are descriptors (a lock) that git holds as long as it lives.

        `folder`: where to run it, else in this line's own.

        Raises: GitError and its kinds, DiskFull, ReadOnly, Refused, DiskFault; where `ok` names the status, none.
        """
        with self.started(*arguments, env=env, keep=keep, folder=folder) as process:
            try:
                out, err = process.communicate(data, timeout=self.limit)
            except subprocess.TimeoutExpired:
                raise timed_out(arguments[0], self.limit) from None
            except OSError as error:
                raise told(error, "was not finished", f"git {arguments[0]}") from error
        done = Done(process.returncode, out, err.decode("utf-8", "replace"))
        if done.status not in ok:
            raise failure(arguments[0], done)
        return done

    @contextlib.contextmanager
    def started(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
        folder: Path | None = None,
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A running git; it is killed where the body does not see it end."""
        process = self.start(*arguments, env=env, keep=keep, folder=folder)
        try:
            yield process
        finally:
            stop(process)

    def start(
        self,
        *arguments: str,
        env: Mapping[str, str] | None = None,
        keep: Sequence[int] = (),
        folder: Path | None = None,
    ) -> subprocess.Popen[bytes]:
        try:
            import git.cmd
            import git.exc
        except ImportError as error:
            raise _missing() from error
        folder = folder or self.folder
        if not os.access(folder, os.X_OK):
            # GitPython would run git in the working directory of the process instead.
            raise NotARepository(f"Nothing was done: {folder} is no folder that can be entered.", "brain init")
        variables = _ENVIRONMENT | self.identity.variables() | self.location | dict(env or {})
        # GitPython adds to the environment it was started in and cannot take away from it: env does.
        line = ["env", "-i", f"PATH={os.environ.get('PATH', os.defpath)}"]
        line += [f"{name}={value}" for name, value in variables.items()]
        line += ["git", "--no-pager", "--no-optional-locks"]
        line += [part for setting in SETTINGS for part in ("-c", setting)]
        try:
            started = git.cmd.Git(str(folder)).execute(
                [*line, *arguments], istream=subprocess.PIPE, as_process=True, pass_fds=tuple(keep)
            )
        except git.exc.GitCommandNotFound as error:
            raise _missing() from error
        # The wrapper kills its process when it is collected; the process is ours to end.
        process, started.proc = started.proc, None
        assert process is not None
        return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """Make sure that a process has ended and that its pipes are closed."""
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def timed_out(command: str, limit: float) -> TimedOut:
    """The error of a git that was stopped."""
    return TimedOut(
        f"git {command} did not end within {limit:g} s and was stopped.",
        "see what slows the disk down, then run the same command again",
    )


def _missing() -> GitMissing:
    return GitMissing("Nothing was done: there is no git program on PATH.", "install git 2.31 or later")


_LOCK = re.compile(r"Unable to create '(.+?\.lock)': File exists")
_CAUSES: tuple[tuple[str, type[BrainError], str], ...] = (
    (r"No space left on device|Disk quota exceeded", DiskFull, "free some space and run the same command again"),
    (r"Read-only file system", ReadOnly, "mount it writable, or copy the brain elsewhere"),
    (r"Permission denied|insufficient permission", Refused, "look at the owner and the rights of the .git folder"),
    (r"Input/output error", DiskFault, "look at the disk before anything else"),
    (r"not a git repository|must be run in a work tree", NotARepository, "brain init"),
    (r"dubious ownership", NotARepository, "make the folder yours (chown), or copy it"),
    (
        r"corrupt|bad signature|bad object|unable to read|is empty|inflate|hash mismatch|not a valid object|missing",
        Corrupt,
        "run git fsck in the brain, and fetch what it misses from a copy",
    ),
)


def failure(command: str, done: Done) -> BrainError:
    """The error that says why a git command failed."""
    if done.status == 127 and done.err.startswith("env:"):
        return _missing()
    lock = _LOCK.search(done.err)
    if lock:
        return locked(Path(lock.group(1)))
    lines = [line for line in done.err.splitlines() if line.strip()] or [f"exit status {done.status}"]
    said = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    message = f"git {command} failed: {said.removeprefix('fatal: ').removeprefix('error: ').rstrip('.')}."
    for pattern, kind, hint in _CAUSES:
        if re.search(pattern, done.err):
            return kind(message, hint)
    return GitError(message)


def locked(path: Path) -> Locked:
    """The error that names a lock file and its age."""
    try:
        age = f"{max(0, int(time.time() - path.stat().st_mtime))} s old"
    except OSError:
        age = "gone by now"
    return Locked(
        f"Nothing was written: git's lock {path} stands there, {age}.",
        "wait for the git that holds it; when none runs any more, remove the file",
    )
