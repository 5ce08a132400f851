"""A git folder that Brain lays into a working set: its own few files, and the objects of another repository.

Nothing in it names a program; attributes in the tree start no filter either. What a person's git writes there stays
there: objects that are borrowed are only read.
"""

from __future__ import annotations

from pathlib import Path

from brain import files

_CONFIG = """\
[core]
	repositoryformatversion = 0
	bare = false
	filemode = false
	symlinks = false
	autocrlf = false
	quotepath = false
	logallrefupdates = false
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	sparseCheckout = true
	sparseCheckoutCone = true
[index]
	sparse = true
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	allow = never
[advice]
	detachedHead = false
	updateSparsePath = false
"""
_ATTRIBUTES = "* -text !eol -filter -ident !diff !merge !working-tree-encoding\n"
_UNBORN = "ref: refs/heads/none"


def lay(git_dir: Path, excluded: tuple[str, ...], objects: str | None = None, head: str = "") -> None:
    """Make or mend it; `objects`: those of another repository, absolute or from its own objects on.

    A kill leaves one that the next call completes.
    """
    for folder in ("objects/info", "refs", "info"):
        (git_dir / folder).mkdir(parents=True, exist_ok=True)
    texts = {
        "config": _CONFIG,
        "info/attributes": _ATTRIBUTES,
        "info/exclude": "".join(f"/{name}\n" for name in excluded),
        "HEAD": f"{head or _UNBORN}\n",
    }
    if objects:
        texts["objects/info/alternates"] = f"{objects}\n"
    for name, text in texts.items():
        put(git_dir / name, text.encode("utf-8", "surrogateescape"))


def put(path: Path, data: bytes) -> None:
    """Write one of its files, all at once, where it is another."""
    if not path.is_file() or path.read_bytes() != data:
        files.replace(path, data, sync=False)
