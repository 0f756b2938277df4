"""The program's screen: reads the pty, feeds the engine, keeps the rows that clients are sent."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import termios
from collections.abc import Callable

from agentsup.core.screen import Cursor, Modes, Row, Screen, Scrollback
from agentsup.host.ring import Ring, sequences
from agentsup.terminal.engine import MINIMUM_COLUMNS, MINIMUM_ROWS, Engine, StatusReported, TerminalEvent

READ_SIZE = 1 << 16
READ_LIMIT = 1 << 18
"""Bytes read in one turn of the loop, so that a flood leaves room for keys and clients."""

TIOCGPTPEER = 0x5441
"""Opens the other side of a pty, also where its path leads nowhere; the termios module has no name for it."""

REDRAW_PAUSE = 0.05
"""Seconds between the two sizes that make a program draw again: one after the other is taken for no change."""

FRAME_INTERVAL = 1 / 60
ECHO_INTERVAL = 1 / 250
ECHO_TIME = 0.1
"""Seconds after a key in which frames follow each other at ECHO_INTERVAL: an echo must not wait for a tick."""

SYNCHRONIZED_LIMIT = 0.15
"""Seconds a frame is held back while the program has synchronized output (mode 2026) on."""


class PtyScreen:
    """Holds the pty's master and the engine; says when a frame is due and what happened beside it."""

    def __init__(
        self,
        engine: Engine,
        ring: Ring,
        *,
        on_reply: Callable[[bytes], None],
        on_event: Callable[[TerminalEvent], None],
        on_frame: Callable[[bool, set[int]], None],
        on_closed: Callable[[], None],
    ) -> None:
        self._engine, self._ring = engine, ring
        self._on_reply, self._on_event, self._on_frame = on_reply, on_event, on_frame
        self._on_closed = on_closed
        self._loop = asyncio.get_running_loop()
        self._fd = -1
        self._timer: asyncio.TimerHandle | None = None
        self._last_key = -ECHO_TIME
        self._forced = False
        self._due_full = False
        self._due_rows: set[int] = set()
        self._last_frame = 0.0
        self._held_since = 0.0
        self.lines: list[Row] = [()] * engine.rows
        self.scrollback = Scrollback()
        """How many lines stood above `lines` when these were read."""
        self.outputs = 0
        """How often the program has written something."""

    def attach(self, fd: int, columns: int, rows: int) -> None:
        """Read this pty from now on, at this size."""
        os.set_blocking(fd, False)
        self._fd = fd
        self._loop.add_reader(fd, self._readable)
        self.resize(columns, rows, force=True)

    def detach(self) -> None:
        """Read what is left, stop reading and close the descriptor."""
        if self._fd < 0:
            return
        self.flush()
        self._close()

    def _close(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            self._loop.remove_reader(fd)
            self._on_closed()  # before the number is free for something else to be opened under it
            os.close(fd)

    def reset(self) -> None:
        """Forget modes and screen: another program begins."""
        self._ring.clear()
        self._engine.feed(b"\x1bc")
        self._engine.replies()

    def replay(self) -> StatusReported | None:
        """Rebuild screen and modes from what the host before this one kept; return the last state report.

        Replies, bells, titles, clipboard and notifications of the replay were dealt with once already.
        """
        kept = self._ring.begin_replay()
        if kept is None:
            return None
        self._engine.feed(kept.modes)
        for start in range(0, len(kept.output), READ_SIZE):
            self._engine.feed(kept.output[start : start + READ_SIZE])
        self._engine.replies()
        reports = [event for event in self._engine.events() if isinstance(event, StatusReported)]
        self._ring.end_replay()
        return reports[-1] if reports else None

    def redraw(self) -> None:
        """Make the program draw everything again: a size that stays the same sends no signal."""
        columns, rows = self.size
        if self._fd >= 0 and rows > MINIMUM_ROWS:
            self._set_window(columns, rows - 1)
            self._loop.call_later(REDRAW_PAUSE, self.resize, columns, rows)
            self._forced = True

    def _mode_sequences(self) -> bytes:
        return sequences(self._engine.modes(), self._engine.cursor())

    def _set_window(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int, *, force: bool = False) -> None:
        """Give the program and the engine a new size."""
        columns, rows = max(columns, MINIMUM_COLUMNS), max(rows, MINIMUM_ROWS)
        if not (force or self._forced) and (columns, rows) == self.size:
            return
        self._forced = False
        if (columns, rows) != self.size:
            self._engine.resize(columns, rows)
        if self._fd >= 0:
            self._set_window(*self.size)
        self._schedule()

    @property
    def is_closed(self) -> bool:
        """Whether there is no pty to read: none yet, or one that has closed."""
        return self._fd < 0

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return self._engine.columns, self._engine.rows

    @property
    def modes(self) -> Modes:
        """The terminal's modes now."""
        return self._engine.modes()

    @property
    def cursor(self) -> Cursor:
        """The cursor now."""
        return self._engine.cursor()

    @property
    def title(self) -> str:
        """The window title now."""
        return self._engine.title()

    def read_lines(self, first: int, count: int) -> tuple[int, list[Row]]:
        """Return lines by their numbers, those there are, and the first one's number."""
        start = max(first, self._engine.scrollback().lost)
        return start, self._engine.lines(start, first + count - start)

    def is_raw(self) -> bool:
        """Say whether the program has taken the tty out of canonical mode."""
        if self._fd < 0:
            return False
        return not termios.tcgetattr(self._fd)[3] & termios.ICANON

    def is_all_read(self) -> bool:
        """Say whether the program has read all that was written to it; False where the system can't tell."""
        try:
            peer = fcntl.ioctl(self._fd, TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except (OSError, ValueError):
            return False
        try:
            return fcntl.ioctl(peer, termios.FIONREAD, bytes(4)) == bytes(4)
        finally:
            os.close(peer)

    def foreground(self) -> int:
        """Return the process group that reads the tty now; 0 where there is none."""
        try:
            return os.tcgetpgrp(self._fd) if self._fd >= 0 else 0
        except OSError:
            return 0

    def settle(self) -> Screen:
        """Take everything the program has written so far and return the screen as it is at this instant."""
        before = self.outputs
        self._read()
        self._collect()
        if self.outputs != before or self._due_full or self._due_rows:
            self._schedule()  # what was taken is shown by the next frame; where nothing was, none is due
        return Screen(self._engine.columns, tuple(self.lines), self.cursor, self.modes, self.title)

    def _readable(self) -> None:
        self._read()
        self._schedule()

    def _read(self) -> None:
        if self._fd < 0:
            return
        taken = 0
        try:
            while taken < READ_LIMIT:
                data = os.read(self._fd, READ_SIZE)
                if not data:
                    raise OSError
                taken += len(data)
                self._ring.append(data, self._mode_sequences)  # first: if this crashes us, it is kept
                self._engine.feed(data)
        except BlockingIOError:
            pass
        except OSError:  # Linux says EIO when the last holder of the other side is gone
            self._close()
        if taken:
            self.outputs += 1
            if reply := self._engine.replies():
                self._on_reply(reply)
            for event in self._engine.events():
                self._on_event(event)

    def key(self) -> None:
        """A person has typed something: what comes of it is shown at once."""
        self._last_key = self._loop.time()

    def _schedule(self) -> None:
        now = self._loop.time()
        interval = ECHO_INTERVAL if now - self._last_key < ECHO_TIME else FRAME_INTERVAL
        when = max(now, self._last_frame + interval)
        if self._timer is not None:
            # One held back is tried again with all that the program writes: its update may have ended.
            if self._timer.when() <= when and not self._held_since:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._frame)

    def _frame(self) -> None:
        now = self._loop.time()
        if self._engine.modes().synchronized:
            self._held_since = self._held_since or now
            if now - self._held_since < SYNCHRONIZED_LIMIT:
                self._timer = self._loop.call_at(self._held_since + SYNCHRONIZED_LIMIT, self._frame)
                return
        self._timer = None
        self._show(now)

    def flush(self) -> None:
        """Take everything the program has written so far, and show it at once."""
        self._read()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._show(self._loop.time())

    def _show(self, now: float) -> None:
        self._held_since = 0.0
        self._last_frame = now
        self._collect()
        full, rows = self._due_full, self._due_rows
        self._due_full, self._due_rows = False, set()
        self._on_frame(full, rows)

    def _collect(self) -> None:
        """Take over what has changed since the last time; the next frame tells of it."""
        full, rows = self._engine.changes()
        self.scrollback = self._engine.scrollback()
        if full or len(self.lines) != self._engine.rows:
            self.lines = [()] * self._engine.rows
        for number, row in rows.items():
            self.lines[number] = row
        self._due_full |= full
        self._due_rows |= set(rows)
