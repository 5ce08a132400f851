"""Titles and the files that are named after them.

Two titles are one subject when their keys are equal; two subjects never share a
file, also where the file system ignores case. Nothing here looks at a disk.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping

from brain.errors import UsageError

MAX_NAME_BYTES = 200
"""Of a file name with its `.md`."""
MAX_PATH_BYTES = 1024

_SPACE = re.compile(r"\s+")
_BREAKS = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KEY_SPACE = re.compile(r"[\s_-]+")
_FAULT = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f]')
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_HASHED = re.compile(r"~[0-9a-f]{6,}$")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)", re.IGNORECASE)
# Characters that HFS+ leaves out when it compares names: ".g\u200cit" is ".git" there.
_IGNORED = re.compile(r"[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


class BadTitle(UsageError):
    """A title that can name no page."""

    code = "bad-title"


def clean_title(title: str) -> str:
    """The title as it is kept: NFC, on one line, no outer space.

    Raises: BadTitle for `""`, `.`, `..` and a title with NUL.
    """
    if "\0" in title:
        raise BadTitle("No page was made: the title holds a NUL character.", "Leave it out.")
    title = _SURROGATE.sub("\ufffd", title)
    title = _SPACE.sub(lambda m: " " if _BREAKS.search(m[0]) else m[0], title).strip()
    title = unicodedata.normalize("NFC", title)
    if title in ("", ".", ".."):
        raise BadTitle(f"No page was made: {title!r} is no title.", "Give one with a letter in it.")
    return title


def title_key(title: str) -> str:
    """What two titles of one subject have in common."""
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", title.strip()).casefold()).casefold()
    return _KEY_SPACE.sub(" ", unicodedata.normalize("NFC", folded))


def same_subject(a: str, b: str) -> bool:
    return title_key(a) == title_key(b)


def file_name(title: str, digits: int = 6) -> str:
    """Name of the page's file with `.md`; `digits` of the hash where the usual six are taken."""
    title = clean_title(title)
    plain = f"{title}.md"
    if digits == 6 and _keeps_rules(title) and len(plain.encode()) <= MAX_NAME_BYTES:
        return plain
    return f"{marked_stem(title, digits)}.md"


def marked_stem(title: str, digits: int = 6) -> str:
    """The title without what no file name may hold, marked with its hash."""
    tail = f"~{hashlib.sha256(title.encode()).hexdigest()[:digits]}"
    return _cut(_mended(title), MAX_NAME_BYTES - len(tail) - 3) + tail


def _keeps_rules(stem: str) -> bool:
    if _FAULT.search(stem) or _HASHED.search(stem) or _DEVICE.match(stem):
        return False
    return stem[0] not in ".-" and stem[-1] not in ". "


def _mended(title: str) -> str:
    stem = _FAULT.sub("-", title)
    if _DEVICE.match(stem):
        # Windows reads a device name up to the first dot, whatever follows it.
        stem = stem.replace(".", "-")
    return stem.lstrip(".-").rstrip(". ")


def _cut(stem: str, size: int) -> str:
    return stem.encode()[:size].decode(errors="ignore")


def choose_path(folder: str, title: str, taken: Mapping[str, str]) -> str:
    """Where the page of this title stands in `folder`, or would stand: a twin is never made.

    `taken` gives each path of the tree its title ("": the file's name is its title).
    """
    below = f"{folder}/"
    here = {path: name or stem(path) for path, name in taken.items() if path.startswith(below)}
    key, name = title_key(clean_title(title)), file_name(title)
    for path in sorted(here):
        if title_key(here[path]) == key:
            return path
    folded = {title_key(path) for path in here}
    digits = 6
    while title_key(below + name) in folded:
        digits += 6
        name = file_name(title, digits)
    return below + name


def stem(path: str) -> str:
    """The file's name without folder and `.md`."""
    return path.rsplit("/", 1)[-1].removesuffix(".md")


def is_safe_path(path: str) -> str | None:
    """None for a path that may be written below a brain's root, else the reason why not."""
    if not path:
        return "it is empty"
    if len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        return f"it is longer than {MAX_PATH_BYTES} bytes"
    if _CONTROL.search(path):
        return "it holds a control character"
    if "\\" in path or ":" in path:
        return "it holds a backslash or a colon"
    return next((reason for part in path.split("/") if (reason := _unsafe_part(part))), None)


def _unsafe_part(part: str) -> str | None:
    bare = _IGNORED.sub("", part).casefold()
    if bare in ("", ".", ".."):
        return "it leaves its folder or holds an empty name"
    if bare.startswith(("-", ".git", "git~")):
        return f"{part!r} could be taken for an option or for git's own files"
    if part[-1] in ". " or _DEVICE.match(part):
        return f"{part!r} is no file name on every system"
    if len(part.encode("utf-8", "surrogatepass")) > 255:
        return f"{part[:20]!r}… is longer than 255 bytes"
    return None
