"""Read a program's status reports (OSC 7501) out of its output.

Agents write `ESC ] 7501 ; state=idle:app=codex ESC \\`; `ESC ] 7501 ; ?` is a query, which only a terminal could
answer.
"""

from __future__ import annotations

from agentsup.terminal.engine import CONTROLS, StatusReported
from agentsup.terminal.osc_tap import OscTap


class StatusTap:
    """Find the reports in a stream that arrives in pieces."""

    def __init__(self) -> None:
        self._tap = OscTap(7501)

    def feed(self, data: bytes) -> list[StatusReported]:
        """Return the reports that `data` completes."""
        return [StatusReported(fields) for payload in self._tap.feed(data) if (fields := parse(payload))]


def parse(payload: bytes) -> dict[str, str]:
    """Return the fields of `key=value:key=value`; what has no key, as the query `?`, is left out."""
    fields = {}
    for part in payload.decode("utf-8", "replace").split(":"):
        key, equals, value = part.partition("=")
        if equals and key and not CONTROLS.search(part):
            fields[key] = value
    return fields
