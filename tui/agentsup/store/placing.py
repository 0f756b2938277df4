"""Give a new file the name of an old one, if the old one is still what its reader had seen: see `atomic`."""

from __future__ import annotations

import os
from pathlib import Path

from agentsup.store import swapping
from agentsup.store.content import LARGEST, Conflict, read_plain, token_of
from agentsup.store.opening import open_plain, read_whole


def put(path: Path, folder: int, temporary: str, name: str, new: bytes, expected: str) -> None:
    """Give the new file its name, if what has that name is what is expected; raises Conflict or OSError."""
    try:
        if expected == token_of(None):
            swapping.rename_new(folder, temporary, name)
        else:
            _exchange(path, folder, temporary, name, new, expected)
    except FileExistsError:
        raise Conflict(path / name, new, read_plain(name, folder, LARGEST)) from None
    except FileNotFoundError:
        raise Conflict(path / name, new, None) from None
    except swapping.Unsupported:
        now = read_plain(name, folder, LARGEST)
        if token_of(now) != expected:
            raise Conflict(path / name, new, now) from None
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _exchange(path: Path, folder: int, temporary: str, name: str, new: bytes, expected: str) -> None:
    opened = open_plain(name, folder)
    if opened is None:
        raise Conflict(path / name, new, None)
    number, status = opened
    try:
        lease = swapping.take_lease(number)
        old = read_whole(os.dup(number), status.st_size, LARGEST, name)
        if lease == "busy" or token_of(old) != expected:
            raise Conflict(path / name, new, old)
        swapping.exchange(folder, temporary, name)
        if _is_what_was_read(folder, temporary, number, status, lease, expected):
            return
        if _put_back(folder, temporary, name, new):
            raise Conflict(path / name, new, read_plain(name, folder, LARGEST))
    finally:
        os.close(number)


def _is_what_was_read(
    folder: int, temporary: str, number: int, status: os.stat_result, lease: swapping.Lease, expected: str
) -> bool:
    """Whether the exchange took out the file that had been read, unchanged, and nobody is about to change it."""
    try:
        out = os.stat(temporary, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return True  # removed by somebody; ours stands
    if (out.st_dev, out.st_ino) != (status.st_dev, status.st_ino):
        return False
    if lease == "held":
        return not swapping.is_wanted(number)
    return token_of(read_plain(temporary, folder, LARGEST)) == expected


def _put_back(folder: int, temporary: str, name: str, new: bytes) -> bool:
    """Undo an exchange. Whether it was undone: not if ours was changed by then, for that is newer, and stays."""
    swapping.exchange(folder, temporary, name)
    try:
        if read_plain(temporary, folder, LARGEST) == new:
            return True
    except OSError:
        pass
    swapping.exchange(folder, temporary, name)
    return False
