"""What persons type, paste and point at, on its way from the clients to the one writer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from agentsup.core.injector import PASTE_END, PASTE_START
from agentsup.host.clients import Client, Clients
from agentsup.host.mouse import encode_mouse
from agentsup.host.pty_screen import PtyScreen
from agentsup.host.writer import Source, Writer
from agentsup.protocol import messages as m

BACKLOG_LIMIT = 1 << 18
"""Bytes waiting for the pty at which the clients' input is no longer read."""


class Listener(Protocol):
    """Is told what a person types and pastes, as it comes."""

    def keys(self, data: bytes) -> None:
        """Keys were typed."""

    def pasted(self, data: bytes) -> None:
        """A piece of a paste came."""


class HumanInput:
    """One person's paste at a time; keys in the order they came; back-pressure to the clients."""

    def __init__(self, screen: PtyScreen, writer: Writer, on_key: Callable[[], None]) -> None:
        self._screen, self._writer, self._on_key = screen, writer, on_key
        self._paster: Client | None = None
        self._brackets = False
        self._return_last = False
        self.clients: Clients | None = None
        self.listener: Listener | None = None

    def keys(self, data: bytes) -> None:
        """Take key bytes as the outer terminal sent them."""
        self._on_key()
        if self.listener is not None:
            self.listener.keys(data)
        self._type(data)

    def mouse(self, message: m.Mouse) -> None:
        """Report the mouse as the program asked for it; where it moves to while a text of ours is typed is nobody's."""
        if message.kind == "move" and self._writer.held_by == "injection":
            return
        self._type(encode_mouse(message, self._screen.modes))

    def focus(self, focused: bool) -> None:
        """Report the focus where the program asked for it."""
        if self._screen.modes.focus_reports:
            self._type(b"\x1b[I" if focused else b"\x1b[O")

    def paste(self, client: Client, message: m.Paste) -> None:
        """Take a piece of a paste; brackets are added where the program asked for them at its start."""
        self._on_key()
        if self._paster is None and message.first:
            self._paster = client
            self._brackets = self._screen.modes.bracketed_paste
            self._return_last = False
            self._writer.hold("paste")
            if self._brackets:
                self._type(PASTE_START, "paste")
        if self._paster is client:
            if self.listener is not None:
                self.listener.pasted(message.data)
            self._type(message.data if self._brackets else self._as_typed(message.data), "paste")
            if message.last:
                self._end_paste()

    def _as_typed(self, data: bytes) -> bytes:
        """Return pasted text with its line ends as Enter.

        The outer terminal brackets what it pastes for us, and in brackets many (kitty, Ghostty, Alacritty)
        leave line ends alone that they would turn into Enter for a program that did not ask for brackets.
        """
        halved, self._return_last = self._return_last, data.endswith(b"\r")
        if halved and data.startswith(b"\n"):
            data = data[1:]
        return data.replace(b"\r\n", b"\r").replace(b"\n", b"\r")

    def gone(self, client: Client) -> None:
        """A client has left: a paste it had begun is closed."""
        if self._paster is client:
            self._end_paste()

    def drained(self) -> None:
        """The pty has taken everything: read on."""
        if self.clients is not None:
            self.clients.pause_reading(False)

    def _end_paste(self) -> None:
        self._paster = None
        if self._brackets:
            self._type(PASTE_END, "paste")
        self._writer.release("paste")

    def _type(self, data: bytes, source: Source = "human") -> None:
        self._writer.write(source, data)
        if self._writer.backlog > BACKLOG_LIMIT and self.clients is not None:
            self.clients.pause_reading(True)
