"""What libghostty says beside the screen: its answers to the program, the bell, titles, notifications.

The callbacks run inside `feed`. They hold this object and not the engine, so that an engine nobody refers
to any more is freed at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentsup import __version__
from agentsup.terminal.declarations import Binding
from agentsup.terminal.engine import (
    CONTROLS,
    BellRang,
    ClipboardWritten,
    NotificationSent,
    TerminalEvent,
    TitleChanged,
)

CELL_WIDTH, CELL_HEIGHT = 8, 16
"""Size of a cell in pixels, for programs that ask; nothing here has pixels."""

_BELL = BellRang()

_ECHOING_REPLIES = b"\x1b]5522;"
"""Of all answers libghostty knows, only those about kitty's clipboard repeat text that the program chose
(`id=…`). Whoever can make a program print could so have text typed into it; DECRQM denies the protocol, so
no program waits for these. That nothing else echoes is tested (test_replies.py)."""


class Outbox:
    """Collect replies and events of one terminal until the engine hands them on."""

    def __init__(self, binding: Binding, *, dark: bool) -> None:
        self.replies = bytearray()
        self.events: list[TerminalEvent] = []
        self.failure: BaseException | None = None
        self._binding = binding
        self._dark = dark
        self._version = binding.ffi.new("char[]", f"agentsup {__version__}".encode())

    def callbacks(self) -> dict[str, Any]:
        """Return the C callbacks by the option that takes them; they work only while someone holds them."""
        functions: dict[str, tuple[str, Callable[..., Any]]] = {
            "WRITE_PTY": ("WritePty", self._write_pty),
            "BELL": ("Bell", self._bell),
            "TITLE_CHANGED": ("TitleChanged", self._title_changed),
            "DESKTOP_NOTIFICATION": ("DesktopNotification", self._notification),
            "CLIPBOARD_WRITE": ("ClipboardWrite", self._clipboard_write),
            "SIZE": ("Size", self._size),
            "COLOR_SCHEME": ("ColorScheme", self._colour_scheme),
            "XTVERSION": ("Xtversion", self._xtversion),
        }
        callback = self._binding.ffi.callback
        return {
            option: callback(f"GhosttyTerminal{name}Fn", function, onerror=self._failed)
            for option, (name, function) in functions.items()
        }

    def text(self, string: Any) -> str:
        """Return a GhosttyString as text, without control characters."""
        return CONTROLS.sub("", self._bytes(string).decode("utf-8", "replace"))

    def _bytes(self, string: Any) -> bytes:
        return bytes(self._binding.ffi.buffer(string.ptr, string.len)) if string.len else b""

    def _failed(self, _kind: object, error: BaseException, _traceback: object) -> None:
        # An exception can't cross the native frames between a callback and `feed`; `feed` raises it again.
        self.failure = self.failure or error

    def _write_pty(self, _terminal: Any, _data: Any, pointer: Any, length: int) -> None:
        # The library hands over whole answers, never parts of one.
        answer = bytes(self._binding.ffi.buffer(pointer, length))
        if not answer.startswith(_ECHOING_REPLIES):
            self.replies += answer

    def _bell(self, _terminal: Any, _data: Any) -> None:
        self.events.append(_BELL)

    def _title_changed(self, terminal: Any, _data: Any) -> None:
        lib = self._binding.lib
        title = self._binding.ffi.new("GhosttyString *")
        lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_TITLE, title)
        self.events.append(TitleChanged(self.text(title)))

    def _notification(self, _terminal: Any, _data: Any, sent: Any) -> None:
        self.events.append(NotificationSent(self.text(sent.title), self.text(sent.body)))

    def _clipboard_write(self, _terminal: Any, _data: Any, write: Any) -> None:
        # The primary selection is another clipboard, and none that we could pass on to.
        if write.location != self._binding.lib.GHOSTTY_CLIPBOARD_LOCATION_PRIMARY and write.contents_len:
            self.events.append(ClipboardWritten(self._bytes(write.contents[0].data)))

    def _size(self, terminal: Any, _data: Any, size: Any) -> bool:
        lib = self._binding.lib
        number = self._binding.ffi.new("uint16_t *")
        lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_COLS, number)
        size.columns = number[0]
        lib.ghostty_terminal_get(terminal, lib.GHOSTTY_TERMINAL_DATA_ROWS, number)
        size.rows = number[0]
        size.cell_width, size.cell_height = CELL_WIDTH, CELL_HEIGHT
        return True

    def _colour_scheme(self, _terminal: Any, _data: Any, scheme: Any) -> bool:
        lib = self._binding.lib
        scheme[0] = lib.GHOSTTY_COLOR_SCHEME_DARK if self._dark else lib.GHOSTTY_COLOR_SCHEME_LIGHT
        return True

    def _xtversion(self, _terminal: Any, _data: Any) -> Any:
        ffi = self._binding.ffi
        answer = ffi.new("GhosttyString *")
        answer.ptr, answer.len = ffi.cast("uint8_t *", self._version), len(self._version) - 1
        return answer[0]
