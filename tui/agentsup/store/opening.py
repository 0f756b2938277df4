"""Open files and folders of a project that may be hostile: what is opened is what it seems.

Every path of the store goes through here. Only the last component is protected from links so far; a folder on the
way that is a link is followed (issue 6: each component by itself, beneath the project's root).
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""O_NONBLOCK: a FIFO in place of a file must not stop us."""


class UnsafeFile(OSError):
    """A file that is not read or written: a link, a FIFO, a device, a folder, or too long. `strerror` says which."""


def open_folder(path: Path) -> int:
    """Return a descriptor of a folder; raises OSError."""
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_plain(name: str | Path, folder: int | None = None) -> tuple[int, os.stat_result] | None:
    """Return a descriptor for reading and the status of a regular file; None where there is no such file.

    A relative `name` is looked up in `folder`. Raises UnsafeFile or OSError.
    """
    try:
        number = os.open(name, os.O_RDONLY | _FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        # ENXIO: a socket, or a device without a driver; the other two are what systems say of a link.
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise UnsafeFile(error.errno, "is a symbolic link, which is not followed", str(name)) from error
        if error.errno == errno.ENXIO:
            raise UnsafeFile(error.errno, "is no regular file", str(name)) from error
        raise
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode):
        os.close(number)
        what = "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
        raise UnsafeFile(errno.EINVAL, what, str(name))
    return number, status


def read_whole(number: int, size: int, most: int, name: str | Path) -> bytes:
    """Return all a descriptor holds and close it; raises UnsafeFile above `most` bytes."""
    with open(number, "rb", buffering=0) as file:
        parts: list[bytes] = []
        left = most + 1
        if size <= most:
            # One byte more than it has: the end is seen at once. A file may grow meanwhile.
            while left > 0 and (part := file.read(min(left, max(size + 1, 1 << 16)))):
                parts.append(part)
                left -= len(part)
        if size > most or left <= 0:
            raise UnsafeFile(errno.EFBIG, f"has more than {most:,} bytes", str(name))
        return b"".join(parts)
