"""Write files whole or not at all, and never over a change that the writer has not seen.

A new content is written to a file beside, put on the disk, and exchanged with the old one in one step. agentsup's own
writers wait for each other (`locks`), so none of them loses another's update. Other programs do not know the lock:

- What they wrote before the exchange is compared with what the caller had read; it differs: Conflict.
- On Linux nobody can begin to write the old file between that comparison and the end of the exchange
  (`swapping.take_lease`), and a file that some program has open for writing is left to it: Conflict. The exchange keeps
  the old file under the other name: where it is another file by then, or somebody waits to write it, all is put back:
  Conflict.
- What is left there: a program that opens the file in the microseconds of such an exchange to and fro; one that has
  looked up the old file's name and not yet opened it; a kill -9 or a loss of power between exchange and putting back
  (the other program's text is then in the left-over file, which the next writer removes). And programs that keep an old
  text in memory and write it later (an editor): their write is theirs, nothing here can stop it.
- Without the exchange (macOS, some network file systems) a change between the last comparison and the rename is lost:
  about 20 microseconds. A file that is open for writing is not noticed there either.

Hard links to a replaced file keep the old content, as with every editor that writes this way. Extended attributes are
not kept.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentsup.store.content import LARGEST, Conflict, Content, read_plain, token_of
from agentsup.store.locks import locked
from agentsup.store.opening import UnsafeFile, inside, open_plain, read_beneath, read_whole
from agentsup.store.placing import put

__all__ = [
    "ATTEMPTS",
    "LARGEST",
    "MOST",
    "Conflict",
    "Content",
    "Folder",
    "UnsafeFile",
    "read",
    "replace",
    "token_of",
    "update",
    "writing",
]

MOST = 4 << 20
"""Largest file that is read whole, in bytes."""

ATTEMPTS = 20
"""How often an update is tried against other programs: about 0.7 s."""

Change = Callable[[bytes | None], bytes]

_LEFT_OVER = re.compile(r"\..+\.(\d{1,10})\.[0-9a-f]{8}\.agentsup")


def read(path: Path, most: int = MOST, *, beneath: Path | None = None) -> Content:
    """Return a file's content; raises UnsafeFile (link, no regular file, more than `most` bytes) or OSError.

    With `beneath`, here and below, the file is in the project of that root: no link on the way to it is followed,
    nothing that is another user's is touched, and folders that are missing are made where it is written.
    """
    data = read_plain(path, None, most) if beneath is None else read_beneath(beneath, inside(path, beneath), most)
    return Content(data, token_of(data))


def replace(
    path: Path, new: bytes, expected: str, *, mode: int | None = None, beneath: Path | None = None
) -> None:  # fmt: skip
    """Replace a file's content, or make the file; it is on the disk when this returns.

    `expected` is the token of what the file must still hold. `mode` is the mode of a new file (umask applies to
    0o666 without one); a file that exists keeps its own. Without `beneath` the folder must exist. Raises Conflict or
    OSError.
    """
    with writing(path.parent, beneath=beneath) as folder:
        folder.replace(path.name, new, expected, mode=mode)


def update(
    path: Path, change: Change, most: int = MOST, *, attempts: int = ATTEMPTS, mode: int | None = None,
    beneath: Path | None = None,
) -> bytes:  # fmt: skip
    """Read a file, change it, replace it; again when another program came between. Returns what was written.

    `change` gets None where there is no file, runs under the folder's lock (it must not write into that folder by
    itself), and may run several times. Nothing is written where it changes nothing. `mode` is that of a new file.
    Raises Conflict after `attempts`, or OSError.
    """
    with writing(path.parent, beneath=beneath) as folder:
        return folder.update(path.name, change, most, attempts=attempts, mode=mode)


@contextmanager
def writing(folder: Path, *, beneath: Path | None = None) -> Iterator[Folder]:
    """Hold a folder's lock for several steps; raises OSError. Not reentrant, see `locks.locked`."""
    owner = None if beneath is None else os.stat(beneath).st_uid
    with locked(folder, beneath=beneath) as number:
        yield Folder(folder, number, owner)


