"""A filter of system calls: no network, no other processes' insides, no new namespaces, no kernel's back doors.

What is refused gets EPERM, so that a program can say so. The program is classic BPF, as seccomp(2) has it; numbers of
calls are those of the kernel's tables for each machine.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Mapping
from types import MappingProxyType

# x86_64, aarch64 (asm-generic); -1: the machine has no such call
_CALLS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "socket": (41, 198),
        "ptrace": (101, 117),
        "process_vm_readv": (310, 270),
        "process_vm_writev": (311, 271),
        "kcmp": (312, 272),
        "pidfd_getfd": (438, 438),
        "mount": (165, 40),
        "umount2": (166, 39),
        "pivot_root": (155, 41),
        "chroot": (161, 51),
        "move_mount": (429, 429),
        "open_tree": (428, 428),
        "fsopen": (430, 430),
        "fsmount": (432, 432),
        "mount_setattr": (442, 442),
        "unshare": (272, 97),
        "setns": (308, 268),
        "keyctl": (250, 219),
        "add_key": (248, 217),
        "request_key": (249, 218),
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "userfaultfd": (323, 282),
        "io_uring_setup": (425, 425),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
        "init_module": (175, 105),
        "finit_module": (313, 273),
        "delete_module": (176, 106),
        "kexec_load": (246, 104),
        "reboot": (169, 142),
        "swapon": (167, 224),
        "swapoff": (168, 225),
        "sethostname": (170, 161),
        "settimeofday": (164, 170),
        "clock_settime": (227, 112),
        "acct": (163, 89),
        "quotactl": (179, 60),
        "open_by_handle_at": (304, 265),
        "shmget": (29, 194),
        "msgget": (68, 186),
        "semget": (64, 190),
        "mq_open": (240, 180),
        "setpriority": (141, 140),
        "sched_setparam": (142, 118),
        "sched_setscheduler": (144, 119),
        "sched_setattr": (314, 274),
        "sched_setaffinity": (203, 122),
        "ioprio_set": (251, 30),
        "move_pages": (279, 239),
        "migrate_pages": (256, 238),
        "syslog": (103, 116),
        "iopl": (172, -1),
        "ioperm": (173, -1),
        "kexec_file_load": (320, 294),
        "adjtimex": (159, 171),
        "clock_adjtime": (305, 266),
        "setdomainname": (171, 162),
    }
)
_GROUP: Mapping[str, tuple[int, int]] = MappingProxyType({"setsid": (112, 157), "setpgid": (109, 154)})
"""How a process leaves the group by which it is killed; in a namespace of its own that does no harm."""
_SIGNALS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "pidfd_send_signal": (424, 424)}
)
_ATTRIBUTES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "chmod": (90, -1),
        "fchmod": (91, 52),
        "fchmodat": (268, 53),
        "fchmodat2": (452, 452),
        "chown": (92, -1),
        "fchown": (93, 55),
        "lchown": (94, -1),
        "fchownat": (260, 54),
        "utime": (132, -1),
        "utimes": (235, -1),
        "futimesat": (261, -1),
        "utimensat": (280, 88),
        "setxattr": (188, 5),
        "lsetxattr": (189, 6),
        "fsetxattr": (190, 7),
        "removexattr": (197, 14),
        "lremovexattr": (198, 15),
        "fremovexattr": (199, 16),
        "setxattrat": (463, 463),
        "removexattrat": (466, 466),
        "file_setattr": (469, 469),
    }
)
"""What changes a file without writing it: Landlock lets that pass."""
_CLONE, _CLONE3, _IOCTL, _PRLIMIT = (56, 220), (435, 435), (16, 29), (302, 261)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_NEW_NAMESPACES = 0x7E020080
"""CLONE_NEW*: cgroup, uts, ipc, user, pid, net, mount and time."""
_TIOCSTI = 0x5412
_X32 = 0x40000000
_EPERM, _ENOSYS = 1, 38
_KILL, _ALLOW, _ERROR = 0x80000000, 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets into seccomp_data: the call, the machine, the low halves of its first two arguments."""


def is_known() -> bool:
    """Whether the numbers of calls are known for this machine."""
    return platform.machine() in _MACHINES


def program(*, alone: bool, may_signal: bool = True) -> bytes:
    """The filter, instruction by instruction; `alone`: nothing but Landlock stands beside it."""
    column, machine = _MACHINES[platform.machine()]
    tables = [_CALLS, *((_GROUP, _ATTRIBUTES) if alone else ()), *(() if may_signal else (_SIGNALS,))]
    refused = [numbers[column] for table in tables for numbers in table.values() if numbers[column] >= 0]
    code = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, machine), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, _NUMBER)]
    # The other calling convention of the same machine has numbers of its own.
    code += _answer((_AT_LEAST, _X32), _ENOSYS) if column == 0 else []
    for number in refused:
        code += _answer((_EQUAL, number), _EPERM)
    # Its flags lie in memory, where a filter cannot look: the library then takes the older call.
    code += _answer((_EQUAL, _CLONE3[column]), _ENOSYS)
    code += _when(_CLONE[column], _FIRST, (_ANY_BIT, _NEW_NAMESPACES))
    code += _when(_IOCTL[column], _SECOND, (_EQUAL, _TIOCSTI))
    # Its own limits it may lower; those of another process are that one's.
    code += _when(_PRLIMIT[column], _FIRST, (_AT_LEAST, 1))
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


_Instruction = tuple[int, int, int, int]
"""Operation, how many to skip where it is true, where it is false, operand."""


def _answer(test: tuple[int, int], error: int) -> list[_Instruction]:
    operation, operand = test
    return [(operation, 0, 1, operand), (_RETURN, 0, 0, _ERROR | error)]


def _when(number: int, argument: int, test: tuple[int, int]) -> list[_Instruction]:
    """Refuse the call where its argument is so; then the number of the call is loaded again."""
    inner = [(_LOAD, 0, 0, argument), *_answer(test, _EPERM), (_LOAD, 0, 0, _NUMBER)]
    return [(_EQUAL, 0, len(inner), number), *inner]


def descriptor(code: bytes) -> int:
    """A file that holds the filter, as bubblewrap takes it; to be closed by the caller."""
    made = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    os.write(made, code)
    os.lseek(made, 0, os.SEEK_SET)
    return made


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


def restrict(code: bytes, libc: ctypes.CDLL) -> None:
    """Put this process, for ever, under the filter. Raises: OSError."""
    given = _Program(len(code) // 8, code)
    _control(libc, _SET_SECCOMP, _FILTER, ctypes.byref(given))


def no_new_privileges(libc: ctypes.CDLL) -> None:
    """From now on no program that is started gains rights by being setuid. Raises: OSError."""
    _control(libc, _SET_NO_NEW_PRIVS, 1, 0)


def _control(libc: ctypes.CDLL, what: int, first: object, second: object) -> None:
    if libc.prctl(what, first, second, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process could not be restricted")
