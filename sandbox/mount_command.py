"""brain mount: the whole brain as a read-only folder."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from brain import files
from brain.cli import output, world
from brain.files import disk
from brain.model import Audience
from brain.sandbox.mount import places
from brain.text.counted import counted

if TYPE_CHECKING:
    from brain.store import Store


class _Asked(TypedDict):
    """What is shown, and to whom."""

    audience: str
    revision: str | None
    allow_other: bool


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--commit", "revision", metavar="REV", help="A commit of the brain; else main.")
@click.option("--audience", type=click.Choice(["trusted", "public"]), default="trusted", show_default=True)
@click.option("--allow-other", is_flag=True, help="Other users of this machine may look too.")
@click.option("--background", is_flag=True, help="Come back when the mount answers.")
@click.option("--unmount", is_flag=True, help="End the mount at DIR.")
@world.brain_option
@world.json_option
def mount(
    folder: Path, background: bool, unmount: bool, brain_path: str | None, as_json: bool, **asked: Unpack[_Asked]
) -> None:
    """Show the whole memory at one commit as a read-only folder, until Ctrl-C.

    Names are there at once; contents are fetched when a file is opened, with their neighbours, and kept in
    .brain/mount/. DIR is empty or new, and outside the brain. For people and for tools that must see all names;
    an agent works on `brain sandbox open`.

    \b
    Example:
      brain mount /tmp/memory
      brain mount /tmp/memory --background
      brain mount /tmp/memory --unmount
    """
    folder = places.place(folder)
    if unmount:
        places.unmount(folder)
        _say({"unmounted": str(folder)}, f"Unmounted {folder}.", as_json)
        return
    places.check_system()
    store = world.open_store(brain_path, write=False)
    if places.prepare(folder, store.root):
        output.note(f"brain: the earlier mount at {folder} had died and was cleaned up.")
    if background:
        done = _started(store, folder, asked)
        _say(done, f"{_sentence(done)} brain mount {folder} --unmount ends it.", as_json)
        return
    _serve(store, folder, asked, as_json)


def _serve(store: Store, folder: Path, asked: _Asked, as_json: bool) -> None:
    from brain.sandbox.mount import opening
    from brain.sandbox.mount.contents import Contents
    from brain.sandbox.mount.operations import Operations
    from brain.sandbox.mount.serving import serve

    view = opening.view(store, asked["revision"], Audience(asked["audience"]))
    contents = Contents(view.names, view.source, opening.cache(store, output.note), output.note)
    store.close()
    if view.names.left_out:
        left_out = counted(view.names.left_out, "file")
        output.note(f"brain: {left_out} of {view.commit[:12]} cannot be shown: no folder can hold their names.")
    done = {
        "mount": str(folder),
        "commit": view.commit,
        "audience": asked["audience"],
        "files": view.names.files,
    }
    answering = partial(_say, done, f"{_sentence(done)} Ctrl-C ends it.", as_json)
    serve(Operations(view.names, contents), folder, asked["allow_other"], answering)


def _started(store: Store, folder: Path, asked: _Asked) -> dict[str, object]:
    """What the mount says of itself that a process of its own now serves. Raises: MountFailed."""
    commit = ["--commit", asked["revision"]] if asked["revision"] else []
    line = ["mount", str(folder), "--json", "--brain", str(store.root), "--audience", asked["audience"], *commit]
    line += ["--allow-other"] if asked["allow_other"] else []
    log = store.local("mount", "log")
    files.make_folder(log.parent)
    with disk.opened(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW) as errors:
        server = subprocess.Popen(
            [sys.executable, "-m", "brain", *line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        )
    assert server.stdout is not None
    with server.stdout as said:
        told = b"".join(itertools.takewhile(lambda line: line != b"}\n", said))
    if not told:
        server.wait()
        raise places.MountFailed(f"Nothing was mounted: {_last_line(log)}")
    # It lives on when this process ends, and nobody waits for it.
    server.returncode = 0
    os.statvfs(folder)
    return dict(json.loads(told + b"}"))


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    error = json.loads(lines[-1])["error"] if lines and lines[-1].startswith("{") else {}
    return str(error.get("message") or f"the server ended at once; see {log}")


def _sentence(done: dict[str, object]) -> str:
    files = counted(int(str(done["files"])), "file")
    return f"{done['mount']}: {files} of commit {str(done['commit'])[:12]}, audience {done['audience']}, read-only."


def _say(done: dict[str, object], sentence: str, as_json: bool) -> None:
    if as_json:
        output.emit(done)
    else:
        output.say(sentence)
    sys.stdout.flush()
