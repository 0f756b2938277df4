"""Open files and folders of a project that may be hostile: what is opened is what it seems.

Every path of the store goes through here. A path beneath a project's root is walked component by component, none of
which may be a link: a clone can bring a link to anything, and an agent can put one in a folder's place at any moment.
The root itself is the person's choice, and may be reached by links.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""O_NONBLOCK: a FIFO in place of a file must not stop us."""

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class UnsafeFile(OSError):
    """A file that is not read or written: a link, a FIFO, a device, a folder, or too long. `strerror` says which."""


def open_folder(path: Path) -> int:
    """Return a descriptor of a folder, links followed: a project's root, or a folder of our own. Raises OSError."""
    return os.open(path, _FOLDER_FLAGS)


def open_folder_beneath(root: Path, place: str | Path = "", *, make: bool = False) -> int:
    """Return a descriptor of a folder beneath `root`; `make`: what is missing on the way is made.

    Raises UnsafeFile for a link, another user's folder, an absolute path or `..`; FileNotFoundError; OSError.
    """
    number = open_folder(root)
    try:
        owner = os.fstat(number).st_uid
        for name in _components(place):
            inner = _open_one(name, number, place, make=make)
            os.close(number)
            number = inner
            _check_owner(os.fstat(number), owner, place)
    except BaseException:
        os.close(number)
        raise
    return number


def open_beneath(root: Path, place: str | Path) -> tuple[int, os.stat_result] | None:
    """Return a descriptor for reading and the status of a regular file beneath `root`; None where there is none.

    Raises UnsafeFile (a link on the way or at the end, `..`, FIFO, device, folder, another user's) or OSError.
    """
    names = _components(place)
    if not names:
        raise UnsafeFile(errno.EINVAL, "is a folder", str(place))
    try:
        folder = open_folder_beneath(root, "/".join(names[:-1]))
    except FileNotFoundError:
        return None
    try:
        opened = open_plain(names[-1], folder)
        if opened is not None:
            try:
                _check_owner(opened[1], os.stat(root).st_uid, place)
            except BaseException:
                os.close(opened[0])
                raise
        return opened
    finally:
        os.close(folder)


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


def _components(place: str | Path) -> list[str]:
    text = os.fspath(place)
    names = [name for name in text.split("/") if name not in ("", ".")]
    if text.startswith("/") or ".." in names or "\0" in text:
        raise UnsafeFile(errno.EINVAL, "leads out of the project", text)
    return names


def _open_one(name: str, folder: int, place: str | Path, *, make: bool) -> int:
    """Return a descriptor of one folder in another."""
    flags = _FOLDER_FLAGS | os.O_NOFOLLOW
    try:
        try:
            return os.open(name, flags, dir_fd=folder)
        except FileNotFoundError:
            if not make:
                raise
            try:
                os.mkdir(name, dir_fd=folder)
            except FileExistsError:
                pass  # somebody was quicker
            return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        # Of a link, systems say ELOOP or, because it is asked for a folder, ENOTDIR.
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR) and _is_link(name, folder):
            raise UnsafeFile(errno.ELOOP, "leads through a symbolic link, which is not followed", str(place)) from error
        raise


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _check_owner(status: os.stat_result, root_owner: int, place: str | Path) -> None:
    """Raise UnsafeFile for what belongs to somebody who is neither us, nor the system, nor the root's owner."""
    if status.st_uid not in (os.geteuid(), root_owner, 0):
        raise UnsafeFile(errno.EPERM, "belongs to another user", str(place))
