"""Cut the bytes of a log into whole lines, holding no more than one of them.

NULs end a line as a newline does: they stand where a crashed machine had written nothing. Empty lines are none.
Of a line over the limit the head is told, so that a decoder can still recognise what it was.
"""

from __future__ import annotations

import re

LINE = 4 << 20
"""Bytes of the longest line that is told whole: a compaction's record carries the history it keeps."""

LINE_HEAD = 1 << 16
"""Bytes that are told of a longer one."""

Line = tuple[bytes, bool]
"""A line without its end; or the head of one that is too long, and then True."""

_BOM = b"\xef\xbb\xbf"
_ENDS = re.compile(rb"\n|\0+")


class LineCutter:
    """Cuts the blocks of one file, of any size and in order, into lines."""

    def __init__(self, line: int = LINE, head: int = LINE_HEAD, *, from_middle: bool = False, at: int = 0) -> None:
        self._line, self._head = line, head
        self._taken = self._start = at
        """Where in the file the next block begins, and where the line that is being read."""
        self.starts: list[int] = []
        """Where in the file each of the lines begins that were returned last, in bytes."""
        self._held = bytearray()
        self._is_long = False
        self._is_first = not from_middle
        self._is_rest = from_middle
        """Whether this is the rest of a line whose beginning was not read."""

    @property
    def held(self) -> int:
        """Bytes that are held."""
        return len(self._held)

    def cut(self, block: bytes) -> list[Line]:
        """Take the next bytes, and return the lines that they end, in order."""
        lines: list[Line] = []
        self.starts = []
        done = 0
        for end in _ENDS.finditer(block):
            if (line := self._ended(block[done : end.start()])) is not None:
                lines.append(line)
                self.starts.append(self._start)
            done = end.end()
            self._start = self._taken + done
        self._hold(block[done:])
        self._taken += len(block)
        return lines

    def rest(self) -> bytes:
        """Return what stands after the last line's end; nothing where it is too long."""
        line = self._ended(b"")
        return line[0] if line is not None and not line[1] else b""

    def _hold(self, part: bytes) -> None:
        if self._is_rest or self._is_long:
            return
        self._held += part
        if len(self._held) > self._line:
            del self._held[self._head :]
            self._is_long = True

    def _ended(self, part: bytes) -> Line | None:
        if self._is_rest:
            self._is_rest = False
            return None
        if not self._held and not self._is_long and len(part) <= self._line:
            line, is_long = part, False
        else:
            self._hold(part)
            line, is_long = bytes(self._held), self._is_long
            self._held, self._is_long = bytearray(), False
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(_BOM)
        if is_long:
            return line, True
        return (line.removesuffix(b"\r"), False) if line.strip() else None
