"""Landlock with seccomp: the same machine, of which only the working set and the system's programs can be opened.

For where user namespaces are off. Sizes and times of other files can still be seen (`stat`), their names and words
cannot; /proc is closed; signals reach nobody outside where the kernel can hold them (ABI 6), else none are sent.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from brain.sandbox.isolation import seccomp
from brain.sandbox.isolation.policy import Policy, Prepared

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_WRITE_FILE = 1 << 1
_READ = _READ_FILE | _READ_FOLDER
_FILE_RIGHTS = (0, 13, 14, 15, 15, 16)
"""Rights on files that ABI 1, 2, … can hold."""
_NETWORK, _NETWORK_FROM = 0b11, 4
_SCOPES, _SCOPES_FROM = 0b11, 6
"""Abstract sockets and signals."""
_PROGRAMS = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/sbin")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_LOADER = ("/etc/ld.so.cache",)
_PATH = getattr(os, "O_PATH", 0)


@lru_cache
def version() -> int:
    """The kernel's ABI; 0: it has none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)))


def works() -> bool:
    return version() > 0 and seccomp.is_known()


def prepare(argv: Sequence[str], policy: Policy) -> Prepared:
    return Prepared(argv, policy.folder, before=_restriction(policy, _libc()))


@lru_cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _restriction(policy: Policy, libc: ctypes.CDLL) -> Callable[[], None]:
    """What the child does to itself; everything that it needs is made here, since it can open nothing later."""
    abi = version()
    code = seccomp.program(alone=True, may_signal=abi >= _SCOPES_FROM)
    files = (1 << _FILE_RIGHTS[min(abi, len(_FILE_RIGHTS) - 1)]) - 1
    network = _NETWORK if abi >= _NETWORK_FROM else 0
    scopes = _SCOPES if abi >= _SCOPES_FROM else 0
    handled = struct.pack("QQQ", files, network, scopes)[: 8 * (1 + (abi >= _NETWORK_FROM) + (abi >= _SCOPES_FROM))]
    opened = [(path, _READ | _EXECUTE) for path in _PROGRAMS] + [(path, _READ_FILE) for path in _LOADER]
    opened += [(path, _READ_FILE | _WRITE_FILE) for path in _DEVICES]
    opened += [(str(path), _READ) for path in (policy.folder, *policy.also)]

    def restrict() -> None:
        rules = _call(libc, _CREATE, handled, ctypes.c_size_t(len(handled)), 0)
        for path, rights in opened:
            if Path(path).exists():
                _open(libc, rules, path, rights)
        seccomp.no_new_privileges(libc)
        _call(libc, _RESTRICT, rules, 0)
        os.close(rules)
        seccomp.restrict(code, libc)

    return restrict


def _open(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    beneath = os.open(path, _PATH | os.O_CLOEXEC)
    try:
        _call(libc, _ADD, rules, _BENEATH, struct.pack("=Qi", rights, beneath), 0)
    finally:
        os.close(beneath)


def _call(libc: ctypes.CDLL, number: int, *arguments: object) -> int:
    given = int(libc.syscall(number, *arguments))
    if given < 0:
        raise OSError(ctypes.get_errno(), f"Landlock refused call {number}")
    return given
