"""The outer terminal: libghostty with a pty and a keyboard, and a program on it."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agentsup.core.screen import Modes, Row, row_text
from agentsup.terminal.ghostty import GhosttyEngine
from tests.keys.keyboard import Key, Keyboard

DEADLINE = 20.0


class OuterTerminal:
    """Runs one program; it answers queries and encodes keys as its modes demand."""

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (80, 24)
    ) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.size = size
        self.engine = GhosttyEngine(*size)
        self.keyboard = Keyboard(self.engine)
        self._rows: list[Row] = [()] * size[1]
        self._changed = threading.Condition()
        self._closing = False
        self.process = subprocess.Popen(
            argv, cwd=cwd, env={**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self._thread = threading.Thread(target=self._read, name="outer terminal", daemon=True)
        self._thread.start()

    def type(self, data: bytes) -> None:
        """Send input as it is, however long."""
        while data:
            data = data[os.write(self._master, data[:4096]) :]

    def encode(self, key: Key) -> bytes:
        """Return what a key sends now."""
        with self._changed:
            return self.keyboard.encode(key)

    @property
    def modes(self) -> Modes:
        """What the program on it has set."""
        with self._changed:
            return self.engine.modes()

    def text(self) -> str:
        """Return the screen's text."""
        with self._changed:
            return self._text()

    def wait_for(self, text: str) -> None:
        """Wait until a text is on the screen."""
        self.wait(lambda: text in self._text(), text)

    def wait(self, happened: Callable[[], object], what: str = "") -> None:
        """Wait until something holds; it is looked at after every output."""
        with self._changed:
            assert self._changed.wait_for(happened, DEADLINE), f"not within {DEADLINE} s: {what}\n{self._text()}"

    def close(self) -> None:
        """End the program that was started here."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._thread.join()
        os.close(self._master)

    def _text(self) -> str:
        full, rows = self.engine.changes()
        if full:
            self._rows = [()] * self.engine.rows
        for number, row in rows.items():
            self._rows[number] = row
        return "\n".join(map(row_text, self._rows))

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:  # nobody holds the other side any more
                return
            if not data:
                return
            with self._changed:
                self.engine.feed(data)
                replies = self.engine.replies()
                self._changed.notify_all()
            if replies:
                os.write(self._master, replies)
