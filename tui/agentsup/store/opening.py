"""Open files and folders of a project that may be hostile: what is opened is what it seems.

Every path of the store goes through here. A path beneath a project's root is walked component by component, none of
which may be a link: a clone can bring a link to anything, and an agent can put one in a folder's place at any moment.
The root itself is the person's choice, and may be reached by links.

A hard link is a file like any other, and is read: only who may read a file can make one.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""O_NONBLOCK: a FIFO in place of a file must not stop us."""

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_LINK = "is a symbolic link, which is not followed"


class UnsafeFile(OSError):
    """A file that is not read or written: a link, a FIFO, a device, a folder, or too long. `strerror` says which."""


def open_folder(path: Path, beneath: Path | None = None, *, make: bool = False) -> int:
    """Return a descriptor of a folder: a project's root, or a folder of our own, links followed.

    With `beneath` it is one in that project, see `open_folder_beneath`. Raises UnsafeFile or OSError.
    """
    if beneath is None:
        return os.open(path, _FOLDER_FLAGS)
    return open_folder_beneath(beneath, inside(path, beneath), make=make)


def open_folder_beneath(root: Path, place: str | Path = "", *, make: bool = False) -> int:
    """Return a descriptor of a folder beneath `root`; `make`: what is missing on the way is made.

    Raises UnsafeFile for a link, another user's folder, an absolute path or `..`; FileNotFoundError; OSError.
    """
    return _walked(root, _components(place), make=make)[0]


@contextmanager
def folder_beneath(root: Path, place: str | Path = "") -> Iterator[int]:
    """Hold a folder beneath `root` open, and yield its descriptor; raises as `open_folder_beneath` does."""
    number = open_folder_beneath(root, place)
    try:
        yield number
    finally:
        os.close(number)


def open_beneath(root: Path, place: str | Path) -> tuple[int, os.stat_result] | None:
    """Return a descriptor for reading and the status of a regular file beneath `root`; None where there is none.

    Raises UnsafeFile (a link on the way or at the end, `..`, FIFO, device, folder, another user's) or OSError.
    """
    names = _components(place)
    if not names:
        raise UnsafeFile(errno.EINVAL, "is a folder", str(place))
    try:
        folder, owner = _walked(root, names[:-1])
    except FileNotFoundError:
        return None
    try:
        return open_plain(names[-1], folder, owner)
    except UnsafeFile as error:
        error.filename = os.fspath(place)
        raise
    finally:
        os.close(folder)


def read_beneath(root: Path, place: str | Path, most: int) -> bytes | None:
    """Return what a regular file beneath `root` holds; None where there is none.

    Raises UnsafeFile (as `open_beneath`, and above `most` bytes) or OSError.
    """
    opened = open_beneath(root, place)
    return None if opened is None else read_whole(opened[0], opened[1].st_size, most, place)


