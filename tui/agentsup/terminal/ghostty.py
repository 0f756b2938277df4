"""The terminal engine on libghostty, in its build without a window (libghostty-vt)."""

from __future__ import annotations

import weakref
from typing import Any

from agentsup.core.screen import Cursor, Modes, Row, Scrollback
from agentsup.terminal.clipboard_limit import ClipboardLimit
from agentsup.terminal.declarations import Binding, load
from agentsup.terminal.engine import (
    MINIMUM_COLUMNS,
    MINIMUM_ROWS,
    EngineUnavailable,
    TerminalEvent,
)
from agentsup.terminal.ghostty_callbacks import CELL_HEIGHT, CELL_WIDTH, Outbox
from agentsup.terminal.ghostty_rows import RowReader
from agentsup.terminal.ghostty_scrollback import LineCount, LineReader
from agentsup.terminal.kitty_notifications import KittyNotifications
from agentsup.terminal.modify_keys_tap import ModifyKeysTap
from agentsup.terminal.status_tap import StatusTap

Rgb = tuple[int, int, int]

SCROLLBACK_BYTES = 64 << 20
"""Room for the scrollback; the library's own default, 10,000 bytes, would hold no more than a few lines."""

CLIPBOARD_BYTES = 8 << 20
"""Largest text a program may put on the clipboard."""

MAXIMUM_SIDE = 2000
"""Most columns and rows; a client's mistake should not ask for gigabytes."""

_MOUSE_MODES = (1003, 1002, 1000, 9)
_FLAG_MODES = (1, 2004, 1004, 1006, 2026, 66, 67)
_MOUSE_EXTENSIONS = (1016, 1015, 1005)
_GRAPHEME_CLUSTERS = 2027


