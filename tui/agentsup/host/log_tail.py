"""Follow a log: whole lines only, from byte offsets, with bounded memory.

What a log can do, and what follows from it:

    it grows in pieces of any size       a line is told once its newline is there
    a line is longer than the limit      its head is kept and told, the rest is passed over
    it is huge when it is opened         it is read from its last part on, beginning with a whole line
    it is cut or written anew            noticed by the bytes before the offset; read from its start
    another file takes its place         what is left of the old one is read, then the new one from its start
    it is removed, or its folder is      the open file is read on; looked for until it is there again
    it can't be read                     told once, and tried again until it can
    the machine crashes                  NULs stand where nothing was written: they end a line as a newline does
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentsup.core.line_cutter import LINE, LINE_HEAD, LineCutter
from agentsup.host.folder_watch import FolderWatch

KNOWN_SIZE = 64
"""Bytes before the offset that are read again each time: other ones there mean another content."""

LOOK_INTERVAL = 0.5
"""Most seconds between two looks, for what no folder watch tells: a folder above is moved, the file can be read
again, another machine writes. A look is two system calls, so an idle agent still costs next to nothing."""


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes."""

    piece: int = 1 << 16
    """Read at once: decoding it takes about a millisecond, in which no key is passed on."""
    line: int = LINE
    """Longest line that is held."""
    head: int = LINE_HEAD
    """Kept of a longer one."""
    whole: int = 64 << 20
    """Largest file that is read from its start."""
    part: int = 16 << 20
    """Read of a larger one: its end."""


@dataclass(frozen=True)
class Reading:
    """What was read so far; all counts are since the tail was made, over every file that stood at its path."""

    lines: int = 0
    """Whole lines told, without the empty ones."""
    skipped: int = 0
    """Lines over the limit, of which only the head was told."""
    bytes: int = 0
    from_middle: bool = False
    """Whether the present file was too large to be read from its start."""
    restarts: int = 0
    """How often the file was cut, written anew or replaced."""
    trouble: str = ""
    """Why it can't be read now; empty while it can."""


LIMITS = Limits()

Kind = Literal["line", "long", "restart", "part"]
Piece = tuple[Kind, bytes, int]
"""What is to be told: a whole line, the head of a long one, that the file begins anew, or with what part of it; and
where in the file a line begins."""


