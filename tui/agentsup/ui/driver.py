"""Between Textual and the outer terminal. The only file that may touch Textual's private parts.

Why it exists: Textual's parser loses keys (ESC CR becomes Enter, Alt+B becomes Ctrl+Left), pushes kitty flags
the program in the pane never asked for, and paints at most every 1/60 s. Here key bytes go to the program
as they came while its terminal has the focus; `tests/ui/test_driver.py` checks every private name used.
"""

from __future__ import annotations

import os
import re
import selectors
import sys
import threading
import time

from textual import events, messages
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.timer import Timer, TimerCallback
from textual.widget import Widget

from agentsup.core.screen import Modes
from agentsup.ui import function_keys, key_reports
from agentsup.ui.input_bytes import InputBytes, Token
from agentsup.ui.input_messages import (
    BackgroundReported,
    FunctionKeyPressed,
    InputFailed,
    LeaderPressed,
    RawKey,
    Tap,
    WindowClosed,
    WindowFocused,
)
from agentsup.ui.keyboard_modes import changes
from agentsup.ui.leader import Leader
from agentsup.ui.outlet import Outlet

PRIVATE_NAMES: tuple[tuple[type, tuple[str, ...]], ...] = (
    (
        LinuxDriver,
        (
            "_get_terminal_size",
            "_query_in_band_window_resize",
            "start_application_mode",
            "stop_application_mode",
            "write",
        ),
    ),
    (XTermParser, ("_sequence_to_key_events", "parse_mouse_code")),
    (App, ("_print_error_renderables", "_handle_exception")),
)
"""What is used here beyond the public interface, for the contract test (without attributes of instances)."""

TEXTUAL_KITTY_PUSH = "\x1b[>25u"
_OWN_KITTY_PUSH = "\x1b[>0u"
_READ = 1 << 16
_BACKGROUND_QUERY = "\x1b]11;?\x1b\\"
_BACKGROUND = re.compile(rb"\x1b\]11;rgb:([0-9a-fA-F]{2})[^/]*/([0-9a-fA-F]{2})[^/]*/([0-9a-fA-F]{2})")
_SYNCHRONIZED = re.compile(rb"\x1b\[\?2026;([1-4])\$y")


class TapApp(App[object]):
    """An app whose terminal input can be tapped."""

    leader: Leader

    @property
    def tap_driver(self) -> TapDriver | None:
        """The running driver; None in tests without a terminal."""
        return self._driver if isinstance(self._driver, TapDriver) else None

    @property
    def failure(self) -> Exception | None:
        """The first exception no handler took."""
        return self._exception

    def fail(self, error: Exception) -> None:
        """End the app because of an error outside its message handlers."""
        self._handle_exception(error)

    def set_timer(
        self,
        delay: float,
        callback: TimerCallback | None = None,
        *,
        name: str | None = None,
        pause: bool = False,
    ) -> Timer:
        """Set a timer that fires once, however late: Textual drops one whose time is over before its first look.

        The app's own is 8 ms for a new size of the window: dropped on a busy machine, no later size would count.
        """
        timer = super().set_timer(delay, callback, name=name, pause=pause)
        timer._skip = False
        return timer

    def on_input_failed(self, event: InputFailed) -> None:
        """End: no key is read any more."""
        raise event.error

    def _print_error_renderables(self) -> None:
        # run_interface says it in two lines; Textual would print pages.
        self._exit_renderables.clear()


def paint_now(widget: Widget) -> None:
    """Paint what `widget.refresh()` marked, now. Where that is not possible the next 1/60 s tick does it."""
    screen = widget.screen
    if screen.app._batch_count or screen.app.screen is not screen or screen._layout_required:
        return
    screen._compositor.update_widgets({widget})
    screen._compositor_refresh()


