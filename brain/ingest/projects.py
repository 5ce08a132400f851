"""Which project a working folder belongs to: by its repository, so that two checkouts are one and two never mix.

A folder that is no repository on this machine (any more) is known by its path below the person's home, as a hash: the
memory keeps no paths.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from brain.errors import BrainError
from brain.git import config
from brain.git.line import GitLine, Identity

_PATIENCE = 10.0
_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:[/\\]Users[/\\][^/\\]+)(?=[/\\]|$)")
_SCP = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w.-]+\.[\w-]+|[\w-]+):(?P<path>[^/\\].*)")
_URL = re.compile(r"(?:https?|ssh|git)://(?:[^/@]*@)?(?P<host>[^/:@]+)(?::\d+)?/(?P<path>.+)")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What is known of the folder that a session worked in."""

    name: str = ""
    """As one would call the project."""
    repository: str = ""
    """`host/owner/name` of its remote, else `root:<commit>`; "" where the folder is no repository here."""
    place: str = ""
    """12 hex digits of the hash of its path below home; "" where there was no folder."""


class Folders:
    """Whereabouts of working folders, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[str, Whereabouts] = {}

    def find(self, folder: str) -> Whereabouts:
        if folder not in self._known:
            self._known[folder] = _find(folder) if folder.strip("/\\ ") else Whereabouts()
        return self._known[folder]


def _find(folder: str) -> Whereabouts:
    given = Whereabouts(last_name(folder), "", _place(folder))
    path = Path(folder)
    if not path.is_absolute() or not any((above / ".git").exists() for above in (path, *path.parents)):
        return given
    try:
        return _repository(path) or given
    except (BrainError, OSError):
        # A repository that git does not open here says nothing; its folder's name does.
        return given


def _repository(path: Path) -> Whereabouts | None:
    line = GitLine(path, Identity(), _PATIENCE)
    shown = line.run("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir", ok=(0, 128))
    if shown.status or shown.text.count("\n") != 1:
        return None
    top, common = shown.text.split("\n")
    listed = line.run("config", "--file", f"{common}/config", "--no-includes", "--list", "-z", ok=(0, 1)).out
    remotes = [value for key, value in config.parse(listed) if re.fullmatch(r"remote\..+\.url", key)]
    origin = [value for key, value in config.parse(listed) if key == "remote.origin.url"]
    for url in (*origin, *remotes):
        if named := remote(url):
            return Whereabouts(last_name(named), named, _place(top))
    roots = line.run("rev-list", "--max-parents=0", "HEAD", "--", ok=(0, 128)).text.split()
    name = last_name(str(Path(common).parent)) if Path(common).name == ".git" else last_name(top)
    return Whereabouts(name, f"root:{roots[-1]}" if roots else "", _place(top))


def remote(url: str) -> str:
    """A remote's address without protocol, user and ending, in small letters; "" for a path on this machine."""
    found = _URL.fullmatch(url.strip()) or _SCP.fullmatch(url.strip())
    if found is None:
        return ""
    path = found["path"].strip("/").removesuffix(".git").strip("/")
    return f"{found['host']}/{path}".lower() if path else ""


def last_name(folder: str) -> str:
    """The name of a folder, on whatever system it lies."""
    return re.split(r"[/\\]", folder.rstrip("/\\"))[-1]


def _place(folder: str) -> str:
    below = _HOME.sub("~", folder.rstrip("/\\"), count=1) if _HOME.match(folder) else folder.rstrip("/\\")
    return sha256(below.replace("\\", "/").encode("utf-8", "replace")).hexdigest()[:12]


class Projects:
    """The projects that a memory knows: what each is called, and by what it is known again."""

    def __init__(self, known: Iterable[Whereabouts] = ()) -> None:
        self._by_repository: dict[str, str] = {}
        self._by_place: dict[str, str] = {}
        self._repositories: dict[str, set[str]] = defaultdict(set)
        for one in known:
            self.add(one)

    def add(self, known: Whereabouts) -> None:
        """A project that is only named, without a folder, is whichever of that name there is."""
        if not known.name or not (known.repository or known.place):
            return
        self._repositories[known.name.casefold()].add(known.repository)
        if known.repository:
            self._by_repository.setdefault(known.repository, known.name)
        if known.place:
            self._by_place.setdefault(known.place, known.name)

    def name(self, found: Whereabouts) -> str:
        """What the project of a folder is called here: as before, where it is known; else by a name that is free."""
        known = self._by_repository.get(found.repository) or self._at_place(found)
        if known:
            return known
        if found.name.casefold() not in self._repositories or not (found.repository or found.place):
            return found.name
        return f"{found.name}-{sha256((found.repository or found.place).encode()).hexdigest()[:4]}"

    def _at_place(self, found: Whereabouts) -> str:
        """The project of the same place, unless another repository lies there now."""
        name = self._by_place.get(found.place, "")
        others = self._repositories[name.casefold()] - {"", found.repository} if name else set()
        return "" if found.repository and others else name