class LogTail:
    """Calls back with every line of a file as it grows, never before the constructor has returned.

    `on_line` gets a line without its end, `on_long_line` the head of one over the limit. `on_skipped` gets the
    counts whenever something is left out: after a long line, and where a huge file is begun in its middle.
    `on_restart` tells that the lines that follow are those of a file begun anew, the same or another one.
    `on_trouble` gets the system's reason when the file can't be read any more, and an empty one when that is
    over. `on_caught_up` tells that all lines were told that stood there when the file was begun, also where it is
    not there. What a callback raises goes to the loop's handler, and the next line is told all the same.
    """

    def __init__(
        self,
        path: Path,
        watch: FolderWatch,
        on_line: Callable[[bytes], None],
        on_skipped: Callable[[Reading], None] = lambda _reading: None,
        *,
        on_long_line: Callable[[bytes], None] = lambda _head: None,
        on_restart: Callable[[], None] = lambda: None,
        on_trouble: Callable[[str], None] = lambda _reason: None,
        on_caught_up: Callable[[], None] = lambda: None,
        limits: Limits = LIMITS,
        read: Callable[[int, int, int], bytes] = os.pread,
    ) -> None:
        self.path = path
        self.at: int | None = None
        """Where in the file the line begins that is told right now, in bytes; None while none is."""
        self.caught_up = False
        """Whether what is told is news: what stood in the file when it was begun, or begun anew, was told before."""
        self._watch, self._limits, self._read_at = watch, limits, read
        self._on_line, self._on_skipped, self._on_long_line = on_line, on_skipped, on_long_line
        self._on_restart, self._on_trouble, self._on_caught_up = on_restart, on_trouble, on_caught_up
        self._loop = asyncio.get_running_loop()
        self._due: asyncio.Handle | None = None
        self._is_soon = False
        self._is_closed = False
        self._file = -1
        self._identity = (0, 0)
        self._offset = 0
        self._known = b""
        self._cutter = LineCutter(limits.line, limits.head)
        self._untold: deque[Piece] = deque()
        self._lines = self._skipped = self._bytes = self._restarts = 0
        self._from_middle = False
        self._trouble = ""
        watch.add(path.parent, self._changed)
        self._soon()

    @property
    def reading(self) -> Reading:
        """What was read so far."""
        return Reading(self._lines, self._skipped, self._bytes, self._from_middle, self._restarts, self._trouble)

    def close(self) -> None:
        """Stop following; nothing is called back any more."""
        self._is_closed = True
        self._watch.remove(self.path.parent, self._changed)
        if self._due is not None:
            self._due.cancel()
        self._untold.clear()
        self._let_go()

    # --- when to look

    def _soon(self) -> None:
        """Look in the next turn of the loop: keys and frames come in between."""
        self._is_soon = True
        self._due = self._loop.call_soon(self._look)

    def _changed(self) -> None:
        """Look at once: while the terminal is flooded, the next turn of the loop is 10 ms away."""
        if self._is_closed or self._is_soon:
            return
        if self._due is not None:
            self._due.cancel()
        self._look()

    def _look(self) -> None:
        self._due, self._is_soon = None, False
        trouble, more = self._trouble, True
        # What a callback that failed has left is told before more is read.
        if not self._untold:
            try:
                trouble, more = "", self._read_on()
            except OSError as error:
                trouble, more = error.strerror or str(error), False
                self._let_go()
        if more:
            self._soon()
        else:
            self._due = self._loop.call_later(LOOK_INTERVAL, self._look)
            if not self._watch.watches(self.path.parent):
                self._watch.add(self.path.parent, self._changed)
        self._tell(trouble)
        if not (more or trouble or self.caught_up or self._is_closed):
            self.caught_up = True
            self._on_caught_up()

    # --- reading

    def _read_on(self) -> bool:
        """Read one piece, and say whether there may be more; raises OSError."""
        there = self._there()
        if self._file < 0 and not (there is not None and self._open()):
            return False
        known = len(self._known)
        data = self._read_at(self._file, known + self._limits.piece, self._offset - known)
        if not data.startswith(self._known):
            self._begin(os.fstat(self._file).st_size)
            return True
        fresh = data[known:]
        self._offset += len(fresh)
        self._bytes += len(fresh)
        self._known = data[-KNOWN_SIZE:]
        lines = self._cutter.cut(fresh)
        told = zip(lines, self._cutter.starts, strict=True)
        self._untold += (("long" if is_long else "line", line, start) for (line, is_long), start in told)
        is_replaced = there is not None and there != self._identity
        if is_replaced and not fresh:
            self._let_go()
        return is_replaced or len(fresh) == self._limits.piece

    def _there(self) -> tuple[int, int] | None:
        """Return the identity of the file that stands at the path now; None where there is none."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            # An open file is read on, whatever became of its path: the agent may still write to it.
            if self._file >= 0 or isinstance(error, FileNotFoundError | NotADirectoryError):
                return None
            raise
        return status.st_dev, status.st_ino

    def _open(self) -> bool:
        try:
            self._file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return False
        # The folder may have been made again too, and its watch be on the old one.
        self._watch.add(self.path.parent, self._changed)
        status = os.fstat(self._file)
        identity = status.st_dev, status.st_ino
        if identity != self._identity:
            self._identity = identity
            self._begin(status.st_size)
        return True

    def _begin(self, size: int) -> None:
        """Begin a file of so many bytes, or the part of it that is read."""
        self.caught_up = False
        before, self._from_middle = self._from_middle, size > self._limits.whole
        # One byte more than the part: if that is a newline, the part begins with a whole line.
        self._offset = size - self._limits.part - 1 if self._from_middle else 0
        limits = self._limits
        self._cutter = LineCutter(limits.line, limits.head, from_middle=self._from_middle, at=self._offset)
        if self._bytes:
            self._restarts += 1
            self._untold.append(("restart", b"", 0))
        if self._from_middle != before:
            self._untold.append(("part", b"", 0))
        known = min(self._offset, KNOWN_SIZE)
        self._known = b""
        self._known = self._read_at(self._file, known, self._offset - known)

    def _let_go(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    # --- telling

    def _tell(self, trouble: str) -> None:
        changed, self._trouble = trouble != self._trouble, trouble
        if changed:
            self._on_trouble(trouble)
        while self._untold:
            self._tell_piece(*self._untold.popleft())

    def _tell_piece(self, kind: Kind, data: bytes, start: int) -> None:
        self.at = start if kind in ("line", "long") else None
        try:
            self._tell_as(kind, data)
        finally:
            self.at = None

    def _tell_as(self, kind: Kind, data: bytes) -> None:
        match kind:
            case "line":
                self._lines += 1
                self._on_line(data)
            case "long":
                self._skipped += 1
                self._on_long_line(data)
                self._on_skipped(self.reading)
            case "restart":
                self._on_restart()
            case "part":
                self._on_skipped(self.reading)