class TapDriver(LinuxDriver):
    """Textual's Linux driver with its input loop replaced."""

    def __init__(
        self,
        app: App[object],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._size = size or self._get_terminal_size()
        # stderr may be redirected; that stdin and stdout are terminals is checked before.
        self._file = Outlet(sys.__stdout__)  # type: ignore[assignment]
        self.leader = app.leader if isinstance(app, TapApp) else Leader()
        self.tap: Tap | None = None
        """Who takes the keys; None: they go through Textual."""
        self._routing = threading.Lock()
        self._on_their_way = 0
        """Keys sent through Textual that have not reached the app yet: none that follow may overtake them."""
        self.settled = False
        """Set once it is decided whose the keys are; what comes before that waits, for it is the program's."""
        self._early: list[Token] = []
        self.paste_tap: Tap | None = None
        """Who takes pastes while nobody takes the keys."""
        self.function_keys: frozenset[str] = frozenset()
        """The function keys that agentsup takes for itself."""
        self._parser = XTermParser()
        self._paste_to: Tap | None = None
        self._modes = Modes()
        self._cursor = ""

    # Output

    def write(self, data: str) -> None:
        """Write to the terminal; the cursor, where shown, is hidden while a screen update passes under it."""
        if data == TEXTUAL_KITTY_PUSH:
            data = _OWN_KITTY_PUSH
        elif self._cursor and data.endswith("H"):
            data = f"\x1b[?25l{data}\x1b[?25h"
        super().write(data)

    def start_application_mode(self) -> None:
        """Take the terminal, with its title kept for later, and what the program had asked for set again."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        wanted, self._modes = self._modes, Modes()
        super().write("\x1b[22;2t")
        if os.environ.get("TERM") != "linux":  # the console would print it
            super().write(_BACKGROUND_QUERY)
        self.mirror_keyboard(wanted)

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        self._cursor = ""
        super().write(changes(self._modes, Modes()))
        # Cleared first: a tmux that was resized meanwhile mixes rows of it into the screen that comes back.
        super().write("\x1b[23;2t\x1b[0 q\x1b[0m\x1b[H\x1b[2J")
        super().stop_application_mode()

    def mirror_keyboard(self, modes: Modes) -> None:
        """Ask the outer terminal for the keys that the program in the pane asked for."""
        if sequences := changes(self._modes, modes):
            self.write(sequences)
        self._modes = modes

    def show_cursor(self, column: int, row: int, shape: int) -> None:
        """Show the terminal's own cursor, in the shape the program asked for (DECSCUSR)."""
        shown = f"\x1b[{shape} q\x1b[?25h"
        move = f"\x1b[{row + 1};{column + 1}H"
        super().write(move if shown == self._cursor else move + shown)
        self._cursor = shown

    def hide_cursor(self) -> None:
        """Hide the terminal's cursor."""
        if self._cursor:
            self._cursor = ""
            self.write("\x1b[?25l")

    def set_title(self, title: str) -> None:
        """Set the outer window's title."""
        self.write(f"\x1b]2;{''.join(c for c in title if c.isprintable())[:200]}\x07")

    def _get_terminal_size(self) -> tuple[int, int]:
        # Textual believes COLUMNS and LINES, where a shell exported them, after every change of the window.
        try:
            size = os.get_terminal_size(self.fileno)
        except OSError:
            return super()._get_terminal_size()
        return size if all(size) else super()._get_terminal_size()

    def _query_in_band_window_resize(self) -> None:
        # Not asked for: it would switch mouse reports to pixels. SIGWINCH tells the size.
        pass

    # Input, in Textual's input thread

    def run_input_thread(self) -> None:
        """Read the terminal until the app ends; tell it where that fails."""
        try:
            self._read_input()
        except Exception as error:  # noqa: BLE001 - the border of this thread
            self.process_message(InputFailed(error))

    def _read_input(self) -> None:
        selector = selectors.DefaultSelector()
        selector.register(self.fileno, selectors.EVENT_READ)
        source = InputBytes()
        deadline: float | None = None
        try:
            while not self.exit_event.is_set():
                if self._early and self.settled:
                    self._route([])
                wait = 0.1 if deadline is None else max(0.0, min(0.1, deadline - time.monotonic()))
                if selector.select(wait):
                    try:
                        data = os.read(self.fileno, _READ)
                    except OSError:  # EIO: the terminal hung up
                        data = b""
                    if not data:
                        self.process_message(WindowClosed())
                        return
                    self._route(source.feed(data))
                    # Counted anew with every read: a report that trickles in must not be let go half.
                    deadline = None if (hold := source.hold) is None else time.monotonic() + hold
                elif deadline is not None and time.monotonic() >= deadline and not selector.select(0):
                    # Looked once more: on a busy machine more may have come since this thread was woken.
                    self._route(source.flush())
                    deadline = None
        finally:
            selector.close()

    def open_tap(self, tap: Tap) -> bool:
        """Let keys go straight to `tap` from now on; False while earlier ones are still on their way to the app."""
        with self._routing:
            if not self._on_their_way:
                self.tap, self.paste_tap, self.settled = tap, None, True
            return not self._on_their_way

    def key_arrived(self) -> None:
        """A key that went through Textual has reached the app."""
        with self._routing:
            self._on_their_way -= 1

    def _route(self, tokens: list[Token]) -> None:
        with self._routing:
            self._route_all(tokens)

    def _route_all(self, tokens: list[Token]) -> None:
        """Bring each token where it belongs; neighbouring keys reach the tap in one piece."""
        tokens, self._early = [*self._early, *tokens], []
        if not self.settled:
            self._early = [token for token in tokens if token.kind in ("text", "key")]
            tokens = [token for token in tokens if token.kind not in ("text", "key")]
        tap = self.tap  # whose the keys were when they came, whatever the app does meanwhile
        keys = b""
        for token in tokens:
            if token.kind in ("text", "key") and tap is not None:
                before, ours, after = self._split_at_ours(token)
                keys += before
                if ours is None:
                    continue
                _give(tap, keys)
                keys = b""
                # From here on nothing reaches the program until the app gives it the keys back.
                self.tap = tap = None
                self.process_message(ours)
                if after:
                    self._untapped(Token(token.kind, after))
                continue
            _give(tap, keys)
            keys = b""
            self._route_other(token)
        _give(tap, keys)

    def _split_at_ours(self, token: Token) -> tuple[bytes, LeaderPressed | FunctionKeyPressed | None, bytes]:
        """Return what comes before a key of ours, what to tell the app of it, and what comes behind."""
        data = token.data
        if token.kind == "text":
            at = self.leader.find(data)
            return (data, None, b"") if at < 0 else (data[:at], LeaderPressed(self.leader.byte), data[at + 1 :])
        if happened := self.leader.match(data):
            return b"", LeaderPressed(data) if happened == "press" else None, b""
        if found := function_keys.match(data, self.function_keys):
            action, happened = found
            return b"", FunctionKeyPressed(action) if happened == "press" else None, b""
        return data, None, b""

    def _route_other(self, token: Token) -> None:
        match token.kind:
            case "text" | "key":
                self._untapped(token)
            case "paste":
                if token.first:
                    self._paste_to = self.tap or self.paste_tap
                    if self._paste_to is None:
                        # Not what it holds: a dialog must only know that the person believes they write to the agent.
                        self.process_message(events.Paste(""))
                if self._paste_to is not None:
                    self._paste_to.paste(token.data, first=token.first, last=token.last)
            case "mouse":
                if event := self._parser.parse_mouse_code(token.data.decode("ascii", "replace")):
                    self.process_message(event)
            case "focus":
                self.process_message(WindowFocused(token.data == b"\x1b[I"))
            case "reply":
                self._take_reply(token.data)

    def _take_reply(self, reply: bytes) -> None:
        if _SYNCHRONIZED.fullmatch(reply):
            self.process_message(messages.TerminalSupportsSynchronizedOutput())
        elif found := _BACKGROUND.match(reply):
            red, green, blue = (int(part, 16) for part in found.groups())
            self.process_message(BackgroundReported(0.299 * red + 0.587 * green + 0.114 * blue < 128))

    def _untapped(self, token: Token) -> None:
        """Send keys through Textual, which is where dialogs and menus get them."""
        if token.kind == "key":
            self._untapped_key(token.data)
            return
        for character in token.data.decode("utf-8", "surrogateescape"):
            raw = character.encode("utf-8", "surrogateescape")
            if raw == self.leader.byte:
                self.process_message(LeaderPressed(raw))
            else:
                self._send_keys(list(self._parser._sequence_to_key_events(character)), raw)

    def _untapped_key(self, raw: bytes) -> None:
        pressed = self.leader.match(raw)
        if pressed == "press":
            self.process_message(LeaderPressed(raw))
        text = key_reports.legible(raw)
        if pressed or not text:
            return
        if raw == b"\x1b":
            self._send_keys([events.Key("escape", "\x1b")], raw)
            return
        keys = list(self._parser._sequence_to_key_events(text))
        if not keys and len(text) == 2:
            keys = list(self._parser._sequence_to_key_events(text[1], alt=True))
        self._send_keys(keys, raw)

    def _send_keys(self, keys: list[events.Key], raw: bytes) -> None:
        """Send one key, or more where Textual sees more; the first one carries the bytes."""
        for key in keys or [events.Key("unknown", None)]:
            self._on_their_way += 1
            self.process_message(RawKey(key.key, key.character, raw))
            raw = b""


def _give(tap: Tap | None, keys: bytes) -> None:
    if tap is not None and keys:
        tap.keys(keys)
