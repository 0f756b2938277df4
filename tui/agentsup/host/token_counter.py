"""Counts tokens in a process of its own: the vocabulary would make the host large, and deaf while it loads."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence

from agentsup.host.reaper import Reaper
from agentsup.tokens import Count, pipe

COMMAND: tuple[str, ...] = (sys.executable, "-P", "-m", "agentsup.tokens")
# -P: as in cli/launch.py, nothing in the current folder may be taken for a module of ours.

RATE = 1 << 18
"""Bytes of text that are taken in a second; what is more is not counted."""

IDLE = 60.0
"""Seconds without a text after which the process is ended: it is as large as the host."""

CRASHES = 3
"""How often it is started again after it has ended by itself."""


class TokenCounter:
    """Hands texts to the counting process, which is there while it is needed.

    `on_count` gets their counts in order, each with the tag its text came with. A text that is dropped, or lost
    with a process, is never answered.
    """

    def __init__(
        self,
        on_count: Callable[[Count, int], None],
        *,
        command: Sequence[str] = COMMAND,
        rate: int = RATE,
        idle: float = IDLE,
    ) -> None:
        self._on_count, self._command, self._rate, self._idle = on_count, command, rate, idle
        self._loop = asyncio.get_running_loop()
        self._reaper = Reaper(self._loop)
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: deque[bytes] = deque()
        self._answer = b""
        self._asked: deque[int] = deque()
        self._crashes = 0
        self._room = float(rate)
        self._room_since = self._loop.time()
        self._idle_timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int:
        """The process that counts; 0 where there is none now."""
        return self._process.pid if self._process is not None else 0

    def count(self, text: str, tag: int = 0) -> bool:
        """Have a text counted; False where it is dropped."""
        data = text.encode("utf-8", "replace")
        now = self._loop.time()
        self._room = min(self._rate, self._room + (now - self._room_since) * self._rate)
        self._room_since = now
        # What waits is bounded too: a process that does not read is given no more than a second's texts.
        if len(data) > self._room or sum(map(len, self._waiting)) + len(data) > self._rate:
            return False
        if self._process is None and not self._start():
            return False
        self._room -= len(data)
        self._asked.append(tag)
        self._waiting.append(pipe.pack_text(data))
        self._write()
        self._used()
        return True

    def close(self) -> None:
        """End the process; a later text starts it again."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        for descriptor in (process.stdin.fileno(), process.stdout.fileno()):
            self._loop.remove_writer(descriptor)
            self._loop.remove_reader(descriptor)
        process.stdin.close()
        process.stdout.close()
        self._waiting.clear()
        self._asked.clear()
        self._answer = b""
        process.kill()
        self._reaper.take(process)

    def _start(self) -> bool:
        if self._crashes > CRASHES:
            return False
        try:
            process = subprocess.Popen(
                self._command, bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        except OSError:
            self._crashes += 1
            return False
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        os.set_blocking(process.stdout.fileno(), False)
        self._loop.add_reader(process.stdout.fileno(), self._readable)
        self._process = process
        return True

    def _write(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        descriptor = process.stdin.fileno()
        try:
            while self._waiting:
                piece = self._waiting.popleft()
                written = os.write(descriptor, piece)
                if written < len(piece):
                    self._waiting.appendleft(piece[written:])
        except BlockingIOError:
            self._waiting.appendleft(piece)
        except OSError:
            self._crashed()
            return
        if self._waiting:
            self._loop.add_writer(descriptor, self._write)
        else:
            self._loop.remove_writer(descriptor)

    def _readable(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdout is not None
        try:
            data = os.read(process.stdout.fileno(), 1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._crashed()
            return
        self._answer += data
        found = pipe.counts(self._answer)
        self._answer = self._answer[len(found) * pipe.COUNT_SIZE :]
        for count in found:
            if self._asked:
                self._on_count(count, self._asked.popleft())

    def _crashed(self) -> None:
        self._crashes += 1
        self.close()

    def _used(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self._idle_timer = self._loop.call_later(self._idle, self._rest)

    def _rest(self) -> None:
        self._idle_timer = None
        if self._asked:
            self._crashed()  # no text takes that long
        else:
            self.close()