class GhosttyEngine:
    """An Engine (see engine.py) that libghostty stands behind; not for use from two threads at once."""

    def __init__(
        self,
        columns: int,
        rows: int,
        *,
        scrollback: int = 10_000,
        foreground: Rgb = (0xE0, 0xE0, 0xE0),
        background: Rgb = (0x10, 0x10, 0x18),
    ) -> None:
        self.columns, self.rows = _size(columns, rows)
        self._binding = load()
        self._ffi, self._lib = self._binding
        terminal = self._create("GhosttyTerminal", "ghostty_terminal_new", self.columns, self.rows)
        state = self._create("GhosttyRenderState", "ghostty_render_state_new")
        iterator = self._create("GhosttyRenderStateRowIterator", "ghostty_render_state_row_iterator_new")
        cells = self._create("GhosttyRenderStateRowCells", "ghostty_render_state_row_cells_new")
        self._free = weakref.finalize(self, _free, self._lib, terminal[0], state[0], iterator[0], cells[0])
        self._terminal, self._state = terminal[0], state[0]
        self._reader = RowReader(self._binding, self._terminal, iterator, cells)
        self._lines = LineReader(self._binding, self._terminal, self._reader)
        self._count = LineCount(self._binding, self._terminal)
        self._tap = StatusTap()
        self._notifications = KittyNotifications()
        self._modify_keys = ModifyKeysTap()
        self._clipboard_limit = ClipboardLimit()
        self._outbox = Outbox(self._binding, dark=_luminance(background) < 128)
        self._callbacks = self._outbox.callbacks()
        for option, callback in self._callbacks.items():
            self._set(option, callback)
        self._configure(scrollback, foreground, background)
        self._modes = _ModeQuery(self._binding, self._terminal)
        self._dirty = self._ffi.new("GhosttyRenderStateDirty *")
        self._cursor = self._binding.sized("GhosttyRenderStateCursor")
        self._fed = True

    def _create(self, ctype: str, function: str, *arguments: int) -> Any:
        pointer = self._ffi.new(f"{ctype} *")
        if getattr(self._lib, function)(self._ffi.NULL, pointer, *arguments):
            raise EngineUnavailable(f"libghostty could not create a {ctype}: out of memory")
        return pointer

    def _set(self, option: str, value: Any) -> None:
        number = getattr(self._lib, f"GHOSTTY_TERMINAL_OPT_{option}")
        if self._lib.ghostty_terminal_set(self._terminal, number, value):
            raise EngineUnavailable(f"libghostty does not take the option {option}")

    def _configure(self, scrollback: int, foreground: Rgb, background: Rgb) -> None:
        ffi = self._ffi
        lib = self._lib
        values: tuple[tuple[str, str, Any], ...] = (
            ("SCROLLBACK_MAX_LINES", "size_t *", scrollback),
            ("SCROLLBACK_MAX_BYTES", "size_t *", SCROLLBACK_BYTES),
            ("CLIPBOARD_WRITE_MAX_BYTES", "size_t *", CLIPBOARD_BYTES),
            # With the colours set, programs that ask for them (OSC 10, 11) get an answer.
            ("COLOR_FOREGROUND", "GhosttyColorRgb *", foreground),
            ("COLOR_BACKGROUND", "GhosttyColorRgb *", background),
            # Pictures and drawn glyphs can't be shown here. Without room for them the queries for them
            # stay unanswered, and programs draw with text.
            ("KITTY_IMAGE_STORAGE_LIMIT", "uint64_t *", 0),
            ("GLYPH_PROTOCOL", "bool *", False),
            # A program that reads its own title back could be fed commands through it.
            ("TITLE_REPORT", "bool *", False),
            # No DECSCUSR chooses the hollow block, so it means: the program chose no shape.
            (
                "DEFAULT_CURSOR_STYLE",
                "GhosttyTerminalCursorStyle *",
                lib.GHOSTTY_TERMINAL_CURSOR_STYLE_BLOCK_HOLLOW,
            ),
            # Widths of clusters as Rich counts them. As the default, it also survives a full reset.
            ("MODE_DEFAULT", "GhosttyTerminalModeConfig *", (_GRAPHEME_CLUSTERS, True)),
            ("MODE", "GhosttyTerminalModeConfig *", (_GRAPHEME_CLUSTERS, True)),
        )
        for option, ctype, value in values:
            self._set(option, ffi.new(ctype, value))

    def feed(self, data: bytes) -> None:
        """Take the program's output."""
        outbox = self._outbox
        outbox.events += self._tap.feed(data)
        outbox.events += self._notifications.feed(data)
        self._modify_keys.feed(data)
        data = self._clipboard_limit.take(data)
        self._lib.ghostty_terminal_vt_write(self._terminal, data, len(data))
        self._fed = True
        self._count.read()
        if outbox.failure is not None:
            failure, outbox.failure = outbox.failure, None
            raise failure

    def resize(self, columns: int, rows: int) -> None:
        """Take a new size; sizes below the minimum are raised to it."""
        columns, rows = _size(columns, rows)
        self._count.read()
        if self._lib.ghostty_terminal_resize(self._terminal, columns, rows, CELL_WIDTH, CELL_HEIGHT):
            raise MemoryError(f"no room for a terminal of {columns}x{rows}")
        if columns != self.columns:
            self._count.rewrapped()
        self.columns, self.rows = columns, rows
        self._fed = True

    def replies(self) -> bytes:
        """Return and forget what the terminal has to answer to the program's queries."""
        replies = bytes(self._outbox.replies)
        self._outbox.replies.clear()
        return replies

    def events(self) -> tuple[TerminalEvent, ...]:
        """Return and forget what happened beside the screen, oldest first."""
        events = tuple(self._outbox.events)
        self._outbox.events.clear()
        return events

    def changes(self) -> tuple[bool, dict[int, Row]]:
        """Return and forget the rows that changed since the last call: (all of them?, {row number: row})."""
        self._update()
        lib, state = self._lib, self._state
        lib.ghostty_render_state_get(state, lib.GHOSTTY_RENDER_STATE_DATA_DIRTY, self._dirty)
        if self._dirty[0] == lib.GHOSTTY_RENDER_STATE_DIRTY_FALSE:
            return False, {}
        every = self._dirty[0] == lib.GHOSTTY_RENDER_STATE_DIRTY_FULL
        rows = dict(self._reader.rows(state, every=every))
        lib.ghostty_render_state_clean(state)
        return every, rows

    def cursor(self) -> Cursor:
        """Return the cursor."""
        self._update()
        lib, cursor = self._lib, self._cursor
        lib.ghostty_render_state_get(self._state, lib.GHOSTTY_RENDER_STATE_DATA_CURSOR, cursor)
        shapes = {
            lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_BLOCK: 1,
            lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_UNDERLINE: 3,
            lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_BAR: 5,
        }
        shape = shapes.get(cursor.visual_style, 0)
        return Cursor(
            column=cursor.viewport_x,
            row=cursor.viewport_y,
            visible=bool(cursor.visible),
            shape=shape + 1 if shape and not cursor.blinking else shape,
        )

    def modes(self) -> Modes:
        """Return the modes that decide how input is encoded."""
        return self._modes.read(self._modify_keys.level)

    def title(self) -> str:
        """Return the window title."""
        title = self._ffi.new("GhosttyString *")
        self._lib.ghostty_terminal_get(self._terminal, self._lib.GHOSTTY_TERMINAL_DATA_TITLE, title)
        return self._outbox.text(title)

    def scrollback(self) -> Scrollback:
        """Return how many lines stand above the screen; none while the alternate screen is shown."""
        return self._count.read()

    def lines(self, first: int, count: int) -> list[Row]:
        """Return so many lines from number `first` on, the screen's own included; those there are."""
        self._update()  # reading takes the rows' damage marks away, so they are noted before
        scrollback = self._count.read()
        start = min(max(first - scrollback.lost, 0), scrollback.lines + self.rows)
        end = min(max(first + count - scrollback.lost, start), scrollback.lines + self.rows)
        if start == end:
            return []
        state = self._create("GhosttyRenderState", "ghostty_render_state_new")
        try:
            return self._lines.read(state[0], start, end, scrollback.lines, self.rows)
        finally:
            self._lib.ghostty_render_state_free(state[0])

    def close(self) -> None:
        """Free the engine; it can't be used afterwards."""
        # cffi refuses None for a handle, so a call that comes too late is a TypeError and no crash.
        self._terminal = self._state = None
        self._fed = True
        self._modes.close()
        self._count.close()
        self._lines.close()
        self._free()

    def _update(self) -> None:
        if self._fed:
            self._lib.ghostty_render_state_update(self._state, self._terminal)
            self._fed = False


