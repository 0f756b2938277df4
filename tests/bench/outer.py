"""The outer terminal of a measurement: a pty that answers queries like a terminal and takes output at once."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

READ = 1 << 18
_QUERY = re.compile(rb"\x1b(?:\[([>=?]?)(\d*)(\$p|[cnqu])|\](1[01]);\?(?:\x07|\x1b\\))")
_LONGEST_QUERY = 16
_TAIL = 64
DEADLINE = 60.0


class Outer:
    """Runs one program in a pseudo terminal, as its controlling terminal."""

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, size: tuple[int, int]) -> None:
        columns, rows = size
        self.taken = 0
        """Bytes read so far."""
        self.frames = 0
        """Synchronized updates (mode 2026) begun so far."""
        self.started, self.begun = time.time(), time.perf_counter()
        """The moment of the start, on both clocks."""
        self._tail = b""
        self.closed = False
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.chdir(cwd)
                os.execve(argv[0], list(argv), dict(env))
            finally:
                os._exit(127)

    def pump(self, seconds: float, *others: int) -> bytes:
        """Take what comes within so many seconds, one read; return early when another descriptor has something."""
        own = () if self.closed else (self.fd,)
        ready, _, _ = select.select([*own, *others], [], [], seconds)
        if self.fd not in ready:
            return b""
        try:
            data = os.read(self.fd, READ)
        except OSError:  # EIO: nobody holds the other side
            time.sleep(min(seconds, 0.01))
            return b""
        self.taken += len(data)
        self.frames += data.count(b"\x1b[?2026h")
        seen = self._tail[-_LONGEST_QUERY:] + data
        for query in _QUERY.finditer(seen):
            if query.end() > len(seen) - len(data):
                self.send(_answer(query))
        self._tail = (self._tail + data)[-_TAIL:]
        return data

    def send(self, data: bytes) -> None:
        """Type bytes."""
        if data:
            os.write(self.fd, data)

    def wait_for(self, text: bytes, seconds: float = DEADLINE) -> float:
        """Take output until this short text has come; return the moment (perf_counter)."""
        end = time.perf_counter() + seconds
        tail = b""
        while True:
            data = self.pump(0.05)
            if data and text in tail + data:
                return time.perf_counter()
            tail = (tail + data)[-_TAIL:]
            if time.perf_counter() > end:
                raise AssertionError(f"{text!r} did not come within {seconds} s; last {self._tail!r}")

    def wait_while(self, condition: Callable[[], bool], seconds: float = DEADLINE) -> None:
        """Take output while a condition holds."""
        end = time.perf_counter() + seconds
        while condition():
            self.pump(0.005)
            if time.perf_counter() > end:
                raise AssertionError(f"it did not change within {seconds} s; last {self._tail!r}")

    def run(self, seconds: float) -> None:
        """Take output for so many seconds."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.pump(left)

    def settle(self, quiet: float = 0.3, seconds: float = DEADLINE) -> None:
        """Take output until none has come for a while."""
        end = last = time.perf_counter()
        end += seconds
        while (now := time.perf_counter()) < min(end, last + quiet):
            if self.pump(min(end, last + quiet) - now):
                last = time.perf_counter()

    def close(self, patience: float = 5.0) -> None:
        """End the program by its pid, and wait for it."""
        if self.closed:
            return
        os.kill(self.pid, signal.SIGCONT)
        os.kill(self.pid, signal.SIGHUP)
        end = time.monotonic() + patience
        while not os.waitpid(self.pid, os.WNOHANG)[0]:
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
            self.pump(0.02)
        self.closed = True
        os.close(self.fd)


def _answer(query: re.Match[bytes]) -> bytes:
    mark, number, final, colour = query.groups()
    if colour:
        return b"\x1b]%s;rgb:1010/1010/1818\x1b\\" % colour
    match mark, final:
        case b"?", b"$p":
            return b"\x1b[?%s;2$y" % number
        case b"", b"c":
            return b"\x1b[?62;22c"
        case b">", b"c":
            return b"\x1b[>1;10;0c"
        case b">", b"q":
            return b"\x1bP>|bench(1)\x1b\\"
        case b"", b"n" if number == b"6":
            return b"\x1b[1;1R"
        case b"?", b"u":
            return b"\x1b[?0u"
        case _:
            return b""
