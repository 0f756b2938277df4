"""Read one kind of operating system command out of a program's output.

The engine swallows sequences it doesn't know, or that it knows and doesn't tell, so they are read beside it.
"""

from __future__ import annotations

import re

MAXIMUM_PAYLOAD = 4096
"""Longest command that is read, in bytes; a longer one is dropped whole."""

_END = re.compile(rb"[\x07\x18\x1a\x1b]")
"""What ends an OSC: BEL, ESC (as the first half of ST, or of a sequence that breaks it off), CAN and SUB."""


class OscTap:
    """Find the commands of one number in a stream that arrives in pieces."""

    def __init__(self, number: int) -> None:
        self._prefix = b"\x1b]%d;" % number
        self._held = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the payloads of the commands that `data` completes."""
        if self._held:
            data = self._held + data
            self._held = b""
        payloads: list[bytes] = []
        at = 0
        while (start := data.find(self._prefix, at)) >= 0:
            at = self._read_payload(data, start, payloads)
            if at < 0:
                return payloads
        self._held = self._prefix_begun(data, at)
        return payloads

    def _read_payload(self, data: bytes, start: int, payloads: list[bytes]) -> int:
        """Read the command whose prefix stands at `start`; return where to go on, -1 where `data` ran out."""
        begin = start + len(self._prefix)
        end = _END.search(data, begin)
        if end is None:
            # What is left of an overlong payload needs no memory: the next prefix begins with its end, ESC.
            if len(data) - begin <= MAXIMUM_PAYLOAD:
                self._held = data[start:]
            return -1
        stop = end.start()
        if stop - begin > MAXIMUM_PAYLOAD:
            return stop
        if data[stop] == 0x1B and stop + 1 == len(data):
            self._held = data[start:]
            return -1
        if data[stop] == 0x07 or data[stop : stop + 2] == b"\x1b\\":
            payloads.append(data[begin:stop])
        return stop

    def _prefix_begun(self, data: bytes, at: int) -> bytes:
        """Return the end of `data` where it could be the beginning of a prefix."""
        escape = data.rfind(b"\x1b", max(at, len(data) - len(self._prefix) + 1))
        tail = data[escape:] if escape >= 0 else b""
        return tail if self._prefix.startswith(tail) else b""
