"""Read a log from one end to the other, however large, holding no more than one of its lines.

The same rules as the host's tail of a growing log: NULs end a line as a newline does (they stand where a
crashed machine had written nothing), empty lines are none, and of a line over the limit its head is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agentsup.agents.adapter import LogDecoder
from agentsup.core.events import Event

LINE = 4 << 20
"""Bytes of the longest line that is told whole: the largest records that are known are below 2 MB."""

LINE_HEAD = 1 << 16
"""Bytes that are told of a longer one."""

Line = tuple[bytes, bool]
"""A line without its end; or the head of one that is too long, and then True."""

_BOM = b"\xef\xbb\xbf"
_NULS = re.compile(rb"\0+")


class LineCutter:
    """Cuts the blocks of one file, of any size and in order, into lines."""

    def __init__(self, line: int = LINE, head: int = LINE_HEAD) -> None:
        self._line, self._head = line, head
        self._held = bytearray()
        self._is_long = False
        self._is_first = True

    def cut(self, block: bytes) -> list[Line]:
        """Return the lines that end in this block."""
        *ends, rest = (_NULS.sub(b"\n", block) if b"\0" in block else block).split(b"\n")
        lines = [line for end in ends if (line := self._ended(end)) is not None]
        self._hold(rest)
        return lines

    def rest(self) -> bytes:
        """Return what stands after the last line's end; nothing where it is too long."""
        line = self._ended(b"")
        return line[0] if line is not None and not line[1] else b""

    def _hold(self, part: bytes) -> None:
        if self._is_long:
            return
        self._held += part
        if len(self._held) > self._line:
            del self._held[self._head :]
            self._is_long = True

    def _ended(self, part: bytes) -> Line | None:
        self._hold(part)
        line, is_long = bytes(self._held).removesuffix(b"\r"), self._is_long
        self._held.clear()
        self._is_long = False
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(_BOM)
        return (line, is_long) if is_long or line.strip() else None


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
