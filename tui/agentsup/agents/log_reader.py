"""Read a log from one end to the other, however large, by the rules of the host's tail of a growing one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from agentsup.agents.adapter import LogDecoder
from agentsup.core.events import Event
from agentsup.core.line_cutter import Line, LineCutter


@dataclass
class LogReader:
    """Turns a log into events, and counts the lines from which it can't."""

    decoder: LogDecoder
    cutter: LineCutter = field(default_factory=LineCutter)
    unreadable: int = 0
    skipped: int = 0
    """Lines that were too long."""

    def events(self, block: bytes) -> Iterator[Event]:
        """Give the events of the lines that end in this block."""
        for line in self.cutter.cut(block):
            yield from self._decoded(line)

    def last_events(self) -> tuple[Event, ...]:
        """Return what a last line without an end says, which the agent may still be writing, and the log's end."""
        rest = self.cutter.rest()
        try:
            events = self.decoder.decode(rest) if rest else ()
        except ValueError:
            events = ()
        return (*events, *self.decoder.end())

    def _decoded(self, line: Line) -> tuple[Event, ...]:
        data, is_long = line
        if is_long:
            self.skipped += 1
            return self.decoder.decode_head(data)
        try:
            return self.decoder.decode(data)
        except ValueError:
            self.unreadable += 1
            return ()
