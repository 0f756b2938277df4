"""A real agent on a pty of the test's own, with the engine behind it: what is written is exactly what a test writes."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agentsup.core.screen import Row, Screen, row_text
from agentsup.terminal import open_engine

DEADLINE = 20.0
_WRITE = 4096


class OwnPty:
    """One program, its screen, and a way to write to it."""

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (120, 40)
    ) -> None:
        self._engine = open_engine(*size)
        self._rows: dict[int, Row] = {}
        columns, rows = size
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.chdir(cwd)
                os.execvpe(argv[0], list(argv), {"TERM": "xterm-256color", "COLORTERM": "truecolor", **env})
            finally:
                os._exit(127)
        os.set_blocking(self._fd, False)

    def write(self, data: bytes) -> None:
        """Write all of it, taking output meanwhile."""
        end = time.monotonic() + DEADLINE
        while data:
            assert time.monotonic() < end, "the program does not read"
            try:
                data = data[os.write(self._fd, data[:_WRITE]) :]
            except BlockingIOError:
                self.pump(0.01)

    def pump(self, seconds: float) -> None:
        """Take what comes within so many seconds, and answer what it asks."""
        if not select.select([self._fd], [], [], seconds)[0]:
            return
        try:
            data = os.read(self._fd, 1 << 16)
        except OSError:
            return
        self._engine.feed(data)
        if replies := self._engine.replies():
            os.write(self._fd, replies)

    @property
    def screen(self) -> Screen:
        """What it shows now."""
        _, rows = self._engine.changes()
        self._rows |= rows
        lines = tuple(self._rows.get(number, ()) for number in range(self._engine.rows))
        return Screen(self._engine.columns, lines, self._engine.cursor())

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = DEADLINE) -> None:
        """Take output until the condition holds; AssertionError with the screen at the deadline."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                shown = "\n".join(row_text(row) for row in self.screen.rows)
                raise AssertionError(f"not within {seconds} s: {what}\n{shown}")
            self.pump(0.02)

    def close(self) -> None:
        """End the program."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._fd)
        self._engine.close()
