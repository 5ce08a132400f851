"""Serve a commit at a folder until it is unmounted or the process is asked to end; then nothing is left mounted."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pyfuse3
import trio

from brain.sandbox.mount.places import KIND, MountFailed

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(operations: pyfuse3.Operations, folder: Path, others: bool, answering: Callable[[], None]) -> None:
    """Blocks; `answering` is called once the mount does. `others`: other users may look too. Raises: MountFailed."""
    options = {"ro", "nosuid", "nodev", "noexec", "default_permissions", "fsname=brain", f"subtype={KIND}"}
    try:
        pyfuse3.init(operations, str(folder), options | ({"allow_other"} if others else set()))
    except RuntimeError:
        raise MountFailed(
            f"Nothing was mounted: the system refused a mount at {folder}.",
            "see the line of fusermount3 above; --allow-other needs user_allow_other in /etc/fuse.conf",
        ) from None
    try:
        trio.run(_until_told, answering)
    finally:
        pyfuse3.close(unmount=True)


async def _until_told(answering: Callable[[], None]) -> None:
    with trio.open_signal_receiver(*_SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_serve, nursery.cancel_scope)
            answering()
            async for _ in signals:
                # Not `pyfuse3.terminate`, which waits for the requests that are under way.
                nursery.cancel_scope.cancel()


async def _serve(scope: trio.CancelScope) -> None:
    """Ends by itself where the folder was unmounted from outside."""
    await pyfuse3.main()
    scope.cancel()
