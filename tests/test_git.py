"""git behind one line: nothing of anybody's settings runs, and each failure says what it is."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from brain.files.disk import DiskFull, Refused
from brain.git import Git
from brain.git import config as gitconfig
from brain.git.config import UnsafeConfig
from brain.git.line import (
    Corrupt,
    Done,
    GitError,
    GitLine,
    GitMissing,
    Identity,
    Locked,
    NotARepository,
    TimedOut,
    failure,
)
from brain.store import indexlock
from brain.store.revision import Revision

AT = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)


def sh(cwd: Path, line: str) -> str:
    """A shell line of the person's, with their git and without their machine's settings."""
    env = dict(os.environ, GIT_AUTHOR_NAME="P", GIT_AUTHOR_EMAIL="p@example.org")
    env |= {"GIT_COMMITTER_NAME": "P", "GIT_COMMITTER_EMAIL": "p@example.org"}
    done = subprocess.run(["sh", "-ec", line], cwd=cwd, env=env, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    sh(root, "git init -q -b main; mkdir memory; printf 'one\\n' > memory/a.md; git add .; git commit -qm one")
    return root


@pytest.fixture
def git(repository: Path) -> Git:
    return Git(repository)


def commit(git: Git, changes: dict[str, bytes | None], message: str = "Message") -> str:
    """A commit over HEAD, made as the store makes one."""
    scratch = git.place.git_dir / "scratch"
    scratch.mkdir(exist_ok=True)
    blobs: dict[str, str | None] = {}
    for path, data in changes.items():
        (scratch / "file").write_bytes(data or b"")
        blobs[path] = git.store_files([scratch / "file"])[0] if data is not None else None
    head = git.head()
    (scratch / "apart").mkdir(exist_ok=True)
    tree = git.write_tree(head, blobs, scratch / "apart" / "index")
    return git.commit_tree(tree, [head] if head else [], message, AT)


# --- reading and writing ----------------------------------------------------------


def test_a_commit_goes_in_and_comes_out(git: Git) -> None:
    head = git.head()
    new = commit(git, {"memory/б.md": "Чай.\n".encode(), "memory/a.md": None})
    assert git.head() == head
    assert git.changed(head or "", new) == {
        "memory/a.md": ("5626abf0f72e58d7a153368ba57db4c673c0e171", None),
        "memory/б.md": (None, git.entries(new)["memory/б.md"][1]),
    }
    tree = Revision(git, new)
    assert tree.read("memory/б.md").decode() == "Чай.\n"
    assert git.swap("refs/heads/main", new, head, "test")
    assert git.head() == new
    assert not git.swap("refs/heads/main", new, head, "test")
    assert git.is_ancestor(head or "", new)


def test_bytes_are_stored_as_they_are(git: Git) -> None:
    git.root.joinpath(".gitattributes").write_text("*.md text eol=crlf ident\n")
    data = b"a\r\nb\n\x00\xff$Id$\n"
    new = commit(git, {"memory/a.md": data})
    assert Revision(git, new).read("memory/a.md") == data


def test_many_objects_come_through_one_process(git: Git) -> None:
    files = {f"memory/{n}.md": b"x" * n for n in range(300)}
    tree = Revision(git, commit(git, files))
    assert {path: tree.read(path) for path in files} == files
    with pytest.raises(KeyError):
        tree.read("memory/none.md")
    git.close()
    assert tree.read("memory/7.md") == b"x" * 7


def test_symlinks_and_other_repositories_are_problems_not_files(repository: Path) -> None:
    sh(
        repository,
        "ln -s /etc/passwd memory/link.md; git add .;"
        "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),memory/sub.md; git commit -qm links",
    )
    git = Git(repository)
    tree = Revision(git, git.head() or "")
    assert list(tree.blobs()) == ["memory/a.md"]
    assert tree.problems() == {
        "memory/link.md": "it is a symlink, and none is followed",
        "memory/sub.md": "it is another repository",
    }
    with pytest.raises(KeyError):
        tree.read("memory/link.md")


def test_a_log_tells_brains_commits_from_a_persons(git: Git, repository: Path) -> None:
    head = git.head()
    text = "Subject · one\n\nBody\n\nBrain-Command: ingest\nBrain-Id: run-1\n"
    new = commit(git, {"memory/b.md": b"b"}, text)
    git.swap("refs/heads/main", new, head, "test")
    sh(repository, "git reset -q --hard; echo two > memory/a.md; git commit -qam 'By hand'")
    entries = git.log(git.head() or "")
    assert [(e.subject, e.command, e.run_id) for e in entries] == [
        ("By hand", "", ""),
        ("Subject · one", "ingest", "run-1"),
        ("one", "", ""),
    ]
    assert entries[1].date == AT
    assert entries[1].parents == (head,)
    assert [e.subject for e in git.log(entries[0].commit, path="memory/b.md")] == ["Subject · one"]
    assert [e.commit for e in git.log(entries[0].commit, grep="Brain-Id: run-1")] == [new]
    assert len(git.log(entries[0].commit, limit=1)) == 1
    assert git.run_of(new) == "run-1"
    assert git.run_of(entries[0].commit) == entries[0].commit[:12]
    assert "+b" in git.patches(new, "memory/b.md")


def test_lines_that_do_not_touch_are_merged(git: Git, tmp_path: Path) -> None:
    base = "".join(f"line {n}\n" for n in range(20))
    for name, text in {
        "base": base,
        "ours": base.replace("line 2\n", "mine 2\n"),
        "theirs": base.replace("line 17\n", "theirs 17\n"),
        "clash": base.replace("line 2\n", "other 2\n"),
    }.items():
        (tmp_path / name).write_text(text)
    merged = git.merge_file(tmp_path / "ours", tmp_path / "base", tmp_path / "theirs")
    assert merged is not None
    assert b"mine 2\n" in merged
    assert b"theirs 17\n" in merged
    assert git.merge_file(tmp_path / "ours", tmp_path / "base", tmp_path / "clash") is None


def test_a_folder_of_a_larger_repository(repository: Path) -> None:
    sh(
        repository,
        "mkdir -p sub/dir/memory src; echo x > sub/dir/memory/x.md; echo 1 > src/x.py; git add .; git commit -qm more",
    )
    git = Git(repository / "sub/dir")
    assert git.place.prefix == "sub/dir/"
    assert list(git.entries(git.head() or "")) == ["memory/x.md"]
    assert "src/x.py" in git.entries(git.head() or "", whole=True)
    new = commit(git, {"memory/y.md": b"y", "memory/x.md": None})
    assert set(git.changed(git.head() or "", new)) == {"memory/x.md", "memory/y.md"}
    assert set(git.entries(new, whole=True)) == {"memory/a.md", "src/x.py", "sub/dir/memory/y.md"}
    assert [e.commit for e in git.log(new, path="memory/y.md")] == [new]


def test_a_folder_that_is_in_no_commit_yet_is_empty(repository: Path) -> None:
    (repository / "new").mkdir()
    git = Git(repository / "new")
    assert git.entries(git.head() or "") == {}
    with pytest.raises(GitError):
        git.entries("0" * 40)


def test_revisions_that_look_like_options_are_none(git: Git) -> None:
    assert git.resolve("HEAD") == git.head()
    assert git.resolve("--exec=touch x") is None
    assert git.resolve("nothing") is None


# --- who commits ------------------------------------------------------------------


def author(git: Git, commit: str) -> str:
    return sh(git.root, f"git show -s --format='%an <%ae> %cn <%ce> %aI %cI' {commit}").strip()


def test_a_commit_names_brain_where_nobody_else_is_known(git: Git) -> None:
    new = commit(git, {"memory/b.md": b"b"})
    one = "Brain <brain@localhost>"
    assert author(git, new) == f"{one} {one} 2026-11-29T03:00:00+00:00 2026-11-29T03:00:00+00:00"


def test_a_commit_names_the_person_by_their_own_settings(repository: Path, tmp_path: Path) -> None:
    xdg, own = tmp_path / "xdg", tmp_path / "own"
    xdg.write_text("[user]\n name = Wrong\n email = right@example.org\n")
    own.write_text("[user]\n name = Надя <Н.>\n[include]\n path = /nowhere\n[core]\n sshCommand = touch /ran\n")
    git = Git(repository, person=(own, xdg, tmp_path / "missing"))
    assert git.identity == Identity("Надя Н", "right@example.org")
    sh(repository, "git config user.name Local")
    assert Git(repository, person=(own, xdg)).identity == Identity("Local", "right@example.org")


def test_a_config_of_theirs_that_is_broken_keeps_nobody_from_committing(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("[user\n name")
    assert Git(repository, person=(tmp_path / "broken",)).identity == Identity()


@pytest.mark.parametrize("name", ["", " . ", "<>", "\n"])
def test_a_name_that_git_cannot_write_is_none(name: str) -> None:
    assert Identity.of(name, name) == Identity()


def test_times_before_the_epoch_and_far_zones_can_be_written(git: Git) -> None:
    tree = git.tree_of(git.head() or "")
    old = git.commit_tree(tree, [], "Old", datetime(1912, 4, 15, tzinfo=UTC))
    far = git.commit_tree(tree, [], "Far", AT.astimezone(timezone(timedelta(hours=-9, minutes=-30))))
    assert "1970-01-01T00:00:00+00:00" in author(git, old)
    assert "2026-11-28T17:30:00-09:30" in author(git, far)


# --- what could run, and does not -------------------------------------------------

ATTACKS: dict[str, str] = {
    "fsmonitor": "git config core.fsmonitor $EVIL",
    "hooks": "mkdir -p hooks; for h in post-commit reference-transaction post-index-change post-checkout; do"
    " cp $EVIL hooks/$h; done; git config core.hooksPath $PWD/hooks",
    "default hooks": "mkdir -p .git/hooks; for h in post-commit reference-transaction post-index-change; do"
    " cp $EVIL .git/hooks/$h; done",
    "filters": "git config filter.x.clean $EVIL; git config filter.x.smudge $EVIL; git config filter.x.process $EVIL;"
    " mkdir -p .git/info; echo '* filter=x' > .git/info/attributes; echo '* filter=x' > .gitattributes",
    "merge driver": "git config merge.x.driver $EVIL; echo '* merge=x' > .git/info/attributes",
    "textconv": "git config diff.x.textconv $EVIL; git config diff.x.command $EVIL;"
    " echo '* diff=x' > .git/info/attributes; git config diff.external $EVIL",
    "gpg": "git config gpg.program $EVIL; git config commit.gpgSign true; git config log.showSignature true",
    "trailers": "git config trailer.x.command $EVIL; git config trailer.x.cmd $EVIL; git config trailer.x.key Brain-Id",
    "editor and pager": "git config core.editor $EVIL; git config core.pager $EVIL; git config pager.log $EVIL;"
    " git config sequence.editor $EVIL",
    "alias": "git config alias.log '!'$EVIL; git config alias.update-ref '!'$EVIL",
    "transport": "git config core.sshCommand $EVIL; git config core.gitProxy $EVIL; git config core.askPass $EVIL;"
    " git config remote.origin.url ext::$EVIL; git config remote.origin.uploadpack $EVIL;"
    " git config protocol.ext.allow always; git config url.ext::$EVIL.insteadOf https://",
}


@pytest.mark.parametrize("attack", list(ATTACKS))
def test_a_hostile_repository_runs_nothing(attack: str, repository: Path, tmp_path: Path) -> None:
    evil, ran = tmp_path / "evil", tmp_path / "ran"
    evil.write_text(f"#!/bin/sh\ntouch '{ran}'\ncat\n")
    evil.chmod(0o755)
    sh(repository, f"EVIL={evil}; {ATTACKS[attack]}")
    git = Git(repository)
    head = git.head()
    new = commit(git, {"memory/b.md": b"b\n", "memory/a.md": b"two\n"}, "M\n\nBrain-Id: x\n")
    git.swap("refs/heads/main", new, head, "test")
    apart = tmp_path / "apart"
    apart.mkdir()
    copy = indexlock.prepare(git, {"memory/b.md": git.entries(new)["memory/b.md"][1]}, apart)
    indexlock.put(git, copy)
    Revision(git, new).read("memory/b.md")
    for name in ("ours", "base", "theirs"):
        (tmp_path / name).write_text(f"{name}\n")
    git.merge_file(tmp_path / "ours", tmp_path / "base", tmp_path / "theirs")
    git.log(new, grep="Brain-Id")
    git.patches(new, "memory/a.md")
    git.changed(head or "", new)
    assert git.is_inside()
    git.close()
    assert not ran.exists()


def test_nothing_of_the_environment_reaches_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evil, ran = tmp_path / "evil", tmp_path / "ran"
    evil.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    evil.chmod(0o755)
    other = tmp_path / "other"
    other.mkdir()
    sh(other, "git init -q")
    (tmp_path / "config").write_text(f"[core]\n fsmonitor = {evil}\n hooksPath = {tmp_path}\n")
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / ".git/objects"),
        "GIT_CONFIG_GLOBAL": str(tmp_path / "config"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": str(evil),
        "GIT_EXTERNAL_DIFF": str(evil),
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_AUTHOR_NAME": "Wrong",
    }.items():
        monkeypatch.setenv(name, value)
    git = Git(repository)
    assert git.place.git_dir == repository / ".git"
    new = commit(git, {"memory/b.md": b"b"})
    monkeypatch.undo()
    assert author(git, new).startswith("Brain <brain@localhost>")
    assert not ran.exists()
    assert not (tmp_path / "trace").exists()
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize(
    "key",
    [
        "include.path",
        "includeIf.gitdir:x.path",
        "extensions.partialClone",
        "remote.origin.promisor",
        "remote.origin.partialclonefilter",
        "hook.x.command",
        "core.alternateRefsCommand",
        "unheard.of",
    ],
)
def test_a_key_that_is_not_known_to_be_harmless_stops_the_run(key: str, git: Git) -> None:
    sh(git.root, f"git config --file .git/config {key} true")
    with pytest.raises(UnsafeConfig, match=rf"sets {key.lower()}.*does not allow") as caught:
        git.head()
    assert caught.value.hint.endswith(f"--unset-all {key.lower()}") or "includeif" in caught.value.hint
    assert caught.value.exit_status == 3


def test_keys_that_people_have_are_allowed(git: Git) -> None:
    sh(
        git.root,
        "git remote add origin https://git.example/x.git; git config branch.main.remote origin;"
        "git config core.autocrlf true; git config pull.rebase true; git config lfs.repositoryformatversion 0;"
        "git config credential.helper store; git config core.hooksPath .husky; git config gitlab.url x",
    )
    assert git.head() is not None


def test_a_config_that_says_bare_is_refused() -> None:
    gitconfig.check([("core.bare", "false")], "config")
    with pytest.raises(UnsafeConfig):
        gitconfig.check([("core.bare", "true")], "config")
    with pytest.raises(UnsafeConfig):
        gitconfig.check([("extensions.objectformat", "sha256")], "config")


# --- failures told apart ----------------------------------------------------------


def test_without_git_one_line_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import git as _loaded  # noqa: F401 - GitPython looks for git when it is loaded first

    (tmp_path / "env").symlink_to("/usr/bin/env")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissing, match="no git program on PATH"):
        Git(repository).head()


def test_a_folder_in_no_repository(tmp_path: Path) -> None:
    assert not Git(tmp_path).is_inside()
    with pytest.raises(NotARepository, match="not a git repository") as caught:
        Git(tmp_path).head()
    assert caught.value.hint == "brain init"
    with pytest.raises(NotARepository, match="no folder that can be entered"):
        Git(tmp_path / "none").head()


def test_a_bare_repository_is_none_to_work_in(tmp_path: Path) -> None:
    sh(tmp_path, "git init -q --bare bare")
    with pytest.raises(GitError):
        Git(tmp_path / "bare").head()


def test_a_git_that_takes_too_long_is_stopped(repository: Path) -> None:
    line = GitLine(repository, Identity(), limit=0.3)
    began = time.monotonic()
    with (
        line.started("cat-file", "--batch") as process,
        pytest.raises(subprocess.TimeoutExpired),
    ):
        process.wait(0.1)
    assert process.returncode is not None
    fifo = repository / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(TimedOut, match=r"git hash-object did not end within 0\.3 s"):
        line.run("hash-object", "--no-filters", "--stdin-paths", data=f"{fifo}\n".encode())
    assert time.monotonic() - began < 30


def test_an_object_that_is_gone_is_named(git: Git) -> None:
    new = commit(git, {"memory/b.md": b"gone"})
    blob = git.entries(new)["memory/b.md"][1]
    (git.place.git_dir / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(Corrupt, match=blob):
        git.read(blob)
    assert git.read(git.entries(new)["memory/a.md"][1]) == b"one\n"


@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"\x78\x01" + data[:-2][::-1]],
    ids=["empty", "cut", "garbled"],
)
def test_a_damaged_object_is_told(damage: Callable[[bytes], bytes], git: Git) -> None:
    new = commit(git, {"memory/b.md": os.urandom(500).hex().encode()})
    blob = git.entries(new)["memory/b.md"][1]
    path = git.place.git_dir / "objects" / blob[:2] / blob[2:]
    data = damage(path.read_bytes())
    path.chmod(0o644)
    path.write_bytes(data)
    with pytest.raises(Corrupt):
        git.read(blob)
    assert git.read(git.entries(new)["memory/a.md"][1]) == b"one\n"


def test_a_lock_is_named_with_its_age(git: Git) -> None:
    lock = git.place.index_lock
    lock.touch()
    os.utime(lock, (time.time() - 7200, time.time() - 7200))
    with pytest.raises(Locked, match=r"git's lock .*/\.git/index\.lock stands there, 720\d s old"):
        git.update_index({"memory/b.md": git.entries(git.head() or "")["memory/a.md"][1]}, git.place.index)
    with pytest.raises(Locked), indexlock.held(git, 0):
        pass
    assert lock.exists()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("fatal: unable to write file: No space left on device", DiskFull),
        ("error: insufficient permission for adding an object to repository database", Refused),
        ("error: object file .git/objects/aa/bb is empty", Corrupt),
        ("fatal: something new", GitError),
        ("", GitError),
    ],
)
def test_what_git_says_is_one_line(said: str, kind: type[Exception]) -> None:
    error = failure("commit-tree", Done(128, b"", f"warning: x\n{said}\n"))
    assert type(error) is kind
    assert error.message.startswith("git commit-tree failed: ")
    assert "\n" not in error.message


# --- states -----------------------------------------------------------------------


def test_the_branch_that_head_names(git: Git, repository: Path) -> None:
    assert git.branch() == "refs/heads/main"
    assert git.unfinished() is None
    sh(repository, "git checkout -q --detach")
    assert git.branch() is None
    assert git.unfinished() is not None


def test_a_repository_is_made_on_main(tmp_path: Path) -> None:
    git = Git(tmp_path)
    git.init()
    git.init()
    assert git.is_inside()
    assert git.head() is None
    assert git.branch() == "refs/heads/main"
    assert not list((tmp_path / ".git").glob("hooks/*"))


def test_a_folder_that_its_repository_ignores_is_not_in_it(repository: Path) -> None:
    (repository / ".gitignore").write_text("brain/\n")
    for name, inside in (("brain", False), ("other", True)):
        (repository / name).mkdir()
        assert Git(repository / name).is_inside() is inside
