"""The terminal: raw mode and its own modes on entry, everything as it was on leaving."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
import tty
from typing import Any

READ_SIZE = 1 << 16
LEAST_COLUMNS, LEAST_ROWS = 8, 4


class TerminalClosed(Exception):
    """The terminal is gone."""


class Terminal:
    """The controlling terminal on descriptor 0 and 1."""

    def __init__(self, *, alternate_screen: bool) -> None:
        self._alternate_screen = alternate_screen
        self._before: list[Any] = termios.tcgetattr(0)

    def enter(self) -> None:
        """Take the terminal over."""
        tty.setraw(0, termios.TCSANOW)
        self.write(("\x1b[?1049h\x1b[H\x1b[2J" if self._alternate_screen else "") + "\x1b[?2004h")

    def leave(self, farewell: str = "") -> None:
        """Give it back as it was; `farewell` is the last that is written."""
        screen = "\x1b[?1049l" if self._alternate_screen else ""
        with contextlib.suppress(TerminalClosed):
            lines = farewell.replace("\n", "\r\n")
            self.write(f"\x1b[0m\x1b[?7h\x1b[?2004l{screen}\x1b[?25h{lines}")
        with contextlib.suppress(termios.error):
            termios.tcsetattr(0, termios.TCSANOW, self._before)

    def size(self) -> tuple[int, int]:
        """Return columns and rows; a size that nothing fits in is raised."""
        try:
            size = os.get_terminal_size(1)
        except OSError:
            return 80, 24
        return max(LEAST_COLUMNS, size.columns), max(LEAST_ROWS, size.lines)

    def read(self) -> bytes:
        """Return what was typed; raises TerminalClosed."""
        try:
            data = os.read(0, READ_SIZE)
        except OSError as error:
            raise TerminalClosed from error
        if not data:
            raise TerminalClosed
        return data

    def write(self, text: str) -> None:
        """Write everything; raises TerminalClosed."""
        data = text.encode("utf-8", "replace")
        while data:
            try:
                data = data[os.write(1, data) :]
            except OSError as error:
                raise TerminalClosed from error

    def give_to(self, group: int) -> None:
        """Make a process group the terminal's foreground; nothing happens where we do not control it."""
        # A process that is not in the foreground itself is stopped for asking, unless it ignores that.
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        try:
            with contextlib.suppress(OSError):
                os.tcsetpgrp(0, group)
        finally:
            signal.signal(signal.SIGTTOU, before)
