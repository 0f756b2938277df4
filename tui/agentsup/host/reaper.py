"""Take the exit status of processes that were ended, so that no zombie stays; never wait for one."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess

INTERVAL = 0.05
"""Seconds between two looks: a process that was killed tells nobody when it is gone."""


class Reaper:
    """Looks after processes until they are gone."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.unreaped: set[subprocess.Popen[bytes]] = set()
        """Processes that were ended and are not gone yet."""

    def take(self, process: subprocess.Popen[bytes]) -> None:
        """Look after a process that was ended."""
        self.unreaped.discard(process)
        with contextlib.suppress(OSError):
            if process.poll() is None and not self._loop.is_closed():
                self.unreaped.add(process)
                self._loop.call_later(INTERVAL, self.take, process)
