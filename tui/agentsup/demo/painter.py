"""Put the picture on the terminal: inline below what was printed before, or on the alternate screen.

Every frame is synchronized (mode 2026), and hides the cursor until it is whole: a half-drawn frame never looks
like an empty composer. Automatic wrapping is off meanwhile: a character whose width the terminal sees
differently must not move the rows below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from agentsup.demo.styles import Line, written
from agentsup.demo.transcript import Entry
from agentsup.demo.view import Live, entry_lines

BEGIN = "\x1b[?2026h\x1b[?25l\x1b[?7l"
END = "\x1b[?7h\x1b[?2026l"
ERASE = "\x1b[2K"
"""Before a row is written, not after: behind a full row the cursor stands on its last cell."""
SHOW_CURSOR = "\x1b[?25h"

LiveOf = Callable[[int, int], Live]
"""Makes the live part for so many columns and rows."""


class Painter(Protocol):
    """Draws frames on a terminal of a known size."""

    scrolled: int
    """By how many rows the last frame was scrolled: no more than there are."""

    def resize(self, columns: int, rows: int) -> None:
        """Take a new size; all is drawn anew."""

    def paint(self, entries: Sequence[Entry], live: LiveOf, scrolled: int) -> str:
        """Return what makes the terminal show this."""

    def leave(self) -> str:
        """Return what takes the live part away and puts the cursor where a shell may go on."""


class InlinePainter:
    """Prints finished lines once, so that the terminal scrolls them, and redraws the live part below."""

    def __init__(self, *, colours: bool) -> None:
        self.scrolled = 0
        self._colours = colours
        self._columns, self._rows = 80, 24
        self._printed = 0
        self._printed_of_next = 0
        self._drawn: list[str] = []
        self._cursor: tuple[int, int] | None = None
        self._cursor_row = 0
        self._fresh = False
        """The screen is to be drawn from its first row: after a resize nobody knows where things are."""

    def resize(self, columns: int, rows: int) -> None:
        """Take a new size; what was drawn already is drawn anew."""
        self._fresh = bool(self._drawn)
        self._columns, self._rows = columns, rows

    def paint(self, entries: Sequence[Entry], live: LiveOf, scrolled: int) -> str:
        """Print what is new in the transcript, and redraw the live part."""
        part = live(self._columns, self._rows)
        above: list[Line] = []
        if self._fresh:
            above = tail(entries, self._columns, self._rows - len(part.lines))
            self._forget(entries, above)
        finished, pending = self._new_lines(entries)
        printed = [written(line, colours=self._colours) for line in (*above, *finished)]
        shown = [written(line, colours=self._colours) for line in (*pending, *part.lines)]
        skipped = max(0, len(shown) - self._rows)
        shown = shown[skipped:]
        cursor = None
        if part.cursor is not None:
            cursor = (part.cursor[0] + len(pending) - skipped, part.cursor[1])
        if not self._fresh and (printed, shown, cursor) == ([], self._drawn, self._cursor):
            return ""
        out = BEGIN + self._body(printed, shown)
        row = cursor[0] if cursor else len(shown) - 1
        if up := len(shown) - 1 - row:
            out += f"\x1b[{up}A"
        out += f"\r\x1b[{cursor[1]}C" if cursor and cursor[1] else "\r"
        self._drawn, self._cursor, self._cursor_row, self._fresh = shown, cursor, row, False
        return out + END + (SHOW_CURSOR if cursor else "")

    def leave(self) -> str:
        """Erase the live part."""
        up = f"\x1b[{self._cursor_row}A" if self._cursor_row else ""
        return f"{up}\r\x1b[J" if self._drawn else ""

    def _forget(self, entries: Sequence[Entry], above: list[Line]) -> None:
        """Begin anew with `above`, which shows all finished lines there is room for."""
        unfinished = bool(entries) and not entries[-1].finished
        self._printed = len(entries) - unfinished
        self._printed_of_next = 0
        if unfinished:
            before = entries[-2] if len(entries) > 1 else None
            self._printed_of_next = len(entry_lines(entries[-1], before, self._columns)) - 1
            if above:
                above.pop()  # the line that is being written belongs to the live part

    def _new_lines(self, entries: Sequence[Entry]) -> tuple[list[Line], list[Line]]:
        """Return the lines that are finished since the last frame, and the one that is being written."""
        finished: list[Line] = []
        for number in range(self._printed, len(entries)):
            entry, before = entries[number], entries[number - 1] if number else None
            lines = entry_lines(entry, before, self._columns)
            if not entry.finished:
                finished += lines[self._printed_of_next : -1]
                self._printed_of_next = len(lines) - 1
                return finished, lines[-1:]
            finished += lines[self._printed_of_next :]
            self._printed, self._printed_of_next = number + 1, 0
        return finished, []

    def _body(self, printed: list[str], shown: list[str]) -> str:
        """Return what replaces the old live part by the new one; only changed rows where that suffices."""
        if self._fresh:
            return "\x1b[H\x1b[J" + "\r\n".join([*printed, *shown])
        start = (f"\x1b[{self._cursor_row}A" if self._cursor_row else "") + "\r"
        if printed or len(shown) != len(self._drawn):
            return f"{start}\x1b[J" + "\r\n".join([*printed, *shown])
        changed = ("" if new == old else f"{ERASE}{new}" for new, old in zip(shown, self._drawn, strict=True))
        return start + "\r\n".join(changed)


class AlternatePainter:
    """Draws the whole screen: a header, the newest lines of the transcript, the live part at the bottom."""

    def __init__(self, header: Line, *, colours: bool) -> None:
        self.scrolled = 0
        self._header, self._colours = header, colours
        self._columns, self._rows = 80, 24
        self._drawn: list[str] = []
        self._cursor: tuple[int, int] | None = None

    def resize(self, columns: int, rows: int) -> None:
        """Take a new size."""
        self._columns, self._rows, self._drawn = columns, rows, []

    def paint(self, entries: Sequence[Entry], live: LiveOf, scrolled: int) -> str:
        """Draw the rows that have changed."""
        part = live(self._columns, self._rows)
        room = max(0, self._rows - len(part.lines) - 1)
        lines = tail(entries, self._columns, room + scrolled)
        self.scrolled = min(scrolled, max(0, len(lines) - room))
        lines = lines[len(lines) - room - self.scrolled :][:room] if len(lines) > room else lines
        lines += [()] * (room - len(lines))
        top = [self._header, *lines][: self._rows - len(part.lines)]
        rows = [written(line, colours=self._colours) for line in (*top, *part.lines)]
        cursor = None if part.cursor is None else (len(top) + part.cursor[0], part.cursor[1])
        if (rows, cursor) == (self._drawn, self._cursor):
            return ""
        out = BEGIN
        for number, row in enumerate(rows):
            if number >= len(self._drawn) or self._drawn[number] != row:
                out += f"\x1b[{number + 1};1H{ERASE}{row}"
        self._drawn, self._cursor = rows, cursor
        if cursor is None:
            return out + END
        return f"{out}\x1b[{cursor[0] + 1};{cursor[1] + 1}H{END}{SHOW_CURSOR}"

    def leave(self) -> str:
        """Nothing: leaving the alternate screen takes all away."""
        return ""


def tail(entries: Sequence[Entry], cells: int, count: int) -> list[Line]:
    """Return the last `count` lines of the transcript."""
    lines: list[Line] = []
    for number in range(len(entries) - 1, -1, -1):
        if len(lines) >= count:
            break
        lines[:0] = entry_lines(entries[number], entries[number - 1] if number else None, cells)
    return lines[len(lines) - count :] if len(lines) > count else lines
