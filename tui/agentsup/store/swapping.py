"""Put one file in another's place so that what was there can still be looked at: renameat2 of Linux, by ctypes.

Elsewhere, and on file systems without it, the callers fall back to a plain rename.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import sys
from functools import cache
from typing import Any, Literal

_NO_REPLACE = 1
_EXCHANGE = 2

_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM, errno.ENOTTY}
"""What file systems and sandboxes say that do not have the call. EPERM: a filter of system calls."""


Lease = Literal["held", "busy", "none"]


class Unsupported(Exception):
    """This file system can't do it."""


@cache
def _renameat2() -> Any:
    if sys.platform != "linux":
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
        function.restype = ctypes.c_int
    return function


def _call(folder: int, source: str, target: str, flags: int) -> None:
    function = _renameat2()
    if function is None:
        raise Unsupported
    if function(folder, os.fsencode(source), folder, os.fsencode(target), flags) == 0:
        return
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        raise Unsupported
    raise OSError(code, os.strerror(code), target)


def exchange(folder: int, one: str, other: str) -> None:
    """Let two files of a folder change names in one step; raises FileNotFoundError, Unsupported or OSError."""
    _call(folder, one, other, _EXCHANGE)


def rename_new(folder: int, source: str, target: str) -> None:
    """Rename unless the target exists; raises FileExistsError, Unsupported or OSError."""
    try:
        _call(folder, source, target, _NO_REPLACE)
    except Unsupported:
        # A hard link does not replace either. File systems without those do not have renameat2 flags, too.
        try:
            os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError as error:
            raise Unsupported from error
        os.unlink(source, dir_fd=folder)


def take_lease(number: int) -> Lease:
    """Ask for a read lease on an open file: while it is held nobody can begin to write it. Closing gives it back.

    `busy`: some program has it open for writing. `none`: not here (not Linux, not our file, another file system).
    Who opens the file for writing meanwhile waits for us; so it must be held for moments only.
    """
    if not hasattr(fcntl, "F_SETLEASE"):
        return "none"
    try:
        # Who opens the file for writing makes the system send us a signal: by default SIGIO, which ends a process.
        # SIGURG is ignored by default.
        fcntl.fcntl(number, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(number, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        # NFS and SMB say this of every file; they do not get here, for they have no exchange.
        return "busy" if error.errno == errno.EAGAIN else "none"
    return "held"


def is_wanted(number: int) -> bool:
    """Whether some program waits to write a file on which a lease is held."""
    return fcntl.fcntl(number, fcntl.F_GETLEASE) != fcntl.F_RDLCK