def status_beneath(root: Path, place: str | Path) -> os.stat_result | None:
    """Return the status of what has this name, of a link its own; None where there is nothing, or no safe way to it."""
    try:
        names = _components(place)
        folder, _ = _walked(root, names[:-1])
    except OSError:
        return None
    try:
        return os.stat(names[-1] if names else ".", dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    finally:
        os.close(folder)


def entries_beneath(root: Path, place: str | Path = "") -> Iterator[os.DirEntry[str]]:
    """Yield what is in a folder beneath `root`, in no order; nothing where it is none, or there is no safe way to it.

    What an entry says of its file is to be asked before the next one is taken.
    """
    with suppress(OSError), folder_beneath(root, place) as number, os.scandir(number) as entries:
        yield from entries


def open_persons(path: Path) -> tuple[int, os.stat_result] | None:
    """Return a descriptor and the status of a regular file of the person's own, links followed; None without one.

    Raises UnsafeFile (FIFO, device, folder) or OSError.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    return number, _regular(number, path)


def open_own(path: Path, flags: int) -> int:
    """Return a descriptor of a file of agentsup's own, 0600 whatever the umask; with O_CREAT in `flags` it is made.

    Raises UnsafeFile for what is no file or another user's, or OSError.
    """
    number = os.open(path, flags | _FLAGS, 0o600)
    status = _regular(number, path, os.geteuid())
    if stat.S_IMODE(status.st_mode) != 0o600:
        os.fchmod(number, 0o600)
    return number


def open_plain(
    name: str | Path, folder: int | None = None, owner: int | None = None
) -> tuple[int, os.stat_result] | None:
    """Return a descriptor for reading and the status of a regular file; None where there is no such file.

    A relative `name` is looked up in `folder`. With `owner`, that of a project's root, it must not be another user's.
    Raises UnsafeFile or OSError.
    """
    try:
        number = os.open(name, os.O_RDONLY | _FLAGS, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        # ENXIO: a socket, or a device without a driver; the other two are what systems say of a link.
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise UnsafeFile(error.errno, _LINK, str(name)) from error
        if error.errno == errno.ENXIO:
            raise UnsafeFile(error.errno, "is no regular file", str(name)) from error
        raise
    return number, _regular(number, name, owner)


def _regular(number: int, name: str | Path, owner: int | None = None) -> os.stat_result:
    """Return the status of an open file; what is no file, or not to be read, is closed: raises UnsafeFile."""
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            what = "is a folder" if stat.S_ISDIR(status.st_mode) else "is no regular file"
            raise UnsafeFile(errno.EINVAL, what, str(name))
        if owner is not None:
            _check_owner(status, owner, str(name))
    except BaseException:
        os.close(number)
        raise
    return status


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


def inside(path: Path, root: Path) -> str:
    """Return a path relative to the root above it; raises UnsafeFile where it is not there."""
    try:
        return os.fspath(path.relative_to(root))
    except ValueError:
        raise UnsafeFile(errno.EINVAL, "leads out of the project", str(path)) from None


def _components(place: str | Path) -> list[str]:
    text = os.fspath(place)
    names = [name for name in text.split("/") if name not in ("", ".")]
    if text.startswith("/") or ".." in names or "\0" in text:
        raise UnsafeFile(errno.EINVAL, "leads out of the project", text)
    try:
        os.fsencode(text)
    except UnicodeEncodeError:  # half a surrogate pair, from JSON: no file can have this name
        raise UnsafeFile(errno.EILSEQ, "is no name of a file", ascii(text)) from None
    return names


def _walked(root: Path, names: list[str], *, make: bool = False) -> tuple[int, int]:
    """Return a descriptor of a folder beneath `root`, and the root's owner."""
    number = open_folder(root)
    try:
        owner = os.fstat(number).st_uid
        for count, name in enumerate(names, 1):
            place = "/".join(names[:count])
            inner = _open_one(name, number, place, make=make)
            os.close(number)
            number = inner
            _check_owner(os.fstat(number), owner, place)
    except BaseException:
        os.close(number)
        raise
    return number, owner


def _open_one(name: str, folder: int, place: str, *, make: bool) -> int:
    """Return a descriptor of one folder in another."""
    flags = _FOLDER_FLAGS | os.O_NOFOLLOW
    try:
        try:
            return os.open(name, flags, dir_fd=folder)
        except FileNotFoundError:
            if not make:
                raise
            with suppress(FileExistsError):  # somebody was quicker
                os.mkdir(name, dir_fd=folder)
            return os.open(name, flags, dir_fd=folder)
    except OSError as error:
        # Of a link, systems say ELOOP or, because it is asked for a folder, ENOTDIR.
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR) and _is_link(name, folder):
            raise UnsafeFile(errno.ELOOP, _LINK, place) from error
        raise


def _is_link(name: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _check_owner(status: os.stat_result, root_owner: int, place: str) -> None:
    """Raise UnsafeFile for what belongs to somebody who is neither us, nor the system, nor the root's owner."""
    if status.st_uid not in (os.geteuid(), root_owner, 0):
        raise UnsafeFile(errno.EPERM, "belongs to another user", place)
