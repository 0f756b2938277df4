"""Lines on the screen: the newest or older ones, with what is found and selected on them.

A widget that only draws and moves; what goes to the program is the terminal's affair.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agentsup.core.screen import Cursor
from agentsup.protocol.messages import Frame, Lines
from agentsup.ui.lines import reversed_between
from agentsup.ui.search import Search
from agentsup.ui.selection import Selection
from agentsup.ui.strips import with_label
from agentsup.ui.viewport import Viewport


class LinesView(Widget):
    """Draws a viewport, scrolls it and searches it."""

    ALLOW_SELECT = False

    class Scrolled(Message):
        """The position changed: away from the screen, on, or back to it."""

    def __init__(self, ask: Callable[[int, int], object], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = Viewport(ask)
        self._search: Search | None = None
        self._cursor = Cursor(visible=False)
        self._open = False

    @property
    def draws_cursor(self) -> bool:
        """Whether the cursor has to be drawn: where the output has none of its own."""
        return True

    def show_rows(self, frame: Frame) -> None:
        """Take changed rows, and mark them for painting."""
        was_scrolled, width = self.scrolled, self.size.width
        had_selection = self._view.selection is not None
        changed = self._view.take_frame(frame)
        if self._cursor != frame.cursor and changed is not None:
            changed |= {self._cursor.row, frame.cursor.row}
        self._cursor = frame.cursor
        if changed is None or (had_selection and self._view.selection is None):
            self.refresh()
        elif changed:
            self.refresh(*(Region(0, row, width, 1) for row in changed if row < self.size.height))
        if was_scrolled and not self.scrolled:
            self._moved()
        self._search_on()

    def show_lines(self, lines: Lines) -> None:
        """Take lines that were asked for."""
        if self._view.take_lines(lines):
            self.refresh()
        self._search_on()

    def forget(self) -> None:
        """Forget older lines: another host speaks from now on."""
        self._view.forget()

    @property
    def scrolled(self) -> bool:
        """Whether older lines are shown than the screen's."""
        return self._view.top is not None

    @property
    def searching(self) -> bool:
        """Whether matches of a search are shown."""
        return self._search is not None

    def scroll_lines(self, lines: int) -> None:
        """Scroll, downwards where positive."""
        if self._view.move(lines):
            self._moved()

    def scroll_pages(self, pages: int) -> None:
        """Scroll by the height of the pane, less a line that is seen on both pages."""
        self.scroll_lines(pages * max(1, self.size.height - 1))

    def scroll_to_top(self) -> None:
        """Show the oldest lines."""
        if self._view.go_to(0):
            self._moved()

    def leave_scrolling(self) -> None:
        """Show the screen again."""
        self._search = None
        self._view.go_to(self._view.scrollback.end)
        self._moved()

    def search(self, text: str) -> None:
        """Look for a text, upwards from here."""
        self._search = Search(self._view, text)
        self.search_next()

    def search_next(self, *, down: bool = False) -> None:
        """Look for the same text again."""
        if self._search is not None:
            self._search.next(down=down)
            self._moved()

    def _search_on(self) -> None:
        if self._search is not None and self._search.state == "waiting" and self._search.go_on() != "waiting":
            self._moved()

    def _moved(self) -> None:
        self.refresh()
        self.post_message(self.Scrolled())

    def render_line(self, y: int) -> Strip:
        """Return one row, with what is selected or found on it, and at the top the position."""
        view = self._view
        number = view.first + y
        line = view.line(number)
        strip = line.strip if line is not None else Strip.blank(self.size.width)
        if self._search is not None and line is not None:
            for start, end in self._search.matches(strip.text):
                strip = reversed_between(strip, start, end)
        if view.selection is not None:
            strip = reversed_between(strip, *view.selection.columns(number, strip.cell_length))
        cursor = self._cursor
        if cursor.row == y and cursor.visible and self._open and not self.scrolled and self.draws_cursor:
            return reversed_between(strip, cursor.column, cursor.column + 1)
        return with_label(strip, self._position()) if y == 0 and (self.scrolled or self.searching) else strip

    def _position(self) -> str:
        view = self._view
        sign = {"found": "/", "waiting": "…", "nothing": "✗"}[self._search.state] if self._search else ""
        found = f" {sign}{self._search.text}" if self._search else ""
        return f"{found} -{view.behind}/{view.scrollback.lines} "

    def select(self, selection: Selection | None) -> None:
        """Mark what is selected, or nothing."""
        if selection != self._view.selection:
            self._view.selection = selection
            self.refresh()
