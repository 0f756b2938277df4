"""Count and read the lines above the screen, without disturbing what is shown of the screen.

A row is read through a render state (see ghostty_rows.py): one native call a row instead of one a cell. It is a
fresh one each time, filled while the terminal's viewport stands elsewhere for a moment: a state that is kept
takes over only rows marked as damaged, and the live one has taken those marks away.
"""

from __future__ import annotations

from typing import Any

from agentsup.core.screen import Row, Scrollback
from agentsup.terminal.declarations import Binding
from agentsup.terminal.ghostty_rows import RowReader


class LineCount:
    """Know how many lines there are, and how many were lost.

    The library drops old lines by the page and tells only how many are left. A mark that travels with its
    line shows by how much the lines above it became fewer. Output that replaces all lines at once takes the
    mark with it: then at least those there were are lost, and how many more is not known.
    """

    def __init__(self, binding: Binding, terminal: Any) -> None:
        ffi, lib = binding
        self._lib, self._terminal = lib, terminal
        self._lines = ffi.new("size_t *")
        self._screen = ffi.new("GhosttyTerminalScreen *")
        self._place = ffi.new("GhosttyPointCoordinate *")
        self._top = ffi.new("GhosttyPointTwin *", {"tag": lib.GHOSTTY_POINT_TAG_ACTIVE})
        track = binding.twin_function(
            "ghostty_terminal_grid_ref_track",
            "GhosttyResult(*)(GhosttyTerminal, GhosttyPointTwin, GhosttyTrackedGridRef *)",
        )
        self._set_mark = binding.twin_function(
            "ghostty_tracked_grid_ref_set",
            "GhosttyResult(*)(GhosttyTrackedGridRef, GhosttyTerminal, GhosttyPointTwin)",
        )
        mark = ffi.new("GhosttyTrackedGridRef *")
        if track(terminal, self._top[0], mark):
            raise MemoryError("no room for a mark in the terminal")
        # It may be freed before or after the terminal, says the library.
        self._mark = ffi.gc(mark[0], lib.ghostty_tracked_grid_ref_free)
        self._last = Scrollback()

    def read(self) -> Scrollback:
        """Return the count as it is now."""
        lib, last = self._lib, self._last
        lib.ghostty_terminal_get(self._terminal, lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, self._screen)
        if self._screen[0] == lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE:
            return Scrollback(0, last.end)
        gone = lib.ghostty_tracked_grid_ref_point(self._mark, lib.GHOSTTY_POINT_TAG_SCREEN, self._place)
        lost = last.lines if gone else last.lines - self._place.y
        return self._remember(last.lost + max(0, lost))

    def rewrapped(self) -> None:
        """Take the lines as they are now for the same: another width broke them anew."""
        self._remember(self._last.lost)

    def close(self) -> None:
        """Forget the terminal."""
        self._terminal = self._mark = None

    def _remember(self, lost: int) -> Scrollback:
        lib = self._lib
        lib.ghostty_terminal_get(self._terminal, lib.GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS, self._lines)
        self._set_mark(self._mark, self._terminal, self._top[0])
        self._last = Scrollback(int(self._lines[0]), lost)
        return self._last


class LineReader:
    """Read any lines of the scrollback and the screen."""

    def __init__(self, binding: Binding, terminal: Any, reader: RowReader) -> None:
        self._lib, self._terminal, self._reader = binding.lib, terminal, reader
        self._viewport = binding.ffi.new("GhosttyScrollViewportTwin *")
        self._scroll = binding.twin_function(
            "ghostty_terminal_scroll_viewport", "void(*)(GhosttyTerminal, GhosttyScrollViewportTwin)"
        )

    def read(self, state: Any, start: int, end: int, above: int, rows: int) -> list[Row]:
        """Return lines by their place from the top; `above` of them stand above the `rows` of the screen."""
        lib = self._lib
        found: list[Row] = []
        try:
            while start < end:
                top = min(start, above)
                self._show(lib.GHOSTTY_SCROLL_VIEWPORT_ROW, top)
                lib.ghostty_render_state_update(state, self._terminal)
                wanted = range(start - top, min(end - top, rows))
                found += self._reader.some(state, wanted)
                start += len(wanted)
        finally:
            self._show(lib.GHOSTTY_SCROLL_VIEWPORT_BOTTOM, 0)
        return found

    def close(self) -> None:
        """Forget the terminal."""
        self._terminal = None

    def _show(self, where: int, row: int) -> None:
        self._viewport.tag, self._viewport.row = where, row
        self._scroll(self._terminal, self._viewport[0])
