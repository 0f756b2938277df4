"""The test's end of a recorder: tells it what to write, and waits for what it reads."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

RECORDER = Path(__file__).with_name("recorder.py")
DEADLINE = 20.0


class Recording:
    """Listens for one recorder; `argv` starts it."""

    def __init__(self, path: Path) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._listener.settimeout(DEADLINE)
        self._connection: socket.socket | None = None
        self._at = 0
        self.received = b""
        self.argv = [sys.executable, "-I", str(RECORDER), str(path)]

    def wait_for_start(self) -> None:
        """Wait until the recorder runs and has its terminal raw."""
        self._connection, _ = self._listener.accept()
        self._connection.settimeout(DEADLINE)

    def write(self, output: bytes) -> None:
        """Let the recorder write something to its terminal."""
        assert self._connection is not None
        self._connection.sendall(output.hex().encode() + b"\n")

    def take_until(self, end: bytes) -> bytes:
        """Return what was read since the last call, up to this, which is left out."""
        assert self._connection is not None
        while (found := self.received.find(end, self._at)) < 0:
            try:
                data = self._connection.recv(1 << 20)
            except TimeoutError:
                data = b""
            assert data, f"no {end!r} within {DEADLINE} s, only {self.received[self._at :][-300:]!r}"
            self.received += data
        taken, self._at = self.received[self._at : found], found + len(end)
        return taken

    def take(self, count: int) -> bytes:
        """Return the next so many bytes."""
        assert self._connection is not None
        while len(self.received) - self._at < count:
            data = self._connection.recv(1 << 20)
            assert data, "the recorder has ended"
            self.received += data
        self._at += count
        return self.received[self._at - count : self._at]

    def close(self) -> None:
        """Let the recorder end."""
        if self._connection is not None:
            self._connection.close()
        self._listener.close()
