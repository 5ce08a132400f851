"""What the kernel asks, answered: names out of memory, bytes out of the contents, every change with EROFS.

A commit never changes, so the kernel may keep names, attributes and pages as long as it likes. It is given the pages of
a file's neighbours unasked, which spares it a request for each. Invariant: never those of a file that was opened
before, whose page the kernel may have locked while it waits for this very process.
"""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NoReturn

import pyfuse3
from pyfuse3 import EntryAttributes, FileHandleT, FileInfo, FileNameT, FlagT, FUSEError, InodeT, RequestContext

from brain.sandbox.mount.contents import Contents, Unavailable
from brain.sandbox.mount.names import Batch, Names, Node

_FOREVER = 10 * 365 * 86400.0
_BLOCK = 512


class Operations(pyfuse3.Operations):
    """One commit."""

    supports_dot_lookup = False

    def __init__(self, names: Names, contents: Contents) -> None:
        super().__init__()
        self._nodes = names.nodes
        self._listings: dict[int, list[tuple[bytes, Node]]] = {}
        self._contents = contents
        self._at = names.at
        self._attributes: dict[int, EntryAttributes] = {}
        self._owner = (os.getuid(), os.getgid())
        self._bytes = sum(node.size for node in names.nodes)
        self._neighbours = _neighbours(names)

    async def lookup(self, parent_inode: InodeT, name: FileNameT, ctx: RequestContext) -> EntryAttributes:
        node = self._node(parent_inode).children.get(name)
        return self._told(node) if node else _nothing()

    async def forget(self, inode_list: Sequence[tuple[InodeT, int]]) -> None:
        """Nothing to do: nodes live as long as the mount."""

    async def getattr(self, inode: InodeT, ctx: RequestContext) -> EntryAttributes:
        return self._told(self._node(inode))

    async def opendir(self, inode: InodeT, ctx: RequestContext) -> FileHandleT:
        return FileHandleT(inode)

    async def readdir(self, fh: FileHandleT, start_id: int, token: pyfuse3.ReaddirToken) -> None:
        if fh not in self._listings:
            self._listings[fh] = list(self._nodes[fh - 1].children.items())
        listing = self._listings[fh]
        for at in range(start_id, len(listing)):
            name, node = listing[at]
            if not pyfuse3.readdir_reply(token, FileNameT(name), self._told(node), at + 1):
                return

    async def releasedir(self, fh: FileHandleT) -> None:
        """Nothing to do: a listing is not made twice."""

    async def open(self, inode: InodeT, flags: FlagT, ctx: RequestContext) -> FileInfo:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise FUSEError(errno.EROFS)
        node = self._node(inode)
        neighbours = self._neighbours.pop(inode, None)
        if node.size:
            try:
                await self._contents.bring(node.blob)
            except Unavailable:
                raise FUSEError(errno.EIO) from None
            if neighbours:
                self._give(neighbours)
        return FileInfo(fh=FileHandleT(inode), keep_cache=True)

    async def read(self, fh: FileHandleT, off: int, size: int) -> bytes:
        node = self._nodes[fh - 1]
        if off >= node.size:
            return b""
        try:
            return await self._contents.read(node.blob, off, size)
        except Unavailable:
            raise FUSEError(errno.EIO) from None

    async def release(self, fh: FileHandleT) -> None:
        """Nothing to do: files are opened for each read."""

    async def statfs(self, ctx: RequestContext) -> pyfuse3.StatvfsData:
        told = pyfuse3.StatvfsData()
        told.f_bsize = told.f_frsize = _BLOCK
        told.f_blocks = -(-self._bytes // _BLOCK)
        told.f_files = len(self._nodes)
        told.f_namemax = 255
        return told

    async def _refuse(self, *args: Any, **named: Any) -> NoReturn:
        raise FUSEError(errno.EROFS)

    # The kernel refuses them itself while the mount is `ro`; root may mount it anew without.
    setattr = mknod = mkdir = unlink = rmdir = symlink = rename = link = create = write = _refuse
    setxattr = removexattr = _refuse

    def _give(self, neighbours: list[Node]) -> None:
        """The kernel takes pages of the files whose names it knows; those that follow are left for their turn."""
        while neighbours:
            node = neighbours.pop()
            if self._neighbours.pop(node.number, None) is None:
                continue
            data = self._contents.at_hand(node.blob, node.size)
            try:
                if data:
                    pyfuse3.notify_store(InodeT(node.number), 0, data)
            except OSError:
                return

    def _node(self, inode: InodeT) -> Node:
        return self._nodes[inode - 1]

    def _told(self, node: Node) -> EntryAttributes:
        if node.number in self._attributes:
            return self._attributes[node.number]
        told = EntryAttributes()
        told.st_ino = InodeT(node.number)
        told.entry_timeout = told.attr_timeout = _FOREVER
        told.st_mode = pyfuse3.ModeT(node.mode)
        # One for a folder too: `find` takes it for "not counted".
        told.st_nlink = 1
        told.st_uid, told.st_gid = self._owner
        told.st_size = node.size
        told.st_blocks = -(-node.size // _BLOCK)
        told.st_atime_ns = told.st_mtime_ns = told.st_ctime_ns = self._at
        return self._attributes.setdefault(node.number, told)


def _neighbours(names: Names) -> dict[int, list[Node]]:
    """Number of a file -> the files that lie in its folder and come with it; one list for all of them."""
    found: dict[int, list[Node]] = {}
    for folder in names.nodes:
        together: defaultdict[Batch, list[Node]] = defaultdict(list)
        for node in folder.children.values():
            if not node.is_folder:
                together[names.batches[node.blob]].append(node)
        found |= {node.number: nodes for nodes in together.values() for node in nodes}
    return found


def _nothing() -> EntryAttributes:
    """That a name is not there, which the kernel may keep too."""
    told = EntryAttributes()
    told.st_ino = InodeT(0)
    told.entry_timeout = _FOREVER
    return told
