"""The pane that shows the agent's screen and takes its input."""

from __future__ import annotations

import re
from typing import Literal, Protocol

from textual import events
from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from agentsup.core.screen import Cursor, Modes
from agentsup.protocol.messages import ClientMessage, Frame, Keys, Mouse, Paste, Resize
from agentsup.ui.driver import TapApp, TapDriver, paint_now
from agentsup.ui.strips import strip_of, with_cursor

_CURSOR_KEYS = re.compile(rb"\x1b\[([ABCDHF])")
RESIZE_PAUSE = 0.03
"""Seconds between two sizes sent while the window is being dragged; the first goes at once."""


class Link(Protocol):
    """The way to the host."""

    def send(self, message: ClientMessage) -> bool:
        """Send from any thread; False where nobody takes it."""


def program_keys(data: bytes, modes: Modes) -> bytes:
    """Return key bytes as the program expects them: cursor keys in application mode are SS3."""
    if modes.application_cursor and not modes.kitty_flags:
        return _CURSOR_KEYS.sub(b"\x1bO\\1", data)
    return data


class Terminal(Widget):
    """A view of the host's screen: it keeps drawn rows, nothing else."""

    ALLOW_SELECT = False

    def __init__(self, link: Link, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._link = link
        self._strips: list[Strip] = []
        self._cursor = Cursor(visible=False)
        self._modes = Modes()
        self._title = ""
        self._sent = (0, 0)
        self._resizing: Timer | None = None
        self._paste_broken = False
        self._open = False
        self._pointed = (-1, -1, -1)

    # What the host says

    def show(self, frame: Frame) -> None:
        """Take changed rows, and mark them for painting."""
        width = self.size.width
        if frame.full or len(self._strips) != frame.rows:
            self._strips = [Strip.blank(frame.columns)] * frame.rows
            self.refresh()
        changed = {self._cursor.row, frame.cursor.row} if self._cursor != frame.cursor else set()
        for row, runs in frame.lines:
            if row < len(self._strips):
                self._strips[row] = strip_of(runs, frame.styles, frame.columns)
                changed.add(row)
        self._cursor, self._modes = frame.cursor, frame.modes
        if changed:
            self.refresh(*(Region(0, row, width, 1) for row in changed if row < self.size.height))
        self._show_state(frame.title)

    def paint(self) -> None:
        """Paint what was marked at once: an echo must not wait for the next tick."""
        paint_now(self)

    def mark_sent(self, columns: int, rows: int) -> None:
        """Note a size the host knows already."""
        self._sent = (columns, rows)

    def _show_state(self, title: str) -> None:
        driver = self._outer
        if driver is None:
            return
        driver.mirror_kitty(self._modes.kitty_flags)
        if title != self._title:
            self._title = title
            driver.set_title(title)
        self._place_cursor(driver)

    def _place_cursor(self, driver: TapDriver) -> None:
        column, row = self._cursor.column, self._cursor.row
        inside = row < self.size.height and column < self.size.width
        if not (self._open and self._cursor.visible and inside):
            driver.hide_cursor()
            return
        place = self.content_region.offset + Offset(column, row)
        self.app.cursor_position = place
        driver.show_cursor(place.x, place.y, self._cursor.shape)

    @property
    def _outer(self) -> TapDriver | None:
        app = self.app
        return app.tap_driver if isinstance(app, TapApp) else None

    # What the person does; keys() and paste() are called in the input thread

    def keys(self, data: bytes) -> None:
        """Send key bytes to the program."""
        self._link.send(Keys(program_keys(data, self._modes)))

    def paste(self, data: bytes, *, first: bool, last: bool) -> None:
        """Send a piece of a paste; one that lost a piece to a broken connection is not gone on with."""
        if first:
            self._paste_broken = False
        if not self._paste_broken:
            self._paste_broken = not self._link.send(Paste(data, first, last))

    def open_tap(self) -> None:
        """Let keys go straight to the program, and show its cursor."""
        self._open = True
        self.refresh()
        if (driver := self._outer) is not None:
            driver.tap = self
            self._place_cursor(driver)

    def close_tap(self) -> None:
        """Take the keys away from the program: a menu or a dialog has them."""
        self._open = False
        self.refresh()
        if (driver := self._outer) is not None:
            driver.tap = None
            driver.hide_cursor()

    def render_line(self, y: int) -> Strip:
        """Return one row."""
        if y >= len(self._strips):
            return Strip.blank(self.size.width)
        strip = self._strips[y]
        cursor = self._cursor
        if cursor.row == y and cursor.visible and self._open and self._outer is None:
            return with_cursor(strip, cursor.column)
        return strip

    def on_resize(self, event: events.Resize) -> None:
        """Tell the host the new size: at once, then at most every RESIZE_PAUSE."""
        if (driver := self._outer) is not None:
            self.call_after_refresh(self._place_cursor, driver)
        if self._resizing is None:
            self._send_size()
            self._resizing = self.set_timer(RESIZE_PAUSE, self._resized)

    def _resized(self) -> None:
        self._resizing = None
        self._send_size()

    def _send_size(self) -> None:
        size = (self.size.width, self.size.height)
        if size != self._sent and all(size):
            self._sent = size
            self._link.send(Resize(*size))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Report a press, and follow the pointer until the release."""
        if self._report(event, "press", max(0, event.button - 1)):
            self.capture_mouse()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Report a release."""
        self.release_mouse()
        if self._modes.mouse != 9:
            self._report(event, "release", max(0, event.button - 1))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report motion where the program asked for it, once a cell."""
        wanted = self._modes.mouse == 1003 or (self._modes.mouse == 1002 and event.button)
        place = (event.x, event.y, event.button)
        if wanted and place != self._pointed:
            self._pointed = place
            self._report(event, "move", event.button - 1 if event.button else 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Report the wheel."""
        self._report(event, "press", 64)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Report the wheel."""
        self._report(event, "press", 65)

    def _report(self, event: events.MouseEvent, kind: Literal["press", "release", "move"], button: int) -> bool:
        if not self._modes.mouse:
            return False
        event.stop()
        column = min(max(0, event.x), self.size.width - 1)
        row = min(max(0, event.y), self.size.height - 1)
        self._link.send(Mouse(kind, button, column, row, event.shift, event.meta, event.ctrl))
        return True
