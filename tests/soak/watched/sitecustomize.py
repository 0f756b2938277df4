"""Watches a host from inside, for the repetitions: what it writes to the pty, and a kill between two of its steps.

Python imports this by itself where its folder is on PYTHONPATH; in any process but a host it does nothing.

AGENTSUP_SOAK_WRITES names a file to which every write is added, one JSON line: time, source, data (hex).
AGENTSUP_SOAK_KILL names a file with a number: that step of an injection is the last one. It is taken away first.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any


def _watch() -> None:
    from agentsup.host.writer import Writer
    from agentsup.store.injection_record import InjectionRecord

    log = os.open(os.environ["AGENTSUP_SOAK_WRITES"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    steps = Steps(os.environ.get("AGENTSUP_SOAK_KILL", ""))
    write, release, append = Writer.write, Writer.release, InjectionRecord.append

    def watched_write(self: Any, source: str, data: bytes) -> None:
        line = json.dumps({"time": time.time(), "source": source, "data": data.hex()})
        os.write(log, line.encode() + b"\n")
        steps.around(source == "injection", lambda: write(self, source, data))  # type: ignore[arg-type]

    def watched_release(self: Any, source: str) -> None:
        steps.around(source == "injection", lambda: release(self, source))  # type: ignore[arg-type]

    def watched_append(self: Any, entry: Any) -> None:
        steps.around(True, lambda: append(self, entry))

    Writer.write, Writer.release = watched_write, watched_release  # type: ignore[method-assign]
    InjectionRecord.append = watched_append  # type: ignore[method-assign]


class Steps:
    """Counts what is done for an injection, before and after each, and ends the process at one of them."""

    def __init__(self, path: str) -> None:
        self._path, self._count = path, 0

    def around(self, counts: bool, do: Callable[[], None]) -> None:
        """Do something that may be a step."""
        if counts:
            self._passed()
        do()
        if counts:
            self._passed()

    def _passed(self) -> None:
        self._count += 1
        try:
            with open(self._path, encoding="ascii") as file:
                last = int(file.read())
        except (OSError, ValueError):
            return
        if self._count == last:
            os.unlink(self._path)
            os.kill(os.getpid(), signal.SIGKILL)


if "agentsup.host" in sys.orig_argv and "AGENTSUP_SOAK_WRITES" in os.environ:
    _watch()
