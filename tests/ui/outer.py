"""The outer terminal: a pty with the real interface on it, and everything it wrote."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parents[2]
DEADLINE = 20.0


class Outer:
    """Runs the interface on a pty of its own. Not its controlling terminal: signals are sent by hand."""

    def __init__(self, socket: Path, *arguments: str, size: tuple[int, int] = (80, 24)) -> None:
        self._master, slave = os.openpty()
        self._resize(*size)
        self.attributes_before = termios.tcgetattr(slave)
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTHONPATH": "tui:.",
            "COLUMNS": "77",  # as some shells export them; wrong as soon as the window changes
            "LINES": "22",
        }
        environment.pop("NO_COLOR", None)
        command = [sys.executable, "-m", "tests.ui.run", str(socket), *arguments]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=slave, stdout=slave, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
        self._slave = slave
        self.output = b""
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, name="outer", daemon=True)
        self._thread.start()

    def __enter__(self) -> Outer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        os.close(self._slave)
        self._thread.join()
        os.close(self._master)

    def type(self, data: bytes) -> None:
        """Send input, however long."""
        while data:
            data = data[os.write(self._master, data[:4096]) :]

    def wait_for(self, *wanted: bytes, after: int = 0) -> int:
        """Wait until all of these were written, in this order; returns the place behind the last."""
        end = after

        def written() -> bool:
            nonlocal end
            end = after
            for each in wanted:
                at = self.output.find(each, end)
                if at < 0:
                    return False
                end = at + len(each)
            return True

        with self._changed:
            assert self._changed.wait_for(written, DEADLINE), f"no {wanted!r} in {self.output[after:][-2000:]!r}"
        return end

    def type_until(self, data: bytes, wanted: bytes) -> int:
        """Send the same input again and again until something is written; returns the place behind that."""
        deadline = time.monotonic() + DEADLINE
        with self._changed:
            after = len(self.output)
            while (at := self.output.find(wanted, after)) < 0:
                assert time.monotonic() < deadline, f"no {wanted!r} in {self.output[after:][-2000:]!r}"
                self.type(data)
                self._changed.wait_for(lambda: self.output.find(wanted, after) >= 0, 0.8)
        return at + len(wanted)

    def wait_until_ready(self) -> int:
        """Wait until keys go to the agent: the cursor is shown in its composer."""
        return self.wait_for(b"\x1b[2 q\x1b[?25h")

    def resize(self, columns: int, rows: int) -> None:
        """Change the window's size."""
        self._resize(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def finish(self) -> str:
        """Wait for the end; returns what was said on stderr."""
        _, said = self.process.communicate(timeout=DEADLINE)
        return said.decode() if said else ""

    def attributes(self) -> list[object]:
        """Return the line discipline's present settings."""
        return termios.tcgetattr(self._slave)

    def _resize(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            with self._changed:
                self.output += data
                self._changed.notify_all()
