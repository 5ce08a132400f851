"""The folder of a mount and what the system needs for one: checked before, cleaned up after a server that was killed.

Invariant: nothing but a mount of Brain's is ever unmounted.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

from brain import files
from brain.errors import BrainError, UsageError
from brain.files.disk import told

KIND = "brain"
"""After `fuse.`, what the system calls a mount of Brain's."""
_TOOL = "fusermount3"
_DEVICE = Path("/dev/fuse")
_MOUNTS = Path("/proc/self/mountinfo")
_WAIT = 10.0


class MountMissing(BrainError):
    """What a mount needs is not there."""

    code = "mount-missing"


class MountRefused(UsageError):
    """A folder is not one to mount at, or no mount of Brain's."""

    code = "mount-refused"


class MountFailed(BrainError):
    """The system did not mount or unmount."""

    code = "mount-failed"


def check_system() -> None:
    """Raises: MountMissing, which says what is not there and what to do about it."""
    nothing = "Nothing was mounted: "
    try:
        import pyfuse3  # noqa: F401
    except ImportError:
        hint = "apt-get install libfuse3-dev gcc pkg-config && pip install 'brain-dream[fuse]'"
        raise MountMissing(f"{nothing}the Python package pyfuse3 is not installed.", hint) from None
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        hint = "modprobe fuse; in a container also --device /dev/fuse --cap-add SYS_ADMIN"
        raise MountMissing(f"{nothing}{_DEVICE} is not there, or not open to you.", hint)
    if shutil.which(_TOOL) is None:
        raise MountMissing(f"{nothing}there is no program {_TOOL}.", "apt-get install fuse3")


def place(folder: Path) -> Path:
    """Where a folder really is. A mount there is asked nothing: its server may have stopped."""
    at = Path(os.path.abspath(folder))  # noqa: PTH100
    at = Path(os.path.realpath(at.parent)) / at.name
    return at if at in _kinds() else Path(os.path.realpath(at))


def prepare(folder: Path, brain: Path) -> bool:
    """Make sure that a folder can be mounted at; it is made where it is not there.

    True: an earlier mount, whose server had died, was cleaned up first. Raises: MountRefused, MountFailed.
    """
    was_dead = _clean(folder)
    above = _kinds()
    if folder.resolve().is_relative_to(brain.resolve()):
        raise _refused(folder, f"lies in the brain at {brain}")
    if nest := next((at for at in (folder, *folder.parents) if above.get(at) == f"fuse.{KIND}"), None):
        raise _refused(folder, "is mounted already" if nest == folder else f"lies in the mount at {nest}")
    try:
        files.make_folder(folder)
        if any(folder.iterdir()):
            raise _refused(folder, "is not empty")
    except NotADirectoryError:
        raise _refused(folder, "is no folder") from None
    except OSError as error:
        raise told(error, "cannot be mounted at", folder) from None
    return was_dead


def _refused(folder: Path, why: str) -> MountRefused:
    return MountRefused(f"Nothing was mounted: {folder} {why}.", "name a new folder beside it")


def _clean(folder: Path) -> bool:
    if _kinds().get(folder) != f"fuse.{KIND}" or not _is_dead(folder):
        return False
    _run_tool(folder, "-u", "-z")
    return True


def unmount(folder: Path) -> None:
    """End a mount of Brain's, also one whose server has died. Raises: MountRefused, MountFailed."""
    if _kinds().get(folder) != f"fuse.{KIND}":
        raise MountRefused(f"Nothing was unmounted: {folder} is no mount of a brain.", f"findmnt -t fuse.{KIND}")
    _run_tool(folder, *(("-u", "-z") if _is_dead(folder) else ("-u",)))


def _is_dead(folder: Path) -> bool:
    """Whether nobody serves a mount any more, or nobody who answers.

    Its attributes are no sign: the kernel has kept them.
    """
    dead = [True]

    def ask() -> None:
        try:
            os.statvfs(folder)
        except OSError as error:
            dead[0] = error.errno == errno.ENOTCONN
        else:
            dead[0] = False

    # Asked in a thread that is left behind: a server that stands still would hold this process too.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_WAIT)
    return dead[0]


def _run_tool(folder: Path, *options: str) -> None:
    try:
        done = subprocess.run(
            [_TOOL, *options, "--", str(folder)], capture_output=True, text=True, timeout=_WAIT, check=False
        )
    except FileNotFoundError:
        raise MountMissing(
            f"{folder} was not unmounted: there is no program {_TOOL}.", "apt-get install fuse3"
        ) from None
    except subprocess.TimeoutExpired:
        raise MountFailed(f"{folder} was not unmounted within {_WAIT:g} s.", f"{_TOOL} -u -z {folder}") from None
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
        raise MountFailed(f"{folder} was not unmounted: {said}.", "leave the folder in every shell and program first")


_ESCAPED = re.compile(r"\\([0-7]{3})")


def _kinds() -> dict[Path, str]:
    """Mount point -> kind of its file system, the one on top."""
    try:
        text = os.fsdecode(_MOUNTS.read_bytes())
    except OSError:
        return {}
    found = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        place = _ESCAPED.sub(lambda m: chr(int(m[1], 8)), before.split(" ")[4])
        found[Path(place)] = after.split(" ")[0]
    return found