class _ModeQuery:
    """Ask for all modes in one call."""

    def __init__(self, binding: Binding, terminal: Any) -> None:
        ffi, lib = binding
        self._lib, self._terminal = lib, terminal
        numbers = (*_MOUSE_MODES, *_FLAG_MODES, *_MOUSE_EXTENSIONS)
        self._values = ffi.new("GhosttyTerminalModeConfig[]", [(number, False) for number in numbers])
        self._screen = ffi.new("GhosttyTerminalScreen *")
        self._kitty = ffi.new("uint8_t *")
        self._keys = ffi.new(
            "GhosttyTerminalData[]",
            [lib.GHOSTTY_TERMINAL_DATA_MODE] * len(numbers)
            + [lib.GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN, lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS],
        )
        self._targets = ffi.new(
            "void *[]",
            [*(ffi.addressof(self._values, i) for i in range(len(numbers))), self._screen, self._kitty],
        )
        self._written = ffi.new("size_t *")

    def read(self, modify_other_keys: int) -> Modes:
        """Return the modes as they are now."""
        self._lib.ghostty_terminal_get_multi(self._terminal, len(self._keys), self._keys, self._targets, self._written)
        on = {int(value.mode): bool(value.value) for value in self._values}
        return Modes(
            application_cursor=on[1],
            bracketed_paste=on[2004],
            focus_reports=on[1004],
            alternate_screen=self._screen[0] == self._lib.GHOSTTY_TERMINAL_SCREEN_ALTERNATE,
            mouse=next((number for number in _MOUSE_MODES if on[number]), 0),
            mouse_sgr=on[1006],
            kitty_flags=int(self._kitty[0]),
            synchronized=on[2026],
            application_keypad=on[66],
            backarrow=on[67],
            modify_other_keys=modify_other_keys,
            mouse_extension=next((number for number in _MOUSE_EXTENSIONS if on[number]), 0),
        )

    def close(self) -> None:
        """Forget the terminal."""
        self._terminal = None


def _size(columns: int, rows: int) -> tuple[int, int]:
    return (
        min(max(columns, MINIMUM_COLUMNS), MAXIMUM_SIDE),
        min(max(rows, MINIMUM_ROWS), MAXIMUM_SIDE),
    )


def _luminance(colour: Rgb) -> float:
    red, green, blue = colour
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _free(lib: Any, terminal: Any, state: Any, iterator: Any, cells: Any) -> None:
    lib.ghostty_render_state_row_cells_free(cells)
    lib.ghostty_render_state_row_iterator_free(iterator)
    lib.ghostty_render_state_free(state)
    lib.ghostty_terminal_free(terminal)
