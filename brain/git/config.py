"""What a repository's own config may say when Brain works in it.

Brain calls plumbing alone, and the command line of line.py beats what plumbing would obey. This
is the line behind that one: a key is known to do no harm here, or the run is refused and names it.
"""

from __future__ import annotations

from collections.abc import Iterable

from brain.errors import BrainError


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CORE = _words("""
    abbrev askpass attributesfile autocrlf bare bigfilethreshold checkroundtripencoding checkstat commentchar
    commitgraph compression createobject deltabasecachelimit editor eol excludesfile filemode fscache fsmonitor
    fsmonitorhookversion fsync fsyncmethod fsyncobjectfiles gitproxy hidedotfiles hookspath ignorecase logallrefupdates
    longpaths loosecompression maxtreedepth multipackindex notesref packedgitlimit packedgitwindowsize
    packedrefstimeout pager precomposeunicode prefersymlinkrefs preloadindex protecthfs protectntfs quotepath
    repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex sshcommand symlinks
    trustctime untrackedcache usebuiltinfsmonitor usereplacerefs warnambiguousrefs whitespace worktree
""")
"""fsmonitor, hooksPath, sshCommand and the like name programs; line.SETTINGS beats each of them."""

_EXTENSIONS = _words("noop preciousobjects refstorage relativeworktrees worktreeconfig")
"""Not objectFormat: ids are SHA-1 here. Not partialClone: reading must never fetch."""

_REMOTE = _words("promisor partialclonefilter")
"""The keys of a remote that make a mere read go to the network; refused."""

_SECTIONS = _words("""
    advice alias am annex apply author blame branch browser checkout clone color column commit committer completion
    credential delta diff difftool feature fetch filter fork format fsck gc ghq gitflow github gitlab gpg grep gui
    guitool help http hub i18n imap index init interactive lfs log lsrefs magit mailinfo mailmap maintenance man merge
    mergetool notes pack pager protocol pull push rebase receive reflog remote repack rerere revert safe sendemail
    sequence show sparse splitindex stash status submodule svn svn-remote tag tar trailer transfer uploadpack url user
    versionsort vscode web worktree
""")
"""Sections that the plumbing used here does not read, or that hold no program."""


class UnsafeConfig(BrainError):
    """The repository's config holds a key that Brain does not know to be harmless."""

    code = "git-config"


def check(entries: Iterable[tuple[str, str]], where: str) -> None:
    """Refuse a config with a key outside the list. Raises: UnsafeConfig."""
    for key, value in entries:
        if not _is_harmless(key.lower(), value.lower()):
            raise UnsafeConfig(
                f"Nothing was done: {where} sets {key}, which Brain does not allow in the repository of a memory.",
                f"git config --file {where} --unset-all {key}",
            )


def _is_harmless(key: str, value: str) -> bool:
    section, _, rest = key.partition(".")
    name = rest.rpartition(".")[2]
    if section == "core":
        return name in _CORE and not (name == "bare" and value not in ("false", "no", "off", "0"))
    if section == "extensions":
        return name in _EXTENSIONS or (name == "objectformat" and value == "sha1")
    if section == "remote":
        return name not in _REMOTE
    return section in _SECTIONS


def parse(listed: bytes) -> list[tuple[str, str]]:
    """The entries of `git config --list -z`."""
    entries = []
    for entry in listed.decode("utf-8", "surrogateescape").split("\0"):
        key, _, value = entry.partition("\n")
        if key:
            entries.append((key, value))
    return entries
