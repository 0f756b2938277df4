"""Read a program's status reports (OSC 7501) out of its output.

The engine swallows sequences it doesn't know, so they are read beside it. Agents write
`ESC ] 7501 ; state=idle:app=codex ESC \\`; `ESC ] 7501 ; ?` is a query, which only a terminal could answer.
"""

from __future__ import annotations

import re

from agentsup.terminal.engine import CONTROLS, StatusReported

MAXIMUM_PAYLOAD = 4096
"""Longest report that is read, in bytes; a longer one is dropped whole."""

_PREFIX = b"\x1b]7501;"
_END = re.compile(rb"[\x07\x18\x1a\x1b]")
"""What ends an OSC: BEL, ESC (as the first half of ST, or of a sequence that breaks it off), CAN and SUB."""


class StatusTap:
    """Find the reports in a stream that arrives in pieces."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> list[StatusReported]:
        """Return the reports that `data` completes."""
        if self._held:
            data = self._held + data
            self._held = b""
        reports: list[StatusReported] = []
        at = 0
        while (start := data.find(_PREFIX, at)) >= 0:
            at = self._read_payload(data, start, reports)
            if at < 0:
                return reports
        self._held = _prefix_begun(data, at)
        return reports

    def _read_payload(self, data: bytes, start: int, reports: list[StatusReported]) -> int:
        """Read the report whose prefix stands at `start`; return where to go on, -1 where `data` ran out."""
        begin = start + len(_PREFIX)
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
            fields = parse(data[begin:stop])
            if fields:
                reports.append(StatusReported(fields))
        return stop


def parse(payload: bytes) -> dict[str, str]:
    """Return the fields of `key=value:key=value`; what has no key, as the query `?`, is left out."""
    fields = {}
    for part in payload.decode("utf-8", "replace").split(":"):
        key, equals, value = part.partition("=")
        if equals and key and not CONTROLS.search(part):
            fields[key] = value
    return fields


def _prefix_begun(data: bytes, at: int) -> bytes:
    """Return the end of `data` where it could be the beginning of a prefix."""
    escape = data.rfind(b"\x1b", max(at, len(data) - len(_PREFIX) + 1))
    tail = data[escape:] if escape >= 0 else b""
    return tail if _PREFIX.startswith(tail) else b""
