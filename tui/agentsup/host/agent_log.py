"""The agent's log as the host takes it: lines to events, and an account of what could not be taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from agentsup.agents.adapter import Adapter
from agentsup.core import events as ev
from agentsup.host.log_tail import Reading

UNKNOWN_AFTER = 12
"""Lines without one of a known kind after which a log's format is called unknown."""


class AgentLog:
    """Decodes the log of the conversation that the agent is in."""

    def __init__(self, adapter: Adapter, on_event: Callable[[ev.Event], None], *, path: Callable[[], str]) -> None:
        self._adapter, self._on_event, self._path = adapter, on_event, path
        self.begin()

    def begin(self) -> None:
        """Begin with the log of another conversation, or with the same once more."""
        self._decoder = self._adapter.decoder()
        self._read = ev.LogRead(0.0)
        self._lines = 0

    def line(self, line: bytes) -> None:
        """Take a whole line."""
        self._decode(self._decoder.decode, line)

    def long_line(self, head: bytes) -> None:
        """Take the beginning of a line that is too long to be held."""
        self._decode(self._decoder.decode_head, head)

    def left_out(self, reading: Reading) -> None:
        """The tail had to leave something out."""
        self._tell(replace(self._read, skipped=reading.skipped, from_middle=reading.from_middle))

    def troubled(self, reason: str) -> None:
        """The log can't be read now, or can be read again where there is no reason."""
        if reason:
            values = (("path", self._path()), ("reason", reason))
            self._on_event(ev.NoticeRaised(time.time(), "log.unreadable", values))
        else:
            self._on_event(ev.NoticeCleared(time.time(), "log.unreadable"))

    def _decode(self, decode: Callable[[bytes], tuple[ev.Event, ...]], data: bytes) -> None:
        self._lines += 1
        try:
            events = decode(data)
        except Exception:  # noqa: BLE001  the border to formats that others change: no line may stop the host
            self._tell(replace(self._read, unreadable=self._read.unreadable + 1))
            return
        if self._lines == UNKNOWN_AFTER and not self._decoder.recognised:
            self._tell(replace(self._read, unknown_format=True))
        for event in events:
            self._on_event(event)

    def _tell(self, read: ev.LogRead) -> None:
        """Tell how the reading goes, and the person where it goes badly."""
        before, self._read = self._read, replace(read, time=time.time())
        self._on_event(self._read)
        for key, value, old in (
            ("log.unreadable-line", read.unreadable, before.unreadable),
            ("log.line-too-long", read.skipped, before.skipped),
            ("log.unknown-format", int(read.unknown_format), int(before.unknown_format)),
        ):
            if value > old:
                values = (("count", str(value)), ("agent", self._adapter.name))
                self._on_event(ev.NoticeRaised(time.time(), key, values))
