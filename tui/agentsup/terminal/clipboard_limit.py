"""Cut what a program writes into the clipboard (OSC 52) before it reaches the engine.

libghostty keeps up to 8 MiB of one that never ends, whatever its limit is set to. More than LIMIT is never
passed on to anybody, so nothing is lost by not keeping it.
"""

from __future__ import annotations

import re

LIMIT = 1 << 20
"""Bytes of one OSC 52 that reach the engine."""

_PREFIX = b"\x1b]52;"
_END = re.compile(rb"[\x07\x18\x1a\x1b]")


class ClipboardLimit:
    """Passes a program's output through; the only state is whether an OSC 52 is open, and how long it is."""

    def __init__(self) -> None:
        self._before = b""
        self._open = False
        self._kept = 0

    def take(self, data: bytes) -> bytes:
        """Return `data` without what is too much; a stream without OSC 52 comes out as it went in."""
        if self._open:
            return self._inside(data)
        before = self._before
        at = (before + data).find(_PREFIX)
        if at < 0:
            self._before = (before + data[-len(_PREFIX) :])[-(len(_PREFIX) - 1) :]
            return data
        start = at + len(_PREFIX) - len(before)
        self._before, self._open, self._kept = b"", True, 0
        return data[:start] + self._inside(data[start:])

    def _inside(self, data: bytes) -> bytes:
        end = _END.search(data)
        body = data if end is None else data[: end.start()]
        passed = body[: max(0, LIMIT - self._kept)]
        self._kept += len(body)
        if end is None:
            return passed
        self._open = False
        return passed + self.take(data[end.start() :])
