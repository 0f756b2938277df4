"""Follow a log: whole lines only, from byte offsets, with bounded memory."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from agentsup.host.folder_watch import FolderWatch

READ_SIZE = 1 << 18
LINE_LIMIT = 8 << 20
"""A longer line is skipped and counted: it can't be allowed to grow the host."""


class LogTail:
    """Calls back with every line of a file, from its start, as it grows."""

    def __init__(
        self,
        path: Path,
        watch: FolderWatch,
        on_line: Callable[[bytes], None],
        on_skipped: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self.skipped = 0
        self._watch, self._on_line, self._on_skipped = watch, on_line, on_skipped
        self._loop = asyncio.get_running_loop()
        self._file = -1
        self._inode = 0
        self._offset = 0
        self._held = bytearray()
        self._skipping = False
        self._scheduled = False
        self._closed = False
        watch.add(path.parent, self._changed)
        self._changed()

    def close(self) -> None:
        """Stop following."""
        self._closed = True
        self._watch.remove(self.path.parent, self._changed)
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _changed(self) -> None:
        self._scheduled = False
        if self._closed or not self._open():
            return
        try:
            data = os.pread(self._file, READ_SIZE, self._offset)
        except OSError:
            return
        self._offset += len(data)
        self._take(data)
        if len(data) == READ_SIZE and not self._scheduled:
            # More is there: come back after keys and frames had their turn.
            self._scheduled = True
            self._loop.call_soon(self._changed)

    def _open(self) -> bool:
        """Open the file, again from the start where it was replaced or cut."""
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        if self._file >= 0 and status.st_ino == self._inode and status.st_size >= self._offset:
            return True
        if self._file >= 0:
            os.close(self._file)
        self._offset, self._skipping = 0, False
        self._held.clear()
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            self._file = -1
            return False
        self._inode = os.fstat(self._file).st_ino
        return True

    def _take(self, data: bytes) -> None:
        *whole, rest = data.split(b"\n")
        for piece in whole:
            if self._skipping:
                self._skipping = False
                continue
            line = bytes(self._held) + piece if self._held else piece
            self._held.clear()
            if line.strip():
                self._on_line(line)
        if self._skipping:
            return
        self._held += rest
        if len(self._held) > LINE_LIMIT:
            self._held.clear()
            self._skipping = True
            self.skipped += 1
            self._on_skipped()
