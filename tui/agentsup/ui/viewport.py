"""Which lines the person sees: the screen as it is now, or older ones that they have scrolled to.

The position is this client's own. Lines are known by number, so what is shown stays where it is while new
output comes; those above the screen are asked for when they are needed, a few screens at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.strip import Strip

from agentsup.core.screen import Scrollback
from agentsup.protocol.messages import LINES_AT_ONCE, Frame, Lines
from agentsup.ui.lines import Line
from agentsup.ui.selection import Selection
from agentsup.ui.strips import strip_of

_KEPT = 4096
"""Older lines kept before those far from the position are forgotten."""


class Viewport:
    """The lines this client knows, and the position among them."""

    def __init__(self, ask: Callable[[int, int], object]) -> None:
        self._ask = ask
        self._screen: list[Line] = []
        self._older: dict[int, Line] = {}
        self._stale: set[int] = set()  # drawn as they were last seen, and asked for again
        self._asked: set[int] = set()
        self._columns = 0
        self._alternate = False
        self.scrollback = Scrollback()
        self.top: int | None = None
        """The number of the first line shown; None while the screen itself is shown."""
        self.selection: Selection | None = None

    @property
    def first(self) -> int:
        """The number of the first line shown."""
        return self.scrollback.end if self.top is None else self.top

    @property
    def behind(self) -> int:
        """How many lines above the screen's first row the position is."""
        return self.scrollback.end - self.first

    @property
    def rows(self) -> int:
        """How many rows the screen has."""
        return len(self._screen)

    def line(self, number: int) -> Line | None:
        """Return a line by its number, None where it is not known here."""
        row = number - self.scrollback.end
        if row < 0:
            return self._older.get(number)
        return self._screen[row] if row < len(self._screen) else None

    # What the host says

    def take_frame(self, frame: Frame) -> set[int] | None:
        """Take changed rows; return which rows of the view look different, None for all of them."""
        whole = frame.full or len(self._screen) != frame.rows or self._columns != frame.columns
        before = self.scrollback
        self._take_numbers(frame)
        old, wrapped = self._screen, set(frame.wrapped)
        if whole:
            self._screen = [Line(Strip.blank(frame.columns))] * frame.rows
        changed = set()
        for row, runs in frame.lines:
            if 0 <= row < len(self._screen):
                self._screen[row] = Line(strip_of(runs, frame.styles, frame.columns), row in wrapped)
                changed.add(row)
        self._drop_changed_selection(old, before.end, changed)
        if self.top is None:
            return None if whole else changed
        self.ask_missing()
        return None

    def take_lines(self, message: Lines) -> bool:
        """Take older lines; False where they are of no use any more: the width has changed since."""
        self._asked.clear()
        if message.columns != self._columns or self._alternate:
            return False
        self._forget_far()  # before: a search would ask for ever for what it is given and does not keep
        wrapped = set(message.wrapped)
        for number, runs in enumerate(message.lines, message.first):
            if number < self.scrollback.end:
                strip = strip_of(runs, message.styles, message.columns)
                self._older[number] = Line(strip, number in wrapped)
                self._stale.discard(number)
        if message.lines:
            self.ask_missing()
        return True

    def forget(self) -> None:
        """Another host speaks from now on: what it calls by a number may be another line."""
        self._older.clear()
        self._stale.clear()
        self._asked.clear()
        self.selection = None

    # What the person does

    def move(self, lines: int) -> bool:
        """Scroll by so many lines, downwards where positive; tell whether the position changed."""
        return self.go_to(self.first + lines)

    def go_to(self, number: int) -> bool:
        """Show this line first, or the one nearest to it that there is; at the end the screen itself."""
        before = self.top
        number = max(number, self.scrollback.lost)
        self.top = number if number < self.scrollback.end else None
        self.ask_missing()
        return self.top != before

    def ask_missing(self) -> None:
        """Ask the host for shown lines that are not known, and for some above them."""
        if self.top is None:
            return
        shown = range(self.top, min(self.top + self.rows, self.scrollback.end))
        missing = [number for number in shown if number not in self._older or number in self._stale]
        if missing and not self._asked.issuperset(missing):
            self.ask_before(missing[-1] + 1)

    def ask_before(self, end: int) -> None:
        """Ask for the lines before number `end`."""
        wanted = range(max(self.scrollback.lost, end - LINES_AT_ONCE), end)
        if not self._asked.issuperset(wanted):
            self._asked.update(wanted)
            self._ask(wanted.start, len(wanted))

    # Inside

    def _take_numbers(self, frame: Frame) -> None:
        before, now = self.scrollback, frame.scrollback
        self.scrollback = now
        anew = frame.columns != self._columns or now.lost < before.lost
        alternate = frame.modes.alternate_screen
        if alternate != self._alternate:
            self.forget()
            self.top = None
        elif anew:
            behind = before.end - self._first_in(before)
            self.forget()
            self.top = None if self.top is None else now.end - behind
        elif self.top is not None or self.selection is not None:
            self._keep_scrolled_off(before.end, now.end)
        self._columns, self._alternate = frame.columns, alternate
        if self.top is not None:
            self.top = max(self.top, now.lost)
            if self.top >= now.end:
                self.top = None

    def _first_in(self, scrollback: Scrollback) -> int:
        return scrollback.end if self.top is None else self.top

    def _keep_scrolled_off(self, before: int, now: int) -> None:
        """Go on showing rows that left the screen upwards until the host has said how they look now."""
        for row, line in enumerate(self._screen[: max(0, now - before)]):
            self._older[before + row] = line
            self._stale.add(before + row)
        for number in [number for number in self._older if number >= now]:
            del self._older[number]

    def _drop_changed_selection(self, old: list[Line], end: int, changed: set[int]) -> None:
        selection = self.selection
        if selection is None:
            return
        for row in changed:
            number = self.scrollback.end + row
            known = old[number - end] if 0 <= number - end < len(old) else None
            selected = selection.start.line <= number <= selection.end.line
            if selected and (known is None or known.strip.text != self._screen[row].strip.text):
                self.selection = None
                return

    def _forget_far(self) -> None:
        if len(self._older) <= _KEPT:
            return
        chosen = self.selection
        near = range(self.first - _KEPT // 4, self.first + _KEPT // 4)
        self._older = {
            number: line
            for number, line in self._older.items()
            if number in near or (chosen is not None and chosen.start.line <= number <= chosen.end.line)
        }
