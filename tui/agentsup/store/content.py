"""What a file holds, and what there is to say when it is not what was expected."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from agentsup.store.opening import open_plain, read_whole

LARGEST = 64 << 20
"""Largest file that is looked at again before it is replaced, in bytes."""


class Conflict(Exception):
    """The file's content is not what the writer had read; it was left alone.

    `ours` is what was to be written, `theirs` what stands there now (None: the file is gone). `kept` is where the
    caller saved `ours`, if it did.
    """

    def __init__(self, path: Path, ours: bytes, theirs: bytes | None) -> None:
        super().__init__(f"{path} was changed by another program")
        self.path, self.ours, self.theirs = path, ours, theirs
        self.kept: Path | None = None


@dataclass(frozen=True)
class Content:
    """What a file held when it was read: None where there was none. `token` stands for exactly that content."""

    data: bytes | None
    token: str


def token_of(data: bytes | None) -> str:
    """Return the token of a content."""
    return "missing" if data is None else hashlib.sha256(data).hexdigest()


def read_plain(name: str | Path, folder: int | None, most: int, owner: int | None = None) -> bytes | None:
    """Return a regular file's content; None without a file. `owner`: see `open_plain`. Raises UnsafeFile or OSError."""
    opened = open_plain(name, folder, owner)
    if opened is None:
        return None
    number, status = opened
    return read_whole(number, status.st_size, most, name)
