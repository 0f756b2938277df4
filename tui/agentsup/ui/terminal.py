"""The pane that shows the agent's screen and takes its input."""

from __future__ import annotations

from typing import Literal, Protocol

from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from agentsup.core.screen import Cursor, Modes
from agentsup.protocol.messages import (
    ClientMessage,
    Frame,
    Keys,
    Lines,
    Mouse,
    Paste,
    ReadLines,
    Resize,
)
from agentsup.ui.driver import TapApp, TapDriver, paint_now
from agentsup.ui.lines import reversed_between
from agentsup.ui.search import Search
from agentsup.ui.selection import Place, Pointer, Selection, selected_text
from agentsup.ui.strips import with_label
from agentsup.ui.viewport import Viewport

RESIZE_PAUSE = 0.03
"""Seconds between two sizes sent while the window is being dragged; the first goes at once."""

WHEEL = 3
"""Lines, or cursor keys on the alternate screen, for one notch of the wheel."""


class Link(Protocol):
    """The way to the host."""

    def send(self, message: ClientMessage) -> bool:
        """Send from any thread; False where nobody takes it."""


class Terminal(Widget):
    """A view of the host's screen and the lines above it."""

    ALLOW_SELECT = False

    class Scrolled(Message):
        """The position changed: away from the screen, on, or back to it."""

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
        super().__init__(id=id)
        self._link = link
        self._view = Viewport(lambda first, count: link.send(ReadLines(first, count)))
        self._pointer = Pointer(self._view.line)
        self._search: Search | None = None
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
        was_scrolled, width = self.scrolled, self.size.width
        had_selection = self._view.selection is not None
        changed = self._view.take_frame(frame)
        if self._cursor != frame.cursor and changed is not None:
            changed |= {self._cursor.row, frame.cursor.row}
        self._cursor, self._modes = frame.cursor, frame.modes
        if changed is None or (had_selection and self._view.selection is None):
            self.refresh()
        elif changed:
            self.refresh(*(Region(0, row, width, 1) for row in changed if row < self.size.height))
        if was_scrolled and not self.scrolled:
            self._moved()
        self._search_on()
        self._show_state(frame.title)

    def show_lines(self, lines: Lines) -> None:
        """Take lines that were asked for."""
        if self._view.take_lines(lines):
            self.refresh()
        self._search_on()

    def forget(self) -> None:
        """Forget older lines: another host speaks from now on."""
        self._view.forget()

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

    # What the person does; keys() and paste() are called in the input thread

    def keys(self, data: bytes) -> None:
        """Send key bytes to the program."""
        self._link.send(Keys(data))
        if self._view.selection is not None:
            self.post_message(self.Typed(paste=False))

    def paste(self, data: bytes, *, first: bool, last: bool) -> None:
        """Send a piece of a paste; one that lost a piece to a broken connection is not gone on with."""
        if first:
            self._paste_broken = False
            self.post_message(self.Typed(paste=True))
        if not self._paste_broken:
            self._paste_broken = not self._link.send(Paste(data, first, last))

    def open_tap(self) -> None:
        """Let keys go straight to the program, and show its cursor."""
        self._open = True
        self.refresh()
        if (driver := self._outer) is not None:
            driver.tap, driver.paste_tap = self, None
            self._place_cursor(driver)

    def close_tap(self, *, pastes: bool = False) -> None:
        """Take the keys away from the program: a menu or a dialog has them. `pastes` may still go to it."""
        self._open = False
        self.refresh()
        if (driver := self._outer) is not None:
            driver.tap, driver.paste_tap = None, self if pastes else None
            driver.hide_cursor()

    # Scrolling and searching

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
        if cursor.row == y and cursor.visible and self._open and not self.scrolled and self._outer is None:
            return reversed_between(strip, cursor.column, cursor.column + 1)
        return with_label(strip, self._position()) if y == 0 and (self.scrolled or self.searching) else strip

    def _position(self) -> str:
        view = self._view
        sign = {"found": "/", "waiting": "…", "nothing": "✗"}[self._search.state] if self._search else ""
        found = f" {sign}{self._search.text}" if self._search else ""
        return f"{found} -{view.behind}/{view.scrollback.lines} "

    def on_terminal_typed(self, event: Typed) -> None:
        """Take the selection away, and go back to the screen after a paste."""
        self._select(None)
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
            self.capture_mouse()
        elif event.button == 1:
            event.stop()
            self.capture_mouse()
            self._select(self._pointer.press(self._place(event), event.time))

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
            self._select(self._pointer.drag(self._place(event)))
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

    def _select(self, selection: Selection | None) -> None:
        if selection != self._view.selection:
            self._view.selection = selection
            self.refresh()
