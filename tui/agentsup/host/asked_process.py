"""Ask a process of its own for what would hold up the loop: one request on its standard input, one answer."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence

from agentsup.host.reaper import Reaper

ANSWER_MOST = 32 << 20
"""Bytes of an answer; one that has more is none."""


class AskedProcess:
    """One process at a time. It has answered when it closes its output; late or not at all: `on_none`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        deadline: float,
        on_answer: Callable[[bytes], None],
        on_none: Callable[[], None],
    ) -> None:
        self._command, self._deadline = command, deadline
        self._on_answer, self._on_none = on_answer, on_none
        self._loop = asyncio.get_running_loop()
        self._process: subprocess.Popen[bytes] | None = None
        self._answer = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._reaper = Reaper(self._loop)
        self.unreaped = self._reaper.unreaped

    @property
    def running(self) -> bool:
        """Whether an answer is waited for."""
        return self._process is not None

    def start(self, request: bytes) -> None:
        """Ask; nothing may be running."""
        try:
            # A file, not a pipe: nobody has to write while somebody else reads.
            with tempfile.TemporaryFile() as given:
                given.write(request)
                given.seek(0)
                process = subprocess.Popen(
                    self._command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                )  # fmt: skip
        except (OSError, ValueError):
            self._on_none()
            return
        assert process.stdout is not None
        self._process, self._answer = process, bytearray()
        self._loop.add_reader(process.stdout.fileno(), self._readable)
        self._timer = self._loop.call_later(self._deadline, self._late)

    def close(self) -> None:
        """End what is running; nobody is told."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdout is not None
        self._loop.remove_reader(process.stdout.fileno())
        process.stdout.close()
        with contextlib.suppress(OSError):
            process.kill()
        self._reaper.take(process)

    def _readable(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        data = process.stdout.read(1 << 16)
        if data and len(self._answer) <= ANSWER_MOST:
            self._answer += data
            return
        answer = bytes(self._answer)
        self.close()
        self._on_answer(answer)

    def _late(self) -> None:
        self._timer = None
        self.close()
        self._on_none()
