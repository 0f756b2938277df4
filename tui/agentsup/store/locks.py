"""One writer at a time in a folder: agentsup's programs wait for each other, other programs know nothing of it.

The folder itself is locked (flock), so nothing is left in the repository, and a writer in a sandbox or a container,
with another environment or no runtime folder at all, still takes the same lock. Where a file system does not lock
folders, a file in the data folder stands for it, named after the folder's real path.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentsup.core.problems import UsageProblem
from agentsup.store.folders import data_folder, own_folder
from agentsup.store.opening import open_folder, open_own

PATIENCE = 10.0
"""Seconds a writer waits for another."""

_REFUSED = {errno.ENOLCK, errno.EBADF, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS, errno.EISDIR, errno.EACCES}


@contextmanager
def locked(folder: Path, patience: float = PATIENCE, *, beneath: Path | None = None) -> Iterator[int]:
    """Hold a folder's lock, and yield a descriptor of the folder; raises TimeoutError or OSError.

    With `beneath`, a root above it, no link on the way is followed, and what is missing is made. Not reentrant: who
    holds it must not ask for it again. Of several folders the outer one comes first.
    """
    number = open_folder(folder, beneath, make=True)
    lock = number
    try:
        if not _wait(number, folder, patience):
            lock = _stand_in(folder)
            _wait(lock, folder, patience)
        yield number
    finally:
        if lock != number:
            os.close(lock)
        os.close(number)


def _wait(number: int, folder: Path, patience: float) -> bool:
    """Whether the lock was taken; False where there is no locking of this. Raises TimeoutError."""
    deadline = time.monotonic() + patience
    pause = 0.0002
    while True:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TimeoutError(errno.ETIMEDOUT, "another program holds the lock", str(folder)) from None
        except OSError as error:
            if error.errno in _REFUSED:
                return False
            raise
        time.sleep(pause)
        pause = min(pause * 1.5, 0.01)


def _stand_in(folder: Path) -> int:
    """Return a descriptor of the file that stands for a folder; raises OSError."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:32]
    try:
        locks = own_folder(data_folder(os.environ) / "locks")
    except UsageProblem as problem:
        raise OSError(errno.ENOLCK, "no place for a lock", str(folder)) from problem
    return open_own(locks / name, os.O_RDWR | os.O_CREAT)
