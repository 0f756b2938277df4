"""The pane that shows the agent's screen and takes its input."""

from __future__ import annotations

import time
from typing import Literal, Protocol

from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.timer import Timer

from agentsup.core.screen import Modes
from agentsup.protocol.messages import (
    ClientMessage,
    Frame,
    Keys,
    Mouse,
    Paste,
    ReadLines,
    Resize,
)
from agentsup.ui.driver import TapApp, TapDriver, paint_now
from agentsup.ui.lines_view import LinesView
from agentsup.ui.selection import Place, Pointer, selected_text

RESIZE_PAUSE = 0.03
"""Seconds between two sizes sent while the window is being dragged; the first goes at once."""

WHEEL = 3
"""Lines, or cursor keys on the alternate screen, for one notch of the wheel."""


class Link(Protocol):
    """The way to the host."""

    def send(self, message: ClientMessage) -> bool:
        """Send from any thread; False where nobody takes it."""


class Terminal(LinesView):
    """A view of the host's screen and the lines above it."""

    class Typed(Message):
        """Something went to the program: a selection is over, and after a paste the scrolling too."""

        def __init__(self, *, paste: bool) -> None:
            super().__init__()
            self.paste = paste

    class Selected(Message):
        """The person selected text, to be copied."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, link: Link, *, id: str | None = None) -> None:
        super().__init__(lambda first, count: link.send(ReadLines(first, count)), id=id)
        self._link = link
        self._pointer = Pointer(self._view.line)
        self._modes = Modes()
        self._title = ""
        self._sent = (0, 0)
        self._resizing: Timer | None = None
        self._paste_broken = False
        self._pointed = (-1, -1, -1)
        self.typed = float("-inf")
        """When the person last typed or pasted something for the program, by the monotonic clock."""

    # What the host says

    def show(self, frame: Frame) -> None:
        """Take changed rows, and mark them for painting."""
        self._modes = frame.modes
        self.show_rows(frame)
        self._show_state(frame.title)

    def paint(self) -> None:
        """Paint what was marked at once: an echo must not wait for the next tick."""
        if self.is_attached:  # the app may have ended by now
            paint_now(self)

    def mark_sent(self, columns: int, rows: int) -> None:
        """Note a size the host knows already."""
        self._sent = (columns, rows)

    @property
    def cursor_row(self) -> int:
        """The row of the program's cursor, shown or not."""
        return self._cursor.row

    def _show_state(self, title: str) -> None:
        driver = self._outer
        if driver is None:
            return
        driver.mirror_keyboard(self._modes)
        if title != self._title:
            self._title = title
            driver.set_title(title)
        self._place_cursor(driver)

    def _place_cursor(self, driver: TapDriver) -> None:
        column, row = self._cursor.column, self._cursor.row
        inside = row < self.size.height and column < self.size.width
        if not (self._open and self._cursor.visible and inside) or self.scrolled:
            driver.hide_cursor()
            return
        place = self.content_region.offset + Offset(column, row)
        self.app.cursor_position = place
        driver.show_cursor(place.x, place.y, self._cursor.shape)

    @property
    def _outer(self) -> TapDriver | None:
        app = self.app
        return app.tap_driver if isinstance(app, TapApp) else None

    @property
    def draws_cursor(self) -> bool:
        """Whether the cursor has to be drawn: in tests without a terminal."""
        return self._outer is None

    # What the person does; keys() and paste() are called in the input thread

    def keys(self, data: bytes) -> None:
        """Send key bytes to the program."""
        self.typed = time.monotonic()
        self._link.send(Keys(data))
        if self._view.selection is not None:
            self.post_message(self.Typed(paste=False))

    def paste(self, data: bytes, *, first: bool, last: bool) -> None:
        """Send a piece of a paste; one that lost a piece to a broken connection is not gone on with."""
        self.typed = time.monotonic()
        if first:
            self._paste_broken = False
            self.post_message(self.Typed(paste=True))
        if not self._paste_broken:
            self._paste_broken = not self._link.send(Paste(data, first, last))

    @property
    def takes_keys(self) -> bool:
        """Whether the keys are the program's now: no menu has them, no dialog, no scrolling."""
        return self._open and self.screen.is_active

    def open_tap(self) -> bool:
        """Let keys go straight to the program, and show its cursor; False while earlier keys are on their way."""
        driver = self._outer
        if driver is not None and not driver.open_tap(self):
            return False
        self._open = True
        self.refresh()
        if driver is not None:
            self._place_cursor(driver)
        return True

    def close_tap(self, *, pastes: bool = False) -> None:
        """Take the keys away from the program: a menu or a dialog has them. `pastes` may still go to it."""
        self._open = False
        self.refresh()
        if (driver := self._outer) is not None:
            driver.tap, driver.paste_tap, driver.settled = None, self if pastes else None, True
            driver.hide_cursor()

    def on_terminal_typed(self, event: Typed) -> None:
        """Take the selection away, and go back to the screen after a paste."""
        self.select(None)
        if event.paste and (self.scrolled or self.searching):
            self.leave_scrolling()

    # Size and mouse

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
        """Report a press, or begin to select; and follow the pointer until the release."""
        if self._report(event, "press", max(0, event.button - 1)):
            if self._modes.mouse != 9:  # which has presses only: nothing to follow
                self.capture_mouse()
        elif event.button == 1:
            event.stop()
            self.capture_mouse()
            self.select(self._pointer.press(self._place(event), event.time))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Report a release, or copy what was selected."""
        self.release_mouse()
        if self._pointer.dragging:
            self._pointer.release()
            if (selection := self._view.selection) is not None:
                self.post_message(self.Selected(selected_text(selection, self._view.line)))
        elif self._modes.mouse != 9:
            self._report(event, "release", max(0, event.button - 1))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Report motion where the program asked for it, once a cell; or go on to select."""
        place = (event.x, event.y, event.button)
        if self._pointer.dragging:
            self.scroll_lines(min(0, event.y) + max(0, event.y - self.size.height + 1))
            self.select(self._pointer.drag(self._place(event)))
            return
        wanted = self._modes.mouse == 1003 or (self._modes.mouse == 1002 and event.button)
        if wanted and place != self._pointed:
            self._pointed = place
            self._report(event, "move", event.button - 1 if event.button else 3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Report the wheel, or scroll."""
        self._wheel(event, 64, -WHEEL, b"A")

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Report the wheel, or scroll."""
        self._wheel(event, 65, WHEEL, b"B")

    def _wheel(self, event: events.MouseEvent, button: int, lines: int, key: bytes) -> None:
        if not self.scrolled and self._report(event, "press", button):
            return
        event.stop()
        if self._modes.alternate_screen:
            # What terminals do where xterm's alternateScroll (1007) is on.
            self.keys(((b"\x1bO" if self._modes.application_cursor else b"\x1b[") + key) * WHEEL)
        else:
            self.scroll_lines(lines)

    def _report(self, event: events.MouseEvent, kind: Literal["press", "release", "move"], button: int) -> bool:
        """Report the mouse to a program that wants it: not with Shift, which asks us to select."""
        if not self._modes.mouse or (event.shift and kind == "press" and button == 0) or self.scrolled:
            return False
        event.stop()
        column = min(max(0, event.x), self.size.width - 1)
        row = min(max(0, event.y), self.size.height - 1)
        self._link.send(Mouse(kind, button, column, row, event.shift, event.meta, event.ctrl))
        return True

    def _place(self, event: events.MouseEvent) -> Place:
        row = min(max(0, event.y), self.size.height - 1)
        return Place(self._view.first + row, min(max(0, event.x), self.size.width - 1))