class Folder:
    """A folder whose lock is held: what happens to its files here happens between no two steps of another writer."""

    def __init__(self, path: Path, number: int, owner: int | None = None) -> None:
        self.path, self._number, self._owner = path, number, owner
        self._cleaned = False

    def read(self, name: str, most: int = MOST) -> Content:
        """Return a file's content, as `read` does."""
        data = read_plain(name, self._number, most, self._owner)
        return Content(data, token_of(data))

    def update(
        self, name: str, change: Change, most: int = MOST, *, attempts: int = ATTEMPTS, mode: int | None = None
    ) -> bytes:
        """Read, change and replace a file, as `update` does."""
        for attempt in range(attempts):
            content = self.read(name, most)
            new = change(content.data)
            try:
                self.replace(name, new, content.token, mode=mode)
            except Conflict:
                if attempt + 1 == attempts:
                    raise
                # The other program is at work in this very moment; let it finish.
                time.sleep(min(0.001 * 2**attempt, 0.05))
            else:
                return new
        raise ValueError(attempts)

    def replace(self, name: str, new: bytes, expected: str, *, mode: int | None = None) -> None:
        """Replace a file's content, as `replace` does."""
        self._remove_left_overs()
        opened = open_plain(name, self._number, self._owner)
        status = None
        old = None
        if opened:
            number, status = opened
            old = read_whole(number, status.st_size, LARGEST, name)
        if token_of(old) != expected:
            raise Conflict(self.path / name, new, old)
        if old == new:
            return
        temporary = f".{name}.{os.getpid()}.{secrets.token_hex(4)}.agentsup"
        try:
            self._write(temporary, new, mode, status)
            put(self.path, self._number, temporary, name, new, expected)
        finally:
            # After an exchange this is the old file.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=self._number)
        self.sync()

    def append(
        self, name: str, line: bytes, *, mode: int = 0o666, is_whole: Callable[[bytes], bool] = lambda _: True
    ) -> None:
        """Add a line (without its end) to a file, or make the file; it is on the disk when this returns.

        A last line without an end is ended first, or cut away where it is not whole. Where the disk is full nothing is
        added. Raises OSError.
        """
        opened = open_plain(name, self._number, self._owner)
        if opened:
            os.close(opened[0])
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        number = os.open(name, flags, mode, dir_fd=self._number)
        try:
            if not opened and mode != 0o666:
                os.fchmod(number, mode)  # whatever the umask
            size = os.fstat(number).st_size
            ended = not size or os.pread(number, 1, size - 1) == b"\n"
            if not ended and not is_whole(torn := next(self.last_lines(name))):
                size, ended = size - len(torn), True
                os.ftruncate(number, size)
            added = (b"" if ended else b"\n") + line + b"\n"
            try:
                _write_all(number, added)
                os.fsync(number)
            except OSError:
                # A part may be there. Not if other bytes are: those of a program that does not know the lock.
                if added.startswith(os.pread(number, len(added) + 1, size)):
                    os.ftruncate(number, size)
                raise
        finally:
            os.close(number)
        if not opened:
            self.sync()

    def last_lines(self, name: str) -> Iterator[bytes]:
        """Yield a file's lines, the last one first, reading from its end; nothing without a file. Raises OSError."""
        opened = open_plain(name, self._number, self._owner)
        if opened is None:
            return
        number, status = opened
        try:
            rest, at = b"", status.st_size
            while at > 0:
                count = min(at, max(1 << 16, len(rest)))  # twice as much each time: a line may be long
                at -= count
                rest = os.pread(number, count, at) + rest
                first, *lines = rest.split(b"\n")
                yield from reversed(lines if at else [first, *lines])
                rest = first
        finally:
            os.close(number)

    def names(self) -> list[str]:
        """Return the names in the folder, in no order; raises OSError."""
        return os.listdir(self._number)

    def remove(self, name: str, expected: str) -> None:
        """Remove a file that still holds what it did; raises Conflict or OSError."""
        now = self.read(name, LARGEST)
        if now.token != expected:
            raise Conflict(self.path / name, b"", now.data)
        os.unlink(name, dir_fd=self._number)
        self.sync()

    def sync(self) -> None:
        """Put the folder's names on the disk; raises OSError."""
        try:
            os.fsync(self._number)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a file system that has no such thing
                raise

    def _write(self, temporary: str, new: bytes, mode: int | None, status: os.stat_result | None) -> None:
        """Write a file that is not there yet, with the mode and owner of the one it is to replace."""
        if status and not status.st_mode & 0o222:
            # Renaming asks for the folder's rights only; whoever protects a file means the file.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        first = 0o600 if status or mode is not None else 0o666
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        number = os.open(temporary, flags, first, dir_fd=self._number)
        try:
            _write_all(number, new)
            if status:
                for owner, group in ((status.st_uid, -1), (-1, status.st_gid)):
                    with contextlib.suppress(PermissionError):
                        os.fchown(number, owner, group)
                os.fchmod(number, status.st_mode & 0o7777)
            elif mode is not None:
                os.fchmod(number, mode)
            os.fsync(number)
        finally:
            os.close(number)

    def _remove_left_overs(self) -> None:
        """Remove what killed writers left in this folder, once while the lock is held."""
        if self._cleaned:
            return
        self._cleaned = True
        for name in os.listdir(self._number):
            found = _LEFT_OVER.fullmatch(name)
            if found and not _lives(int(found[1])):
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=self._number)


def _write_all(number: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(number, rest) :]


def _lives(pid: int) -> bool:
    """Whether another process of this number runs. Ourselves: no, who holds the lock has nothing half done."""
    if pid == os.getpid():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
