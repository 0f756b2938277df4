"""The one writer to the pty: human keys, injected text and the terminal's replies go through one queue.

An open paste is never interleaved with anything: what comes meanwhile waits and follows it in order.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections import deque
from collections.abc import Callable
from typing import Literal

from agentsup.core.injector import PASTE_END, PASTE_START

Source = Literal["human", "paste", "reply", "injection"]
"""Keys, a person's paste that comes in pieces, the terminal's answers, text typed by us."""

_PERSONS: frozenset[Source] = frozenset({"human", "paste"})

EARLY_MOST = 1 << 16
"""Bytes that wait for the first descriptor: a person may type before the host has it."""

_ENTER = re.compile(rb"[\r\n\t]|\x1b\[(?:9|13|57414)[;:\d]*u|\x1b\[27;\d+;(?:9|13)~|\x1bOM")
"""Keys by which agents send what is in their composer, as any keyboard protocol tells them; Codex takes a tab too."""

_CHUNK = 4096
"""A raw pty takes about 20 kB before it blocks; small writes keep what is in it apart from what waits here."""


class _Mark:
    """Where a hold that had to wait begins or ends among the bytes that wait."""


_HOLD, _RELEASE = _Mark(), _Mark()


class Writer:
    """Writes to the pty's master without ever blocking."""

    def __init__(self, on_drained: Callable[[], None]) -> None:
        self._fd = -1
        self._out: deque[tuple[Source, bytearray]] = deque()
        self._behind: deque[tuple[Source, bytes | _Mark]] = deque()
        self._holder: Source | None = None
        self._loop = asyncio.get_running_loop()
        self._waiting = False
        self._used = False
        self._paste_written = False
        self._paste_open = False
        """Whether the bytes of an injection that were taken so far end within a bracketed paste."""
        self._keeps_enter = False
        """Whether a person's keys pass only up to an Enter."""
        self._pasted = self._begun = False
        """Whether a paste is a part of the injection that holds the pty, and whether any of its bytes are in it."""
        self._on_drained = on_drained
        self.on_paste: Callable[[bool], None] = lambda is_open: None
        """Told when a bracketed paste begins and when its end has been written."""
        self._kept = 0
        self.on_kept: Callable[[int], None] = lambda count: None
        """Told how many bytes of the person's wait, whenever that changes: a host that dies takes them with it."""

    @property
    def backlog(self) -> int:
        """Bytes taken and not yet written."""
        waiting = sum(len(item) for _, item in self._behind if isinstance(item, bytes))
        return waiting + sum(len(data) for _, data in self._out)

    def has_written(self, source: Source) -> bool:
        """Say whether all that a source was let write is in the pty."""
        return not any(writer == source for writer, _ in self._out)

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
        self._fd, self._waiting, self._holder, self._paste_open = -1, False, None, False
        self._keeps_enter = False
        self._out.clear()
        self._behind.clear()
        self._tell_kept()

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
        if self._holder not in (None, source) or (self._keeps_enter and source in _PERSONS | {"injection"}):
            if source == "injection":
                return False
            self._behind.append((source, _HOLD))
            return True
        self._holder = source
        if source == "injection":
            self._pasted = self._begun = self._paste_open = False
        return True

    def release(self, source: Source) -> None:
        """End a hold: what waited goes out in order."""
        self._put(source, _RELEASE)
        if self._fd >= 0:
            self._flush()

    def abort(self, source: Source, *, keep_enter: bool = False) -> None:
        """End a hold in the middle: what is not in the pty yet is dropped, and a paste that was begun is closed.

        `keep_enter`: where anything is in the pty, a person's keys pass only up to an Enter, until `let_keys_go`.
        """
        if self._holder != source:
            return
        dropped = not self.has_written(source)
        self._out = deque(entry for entry in self._out if entry[0] != source)
        if self._pasted and self._begun and (dropped or self._paste_open):
            self._do(source, PASTE_END)
        self._paste_open = False
        self._keeps_enter = keep_enter and self._begun
        self.release(source)

    @property
    def keeps_keys(self) -> bool:
        """Say whether an Enter or a paste of a person's, and what follows it, waits though nobody has the pty."""
        return self._keeps_enter and self._has_persons_waiting

    def let_keys_go(self) -> None:
        """Let through the Enter that an aborted text kept back, and all that follows it."""
        if not self._keeps_enter:
            return
        self._keeps_enter = False
        self._go_on()
        if self._fd >= 0:
            self._flush()

    @property
    def _has_persons_waiting(self) -> bool:
        return any(waiting in _PERSONS for waiting, _ in self._behind)

    def _put(self, source: Source, item: bytes | _Mark) -> None:
        if self._is_blocked(source) or any(waiting == source for waiting, _ in self._behind):
            self._behind.append((source, item))
            return
        if self._keeps_enter and source == "human" and isinstance(item, bytes):
            enter = _ENTER.search(item)
            if enter is not None:
                self._behind.append((source, item[enter.start() :]))
                item = item[: enter.start()]
                if not item:
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
            self._note_paste(source, item)
            if self._out and self._out[-1][0] == source:
                self._out[-1][1].extend(item)
            else:
                self._out.append((source, bytearray(item)))
            if source == "injection" and not self._paste_open:
                self._go_on()  # replies that waited for the end of its paste

    def _go_on(self) -> None:
        """Let out what waits, until somebody who waited holds the pty again."""
        behind, self._behind = self._behind, deque()
        for source, item in behind:
            self._put(source, item)

    def _note_paste(self, source: Source, data: bytes) -> None:
        """Note where a bracketed paste begins and ends; one of ours may stand anywhere among what is typed."""
        start, end = data.rfind(PASTE_START), data.rfind(PASTE_END)
        if data.startswith(PASTE_START) or (source == "injection" and start >= 0):
            self._paste_written = False
            self.on_paste(True)
        if source == "injection" and max(start, end) >= 0:
            self._paste_open = start > end
            self._pasted = self._pasted or start >= 0
        if data.endswith(PASTE_END):
            self._paste_written = True

    def _is_blocked(self, source: Source) -> bool:
        # A paste of ours that is one write can't be split by a reply after it; a person's comes in pieces.
        if self._holder == "injection":
            return source in _PERSONS or (source == "reply" and self._paste_open)
        if self._keeps_enter and source in _PERSONS:
            return source == "paste" or self._has_persons_waiting
        return self._holder is not None and source != self._holder

    def _flush(self) -> None:
        try:
            while self._out:
                source, data = self._out[0]
                written = os.write(self._fd, data[:_CHUNK])
                self._begun = self._begun or source == "injection"
                del data[:written]
                if not data:
                    self._out.popleft()
        except BlockingIOError:
            if not self._waiting:
                self._loop.add_writer(self._fd, self._flush)
                self._waiting = True
            self._tell_kept()
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
        self._tell_kept()
        self._on_drained()

    def _tell_kept(self) -> None:
        theirs = [len(data) for source, data in self._out if source in ("human", "paste")]
        theirs += [len(item) for source, item in self._behind if source != "reply" and isinstance(item, bytes)]
        if sum(theirs) != self._kept:
            self._kept = sum(theirs)
            self.on_kept(self._kept)
