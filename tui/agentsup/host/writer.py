"""The one writer to the pty: human keys, injected text and the terminal's replies go through one queue.

An open paste is never interleaved with anything: what comes meanwhile waits and follows it in order.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import Literal

Source = Literal["human", "paste", "reply", "injection"]
"""Keys, a person's paste that comes in pieces, the terminal's answers, text typed by us."""

PASTE_START, PASTE_END = b"\x1b[200~", b"\x1b[201~"

EARLY_MOST = 1 << 16
"""Bytes that wait for the first descriptor: a person may type before the host has it."""

_CHUNK = 4096
"""A raw pty takes about 20 kB before it blocks; small writes keep what is in it apart from what waits here."""


class _Mark:
    """Where a hold that had to wait begins or ends among the bytes that wait."""


_HOLD, _RELEASE = _Mark(), _Mark()


class Writer:
    """Writes to the pty's master without ever blocking."""

    def __init__(self, on_drained: Callable[[], None]) -> None:
        self._fd = -1
        self._out = bytearray()
        self._behind: deque[tuple[Source, bytes | _Mark]] = deque()
        self._holder: Source | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting = False
        self._used = False
        self._paste_written = False
        self._on_drained = on_drained
        self.on_paste: Callable[[bool], None] = lambda is_open: None
        """Told when a bracketed paste begins and when its end has been written."""

    @property
    def backlog(self) -> int:
        """Bytes taken and not yet written."""
        return len(self._out) + sum(len(item) for _, item in self._behind if isinstance(item, bytes))

    @property
    def held_by(self) -> Source | None:
        """Who has the pty to itself now: a person's open paste, an injection, or nobody."""
        return self._holder

    def attach(self, fd: int) -> None:
        """Write to this descriptor from now on; what was meant for the last one is dropped."""
        if self._used:
            self.detach()
        self._fd, self._used = fd, True
        self._flush()

    def detach(self) -> None:
        """Forget the descriptor and all that waits."""
        if self._waiting:
            self._loop.remove_writer(self._fd)
        self._fd, self._waiting, self._holder = -1, False, None
        self._out.clear()
        self._behind.clear()

    def write(self, source: Source, data: bytes) -> None:
        """Take bytes; they go out in order, behind whoever holds the pty."""
        if not data or (self._fd < 0 and (self._used or self.backlog > EARLY_MOST)):
            return
        self._put(source, data)
        if self._fd >= 0:
            self._flush()

    def hold(self, source: Source) -> bool:
        """Give the pty to one source alone, until `release`.

        While another has it: False for an injection, which has to ask again; a person's paste gets its turn.
        """
        if self._holder not in (None, source):
            if source == "injection":
                return False
            self._behind.append((source, _HOLD))
            return True
        self._holder = source
        return True

    def release(self, source: Source) -> None:
        """End a hold: what waited goes out in order."""
        self._put(source, _RELEASE)
        if self._fd >= 0:
            self._flush()

    def _put(self, source: Source, item: bytes | _Mark) -> None:
        if self._is_blocked(source) or any(waiting == source for waiting, _ in self._behind):
            self._behind.append((source, item))
            return
        self._do(source, item)

    def _do(self, source: Source, item: bytes | _Mark) -> None:
        if item is _HOLD:
            self._holder = source
        elif item is _RELEASE:
            if self._holder == source:
                self._holder = None
                self._go_on()
        elif isinstance(item, bytes):
            self._note_paste(item)
            self._out += item

    def _go_on(self) -> None:
        """Let out what waits, until somebody who waited holds the pty again."""
        behind, self._behind = self._behind, deque()
        for source, item in behind:
            self._put(source, item)

    def _note_paste(self, data: bytes) -> None:
        if data.startswith(PASTE_START):
            self._paste_written = False
            self.on_paste(True)
        if data.endswith(PASTE_END):
            self._paste_written = True

    def _is_blocked(self, source: Source) -> bool:
        # An injected paste is one write, so a reply after it can not split it; a person's comes in pieces.
        if self._holder == "injection":
            return source in ("human", "paste")
        return self._holder is not None and source != self._holder

    def _flush(self) -> None:
        try:
            while self._out:
                written = os.write(self._fd, self._out[:_CHUNK])
                del self._out[:written]
        except BlockingIOError:
            if not self._waiting:
                self._loop.add_writer(self._fd, self._flush)
                self._waiting = True
            return
        except OSError:
            # The program is gone; the keeper tells it. Nobody is left to read this.
            self._out.clear()
        if self._waiting:
            self._loop.remove_writer(self._fd)
            self._waiting = False
        if self._paste_written:
            self._paste_written = False
            self.on_paste(False)
        self._on_drained()
