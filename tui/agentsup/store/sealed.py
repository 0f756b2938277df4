"""Files that nobody can change any more, without a place on any disk: what is run is what was approved.

On Linux they are sealed memory files. Elsewhere they are copies in a folder that only we may enter: another program
of the same user could change those, which is why they are the second choice.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOWEST = 100
"""Lowest descriptor: the same each time, because a script may print its name; above those that a shell takes."""

_EXECUTABLE, _ONLY_READ = 0x10, 0x08
"""MFD_EXEC and MFD_NOEXEC_SEAL of memfd_create(2), Linux 6.3 and later: there it warns where it is told neither. A
system may refuse the first; then scripts run all the same, because what runs is what their first line names."""


class Altered(Exception):
    """The bytes in the file were not those that were given: somebody has written to it before it was sealed."""


@contextmanager
def sealed(data: bytes, sha: str) -> Iterator[tuple[str, int | None]]:
    """Yield a path that leads to exactly these bytes, and the descriptor that a child has to have for it.

    Raises Altered or OSError.
    """
    if sys.platform == "linux":
        number = _sealed(data, sha)
        try:
            yield f"/proc/self/fd/{number}", number
        finally:
            os.close(number)
    else:
        with tempfile.TemporaryDirectory(prefix="agentsup-") as folder:
            path = Path(folder) / "unit"
            path.write_bytes(data)
            path.chmod(0o500)
            if hashlib.sha256(path.read_bytes()).hexdigest() != sha:
                raise Altered
            yield str(path), None


if sys.platform == "linux":

    def _sealed(data: bytes, sha: str) -> int:
        first = _memory_file()
        try:
            number = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, _LOWEST)
        finally:
            os.close(first)
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(number, left) :]
            seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
            fcntl.fcntl(number, fcntl.F_ADD_SEALS, seals)
            # Until now other programs of this user could write to it, by way of /proc. From here on nobody can.
            if os.fstat(number).st_size != len(data) or _sha(number) != sha:
                raise Altered
        except BaseException:
            os.close(number)
            raise
        return number


def _memory_file() -> int:
    for flags in (_EXECUTABLE, _ONLY_READ):
        with suppress(OSError):
            return os.memfd_create("agentsup", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING | flags)
    return os.memfd_create("agentsup", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def _sha(number: int) -> str:
    hashed = hashlib.sha256()
    offset = 0
    while part := os.pread(number, 1 << 20, offset):
        hashed.update(part)
        offset += len(part)
    return hashed.hexdigest()
